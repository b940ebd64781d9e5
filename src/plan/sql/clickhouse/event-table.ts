import { clickHousePropertyText, propertyColumn } from './property.ts';
import { eventFields, userKeyColumn } from '../../model/event-fields.ts';

/** Columns with few distinct values. The server stores each value once. */
const repeated: ReadonlySet<string> = new Set([
  'event_type',
  'event',
  'project_id',
  'api_key',
  'doc_host',
  'doc_encoding',
  'base_url',
  'agent_name',
  'agent_version',
  'os_family',
  'os_name',
  'os_version',
  'os_version_major',
  'browser_language',
  'document_language',
  'viewport_size',
  'src',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'country',
  'device_class',
  'custom_event_name',
]);

/** A column of the event table, with its type. */
interface EventColumn {
  readonly name: string;
  readonly type: string;
}

/** Columns with the data of events. */
export const eventColumns: readonly EventColumn[] = [
  ...eventFields.map(({ column, type }) => ({ name: column, type: typeOf(column, type) })),
  { name: 'further', type: 'Nullable(String)' },
];

function typeOf(column: string, type: (typeof eventFields)[number]['type']): string {
  if (type === 'time') return "DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1))";
  if (type === 'number') return 'Nullable(Float64)';
  return repeated.has(column) ? 'LowCardinality(Nullable(String))' : 'Nullable(String)';
}

interface TablePlace {
  readonly database: string;
  readonly table: string;
  readonly cluster?: string | undefined;
  /** Keys of custom properties that get their own columns. The server fills them from the JSON. */
  readonly properties?: readonly (readonly string[])[] | undefined;
}

/** A name as an identifier of ClickHouse's SQL. */
export function quotedName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

/**
 * The statements that create the event table. Each can safely run again. Rows are sorted by day, user and time, so that
 * a range reads few rows and the events of a user are next to each other. The time column itself is not part of the
 * primary key: it would come after the user, so the server would try in vain to find ranges by it. `load` identifies
 * the load that wrote a row, so that loading can be repeated. On a cluster, each server has a replicated table
 * `_local`, and the main table covers all of them.
 */
export function eventTableStatements({ database, table, cluster, properties = [] }: TablePlace): readonly string[] {
  const whole = `${quotedName(database)}.${quotedName(table)}`;
  const local = cluster === undefined ? whole : `${quotedName(database)}.${quotedName(`${table}_local`)}`;
  const on = cluster === undefined ? '' : ` ON CLUSTER ${quotedName(cluster)}`;
  const engine =
    cluster === undefined
      ? 'MergeTree'
      : `ReplicatedMergeTree('/clickhouse/tables/{shard}/${database}/${table}_local', '{replica}')`;
  const columns = [
    ...eventColumns.map(({ name, type }) => `  ${name} ${type}`),
    '  load LowCardinality(String)',
    "  user_hash UInt64 MATERIALIZED cityHash64(ifNull(user_anonymous_id, ''), ifNull(user_id, ''))",
    `  ${userKeyType}`,
  ].join(',\n');
  return [
    `CREATE DATABASE IF NOT EXISTS ${quotedName(database)}${on}`,
    `CREATE TABLE IF NOT EXISTS ${local}${on} (\n${columns}\n)
ENGINE = ${engine}
PARTITION BY toYYYYMM(utc_time)
ORDER BY (toDate32(utc_time), user_hash, toUnixTimestamp64Micro(utc_time))`,
    ...(cluster === undefined
      ? []
      : [
          `CREATE TABLE IF NOT EXISTS ${whole}${on} AS ${local}
ENGINE = Distributed(${quotedName(cluster)}, ${quotedName(database)}, ${quotedName(`${table}_local`)}, user_hash)`,
        ]),
    // These are separate statements, so that an existing table gets these columns as well.
    ...[...new Set([local, whole])].map(
      (each) =>
        `ALTER TABLE ${each}${on}\n${[
          userKeyType,
          ...properties.map(
            (path) =>
              `${quotedName(propertyColumn(path))} Nullable(String) MATERIALIZED ${clickHousePropertyText(path, (column) => column)}`,
          ),
        ]
          .map((column) => `  ADD COLUMN IF NOT EXISTS ${column}`)
          .join(',\n')}`,
    ),
  ];
}

/**
 * The user of an event: the first of the two identifiers that is not empty. `userKey` of the embedded engine has the
 * same rule.
 */
export function clickHouseUserKey(own: string, other: string): string {
  return `CASE WHEN ${own} <> ''
    THEN CASE WHEN startsWith(${own}, char(31)) THEN concat(char(31), ${own}) ELSE ${own} END
    WHEN ${other} <> '' THEN concat(char(31), 'u', ${other}) END`;
}

const userKeyType = `${userKeyColumn} Nullable(String) ALIAS ${clickHouseUserKey('user_anonymous_id', 'user_id')}`;

/**
 * True if these statements created a table. Queries then name the table itself, so that the servers of a cluster
 * aggregate their rows before they send them.
 */
export function isEventTable(columns: readonly EventColumn[]): boolean {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  return (
    types.has('load') &&
    types.has(userKeyColumn) &&
    eventColumns.every(({ name, type }) => types.get(name) === type.replace(/ CODEC.*/, ''))
  );
}
