import { ConfigError } from '../../ask/sluice-error.ts';
import type { Backend } from '../../run/backend.ts';
import type { Engine } from '../../run/duckdb/engine/engine.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import type { RemoteSurroundings } from './open-remote.ts';
import { storeToAsk } from './store-to-ask.ts';

/** Opens what answers questions, on an engine that is starting already where there is one. Errors: `backend-not-available`, those of `storeToAsk`, and the backend's own. */
export async function openBackend(settings: Settings, cwd: string, engine?: Promise<Engine>, remote?: RemoteSurroundings): Promise<Backend> {
  const { value: name, origin } = settings.backend;
  if (name === 'platform' || name === 'cube') {
    const { openRemote } = await import('./open-remote.ts');
    return openRemote(settings, remote ?? { env: {}, root: cwd });
  }
  if (name !== 'embedded') {
    throw new ConfigError(`The backend "${name}" (from ${origin}) is not available in this version.`, {
      code: 'backend-not-available', hint: "Use the embedded one, which answers from files: `--backend embedded --events 'events/*.ndjson.gz'`.",
    });
  }
  const store = await storeToAsk(settings);
  const { openEmbedded } = await import('../../run/duckdb/answer/open-embedded.ts');
  return openEmbedded({
    events: settings.events.value.map((file) => showPath(file, cwd)),
    store,
    tables: Object.fromEntries(Object.entries(settings.tables.value).map(([table, files]) => [table, files.map((file) => showPath(file, cwd))])),
    user: settings.user.value,
    workingDirectory: cwd,
    engine,
    memoryLimit: settings.memory.value,
  });
}
