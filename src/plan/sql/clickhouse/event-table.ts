import { clickHousePropertyText, propertyColumn } from './property.ts';
import { eventFields, userKeyColumn } from '../../model/event-fields.ts';

/** Texts of few different values are kept once. */
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

/** A column of the table of events, with its type. */
export interface EventColumn {
  readonly name: string;
  readonly type: string;
}

/** Columns that hold what an event says. */
export const eventColumns: readonly EventColumn[] = [
  ...eventFields.map(({ column, type }) => ({ name: column, type: typeOf(column, type) })),
  { name: 'further', type: 'Nullable(String)' },
];

function typeOf(column: string, type: (typeof eventFields)[number]['type']): string {
  if (type === 'time') return "DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1))";
  if (type === 'number') return 'Nullable(Float64)';
  return repeated.has(column) ? 'LowCardinality(Nullable(String))' : 'Nullable(String)';
}

export interface TablePlace {
  readonly database: string;
  readonly table: string;
  readonly cluster?: string | undefined;
  /** Keys of own properties that get columns, which the server fills from the JSON. */
  readonly properties?: readonly (readonly string[])[] | undefined;
}

const quoted = (name: string) => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;

/**
 * The statements that create the table of events, each harmless where it has run before. Rows lie by day, user and
 * time: ranges read few of them, and a user's events lie together. The time itself is no part of the key: the server
 * would look ranges up in that part, and find nothing behind users. `load` tells where a row came from, so that loading
 * can be repeated. On a cluster each server has a replicated table `_local`, and the table itself stands for all.
 */
export function eventTableStatements({ database, table, cluster, properties = [] }: TablePlace): readonly string[] {
  const whole = `${quoted(database)}.${quoted(table)}`;
  const local = cluster === undefined ? whole : `${quoted(database)}.${quoted(`${table}_local`)}`;
  const on = cluster === undefined ? '' : ` ON CLUSTER ${quoted(cluster)}`;
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
    `CREATE DATABASE IF NOT EXISTS ${quoted(database)}${on}`,
    `CREATE TABLE IF NOT EXISTS ${local}${on} (\n${columns}\n)
ENGINE = ${engine}
PARTITION BY toYYYYMM(utc_time)
ORDER BY (toDate32(utc_time), user_hash, toUnixTimestamp64Micro(utc_time))`,
    ...(cluster === undefined
      ? []
      : [
          `CREATE TABLE IF NOT EXISTS ${whole}${on} AS ${local}
ENGINE = Distributed(${quoted(cluster)}, ${quoted(database)}, ${quoted(`${table}_local`)}, user_hash)`,
        ]),
    // Apart, so that a table that exists gets them, too.
    ...[...new Set([local, whole])].map(
      (each) =>
        `ALTER TABLE ${each}${on}\n${[
          userKeyType,
          ...properties.map(
            (path) =>
              `${quoted(propertyColumn(path))} Nullable(String) MATERIALIZED ${clickHousePropertyText(path, (column) => column)}`,
          ),
        ]
          .map((column) => `  ADD COLUMN IF NOT EXISTS ${column}`)
          .join(',\n')}`,
    ),
  ];
}

/** Who an event counts as: the first of the two that is there. The rule of `userKey` of the embedded engine. */
export function clickHouseUserKey(own: string, other: string): string {
  return `CASE WHEN ${own} <> '' THEN CASE WHEN startsWith(${own}, char(31)) THEN concat(char(31), ${own}) ELSE ${own} END WHEN ${other} <> '' THEN concat(char(31), 'u', ${other}) END`;
}

const userKeyType = `${userKeyColumn} Nullable(String) ALIAS ${clickHouseUserKey('user_anonymous_id', 'user_id')}`;

/**
 * Whether a table is one that these statements create, whose columns are the events' own: what is asked of it is asked
 * by its name, so that the servers of a cluster put their rows together before they send them.
 */
export function isEventTable(columns: readonly EventColumn[]): boolean {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  return (
    types.has('load') &&
    types.has(userKeyColumn) &&
    eventColumns.every(({ name, type }) => types.get(name) === type.replace(/ CODEC.*/, ''))
  );
}
