import { createReadStream } from 'node:fs';
import { splitAtList } from '../../ask/query/property-name.ts';
import { BackendError } from '../../ask/sluice-error.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import { quoteClickHouseText as quoted } from '../../plan/sql/clickhouse/dialect.ts';
import { eventColumns, eventTableStatements, quotedName } from '../../plan/sql/clickhouse/event-table.ts';
import { missingStore, readManifest, type Segment, segmentPath } from '../store/store-manifest.ts';
import type { BackendOptions } from './open-clickhouse.ts';
import { type Connection, openConnection } from './connection.ts';

/** Progress of a load into ClickHouse. */
export interface LoadProgress {
  /** Events of the store that are in the table so far. */
  readonly events: number;
  /** Events in the store. */
  readonly of: number;
}

/** The result of loading a store. */
export interface LoadReport {
  /** Events that were sent. */
  readonly loaded: number;
  /** Events already in the table. */
  readonly present: number;
  /** Events removed from the table, because the store no longer has them or an earlier load was interrupted. */
  readonly removed: number;
  /**
   * Zones that sources of the store declare for times without one. The table does not keep them, so that such times in
   * properties are read as UTC there.
   */
  readonly zones: readonly string[];
}

interface Place {
  readonly database: string;
  readonly table: string;
}

function placeOf({ database, table }: BackendOptions): Place {
  const [first = '', ...more] = table.split('.');
  return more.length === 0 ? { database, table } : { database: first, table: more.join('.') };
}

/** Read one segment while another is sorted and written: the server uses one processor for each of the two. */
const mostAtOnce = 2;

/** Maximum number of properties with their own columns. */
const mostColumns = 16;

/**
 * The statements that create the table of events. `properties`: paths of the properties that get columns of their own,
 * the most frequent first.
 */
export function tableStatements(
  options: BackendOptions,
  properties: readonly (readonly string[])[],
): readonly string[] {
  const paths = properties.filter((path) => !splitAtList(path)).slice(0, mostColumns);
  return eventTableStatements({ ...placeOf(options), cluster: options.cluster, properties: paths });
}

/** Creates the table of events; an existing one is kept. Errors: those of `toClickHouseError`. */
export async function createTable(
  options: BackendOptions,
  properties: readonly (readonly string[])[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const statements = tableStatements(options, properties);
  // The database may not exist yet.
  await using connection = await openConnection({ ...options, database: 'default' });
  for (const statement of statements) await connection.command(statement, [], signal);
  return statements;
}

/**
 * Makes the table hold the events of a store. Each segment is sent once under its own name. Segments that the store no
 * longer has, or that arrived incompletely, are deleted first. Loading can be repeated and resumed, and removes
 * forgotten and pruned events. Events of other stores stay. Errors: `store-not-found`, `value-unfit`,
 * `table-not-found`, and those of `toClickHouseError`.
 */
export async function loadStore(
  options: BackendOptions,
  folder: string,
  {
    signal,
    onProgress,
  }: { readonly signal?: AbortSignal; readonly onProgress?: ((told: LoadProgress) => void) | undefined } = {},
): Promise<LoadReport> {
  const manifest = await readManifest(folder);
  if (!manifest) throw missingStore(folder);
  manifest.segments.forEach(demandFitting);
  await using connection = await openConnection(options);
  const place = placeOf(options);
  const table = `${quotedName(place.database)}.${quotedName(place.table)}`;
  await demandOwnTable(connection, table, signal);
  const store = `${manifest.salt.slice(0, 16)}/`;
  const wanted = new Map(manifest.segments.map((segment) => [`${store}${segment.name}`, segment]));
  const there = await countLoads(connection, table, store, signal);
  let [present, removed, loaded] = [0, 0, 0];
  const of = manifest.segments.reduce((sum, { rows }) => sum + rows, 0);
  for (const [load, rows] of there) {
    if (wanted.get(load)?.rows === rows) {
      wanted.delete(load);
      present += rows;
    } else {
      await deleteLoad(connection, { place, load, cluster: options.cluster }, signal);
      removed += rows;
    }
  }
  onProgress?.({ events: present, of });
  const waiting = [...wanted];
  const send = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [load, segment] = next;
      await sendSegment(connection, { table, load, path: segmentPath(folder, segment) }, signal);
      loaded += segment.rows;
      onProgress?.({ events: present + loaded, of });
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, send)).finally(() => waiting.splice(0));
  // Count the events that arrived.
  const after = await countLoads(connection, table, store, signal);
  const missing = manifest.segments.filter(({ name, rows }) => after.get(`${store}${name}`) !== rows);
  if (missing.length > 0)
    throw new BackendError(`${connection.address} does not have all events that were sent.`, {
      code: 'incomplete-answer',
      hint: 'Somebody else may load the same store. Repeat the command: it sends what is missing.',
    });
  const zones = (manifest.zones ?? []).map(({ zone }) => zone).filter((zone) => zone !== 'UTC');
  return { loaded, present, removed, zones };
}

