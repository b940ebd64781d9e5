import { ConfigError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { readManifest } from '../../run/store/store-manifest.ts';
import type { Settings } from '../config/settings.ts';

/**
 * The folder of the store that answers, where no events are named: of a store that is named itself, or of one that
 * holds something and has no tables before it that are the events. Errors: `store-not-found` and `store-empty` where a
 * named one is not there or holds nothing, and those of `readManifest`.
 */
export async function storeToAsk({ backend, events, tables, model, store }: Settings): Promise<string | undefined> {
  if (backend.value !== 'embedded' || events.value.length > 0) return undefined;
  const isNamed = store.origin !== 'default';
  const own = Object.keys(tables.value).map((table) => table.toLowerCase());
  // A model that names no table `events` of its own asks the store for it.
  if (!isNamed && (model.value === undefined ? own.length > 0 : own.includes('events'))) return undefined;
  const manifest = await readManifest(store.value);
  if (manifest && manifest.segments.length > 0) return store.value;
  if (!isNamed) return undefined;
  const named = `${quote(store.value)} (from ${store.origin})`;
  throw new ConfigError(manifest ? `The store in ${named} has no events.` : `${named} does not contain a store.`, {
    code: manifest ? 'store-empty' : 'store-not-found',
    hint: "Load events: `sluice ingest 'events/*.ndjson.gz'`, or specify another folder with `--store`.",
  });
}
