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
  /** A SELECT of the canonical columns that a statement names: the server takes long to plan what nobody reads. */
  relationFor(statement: string): string;
  /** Names of materialized columns that hold properties. */
  readonly propertyColumns: ReadonlySet<string>;
  /** A SELECT of the latest time in epoch milliseconds; null where there is no event. */
  readonly latest: string;
  /** The server knows the latest time without reading events. */
  readonly knowsLatest: boolean;
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
      // Of the branches of `if` the server computes what rows need; of the arguments of `coalesce`, all.
      expressions.set(column, own === undefined ? whole : `if(isNull(${own}), ${whole}, ${own})`);
    }
  const nothing = (type: EventField['type']) => `CAST(NULL AS Nullable(${type === 'number' ? 'Float64' : 'String'}))`;
  for (const { column, type } of eventFields) if (!expressions.has(column)) expressions.set(column, nothing(type));
  const further = available.get(furtherColumn);
  expressions.set(furtherColumn, further ? textOf(further, reference(further)) : nothing('text'));
  expressions.set(userKeyColumn, userKeyOf(expressions, user));
  const properties = columns.filter(({ name }) => name.startsWith(propertyColumn([])));
  for (const column of properties) expressions.set(column.name, textOf(column, reference(column)));
  const relationFor = (statement: string) => {
    const words = new Set(statement.match(/[a-z_]+\w*|`(?:[^`\\]|\\.)*`/g));
    const isNamed = (column: string) => column === 'utc_time' || words.has(column) || words.has(quotedName(column));
    const named = [...expressions].filter(namesAll(statement) ? () => true : ([column]) => isNamed(column));
    const fields = named.map(([column, text]) => `${text} AS ${/^\w+$/.test(column) ? column : quotedName(column)}`);
    const used = new Set(fields.join(' ').match(/\bc\d+\b/g));
    const raw = read.flatMap(({ name }, index) => (used.has(`c${index}`) ? [`${quotedName(name)} AS c${index}`] : []));
    return `SELECT ${fields.join(', ')} FROM (SELECT ${raw.join(', ')} FROM ${table}) AS raw_events`;
  };
  const time = read.find((column, index) => expressions.get('utc_time') === `c${index}` && column.type === instantType);
  // A MergeTree that is partitioned by its time knows it without reading.
  const latest = time
    ? `SELECT if(count() = 0, NULL, toUnixTimestamp64Milli(max(${quotedName(time.name)}))) FROM ${table}`
    : `SELECT toUnixTimestamp64Milli(maxOrNull(utc_time)) FROM (${relationFor('')})`;
  const propertyColumns = new Set(properties.map(({ name }) => name));
  return { relationFor, propertyColumns, latest, knowsLatest: time !== undefined };
}

/** Whether a statement may depend on which columns there are, as SQL of a model does that says `SELECT DISTINCT *`. */
function namesAll(statement: string): boolean {
  const others = statement.replaceAll(/count\(\*\)|SELECT \* FROM \(VALUES/g, '');
  return /(?:SELECT|DISTINCT|[,(.])\s*\*|\bCOLUMNS\b|\bNATURAL\b/i.test(others);
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
