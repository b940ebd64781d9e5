import { ConfigError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import { readManifest, type StoreManifest } from '../../run/store/store-manifest.ts';
import type { Settings } from '../config/settings.ts';

/**
 * Returns the folder of the store to query if no events are configured. A store counts if it is configured explicitly,
 * or if it exists and no configured tables replace its events. Throws `store-not-found` if a configured store is
 * missing, `store-empty` if no events are left in it, `flag-without-files`, and as `readManifest`.
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
  // Questions on the cubes of a model need no events.
  if (!isNamed && (!manifest || model.value !== undefined)) return undefined;
  const named = isNamed ? `${quote(store.value)} (from ${store.origin})` : quote(store.value);
  throw new ConfigError(
    manifest ? `The store in ${named} has no events${whyEmpty(manifest)}.` : `${named} does not contain a store.`,
    {
      code: manifest ? 'store-empty' : 'store-not-found',
      hint: "Load events: `sluice ingest 'events/*.ndjson.gz'`, or specify another folder with `--store`.",
    },
  );
}

function whyEmpty({ pruned }: StoreManifest): string {
  return pruned === undefined ? '' : `: those before ${writePruned(pruned)} were removed with \`sluice store prune\``;
}

/** The instant before which events were pruned, for messages. */
export function writePruned(instant: number): string {
  return writeUtc(instant)
    .replace('T00:00:00.000Z', '')
    .replace(/:00\.000Z$/, ' UTC')
    .replace('T', ' ');
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
