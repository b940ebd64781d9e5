import { drawIssue } from '../../ask/document/draw-issue.ts';
import { ConfigError } from '../../ask/sluice-error.ts';
import { type ConfigFile, readConfigFile } from './read-config-file.ts';
import type { Environment } from './read-environment.ts';
import { secretInFile } from './secret-issue.ts';
import { findToken, type Settings, toSettings } from './settings.ts';

/**
 * The settings of a configuration that is not written yet; of the environment only the tokens count. Error:
 * `invalid-config`.
 */
export function settingsOfText(config: ConfigFile, env: Environment): Settings {
  const { layer, issues } = readConfigFile(config);
  const faults = issues.filter(({ severity }) => severity === 'error');
  if (faults.length > 0) {
    const drawn = faults.map((issue) =>
      drawIssue(issue, { file: config.file, source: issue.code === secretInFile ? undefined : config.text }),
    );
    throw new ConfigError(['These answers do not form a valid configuration.', ...drawn].join('\n'), {
      code: 'invalid-config',
      hint: 'Run `sluice init --help` to see the accepted values.',
    });
  }
  return toSettings([layer], config.folder, {
    platform: findToken(env, ['SLUICE_TOKEN', 'GITLAB_TOKEN']),
    cube: findToken(env, ['SLUICE_CUBE_TOKEN', 'SLUICE_CUBE_SECRET']),
  });
}
