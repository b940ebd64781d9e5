import path from 'node:path';
import { readZone } from '../../ask/time/zone.ts';
import { toAddress } from '../config/read-environment.ts';
import { settingsOfText } from '../config/settings-of-text.ts';
import { showPath } from '../process/show-path.ts';
import { storeToAsk } from '../workspace/store-to-ask.ts';
import type { InitBackend } from './answers.ts';
import { findEventFiles } from './find-event-files.ts';
import type { SetupPlace } from './set-up.ts';

/** What can be offered for an answer. */
export interface Surroundings {
  /** Paths and patterns of files that look like events. */
  readonly eventFiles: readonly string[];
  /** The store that would answer, for people. */
  readonly store?: string | undefined;
  /** The address that the environment names, for each backend that has one. */
  readonly hosts: Readonly<Partial<Record<InitBackend, string>>>;
  readonly project?: string | undefined;
  /** A variable that holds a token, for each backend that takes one. */
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

/** The answers of one who is not asked. */
export interface Offered {
  readonly events?: readonly string[] | undefined;
  readonly timezone?: string | undefined;
}

export function toOffered({ store, eventFiles, timezone }: Surroundings): Offered {
  return { events: store === undefined ? eventFiles.slice(0, 1) : [], timezone };
}
