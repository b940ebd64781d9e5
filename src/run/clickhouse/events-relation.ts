import { BackendError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { eventFields, spellingsOf, userKeyColumn, type EventField } from '../../plan/model/event-fields.ts';
import { instantType, quoteClickHouseText as quoted } from '../../plan/sql/clickhouse/dialect.ts';
import { propertyColumn } from '../../plan/sql/clickhouse/property.ts';
import type { UserOrder } from '../duckdb/reading/event-columns.ts';
import { urlParts } from '../duckdb/reading/url-parts.ts';

export interface TableColumn {
  readonly name: string;
  /** As ClickHouse names it. */
  readonly type: string;
}

/** What has no column of its own, in the tables of `sluice clickhouse init`. */
const furtherColumn = 'further';

export interface TableEvents {
  /** A SELECT of the canonical columns. */
  readonly sql: string;
  /** A SELECT of the latest time in epoch milliseconds; null where there is no event. */
  readonly latest: string;
}

/**
 * SQL of the events in a table: the canonical columns, whatever the table calls them, and who an event counts as. A
 * field's columns are found by its spellings, as those of files are, unless `mapped` names one. Errors:
 * `table-not-found` for a column that is not there, `events-without-time`.
 */
export function eventsOfTable(
  table: string,
  columns: readonly TableColumn[],
  { user, mapped }: { readonly user: UserOrder; readonly mapped: ReadonlyMap<string, string> },
): TableEvents {
  const available = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const read: TableColumn[] = [];
  /** Inside, columns have names that no field has: an alias goes before a column of its name. */
  const reference = (column: TableColumn) => {
    const known = read.indexOf(column);
    return `c${known === -1 ? read.push(column) - 1 : known}`;
  };
  const expressions = new Map<string, string>();
  for (const field of eventFields) {
    const named = mapped.get(field.column);
    const found = (named === undefined ? spellingsOf(field) : [named]).flatMap((spelling) => {
      const column = available.get(spelling.toLowerCase());
      return column ? [valueOf(field, spelling, column, reference(column))] : [];
    });
    if (named !== undefined && found.length === 0)
      throw new BackendError(`The table ${table} has no column ${quote(named)}.`, {
        code: 'table-not-found',
        hint: `Its columns are ${columns
          .slice(0, 20)
          .map(({ name }) => quote(name))
          .join(', ')}. Correct \`columns:\`.`,
      });
    if (found.length > 0)
      expressions.set(field.column, found.length === 1 ? found[0]! : `coalesce(${found.join(', ')})`);
  }
  if (!expressions.has('utc_time'))
    throw new BackendError(`The table ${table} has no column with the time of events.`, {
      code: 'events-without-time',
      hint: 'Name it under `columns:`, for example `columns: {utcTime: created_at}`.',
    });
  const url = expressions.get('url');
  if (url !== undefined)
    for (const [column, pattern] of urlParts) {
      const own = expressions.get(column);
      const part = `nullIf(regexpExtract(ifNull(${url}, ''), ${quoted(pattern)}, 1), '')`;
      const whole = column === 'doc_path' ? `if(ifNull(${url}, '') <> '', coalesce(${part}, '/'), NULL)` : part;
      expressions.set(column, own === undefined ? whole : `coalesce(${own}, ${whole})`);
    }
  const nothing = (type: EventField['type']) => `CAST(NULL AS Nullable(${type === 'number' ? 'Float64' : 'String'}))`;
  const fields = eventFields.map(({ column, type }) => `${expressions.get(column) ?? nothing(type)} AS ${column}`);
  const further = available.get(furtherColumn);
  const texts = columns.filter(({ name }) => name.startsWith(propertyColumn([])));
  const own = texts.map((column) => `, ${textOf(column, reference(column))} AS ${quotedName(column.name)}`).join('');
  const furtherText = further ? textOf(further, reference(further)) : nothing('text');
  const raw = read.map(({ name }, index) => `${quotedName(name)} AS c${index}`);
  const sql = `SELECT ${fields.join(', ')}, ${furtherText} AS ${furtherColumn}, ${userKeyOf(expressions, user)} AS ${userKeyColumn}${own} FROM (SELECT ${raw.join(', ')} FROM ${table}) AS raw_events`;
  const time = read.find((column, index) => expressions.get('utc_time') === `c${index}` && column.type === instantType);
  // A MergeTree that is partitioned by its time knows it without reading.
  const latest = time
    ? `SELECT if(count() = 0, NULL, toUnixTimestamp64Milli(max(${quotedName(time.name)}))) FROM ${table}`
    : `SELECT toUnixTimestamp64Milli(maxOrNull(utc_time)) FROM (${sql})`;
  return { sql, latest };
}

export function quotedName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

function valueOf(field: EventField, spelling: string, column: TableColumn, reference: string): string {
  if (field.type === 'time') return timeOf(column, reference);
  if (field.type === 'number')
    return /String/.test(column.type) ? `toFloat64OrNull(${reference})` : `toFloat64(${reference})`;
  const text = textOf(column, reference);
  if (field.values?.kind === 'rename')
    return `CASE ${field.values.pairs.map(({ from, to }) => `WHEN ${text} = ${quoted(from)} THEN ${quoted(to)}`).join(' ')} ELSE ${text} END`;
  const bare = spelling.slice(spelling.lastIndexOf('.') + 1);
  if (field.values?.kind !== 'prepend' || !field.values.names.includes(bare)) return text;
  const front = quoted(field.values.text);
  return `if(${text} = '' OR startsWith(${text}, ${front}), ${text}, concat(${front}, ${text}))`;
}

function textOf({ type }: TableColumn, reference: string): string {
  if (/^(?:LowCardinality\()?(?:Nullable\()?String\)*$/.test(type)) return reference;
  return `toString(${reference})`;
}

function timeOf({ type }: TableColumn, reference: string): string {
  if (type === instantType) return reference;
  if (/DateTime|Date/.test(type)) return `toDateTime64(${reference}, 6, 'UTC')`;
  if (/Int64/.test(type)) return `fromUnixTimestamp64Milli(toInt64(${reference}), 'UTC')`;
  return `parseDateTime64BestEffortOrNull(toString(${reference}), 6, 'UTC')`;
}

/** The rule of `userKey` of the embedded engine. */
function userKeyOf(expressions: ReadonlyMap<string, string>, first: UserOrder): string {
  const [own, other] = (
    first === 'anonymous' ? ['user_anonymous_id', 'user_id'] : ['user_id', 'user_anonymous_id']
  ).map((column) => expressions.get(column) ?? 'CAST(NULL AS Nullable(String))');
  return `CASE WHEN ${own} <> '' THEN CASE WHEN startsWith(${own}, char(31)) THEN concat(char(31), ${own}) ELSE ${own} END WHEN ${other} <> '' THEN concat(char(31), 'u', ${other}) END`;
}
