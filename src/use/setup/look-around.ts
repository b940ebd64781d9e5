import path from 'node:path';
import { readdir } from 'node:fs/promises';
import { readZone } from '../../ask/time/zone.ts';
import { toAddress } from '../config/read-environment.ts';
import { settingsOfText } from '../config/read-config-file.ts';
import { showPath } from '../process/show-path.ts';
import { storeToAsk } from '../workspace/store-to-ask.ts';
import type { InitBackend } from './answers.ts';
import type { SetupPlace } from './set-up.ts';

/** Suggestions for answers. */
export interface Surroundings {
  /** Paths and patterns of files that look like event files. */
  readonly eventFiles: readonly string[];
  /** The store that would be used, for people. */
  readonly store?: string | undefined;
  /** URLs from the environment, by backend. */
  readonly hosts: Readonly<Partial<Record<InitBackend, string>>>;
  readonly project?: string | undefined;
  /** Environment variables that contain a token, by backend. */
  readonly tokens: Readonly<Partial<Record<InitBackend, string>>>;
  readonly timezone: string;
}

export async function lookAround({ config, cwd, env }: SetupPlace): Promise<Surroundings> {
  const set = (...names: readonly string[]) => names.find((name) => (env[name] ?? '') !== '');
  const valueOfFirst = (...names: readonly string[]) => env[set(...names) ?? ''];
  const zone = readZone(env['TZ'] || Intl.DateTimeFormat().resolvedOptions().timeZone);
  const host = valueOfFirst('SLUICE_HOST', 'GITLAB_HOST');
  const cubeHost = valueOfFirst('SLUICE_CUBE_URL');
  const platformToken = set('SLUICE_TOKEN', 'GITLAB_TOKEN');
  const cubeToken = set('SLUICE_CUBE_TOKEN', 'SLUICE_CUBE_SECRET');
  const bare = settingsOfText(
    { file: path.basename(config), folder: path.dirname(config), text: 'backend: embedded\n' },
    env,
  );
  const store = await storeToAsk(bare).catch(() => undefined);
  return {
    eventFiles: await findEventFiles(path.dirname(config)),
    store: store === undefined ? undefined : showPath(store, cwd),
    hosts: {
      ...(host !== undefined && { platform: toAddress(host) }),
      ...(cubeHost !== undefined && { cube: toAddress(cubeHost) }),
    },
    project: valueOfFirst('SLUICE_PROJECT', 'CI_PROJECT_ID'),
    tokens: {
      ...(platformToken !== undefined && { platform: platformToken }),
      ...(cubeToken !== undefined && { cube: cubeToken }),
    },
    timezone: zone.ok ? zone.value : 'UTC',
  };
}

/** Default answers without prompts. */
export interface Offered {
  readonly events?: readonly string[] | undefined;
  readonly timezone?: string | undefined;
}

export function toOffered({ store, eventFiles, timezone }: Surroundings): Offered {
  return { events: store === undefined ? eventFiles.slice(0, 1) : [], timezone };
}

const eventFile = /\.(?:(?:ndjson|jsonl|csv|tsv|parquet)(?:\.(?:gz|zst))?|zip|xlsx|xlsm|ods)$/i;

/**
 * Finds event files in a folder and its direct subfolders. Each suggestion is relative: a path, or a pattern for
 * several files of a kind.
 */
export async function findEventFiles(folder: string): Promise<readonly string[]> {
  const below = (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => name)
    .sort();
  const found = await Promise.all(['', ...below].map((name) => suggestionsIn(folder, name)));
  return found.flat().slice(0, 5);
}

async function suggestionsIn(root: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  const kinds = new Map<string, string[]>();
  for (const { name } of entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const ending = eventFile.exec(name)?.[0];
    if (ending !== undefined) kinds.set(ending, [...(kinds.get(ending) ?? []), name]);
  }
  // Special characters in the folder's name would act as a pattern.
  const isPlain = !/[*?[\]{}!()]/.test(folder);
  return [...kinds].flatMap(([ending, names]) => {
    if (names.length === 1) return [path.posix.join(folder, names[0] ?? '')];
    return isPlain ? [path.posix.join(folder, `*${ending}`)] : [];
  });
}
