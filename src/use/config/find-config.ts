import { readDefinition } from '../../run/file/read-definition.ts';
import path from 'node:path';
import { ConfigError } from '../../ask/sluice-error.ts';
import type { ConfigFile } from './read-config-file.ts';

/** Where the work happens: the folder of the nearest configuration, or the current folder where there is none. */
export interface FoundConfig {
  readonly root: string;
  /** Undefined where there is none, or none with anything in it. */
  readonly file: ConfigFile | undefined;
}

/**
 * Looks for `sluice.yaml`, or a package.json with a key `sluice`, in `cwd` and the folders above; `given` names another file.
 * Error: `config-not-found` where a given file is not there.
 */
export async function findConfig(cwd: string, given: string | undefined): Promise<FoundConfig> {
  if (given !== undefined) return readGiven(path.resolve(cwd, given), given);
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const found = (await findYaml(folder)) ?? (await findInPackage(folder));
    if (found) return found;
    if (folder === path.dirname(folder)) return { root: cwd, file: undefined };
  }
}

async function readGiven(file: string, given: string): Promise<FoundConfig> {
  const text = await readIfThere(file);
  if (text === undefined) throw new ConfigError(`There is no configuration at ${given}.`, { code: 'config-not-found', hint: `Correct the path given with \`--config\` or \`SLUICE_CONFIG\`, or write one there: \`sluice init --config ${given}\`` });
  const folder = path.dirname(file);
  return { root: folder, file: { file: given, folder, text, key: path.basename(file) === 'package.json' ? 'sluice' : undefined } };
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

/** The value of a key of a JSON object; undefined where there is none, or the text is no JSON: that is npm's to say. */
function keyOf(text: string, key: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  } catch {
    return undefined;
  }
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
