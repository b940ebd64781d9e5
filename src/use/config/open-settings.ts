import path from 'node:path';
import { drawIssue } from '../../ask/document/draw-issue.ts';
import type { Issue } from '../../ask/outcome.ts';
import { ConfigError } from '../../ask/sluice-error.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import type { CheckedLayer, Layer, UncheckedLayer } from './layer.ts';
import type { ConfigFile } from './read-config-file.ts';
import { type Environment, readEnvironment } from './read-environment.ts';
import { readFlags, type SettingFlags } from './read-flags.ts';
import { secretInFile } from './secret-issue.ts';
import { findToken, type Setting, type Settings, type TokenSource, toSettings } from './settings.ts';
import { readJson } from '../../ask/document/parse-exactly.ts';
import { valueAt } from '../../ask/document/located.ts';

export interface SettingSources {
  /** Absolute path of the folder to start from. */
  readonly cwd: string;
  readonly env: Environment;
  readonly flags: SettingFlags;
  /** A configuration file to use instead of the one that sluice finds. */
  readonly configFile?: string | undefined;
  /** Tokens that a program passes. They override all others. */
  readonly tokens?:
    | {
        readonly platform?: Setting<TokenSource> | undefined;
        readonly cube?: Setting<TokenSource> | undefined;
      }
    | undefined;
  /** Name of a flag in messages. */
  readonly nameOf: (flag: string) => string;
}

export interface OpenedSettings {
  /** Absolute path of the workspace: the folder of the configuration. */
  readonly root: string;
  readonly settings: Settings;
  /** The configuration file that was read, for display. */
  readonly file: string | undefined;
  /** Warnings as whole lines. */
  readonly warnings: readonly string[];
}

/**
 * Reads all settings: flags override the environment, which overrides the file. Throws `config-not-found`,
 * `invalid-config` with every issue.
 */
export async function openSettings(sources: SettingSources): Promise<OpenedSettings> {
  const { faults, ...opened } = await readSettings(sources);
  if (faults.length === 0) return opened;
  throw new ConfigError(faults.join('\n'), {
    code: 'invalid-config',
    hint: 'Run `sluice doctor` to see the source of every setting.',
  });
}

export interface ReadSettings extends OpenedSettings {
  /** Errors as text, one for each source. Settings with errors count as not set. */
  readonly faults: readonly string[];
}

/** Reads the valid settings. Throws `config-not-found`. */
export async function readSettings({
  cwd,
  env,
  flags,
  configFile,
  nameOf,
  tokens,
}: SettingSources): Promise<ReadSettings> {
  const { root, file } = await findConfig(cwd, configFile ?? env['SLUICE_CONFIG']);
  const environment = readEnvironment(env, cwd);
  const checked = [
    ...(file ? [await openFile(file)] : []),
    await check(environment.layer),
    await check(readFlags(flags, cwd, nameOf)),
  ];
  const settings = toSettings(
    checked.map(({ layer }) => layer),
    root,
    {
      platform: tokens?.platform ?? findToken(env, ['SLUICE_TOKEN', 'GITLAB_TOKEN']),
      cube: tokens?.cube ?? findToken(env, ['SLUICE_CUBE_TOKEN', 'SLUICE_CUBE_SECRET']),
      clickhouse: findToken(env, ['SLUICE_CLICKHOUSE_PASSWORD']),
    },
  );
  return {
    root,
    settings,
    file: file?.file,
    warnings: [
      ...environment.warnings.map((issue) => drawIssue(issue)),
      ...checked.flatMap(({ warnings }) => warnings),
    ],
    faults: checked.flatMap(({ fault }) => fault ?? []),
  };
}

interface DrawnLayer {
  readonly layer: Layer;
  readonly warnings: readonly string[];
  readonly fault?: string | undefined;
}

