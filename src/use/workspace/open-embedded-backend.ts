import { ConfigError } from '../../ask/sluice-error.ts';
import type { MappedEvents } from '../../plan/events/mapped-events.ts';
import type { Model } from '../../plan/model/model.ts';
import type { LocalBackend } from '../../run/backend.ts';
import { followFiles } from '../../run/duckdb/answer/follow-files.ts';
import { openEmbedded } from '../../run/duckdb/answer/open-embedded.ts';
import type { FactKeeper } from '../../run/duckdb/reading/source/find-fact.ts';
import type { Engine } from '../../run/duckdb/engine/engine.ts';
import { type Settings, zoneOf } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { manifestPath } from '../../run/store/store-manifest.ts';
import { openDownload } from './open-download.ts';
import { openEncodings, openMappings } from './open-mappings.ts';
import type { RemoteSurroundings } from './open-remote.ts';
import { presetTracer } from './preset-sentences.ts';
import { unwrap } from './refuse.ts';
import { storeToAsk } from './store-to-ask.ts';

interface EmbeddedSurroundings {
  /** Epoch milliseconds: only use events known then. Undefined: all events known now. */
  readonly knownAt: number | undefined;
  /** An engine that is already starting. */
  readonly engine: Promise<Engine> | undefined;
  readonly remote: RemoteSurroundings | undefined;
  /** A model that may define the events cube. */
  readonly model: Model | undefined;
  /** Keeps what is found about files. */
  readonly facts?: FactKeeper | undefined;
  /** The settings for changed files. Default: the given ones. */
  readonly settle?: (() => Promise<Settings>) | undefined;
}

/**
 * Opens the embedded engine over the configured events, store or tables, and follows changes of the files. Throws
 * `events-twice`, as `storeToAsk`, and errors of reading.
 */
export async function openEmbeddedBackend(
  settings: Settings,
  cwd: string,
  { knownAt, engine, remote, model, facts, settle = async () => settings }: EmbeddedSurroundings,
): Promise<LocalBackend> {
  const mapped = model?.events && (await mapEvents(model, settings));
  const store = mapped?.readsEvents === false ? undefined : await storeToAsk(settings);
  const download = remote?.download ?? openDownload(settings, remote ?? { env: {} });
  const events = settings.events.value.map((file) => showPath(file, cwd));
  const tables = Object.fromEntries(
    Object.entries(settings.tables.value).map(([table, files]) => [table, files.map((file) => showPath(file, cwd))]),
  );
  let isFirst = true;
  const open = async () => {
    const given = isFirst ? { settings, engine } : { settings: await settle(), engine: undefined };
    isFirst = false;
    return openEmbedded({
      events,
      store,
      knownAt,
      mapped,
      tables,
      encoding: await openEncodings(given.settings, download),
      tableEncoding: settings.encoding.value,
      mappingOf: await openMappings(given.settings, download),
      download,
      facts,
      onRecognised: remote?.trace && presetTracer(remote.trace),
      user: settings.user.value,
      workingDirectory: cwd,
      engine: given.engine,
      memoryLimit: settings.memory.value,
    });
  };
  // The view of a model's own events is of one state of the store, and each commit writes another manifest.
  const manifest = mapped && store !== undefined ? [manifestPath(store)] : [];
  const patterns = [...events, ...Object.values(tables).flat(), ...manifest];
  return followFiles({ open, patterns, workingDirectory: cwd });
}

/** Maps the model's own events cube. Throws `events-twice`, and `InvalidInputError` if the cube cannot be mapped. */
async function mapEvents(model: Model, { events, store, timezone }: Settings): Promise<MappedEvents | undefined> {
  const { toMappedEvents } = await import('../../plan/events/mapped-events.ts');
  const mapped = unwrap(toMappedEvents(model, zoneOf({ timezone })), 'The events cube of the model');
  const other = [
    ...(events.value.length > 0 ? [events] : []),
    ...(store.origin !== 'default' && !mapped?.readsEvents ? [store] : []),
  ][0];
  if (other === undefined) return mapped;
  throw new ConfigError(
    `The model's cube "${model.events?.cube}" already defines the events, but ${other.origin} specifies others.`,
    {
      code: 'events-twice',
      hint: mapped?.readsEvents
        ? 'Load the files with `sluice ingest`: the table `events` of the model then is the store. ' +
          'Or remove the setting.'
        : 'Remove one of the two: the events setting, or the key `events` of the cube.',
    },
  );
}
