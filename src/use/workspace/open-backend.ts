import { ConfigError } from '../../ask/sluice-error.ts';
import type { MappedEvents } from '../../plan/events/mapped-events.ts';
import type { Model } from '../../plan/model/model.ts';
import type { Backend, LocalBackend } from '../../run/backend.ts';
import type { Engine } from '../../run/duckdb/engine/engine.ts';
import { sourceName } from '../../run/file/source-copy.ts';
import type { ClickHouseSetting, Settings } from '../config/settings.ts';
import { readAsOf } from '../process/read-as-of.ts';
import { showPath } from '../process/show-path.ts';
import { openDownload } from './open-download.ts';
import { openEncodings, openMappings } from './open-mappings.ts';
import type { RemoteSurroundings } from './open-remote.ts';
import { presetTracer } from './preset-sentences.ts';
import { unwrap } from './refuse.ts';
import { storeToAsk } from './store-to-ask.ts';

/**
 * Opens what answers questions, on an engine that is starting already where there is one. Errors:
 * those of `clickHouseOptions` and `storeToAsk`, and the backend's own.
 */
export async function openBackend(
  settings: Settings,
  cwd: string,
  engine?: Promise<Engine>,
  remote?: RemoteSurroundings,
  model?: Model,
  clock?: () => number,
): Promise<Backend> {
  const name = settings.backend.value;
  const knownAt = await knownAtOf(settings);
  if (name === 'platform' || name === 'cube') {
    const { openRemote } = await import('./open-remote.ts');
    return openRemote(settings, remote ?? { env: {}, root: cwd });
  }
  if (name === 'clickhouse') {
    const [{ clickHouseOptions }, { openClickHouse }] = await Promise.all([
      import('./clickhouse-options.ts'),
      import('../../run/clickhouse/open-clickhouse.ts'),
    ]);
    return openClickHouse(await clickHouseOptions(settings, remote ?? { env: {}, root: cwd }));
  }
  if (clock && isKept(settings)) {
    const { openKept } = await import('./open-kept.ts');
    return openKept(settings, clock, () => openEmbeddedBackend(settings, cwd, knownAt, engine, remote, model));
  }
  return openEmbeddedBackend(settings, cwd, knownAt, engine, remote, model);
}

/**
 * Whether answers are kept. A model of the workspace may hold SQL that reads other files, the clock or chance: its
 * answers are computed each time, and so are those over the events of an earlier time.
 */
function isKept({ cache, model, tables, knownAt }: Settings): boolean {
  return (
    cache.value && knownAt.value === undefined && model.value === undefined && Object.keys(tables.value).length === 0
  );
}

async function openEmbeddedBackend(
  settings: Settings,
  cwd: string,
  knownAt: number | undefined,
  engine: Promise<Engine> | undefined,
  remote: RemoteSurroundings | undefined,
  model: Model | undefined,
): Promise<LocalBackend> {
  const mapped = model?.events && (await mapEvents(model, settings));
  const store = mapped ? undefined : await storeToAsk(settings);
  const download = openDownload(settings, remote ?? { env: {} });
  const { openEmbedded } = await import('../../run/duckdb/answer/open-embedded.ts');
  return openEmbedded({
    events: settings.events.value.map((file) => showPath(file, cwd)),
    store,
    knownAt,
    mapped,
    tables: Object.fromEntries(
      Object.entries(settings.tables.value).map(([table, files]) => [table, files.map((file) => showPath(file, cwd))]),
    ),
    encoding: await openEncodings(settings, download),
    tableEncoding: settings.encoding.value,
    mappingOf: await openMappings(settings, download),
    download,
    onRecognised: remote?.trace && presetTracer(remote.trace),
    user: settings.user.value,
    workingDirectory: cwd,
    engine,
    memoryLimit: settings.memory.value,
  });
}

/** Epoch milliseconds. Error: `known-at-unsupported` if no store answers, since nothing else keeps arrival times. */
export async function knownAtOf(settings: Settings): Promise<number | undefined> {
  const { value, origin } = settings.knownAt;
  if (value === undefined) return undefined;
  if ((await storeToAsk(settings)) === undefined) {
    throw new ConfigError(`Only an event store records when events arrived, but ${origin} asks for it.`, {
      code: 'known-at-unsupported',
      hint: 'Load the events with `sluice ingest`, or remove it: the answer then has all events known now.',
    });
  }
  return unwrap(readAsOf(value, origin), 'The time')(settings.timezone.value ?? 'UTC');
}

/** The events of a model's own cube. Errors: `events-twice`, and `InvalidInputError` where the cube cannot be them. */
async function mapEvents(model: Model, { events, store }: Settings): Promise<MappedEvents | undefined> {
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
  return unwrap(toMappedEvents(model), 'The events cube of the model');
}

/** Where answers come from, for people. */
export async function describeSource(settings: Settings, cwd: string): Promise<string> {
  const { backend, events, tables, platformUrl, platformProject, cubeUrl, clickhouse, knownAt } = settings;
  if (backend.value === 'platform') return `${platformUrl.value ?? ''}, project ${platformProject.value ?? ''}`;
  if (backend.value === 'cube') return cubeUrl.value ?? '';
  if (backend.value === 'clickhouse') return describeClickHouse(clickhouse.value);
  const store = await storeToAsk(settings);
  const inTables = Object.values(tables.value).flat();
  const files = [...events.value, ...(events.value.length > 0 ? [] : inTables)].map((file) => showPath(file, cwd));
  return [
    ...(store === undefined
      ? []
      : [`the store ${showPath(store, cwd)}${knownAt.value === undefined ? '' : ` as known at ${knownAt.value}`}`]),
    ...files.map((file) => withoutQuery(sourceName(file))),
  ].join(', ');
}

function describeClickHouse({ url, database, table }: ClickHouseSetting): string {
  return `${withoutQuery(url ?? '').replace(/\/$/, '')}, ${table.includes('.') ? table : `${database}.${table}`}`;
}

/** Of an address: what it names, without credentials and query. */
function withoutQuery(file: string): string {
  return /^https?:\/\//i.test(file) ? file.replace(/\/\/[^/?#]*@/, '//').replace(/[?#].*/s, '') : file;
}
