import { ConfigError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import type { FactKeeper } from '../../run/duckdb/reading/source/find-fact.ts';
import type { Model } from '../../plan/model/model.ts';
import type { Backend } from '../../run/backend.ts';
import type { MappedEvents } from '../../plan/events/mapped-events.ts';
import type { Engine } from '../../run/duckdb/engine/engine.ts';
import { sourceName } from '../../run/file/source-copy.ts';
import { type ClickHouseSetting, type Settings, zoneOf } from '../config/settings.ts';
import { readAsOf } from '../process/read-as-of.ts';
import { showPath } from '../process/show-path.ts';
import type { RemoteSurroundings } from './open-remote.ts';
import { unwrap } from './refuse.ts';
import { refuseFileFlags, storeToAsk } from './store-to-ask.ts';

/**
 * Opens the configured backend, on an engine that is already starting if one is given. `settle`: the settings for files
 * that changed. Throws as `clickHouseOptions`
 * and `storeToAsk`, and the backend's errors.
 */
export async function openBackend(
  settings: Settings,
  cwd: string,
  engine?: Promise<Engine>,
  remote?: RemoteSurroundings,
  model?: Model,
  clock?: () => number,
  settle?: () => Promise<Settings>,
): Promise<Backend> {
  const name = settings.backend.value;
  const knownAt = await knownAtOf(settings);
  if (name !== 'embedded') refuseFileFlags(settings, `goes to the backend ${quote(name)}`);
  if (name === 'platform' || name === 'cube') {
    const { openRemote } = await import('./open-remote.ts');
    return openRemote(settings, remote ?? { env: {}, root: cwd });
  }
  if (name === 'clickhouse') {
    const [{ clickHouseOptions }, { openClickHouse }] = await Promise.all([
      import('./clickhouse-options.ts'),
      import('../../run/clickhouse/open-clickhouse.ts'),
    ]);
    const options = await clickHouseOptions(settings, remote ?? { env: {}, root: cwd });
    return openClickHouse({ ...options, made: model && (await eventsThere(model, settings)) });
  }
  const openEmbeddedBackend = async (facts?: FactKeeper) =>
    (await import('./open-embedded-backend.ts')).openEmbeddedBackend(settings, cwd, {
      knownAt,
      engine,
      remote,
      model,
      facts,
      settle,
    });
  if (clock && isKept(settings)) {
    const { openKept } = await import('./open-kept.ts');
    return openKept(settings, clock, openEmbeddedBackend);
  }
  return openEmbeddedBackend();
}

/** The model's own events cube in ClickHouse's SQL. */
async function eventsThere(model: Model, settings: Settings): Promise<MappedEvents | undefined> {
  if (!model.events) return undefined;
  const { toMappedEvents } = await import('../../plan/events/mapped-events.ts');
  return unwrap(toMappedEvents(model, zoneOf(settings), 'clickhouse'), 'The events cube of the model');
}

/**
 * Whether answers are cached. SQL in a workspace's model may read other files, the clock or random values, so its
 * answers are not cached. Neither are answers as known at an earlier time.
 */
export function isKept({ cache, model, tables, knownAt }: Settings): boolean {
  return (
    cache.value && knownAt.value === undefined && model.value === undefined && Object.keys(tables.value).length === 0
  );
}

/**
 * Returns epoch milliseconds. Throws `known-at-unsupported` without a store, because only stores record arrival times.
 */
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

/** Describes the source of answers, for people. */
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

/** Removes credentials and the query string from a URL. */
function withoutQuery(file: string): string {
  return /^https?:\/\//i.test(file) ? file.replace(/\/\/[^/?#]*@/, '//').replace(/[?#].*/s, '') : file;
}
