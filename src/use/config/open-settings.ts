import { drawIssue } from '../../ask/document/draw-issue.ts';
import type { Issue } from '../../ask/outcome.ts';
import { ConfigError } from '../../ask/sluice-error.ts';
import { findConfig } from './find-config.ts';
import type { CheckedLayer, Layer, UncheckedLayer } from './layer.ts';
import type { ConfigFile } from './read-config-file.ts';
import { readEnvironment, type Environment } from './read-environment.ts';
import { readFlags, type SettingFlags } from './read-flags.ts';
import { secretInFile } from './secret-issue.ts';
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
export async function openSettings(sources: SettingSources): Promise<OpenedSettings> {
  const { faults, ...opened } = await readSettings(sources);
  if (faults.length === 0) return opened;
  throw new ConfigError(faults.join('\n'), { code: 'invalid-config', hint: '`sluice doctor` tells where every setting comes from.' });
}

export interface ReadSettings extends OpenedSettings {
  /** What is wrong, place by place, drawn. Settings that it is about count as not set. */
  readonly faults: readonly string[];
}

/** The settings as far as they can be used. Error: `config-not-found`. */
export async function readSettings({ cwd, env, flags, configFile, nameOf }: SettingSources): Promise<ReadSettings> {
  const { root, file } = await findConfig(cwd, configFile ?? env['SLUICE_CONFIG']);
  const environment = readEnvironment(env, cwd);
  const checked = [
    ...(file ? [await openFile(file)] : []),
    await check(environment.layer),
    await check(readFlags(flags, cwd, nameOf)),
  ];
  const settings = toSettings(checked.map(({ layer }) => layer), root, {
    platform: findToken(env, ['SLUICE_TOKEN', 'GITLAB_TOKEN']),
    cube: findToken(env, ['SLUICE_CUBE_TOKEN', 'SLUICE_CUBE_SECRET']),
  });
  return {
    root, settings, file: file?.file,
    warnings: [...environment.warnings.map((issue) => drawIssue(issue)), ...checked.flatMap(({ warnings }) => warnings)],
    faults: checked.flatMap(({ fault }) => fault ?? []),
  };
}

interface DrawnLayer {
  readonly layer: Layer;
  readonly warnings: readonly string[];
  readonly fault?: string | undefined;
}

async function openFile(file: ConfigFile): Promise<DrawnLayer> {
  // YAML and the schema cost more time to load than everything else here: not without need.
  const { readConfigFile } = await import('./read-config-file.ts');
  const read = readConfigFile(file);
  return drawn(read, `The configuration in ${file.file} cannot be used.`, (issue) =>
    drawIssue(issue, { file: read.file, source: issue.code === secretInFile || issue.path[0] === 'deliver' ? undefined : read.source }));
}

async function check(layer: UncheckedLayer): Promise<DrawnLayer> {
  if (isPlain(layer.config)) return { layer: layer as Layer, warnings: [] };
  const { checkLayer } = await import('./check-layer.ts');
  return drawn(checkLayer(layer), 'A setting cannot be used.', (issue) => drawIssue(issue));
}

function drawn({ layer, issues }: CheckedLayer, message: string, draw: (issue: Issue) => string): DrawnLayer {
  const lines = issues.map(draw);
  if (!issues.some(({ severity }) => severity === 'error')) return { layer, warnings: lines };
  return { layer, warnings: [], fault: [message, ...lines].join('\n') };
}

/** Nothing in it that could be wrong. */
function isPlain(config: UncheckedLayer['config']): boolean {
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const { events, ...others } = config;
  return Object.keys(others).length === 0 && (events === undefined || isText(events) || (Array.isArray(events) && events.length > 0 && events.every(isText)));
}
