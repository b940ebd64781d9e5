import { drawIssue } from '../../ask/document/draw-issue.ts';
import { type Issue, type Outcome } from '../../ask/outcome.ts';
import { ConfigError } from '../../ask/sluice-error.ts';
import { findConfig } from './find-config.ts';
import type { Layer, UncheckedLayer } from './layer.ts';
import type { ConfigFile } from './read-config-file.ts';
import { readEnvironment, type Environment } from './read-environment.ts';
import { readFlags, type SettingFlags } from './read-flags.ts';
import { toSettings, type Settings } from './settings.ts';
import { findToken } from './token-source.ts';

export interface SettingSources {
  /** Absolute path of the folder to start from. */
  readonly cwd: string;
  readonly env: Environment;
  readonly flags: SettingFlags;
  /** A configuration other than the one that is found. */
  readonly configFile?: string | undefined;
  /** How a flag is called in messages. */
  readonly nameOf: (flag: string) => string;
}

export interface OpenedSettings {
  /** Absolute path of the workspace: the folder of the configuration. */
  readonly root: string;
  readonly settings: Settings;
  /** The configuration file that was read, as people know it. */
  readonly file: string | undefined;
  /** Whole lines for people, drawn. */
  readonly warnings: readonly string[];
}

/** All settings, from file < environment < flags. Errors: `config-not-found`, `invalid-config`, with every issue drawn. */
export async function openSettings({ cwd, env, flags, configFile, nameOf }: SettingSources): Promise<OpenedSettings> {
  const { root, file } = await findConfig(cwd, configFile ?? env['SLUICE_CONFIG']);
  const environment = readEnvironment(env, cwd);
  const warnings = environment.warnings.map((issue) => drawIssue(issue));
  const layers: Layer[] = [];
  if (file) layers.push(await openFile(file, warnings));
  for (const layer of [environment.layer, readFlags(flags, cwd, nameOf)]) layers.push(await check(layer));
  const settings = toSettings(layers, root, {
    platform: findToken(env, ['SLUICE_TOKEN', 'GITLAB_TOKEN']),
    cube: findToken(env, ['SLUICE_CUBE_TOKEN']),
  });
  return { root, settings, file: file?.file, warnings };
}

async function openFile(file: ConfigFile, warnings: string[]): Promise<Layer> {
  // YAML and the schema cost more time to load than everything else here: not without need.
  const { readConfigFile, secretInFile } = await import('./read-config-file.ts');
  const read = readConfigFile(file);
  const draw = (issue: Issue) => drawIssue(issue, { file: read.file, source: issue.code === secretInFile ? undefined : read.source });
  if (!read.ok) throw invalid(`The configuration in ${file.file} cannot be used.`, read, draw);
  warnings.push(...read.issues.map(draw));
  return read.value;
}

async function check(layer: UncheckedLayer): Promise<Layer> {
  if (isPlain(layer.config)) return layer as Layer;
  const { checkLayer } = await import('./check-layer.ts');
  const checked = checkLayer(layer);
  if (!checked.ok) throw invalid('A setting cannot be used.', checked, (issue) => drawIssue(issue));
  return checked.value;
}

/** Nothing in it that could be wrong. */
function isPlain(config: UncheckedLayer['config']): boolean {
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const { events, ...others } = config;
  return Object.keys(others).length === 0 && (events === undefined || isText(events) || (Array.isArray(events) && events.length > 0 && events.every(isText)));
}

function invalid(message: string, outcome: Outcome<unknown>, draw: (issue: Issue) => string): ConfigError {
  return new ConfigError(`${message}\n${outcome.issues.map(draw).join('\n')}`, { code: 'invalid-config', hint: '`sluice doctor` tells where every setting comes from.' });
}
