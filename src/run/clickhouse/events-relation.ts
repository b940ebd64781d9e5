import { BackendError } from '../../ask/sluice-error.ts';
import { splitAtList } from '../../ask/query/property-name.ts';
import { quote } from '../../ask/text.ts';
import type { SimpleSource } from '../../plan/mapping/mapping.ts';
import { propertyPlaces } from '../../plan/model/property-sql.ts';
import {
  eventFields,
  spellingsOf,
  userKeyColumn,
  type EventField,
  type UserOrder,
} from '../../plan/model/event-fields.ts';
import { clickHouse, instantType, quoteClickHouseText as quoted } from '../../plan/sql/clickhouse/dialect.ts';
import { trusted } from '../../plan/sql/expression.ts';
import { printStatement } from '../../plan/sql/print-statement.ts';
import { clickHouseUserKey, isEventTable, quotedName } from '../../plan/sql/clickhouse/event-table.ts';
import { clickHousePropertyText, propertyColumn, type PropertyPlace } from '../../plan/sql/clickhouse/property.ts';
import { isCanonicalName, isKeptName, urlParts } from '../events/column-names.ts';
import { entitiesOf } from './entities.ts';
import { jsonTextOf, nestedType, type RowValue, textOf, valueOfSources, valueOfSpelling } from './field-value.ts';

export interface TableColumn {
  readonly name: string;
  /** ClickHouse's name of the type. */
  readonly type: string;
}

/** The sources of fields that column names do not identify, by canonical column. */
export type MappedFields = ReadonlyMap<string, readonly SimpleSource[]>;

/** The column for further fields in tables of `sluice clickhouse init`. */
const furtherColumn = 'further';

export interface TableEvents {
  /** A SELECT of the canonical columns that a statement names. The server plans unused columns slowly. */
  relationFor(statement: string): string;
  /**
   * The statement over the table itself if its columns are canonical. Servers of a cluster only group their own rows if
   * the statement names the table outside subqueries.
   */
  directly(statement: string): string;
  /** SQL for a property's text, from the SQL of the columns. */
  propertyText(path: readonly string[], columnOf: (column: string) => string): string;
  /** Where the events may have a property. */
  propertyPlaces(path: readonly string[]): readonly PropertyPlace[];
  /** The columns whose text is read as JSON for these properties. */
  jsonColumns(paths: readonly (readonly string[])[]): readonly string[];
  /** A SELECT of the first time and one of the last, in epoch milliseconds; null without events. */
  readonly ends: readonly [string, string];
  /** A SELECT of both. */
  readonly extent: string;
  /** Whether the server knows these times without reading events. */
  readonly knowsExtent: boolean;
  /** A SELECT that counts rows without a time, which are not events; undefined if every row has one. */
  readonly timeless: string | undefined;
}

interface EventsTable {
  /** SQL for FROM. */
  readonly source: string;
  /** For display. */
  readonly name: string;
  readonly columns: readonly TableColumn[];
  /** The types of the mapping's expressions, by their SQL. */
  readonly expressions: ReadonlyMap<string, string>;
  /** Whether a model derives the events. Their columns are canonical, or properties with the names of their columns. */
  readonly isMade: boolean;
}

/**
 * SQL of a table's events: the canonical columns, whatever the table calls them, and the user key. The columns of a
 * field are found by its spellings, as in files, unless `mapped` names sources. Errors: `table-not-found` for a missing
 * column, `events-without-time`, and those of `valueOfSources`.
 */