async function countLoads(
  connection: Connection,
  table: string,
  store: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, number>> {
  const rows = await connection.rows(
    `SELECT toString(load), count() FROM ${table} WHERE startsWith(load, {p1:String}) GROUP BY load`,
    [{ type: 'text', value: store }],
    signal,
  );
  return new Map(rows.map(([load, count]) => [String(load), Number(count)]));
}

async function deleteLoad(
  connection: Connection,
  { place, load, cluster }: { readonly place: Place; readonly load: string; readonly cluster: string | undefined },
  signal: AbortSignal | undefined,
): Promise<void> {
  const table = cluster === undefined ? place.table : `${place.table}_local`;
  const on = cluster === undefined ? '' : ` ON CLUSTER ${quotedName(cluster)}`;
  await connection.command(
    `DELETE FROM ${quotedName(place.database)}.${quotedName(table)}${on} WHERE load = {p1:String}`,
    [{ type: 'text', value: load }],
    signal,
  );
}

const sentColumns = eventColumns.map(({ name }) => name).join(', ');

/** The column types of a segment. */
const sentStructure = eventColumns
  .map(({ name, type }) => {
    const plain = /^DateTime64/.test(type)
      ? "DateTime64(6, \\'UTC\\')"
      : /Float64/.test(type)
        ? type
        : 'Nullable(String)';
    return `${name} ${plain}`;
  })
  .join(', ');

async function sendSegment(
  connection: Connection,
  { table, load, path }: { readonly table: string; readonly load: string; readonly path: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const file = createReadStream(path);
  try {
    await connection.send(
      `INSERT INTO ${table} (${sentColumns}, load) SELECT ${sentColumns}, ${quoted(load)} FROM input('${sentStructure}') FORMAT Parquet`,
      file,
      {
        // Deduplication would drop a segment that was deleted and sent again.
        insert_deduplicate: '0',
        // The events are counted next, so do not queue them, neither here nor for other servers.
        async_insert: '0',
        distributed_foreground_insert: '1',
        // A segment may have many years, of 12 partitions each.
        max_partitions_per_insert_block: '0',
      },
      signal,
    );
  } finally {
    file.destroy();
  }
}

/** Error: `table-not-found` for a table that `sluice clickhouse init` did not create. */
async function demandOwnTable(connection: Connection, table: string, signal: AbortSignal | undefined): Promise<void> {
  const columns = await connection.rows(`DESCRIBE TABLE ${table}`, [], signal);
  if (columns.some(([name]) => name === 'load')) return;
  throw new BackendError(`The table ${table} is not one that sluice created: it has no column "load".`, {
    code: 'table-not-found',
    hint: 'Name another as clickhouse.table, and create it: sluice clickhouse init --apply',
  });
}

const [firstYear, endYear] = [Date.UTC(1900, 0, 1), Date.UTC(2299, 11, 31)];

/** Error: `value-unfit` for times outside ClickHouse's range, which it would silently change. */
function demandFitting({ first, last }: Segment): void {
  if (first >= firstYear && last < endYear) return;
  throw new BackendError(
    `An event of ${writeUtc(first < firstYear ? first : last)} does not fit: ClickHouse has the years 1900 to 2299.`,
    { code: 'value-unfit', hint: 'Remove early events: sluice store prune --before 1900-01-01' },
  );
}
