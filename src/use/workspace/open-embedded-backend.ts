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
  const store = mapped ? undefined : await storeToAsk(settings);
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
  return followFiles({ open, patterns: [...events, ...Object.values(tables).flat()], workingDirectory: cwd });
}

/** Maps the model's own events cube. Throws `events-twice`, and `InvalidInputError` if the cube cannot be mapped. */
async function mapEvents(model: Model, { events, store, timezone }: Settings): Promise<MappedEvents | undefined> {
  if (events.value.length > 0 || store.origin !== 'default') {
    const { origin } = events.value.length > 0 ? events : store;
    throw new ConfigError(
      `The model's cube "${model.events?.cube}" already defines the events, but ${origin} specifies others.`,
      {
        code: 'events-twice',
        hint: 'Remove one of the two: the events setting, or the key `events` of the cube.',
      },
    );
  }
  const { toMappedEvents } = await import('../../plan/events/mapped-events.ts');
  return unwrap(toMappedEvents(model, zoneOf({ timezone })), 'The events cube of the model');
}
