import { ConfigError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { readManifest } from '../../run/store/store-manifest.ts';
import type { Settings } from '../config/settings.ts';

/**
 * The folder of the store that answers, where no events are named: of a store that is named itself, or of one that holds
 * something and has no tables or model before it. Errors: `store-not-found` and `store-empty` where a named one is not there or holds
 * nothing, and those of `readManifest`.
 */
export async function storeToAsk({ backend, events, tables, model, store }: Settings): Promise<string | undefined> {
  if (backend.value !== 'embedded' || events.value.length > 0) return undefined;
  const isNamed = store.origin !== 'default';
  if (!isNamed && (model.value !== undefined || Object.keys(tables.value).length > 0)) return undefined;
  const manifest = await readManifest(store.value);
  if (manifest && manifest.segments.length > 0) return store.value;
  if (!isNamed) return undefined;
  const [code, what] = manifest ? ['store-empty', `The store in ${quote(store.value)} (from ${store.origin}) holds no events.`] : ['store-not-found', `There is no store in ${quote(store.value)} (from ${store.origin}).`];
  throw new ConfigError(what, { code, hint: "Take events in: `sluice ingest 'events/*.ndjson.gz'`, or name another folder by `--store`." });
}