async function openFile(file: ConfigFile): Promise<DrawnLayer> {
  // Loads lazily: YAML and the schema take longer to load than everything else here.
  const { readConfigFile } = await import('./read-config-file.ts');
  const read = readConfigFile(file);
  return drawn(read, `The configuration in ${file.file} has errors.`, (issue) =>
    drawIssue(issue, {
      file: read.file,
      source: issue.code === secretInFile || issue.path[0] === 'deliver' ? undefined : read.source,
    }),
  );
}

async function check(layer: UncheckedLayer): Promise<DrawnLayer> {
  if (isPlain(layer.config)) return { layer: layer as Layer, warnings: [] };
  const { checkLayer } = await import('./read-config-file.ts');
  // The path is the origin of the setting, such as `flag --memory`, which is no key.
  return drawn(checkLayer(layer), 'A setting is invalid.', ({ path: [origin], ...issue }) =>
    drawIssue({ ...issue, path: [], message: `${origin}: ${issue.message}` }),
  );
}

function drawn({ layer, issues }: CheckedLayer, message: string, draw: (issue: Issue) => string): DrawnLayer {
  const lines = issues.map(draw);
  if (!issues.some(({ severity }) => severity === 'error')) return { layer, warnings: lines };
  return { layer, warnings: [], fault: [message, ...lines].join('\n') };
}

/** Whether the values are simple enough to be valid without the schema. */
function isPlain(config: UncheckedLayer['config']): boolean {
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const { events, cache, ...others } = config;
  return (
    Object.keys(others).length === 0 &&
    (cache === undefined || typeof cache === 'boolean') &&
    (events === undefined || isText(events) || (Array.isArray(events) && events.length > 0 && events.every(isText)))
  );
}

/** The workspace folder: that of the nearest configuration, or the current folder if there is none. */
interface FoundConfig {
  readonly root: string;
  /** Undefined if there is no configuration or it is empty. */
  readonly file: ConfigFile | undefined;
}

/**
 * Looks for `sluice.yaml`, or for a package.json with a key `sluice`, in `cwd` and its parent folders. `given` names
 * another file. Throws `config-not-found` if a given file does not exist.
 */
async function findConfig(cwd: string, given: string | undefined): Promise<FoundConfig> {
  if (given !== undefined) return readGiven(path.resolve(cwd, given), given);
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const found = (await findYaml(folder)) ?? (await findInPackage(folder));
    if (found) return found;
    if (folder === path.dirname(folder)) return { root: cwd, file: undefined };
  }
}

async function readGiven(file: string, given: string): Promise<FoundConfig> {
  const text = await readIfThere(file);
  if (text === undefined)
    throw new ConfigError(`The configuration file ${given} does not exist.`, {
      code: 'config-not-found',
      hint:
        'Correct the path given with `--config` or `SLUICE_CONFIG`, or create it: ' +
        `\`sluice init --config ${given}\``,
    });
  const folder = path.dirname(file);
  return {
    root: folder,
    file: { file: given, folder, text, key: path.basename(file) === 'package.json' ? 'sluice' : undefined },
  };
}

async function findYaml(folder: string): Promise<FoundConfig | undefined> {
  for (const file of ['sluice.yaml', 'sluice.yml']) {
    const text = await readIfThere(path.join(folder, file));
    if (text !== undefined) return { root: folder, file: { file, folder, text } };
  }
  return undefined;
}

async function findInPackage(folder: string): Promise<FoundConfig | undefined> {
  const file = 'package.json';
  const text = await readIfThere(path.join(folder, file));
  if (text === undefined || !text.includes('"sluice"')) return undefined;
  const config = keyOf(text, 'sluice');
  if (config === undefined) return undefined;
  const isEmpty = config !== null && typeof config === 'object' && Object.keys(config).length === 0;
  return { root: folder, file: isEmpty ? undefined : { file, folder, text, key: 'sluice' } };
}

/** The value of a key of a JSON object; undefined if it is missing or the text is not valid JSON, which npm reports. */
function keyOf(text: string, key: string): unknown {
  return valueAt(readJson(text), [key]);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readDefinition(file, file)).toString('utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'EACCES') return undefined;
    throw error;
  }
}