export function eventsOfTable(
  { source, name, columns, expressions: typesOfExpressions, isMade }: EventsTable,
  { user, mapped }: { readonly user: UserOrder; readonly mapped: MappedFields },
): TableEvents {
  const available = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  /** Give inner columns names that no field or column has, because an alias hides a column of the same name. */
  const front = unusedFront(columns);
  const read: { readonly sql: string; readonly type: string }[] = [];
  const valueOf = (sql: string, type: string): RowValue => {
    const known = read.findIndex((one) => one.sql === sql);
    return { reference: `${front}${known === -1 ? read.push({ sql, type }) - 1 : known}`, type };
  };
  const columnNamed = (column: TableColumn) => valueOf(`own_table.${quotedName(column.name)}`, column.type);
  const given = {
    columnOf(column: string): RowValue {
      const found = columns.find((one) => one.name === column) ?? available.get(column.toLowerCase());
      if (found) return columnNamed(found);
      throw new BackendError(`The table ${name} has no column ${quote(column)}.`, {
        code: 'table-not-found',
        hint: `Its columns are ${columns
          .slice(0, 20)
          .map((one) => quote(one.name))
          .join(', ')}. Correct \`columns:\`.`,
      });
    },
    expressionOf: (sql: string) => valueOf(`(${sql})`, typesOfExpressions.get(sql) ?? 'Nullable(String)'),
  };
  const entities = entitiesOf(
    columns.map((column) => column.name),
    (column) =>
      jsonTextOf({ reference: `own_table.${quotedName(column)}`, type: available.get(column.toLowerCase())!.type }),
    (sql) => valueOf(sql, 'Array').reference,
  );
  const expressions = new Map<string, string>();
  for (const field of eventFields) {
    const sources = mapped.get(field.column);
    const found = sources
      ? [valueOfSources(field, sources, given)]
      : spellingsOf(field).flatMap((spelling) => {
          const column = available.get(spelling.toLowerCase());
          return column ? [valueOfSpelling(field, spelling, columnNamed(column))] : [];
        });
    const own = found.length > 1 ? `coalesce(${found.join(', ')})` : found[0];
    const value = sources ? own : entities.with(field.column, own);
    // As in files with a mapping.
    const mayBeEmpty = mapped.size > 0 && field.type === 'text';
    if (value !== undefined) expressions.set(field.column, mayBeEmpty ? `nullIf(${value}, '')` : value);
  }
  const time = expressions.get('utc_time');
  if (time === undefined)
    throw new BackendError(`The table ${name} has no column with the time of events.`, {
      code: 'events-without-time',
      hint: 'Name it under `columns:`, for example `columns: {utcTime: created_at}`.',
    });
  const direct = (index: number) => [`${front}${index}`, `toDateTime64(${front}${index}, 6, 'UTC')`];
  const isSure = read.some(({ type }, index) => type.startsWith('Date') && direct(index).includes(time));
  const url = expressions.get('url');
  if (url !== undefined)
    for (const [column, pattern] of urlParts) {
      const own = expressions.get(column);
      const part = `nullIf(regexpExtract(ifNull(${url}, ''), ${quoted(pattern)}, 1), '')`;
      const whole = column === 'doc_path' ? `if(ifNull(${url}, '') <> '', coalesce(${part}, '/'), NULL)` : part;
      // The server evaluates the branches of `if` only for rows that need them, but all arguments of `coalesce`.
      expressions.set(column, own === undefined ? whole : `if(isNull(${own}), ${whole}, ${own})`);
    }
  const present = new Set(expressions.keys());
  const nothing = (type: EventField['type']) => `CAST(NULL AS Nullable(${type === 'number' ? 'Float64' : 'String'}))`;
  for (const { column, type } of eventFields) if (!expressions.has(column)) expressions.set(column, nothing(type));
  const further = available.get(furtherColumn);
  const isProperty = isMade ? isPropertyColumn : isUnread(mapped);
  const others = further
    ? undefined
    : new Map(
        columns
          .filter(isProperty)
          .map((column) => [
            isMade ? decodeURIComponent(column.name.slice(propertyFront.length)) : column.name,
            propertyOf(columnNamed(column)),
          ]),
      );
  expressions.set(furtherColumn, further ? textOf(columnNamed(further)) : objectOf(others!));
  expressions.set(userKeyColumn, userKeyOf(expressions, user));
  // Columns that the server fills with the text of a property.
  const filled = further ? columns.filter(isPropertyColumn) : [];
  for (const column of filled) expressions.set(column.name, textOf(columnNamed(column)));
  for (const [key, { text }] of others ?? []) expressions.set(propertyColumn([key]), text);
  const placesOf = (path: readonly string[]): readonly PropertyPlace[] => {
    const [key = '', ...keys] = path;
    const own = others?.get(key);
    const places = propertyPlaces(path);
    if (!others || splitAtList(path)) return places;
    const column = quotedName(propertyColumn([key]));
    return [
      ...(own ? [{ column, keys, ...(keys.length === 0 && { isText: own.isText }) }] : []),
      ...places.filter((place) => present.has(place.column)),
    ];
  };
  const rowsFor = (fields: readonly string[], condition: string) => {
    const used = new Set(`${fields.join(' ')} ${condition}`.match(new RegExp(`\\b${front}\\d+\\b`, 'g')));
    const raw = read.flatMap(({ sql }, index) => (used.has(`${front}${index}`) ? [`${sql} AS ${front}${index}`] : []));
    return `SELECT ${fields.join(', ')} FROM (SELECT ${raw.join(', ') || '1'} FROM ${source} AS own_table) AS raw_events${condition}`;
  };
  const relationFor = (statement: string) => {
    const words = new Set(statement.match(/[a-z_]+\w*|`(?:[^`\\]|\\.)*`/g));
    const isNamed = (column: string) => column === 'utc_time' || words.has(column) || words.has(quotedName(column));
    const named = [...expressions].filter(namesAll(statement) ? () => true : ([column]) => isNamed(column));
    const fields = named.map(([column, text]) => `${text} AS ${/^\w+$/.test(column) ? column : quotedName(column)}`);
    return rowsFor(fields, isSure ? '' : ` WHERE (${time}) IS NOT NULL`);
  };
  const isOwn = user === 'anonymous' && mapped.size === 0 && isEventTable(columns);
  const timed = read.find(({ type }, index) => time === `${front}${index}` && type === instantType);
  const timesOf = (ends: readonly ('min' | 'max')[]) =>
    timed
      ? `SELECT ${ends.map((end) => `if(count() = 0, NULL, toUnixTimestamp64Milli(${end}(${timed.sql})))`).join(', ')}
        FROM ${source} AS own_table`
      : `SELECT ${ends.map((end) => `toUnixTimestamp64Milli(${end}OrNull(utc_time))`).join(', ')} FROM (${relationFor('')})`;
  return {
    relationFor,
    directly: (statement) => (isOwn && !namesAll(statement) ? withTable(statement, source) : statement),
    propertyPlaces: placesOf,
    propertyText(path, columnOf) {
      const column = propertyColumn(path);
      return filled.some(({ name }) => name === column)
        ? columnOf(quotedName(column))
        : clickHousePropertyText(path, columnOf, placesOf(path));
    },
    jsonColumns: (paths) => [
      ...new Set(
        paths.flatMap((path) => {
          const list = splitAtList(path)?.list;
          const places = placesOf(list ?? path);
          return places.flatMap(({ column, isText }) => (isText === undefined || (isText && list) ? [column] : []));
        }),
      ),
    ],
    // A MergeTree partitioned by its time knows it without reading.
    ends: [timesOf(['min']), timesOf(['max'])],
    extent: timesOf(['min', 'max']),
    knowsExtent: timed !== undefined,
    timeless: isSure ? undefined : rowsFor(['count()'], ` WHERE (${time}) IS NULL`),
  };
}

interface OwnProperty {
  /** SQL for the value as text; NULL if there is none. */
  readonly text: string;
  /** Whether it is a text, not a number, a boolean or an object. */
  readonly isText: boolean;
}

const propertyFront = propertyColumn(['']);

function isPropertyColumn({ name }: TableColumn): boolean {
  return name.startsWith(propertyFront);
}

/** Whether a column is a property: as in files, if no field has its name or is mapped to it. */
function isUnread(mapped: MappedFields): (column: TableColumn) => boolean {
  const read = new Set(
    [...mapped.values()]
      .flat()
      .flatMap((source) => (typeof source === 'string' ? [source] : 'column' in source ? [source.column] : []))
      .map((name) => name.toLowerCase()),
  );
  return ({ name }) => !read.has(name.toLowerCase()) && (!isCanonicalName(name) || isKeptName(name));
}

function propertyOf(value: RowValue): OwnProperty {
  const type = value.type.replaceAll(/(?:Nullable|LowCardinality)\(/g, '');
  const text = /^DateTime/.test(type)
    ? printStatement(clickHouse.toText(trusted(value.reference), 'time'), clickHouse).text
    : /^B?Float/.test(type)
      ? floatText(value.reference)
      : jsonTextOf(value);
  const isObject = nestedType.test(type);
  return {
    text: isObject ? `nullIf(nullIf(${text}, '{}'), '')` : `nullIf(${text}, '')`,
    isText: !isObject && !/^(?:U?Int|B?Float|Decimal|Bool)/.test(type),
  };
}

/** As JSON of files has floats. */
function floatText(value: string): string {
  const text = `toString(${value})`;
  return `multiIf(isNaN(${value}), 'NaN', isInfinite(${value}), if(${value} > 0, 'Infinity', '-Infinity'),
    match(${text}, '^-?[0-9]+$'), concat(${text}, '.0'), ${text})`;
}

/** SQL for the JSON object of all properties. */
function objectOf(properties: ReadonlyMap<string, OwnProperty>): string {
  if (properties.size === 0) return 'CAST(NULL AS Nullable(String))';
  const members = [...properties].map(([key, { text, isText }]) => {
    // A number can be NaN, which JSON has not.
    const json = isText ? `toJSONString(${text})` : `if(isValidJSON(${text}), ${text}, toJSONString(${text}))`;
    return `ifNull(concat(${quoted(`${JSON.stringify(key)}:`)}, ${json}), '')`;
  });
  return `concat('{', arrayStringConcat(arrayFilter(one -> one <> '', [${members.join(', ')}]), ','), '}')`;
}

/** Stands for events that cannot be read, and throws the reason when a statement reads them. */
export function unreadableEvents(reason: unknown): TableEvents {
  const fail = (): never => {
    throw reason;
  };
  return {
    relationFor: fail,
    directly: (statement) => statement,
    propertyText: fail,
    propertyPlaces: fail,
    jsonColumns: fail,
    get ends() {
      return fail();
    },
    get extent() {
      return fail();
    },
    knowsExtent: false,
    timeless: undefined,
  };
}

/** A prefix that, followed by a number, is not the name of any column. */
function unusedFront(columns: readonly TableColumn[]): string {
  let front = 'c';
  while (columns.some(({ name }) => name.startsWith(front) && /^\d+$/.test(name.slice(front.length)))) front += 'c';
  return front;
}

/** Whether a statement may depend on the set of columns, such as `SELECT DISTINCT *` in a model's SQL. */
function namesAll(statement: string): boolean {
  const others = statement.replaceAll(/count\(\*\)|SELECT \* FROM \(VALUES/g, '');
  return /(?:SELECT|DISTINCT|[,(.])\s*\*|\bCOLUMNS\b|\bNATURAL\b/i.test(others);
}

/** Leave quoted text unchanged. */
function withTable(statement: string, table: string): string {
  return statement.replaceAll(/'(?:[^'\\]|\\.)*'|"events"/g, (found) => (found === '"events"' ? table : found));
}

function userKeyOf(expressions: ReadonlyMap<string, string>, first: UserOrder): string {
  const [own, other] = (
    first === 'anonymous' ? ['user_anonymous_id', 'user_id'] : ['user_id', 'user_anonymous_id']
  ).map((column) => expressions.get(column) ?? 'CAST(NULL AS Nullable(String))');
  return clickHouseUserKey(own!, other!);
}
