import { ConfigError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { readManifest } from '../../run/store/store-manifest.ts';
import type { Settings } from '../config/settings.ts';

/**
 * Returns the folder of the store to query if no events are configured. A store counts if it is configured explicitly,
 * or if it has events and no configured tables replace them. Throws `store-not-found` or `store-empty` if a configured
 * store is missing or empty, `flag-without-files`, and as `readManifest`.
 */
export async function storeToAsk(settings: Settings): Promise<string | undefined> {
  const { backend, events, tables, model, store } = settings;
  if (backend.value !== 'embedded' || events.value.length > 0) return undefined;
  const isNamed = store.origin !== 'default';
  const own = Object.keys(tables.value).map((table) => table.toLowerCase());
  // The model uses the store as its table `events` if it does not define one.
  if (!isNamed && (model.value === undefined ? own.length > 0 : own.includes('events'))) return undefined;
  const manifest = await readManifest(store.value);
  if (manifest && manifest.segments.length > 0) {
    refuseFileFlags(settings, `reads the store in ${quote(store.value)}`);
    return store.value;
  }
  if (!isNamed) return undefined;
  const named = `${quote(store.value)} (from ${store.origin})`;
  throw new ConfigError(manifest ? `The store in ${named} has no events.` : `${named} does not contain a store.`, {
    code: manifest ? 'store-empty' : 'store-not-found',
    hint: "Load events: `sluice ingest 'events/*.ndjson.gz'`, or specify another folder with `--store`.",
  });
}

/**
 * Throws `flag-without-files` if a flag maps columns, which changes nothing in a store, mapped when it was loaded, or
 * on a server. `where`: what the question does instead of reading files.
 */
export function refuseFileFlags({ columns, preset }: Settings, where: string): void {
  const unused = [columns, preset].find(({ origin }) => origin.startsWith('flag '));
  if (unused === undefined) return;
  throw new ConfigError(`The ${unused.origin} applies to event files, but the question ${where}.`, {
    code: 'flag-without-files',
    hint: 'Specify files: --events FILE. For a store, load them again with this flag.',
  });
}
