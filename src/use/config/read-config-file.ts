import * as z from 'zod';
import { findSecrets } from '../../ask/document/find-secrets.ts';
import { type SourceText, attachSpans, locateBelow, valueAt } from '../../ask/document/located.ts';
import { parseYaml } from '../../ask/document/parse-yaml.ts';
import { readValue } from '../../ask/document/read-value.ts';
import type { IssuePath } from '../../ask/outcome.ts';
import { type CheckedLayer, type UncheckedLayer, withoutFaulty } from './layer.ts';
import { configSchema } from './schema.ts';
import { secretInFile, secretIssue } from './secret-issue.ts';
import { drawIssue } from '../../ask/document/draw-issue.ts';
import { ConfigError } from '../../ask/sluice-error.ts';
import type { Environment } from './read-environment.ts';
import { type Settings, findToken, toSettings } from './settings.ts';

export interface ConfigFile {
  /** Name for display: `sluice.yaml`. */
  readonly file: string;
  /** Absolute path of its folder. */
  readonly folder: string;
  readonly text: string;
  /** The key that holds the configuration: `sluice` in a package.json. */
  readonly key?: string | undefined;
}

/** Reads a configuration file and returns all issues. Rejects secrets, because the file is usually committed. */
export function readConfigFile({ file, folder, text, key }: ConfigFile): CheckedLayer & SourceText {
  const parsed = parseYaml(text, { file });
  if (!parsed.ok) {
    // A file with only comments is a valid, empty configuration.
    const empty = parsed.issues.every((issue) => issue.code === 'empty-document');
    return {
      layer: { config: {}, base: folder, originOf: () => file },
      issues: empty ? [] : parsed.issues,
      source: text,
      file,
    };
  }
  const prefix: IssuePath = key === undefined ? [] : [key];
  const locate = locateBelow(parsed.locate, prefix);
  const config = valueAt(parsed.value, prefix) ?? {};
  const secrets = findSecrets(config).map((path) => secretIssue(path, file));
  const read = readValue(config, configSchema);
  const isSecret = (path: IssuePath) => secrets.some((secret) => secret.path.join('\n') === path.join('\n'));
  const issues = attachSpans(
    [...parsed.issues, ...secrets, ...read.issues.filter((issue) => !isSecret(issue.path))],
    locate,
  );
  const originOf = (path: IssuePath) => `${file}:${locate(path, 'key')?.line ?? 1}`;
  return { layer: { config: withoutFaulty(config, issues), base: folder, originOf }, issues, source: text, file };
}

/** The JSON Schema of `sluice.yaml`. */
export function toConfigJsonSchema(): unknown {
  return z.toJSONSchema(configSchema, { io: 'input' });
}

/** Validates a layer. Each issue names the flag or variable. */
export function checkLayer({ config, base, originOf }: UncheckedLayer): CheckedLayer {
  const { issues } = readValue(config, configSchema);
  return {
    layer: { config: withoutFaulty(config, issues), base, originOf },
    issues: issues.map((issue) => ({ ...issue, path: [originOf(issue.path)] })),
  };
}

/**
 * Returns the settings of a configuration that is not written yet. From the environment it only reads tokens. Throws
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
