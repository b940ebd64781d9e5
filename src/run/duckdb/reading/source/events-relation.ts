import { userKeyColumn, type UserOrder } from '../../../../plan/model/event-fields.ts';
import { localZoneColumn } from '../../../../plan/model/property-sql.ts';
import type { Compression } from '../../../file/read-bytes.ts';
import { jsonCompression, quoteName, quotePaths, quoteText, quoteTexts, textColumns } from '../../engine/sql-text.ts';
import { hasReadableTime, timeOfText } from '../../engine/time-expression.ts';
import { applyMapping } from '../../mapping/apply-mapping.ts';
import { accessLogReader } from '../layouts/access-log.ts';
import { lineKey, recordKey } from './clean-file.ts';
import { allKeys, isTimeName } from '../../../events/column-names.ts';
import { canonicalColumns, type CanonicalColumns, type SourceColumn, userKey } from '../columns/event-columns.ts';
import { type EventSource, isText } from './event-source.ts';
import { filePlace, hidesFilePlace, unusedName } from '../layouts/file-place.ts';
import { furtherColumn, type FurtherField, furtherField, furtherFields } from './further-fields.ts';
import { copiesColumn } from '../columns/row-copies.ts';
import { isOldSnowplow } from '../layouts/snowplow-columns.ts';
import { dumpEscapes, nullsOf } from '../text/split-csv.ts';
import { longestRecord } from '../text/split-records.ts';

/**
 * SQL of the normalised events, directly over the files. An invalid line in a text file (no readable time, or an
 * invalid count) stops the statement, and the caller then cleans the file. In Parquet and cleaned files such rows are
 * skipped.
 */
export function eventsRelation(
  sources: readonly EventSource[],
  users: UserOrder | undefined,
  shown?: ReadonlySet<string>,
): string {
  if (sources.length === 0)
    return selectFrom({
      columns: canonicalColumns([]),
      reader: '(SELECT 1)',
      valid: { condition: 'false' },
      users,
      shown,
    });
  return sources.map((source) => eventsOfSource(source, users, shown)).join('\nUNION ALL\n');
}

/** `shown`: the columns to select, see `columnsNamed`; undefined for all. */
export function eventsOfSource(source: EventSource, users: UserOrder | undefined, shown?: ReadonlySet<string>): string {
  const known = columnsOf(source);
  const outline = mappedTable(source, { columns: known, reader: '' });
  const columns = canonicalColumns(
    outline.columns,
    source.kind === 'json' && !source.hints.entities ? 'refuse' : 'read',
  );
  const counted = source.kind === 'json' ? source.hints.counts : source.kind === 'cleaned' ? source.counts : true;
  return selectFrom({
    columns: addStandIns(columns, source),
    reader: (isRead) => {
      const isUsed = (column: string) => isRead(column) || outline.reader.includes(quoteName(column));
      return mappedTable(source, { columns: known, reader: readerOf(source, [], false, false, isUsed) }).reader;
    },
    valid: validityOf(source, columns, counted),
    users,
    counted,
    shown,
  });
}

/** A relation whose columns are all known. */
export interface KnownColumns {
  readonly columns: readonly SourceColumn[];
  /** The relation with these columns. */
  readonly reader: string;
  /** Its column with the index of the row's file, from 0. */
  readonly fileColumn?: string | undefined;
}

/** How a SELECT has the further fields of events. */
export interface FurtherForm {
  /** Columns beside `further`. Each is read many times faster than all fields. */
  readonly fields?: readonly FurtherField[];
  /**
   * Whether it only shows what cannot be read. There are only the time, which stops the statement at a row that is no
   * event, and `further` as a mere hash of all columns of the file; of Parquet, which has types, only the time.
   */
  readonly hashed?: boolean;
  /** Additional columns as expressions over the reader. */
  readonly more?: ReadonlyMap<string, string>;
}

/**
 * The events of a source with all further fields. `strict`: an invalid row stops the statement, whatever the source.
 */
export function eventsWithFurther(
  source: EventSource,
  strict: boolean,
  known: KnownColumns = { columns: columnsOf(source), reader: readerOf(source) },
  { fields = [], hashed = false, more = new Map() }: FurtherForm,
): string {
  const marks = new Map(source.marks?.columns.map((marked) => [marked.name, marked]));
  const times = new Map(source.marks?.times.map(({ name, format }) => [name, format]));
  const columns = known.columns.map((column) => ({
    ...column,
    mark: marks.get(column.name),
    times: times.get(column.name),
  }));
  const table = mappedTable(source, { ...known, columns });
  const canonical = canonicalColumns(table.columns);
  return selectFrom({
    columns: addStandIns(canonical, source),
    reader: table.reader,
    valid: validityOf(source, canonical, true, strict),
    more: new Map([
      ['further', hashed ? hashOf(table.columns) : furtherFields(table.columns)],
      [localZoneColumn, source.mapped?.zone === undefined ? 'CAST(NULL AS VARCHAR)' : quoteText(source.mapped.zone)],
      ...fields.map((field) => [furtherColumn(field), furtherField(table.columns, field)] as const),
      ...more,
    ]),
    counted: true,
    shown: hashed ? new Set(source.kind === 'parquet' ? ['utc_time'] : ['utc_time', 'further']) : undefined,
  });
}

function hashOf(columns: readonly SourceColumn[]): string {
  return `CAST(hash(${['0', ...columns.map(({ name, reference = name }) => quoteName(reference))].join(', ')}) AS VARCHAR)`;
}

/** Applies the source's mapping to its columns, if it has one. */
function mappedTable(
  source: EventSource,
  table: KnownColumns,
): KnownColumns & { readonly written?: string | undefined } {
  return source.mapped ? applyMapping(table, source.mapped) : table;
}

const timeless = "error('an event without a readable time')";
const notCounted = "error('a row that stands for no number of events, or for several where none was expected')";

/** Which rows are events. */
interface Validity {
  /** A condition on the rows, which skips the others. */
  readonly condition: string;
  /**
   * The time of a row, which stops the statement if the row is not an event. As DuckDB computes volatile columns before
   * it compares them, rows outside of a range stop it, too; a condition would come after the cheaper range.
   */
  readonly demanded?: string;
}

function validityOf(
  source: EventSource,
  { copies }: CanonicalColumns,
  counted: boolean,
  strict = isText(source),
): Validity {
  const copiesName = quoteName(copiesColumn);
  if (strict) {
    const countHolds = counted ? `${copiesName} IS NOT NULL` : `coalesce(${copiesName}, 0) = 1`;
    const demanded = `CASE WHEN NOT ${hasReadableTime} THEN ${timeless} ${copies === undefined ? '' : `WHEN NOT (${countHolds}) THEN ${notCounted} `}ELSE utc_time END`;
    return { condition: 'utc_time IS NOT NULL', demanded };
  }
  // DuckDB pushes a bare test for NULL into the scan, where it is free.
  const time = source.kind === 'parquet' && plainTimeOf(source) ? 'utc_time IS NOT NULL' : hasReadableTime;
  return { condition: copies === undefined ? time : `${time} AND ${copiesName} IS NOT NULL` };
}

/** The SQL counterpart of `withStandIns` in snowplow-columns.ts. */
function addStandIns(columns: CanonicalColumns, source: EventSource): CanonicalColumns {
  if (source.kind !== 'csv' || source.style !== 'snowplow' || !isOldSnowplow(source.header)) return columns;
  const read = new Map(columns.read);
  read.set('utc_time', `coalesce(${read.get('utc_time')!}, ${timeOfText('"sluice collected"')})`);
  read.set(
    'event_type',
    `coalesce(${read.get('event_type')!}, CASE event WHEN 'page_view' THEN 'pageview' WHEN 'unstruct' THEN NULL ELSE event END)`,
  );
  return { ...columns, read, gathered: new Map([...columns.gathered, ['sluice collected', 'collector_tstamp']]) };
}

/** The time column if it can be used unchanged, so that conditions on it can skip row groups. */
export function plainTimeOf(source: Extract<EventSource, { kind: 'parquet' }>): SourceColumn | undefined {
  const [time, ...more] = timesOf(source);
  return time?.type === 'TIMESTAMP' && !time.derived && more.length === 0 ? time : undefined;
}

/** The columns with the event time. */
function timesOf(source: EventSource): readonly SourceColumn[] {
  return timesAmong(mappedTable(source, { columns: columnsOf(source), reader: '' }).columns);
}

function timesAmong(columns: readonly SourceColumn[]): readonly SourceColumn[] {
  return columns.filter(({ name, foreign }) => !foreign && isTimeName(name));
}

interface Selection {
  readonly columns: CanonicalColumns;
  /** The relation to read from. As a function, it omits unused columns. */
  readonly reader: string | ((isRead: (column: string) => boolean) => string);
  readonly valid: Validity;
  /** Adds the key of this user order. */
  readonly users?: UserOrder | undefined;
  /** Additional columns. */
  readonly more?: ReadonlyMap<string, string> | undefined;
  /** Repeats rows by their counts. */
  readonly counted?: boolean;
  /** The columns to select; undefined for all. */
  readonly shown?: ReadonlySet<string> | undefined;
}

export function selectFrom({ columns, reader, valid, users, more, counted, shown: wanted }: Selection): string {
  const own = [...(more ?? [])];
  const added = own.map(([name]) => name);
  const isWanted = (name: string) => wanted === undefined || wanted.has(name);
  const withKey = users !== undefined && isWanted(userKeyColumn);
  const key = withKey ? `, ${userKey(users)} AS ${quoteName(userKeyColumn)}` : '';
  // The condition uses the time, and the key uses both IDs.
  const shown = [...columns.read.keys(), ...added].filter(
    (name) => name === 'utc_time' || isWanted(name) || (withKey && mentions(key, name)),
  );
  const read = new Map([
    ...shown.map((name) => [name, columns.read.get(name) ?? quoteName(name)] as const),
    ...(columns.copies === undefined ? [] : [[copiesColumn, columns.copies] as const]),
  ]);
  const gathered = new Map(
    [...columns.gathered, ...own].filter(
      ([name]) => wanted === undefined || [...read.values()].some((expression) => mentions(expression, name)),
    ),
  );
  const sources = [...gathered.values()];
  const from =
    typeof reader === 'string'
      ? reader
      : reader((column) => sources.some((expression) => expression.includes(quoteName(column))));
  const plain = `(SELECT ${named(read)}
FROM (SELECT ${named(gathered)}
FROM ${from}) AS gathered)`;
  const checked = valid.demanded ? `(SELECT * REPLACE (${valid.demanded} AS utc_time)\nFROM ${plain})` : plain;
  const rows = `${checked} AS events_read WHERE ${valid.condition}`;
  const repeated = counted && columns.copies !== undefined;
  const listed = shown.map((name) => (added.includes(name) ? quoteName(name) : name)).join(', ');
  return `SELECT ${listed}${key} FROM ${repeated ? `(SELECT *, unnest(range(${quoteName(copiesColumn)})) AS "sluice copy" FROM ${rows})` : rows}`;
}

/** Whether the SQL may refer to a column of this name. */
function mentions(sql: string, name: string): boolean {
  return sql.toLowerCase().includes(name.toLowerCase());
}

function named(expressions: ReadonlyMap<string, string>): string {
  return [...expressions]
    .map(([name, expression]) => (expression === quoteName(name) ? expression : `${expression} AS ${quoteName(name)}`))
    .join(', ');
}

/**
 * The invalid rows of a cleaned or Parquet file: record or row number, line, the time as written if it is unreadable,
 * else the count.
 */
export function rowsInVain(source: Extract<EventSource, { kind: 'cleaned' | 'parquet' }>, path: string): string {
  const place =
    source.kind === 'cleaned'
      ? `CAST(${quoteName(recordKey)} AS BIGINT) AS record, CAST(${quoteName(lineKey)} AS BIGINT) AS line`
      : 'file_row_number + 1 AS record, file_row_number + 1 AS line';
  const plainReader =
    source.kind === 'cleaned'
      ? readerOf(source, [lineKey, recordKey])
      : readerOf({ ...source, paths: [path] }, [], true);
  const table = mappedTable(source, { columns: columnsOf(source), reader: plainReader });
  const { gathered, read, copies } = canonicalColumns(table.columns);
  const written =
    table.written === undefined
      ? timesAmong(table.columns).map((column) => `CAST(${quoteName(column.reference ?? column.name)} AS VARCHAR)`)
      : [table.written];
  const count = copies === undefined ? 'CAST(NULL AS VARCHAR)' : gathered.get(copiesColumn)!;
  return `SELECT record, line, written, CASE WHEN ${hasReadableTime} THEN ${quoteName(copiesColumn)} END AS count
  FROM (SELECT record, line, written, ${quoteName(copiesColumn)}, ${copies ?? '1'} AS copies, ${read.get('utc_time')!} AS utc_time
    FROM (SELECT ${place}, coalesce(${[...written, 'NULL'].join(', ')}) AS written,
      ${count} AS ${quoteName(copiesColumn)}, ${gathered.get('utc_time')!} AS utc_time FROM ${table.reader}))
  WHERE NOT ${hasReadableTime} OR copies IS NULL`;
}

export function columnsOf(source: EventSource): readonly SourceColumn[] {
  switch (source.kind) {
    case 'parquet':
      return source.columns.map((column) => ({ ...column, ofTable: true }));
    case 'csv':
      return source.header.map((name) => ({ ...asText(name), ofTable: source.style === 'headed' }));
    default:
      return keysOf(source).map(asText);
  }
}

/** The keys of JSON to read. Columns must differ in more than letter case, so the keys of the mapping win. */
function keysOf(source: Extract<EventSource, { kind: 'json' | 'cleaned' }>): readonly string[] {
  const known = [...usedKeys(source), ...(source.kind === 'json' ? source.hints.unusual : source.unusual)];
  const roots = source.mapped?.roots ?? [];
  if (roots.length === 0) return known;
  const taken = new Set(roots.map((root) => root.toLowerCase()));
  return [...roots, ...known.filter((key) => !taken.has(key.toLowerCase()))];
}

/** DuckDB plans a reader of hundreds of keys slowly, so omit keys that no record has. */
function usedKeys(source: Extract<EventSource, { kind: 'json' | 'cleaned' }>): readonly string[] {
  if (source.kind !== 'json' || source.uses === undefined) return allKeys;
  const used = new Set(Array.from(source.uses.values(), ({ names }) => names).flat());
  // A reader needs at least one column.
  return allKeys.filter((key, index) => index === 0 || used.has(key));
}

function asText(name: string): SourceColumn {
  return { name, type: 'VARCHAR' };
}

/** A CSV reader that adds the index of each row's file; undefined if a column of the files has the same name. */
export function csvWithFiles(source: Extract<EventSource, { kind: 'csv' }>): KnownColumns | undefined {
  if (hidesFilePlace(source.header)) return undefined;
  const fileColumn = unusedName(source.header);
  const reader =
    source.style === 'log'
      ? accessLogReader(source.paths, source.compression, { endings: source.endings, fileColumn })
      : `(SELECT ${cellsOf(source)}, ${filePlace} AS ${quoteName(fileColumn)} FROM ${readCsv(source)})`;
  return { columns: columnsOf(source), reader, fileColumn };
}

function readCsv(source: Extract<EventSource, { kind: 'csv' }>, lenient = false): string {
  // Snowplow's fields contain no tabs or line breaks, and quotation marks are literal.
  const form =
    source.style === 'snowplow'
      ? "header = false, quote = '', escape = ''"
      : `header = true, skip = ${source.before ?? 0}, quote = '"', escape = '"', ` +
        `nullstr = ${quoteTexts(nullsOf(source))}`;
  return `read_csv(${quotePaths(source.paths)}, auto_detect = false, ${form}, delim = ${quoteText(source.delimiter)},
        columns = ${textColumns(source.header)}${lenient ? ', ignore_errors = true' : ''}, compression = '${source.compression}', hive_partitioning = false)`;
}

/** The cells of a CSV file, as `splitFields` gives them. */
function cellsOf(source: Extract<EventSource, { kind: 'csv' }>): string {
  if (!isRewritten(source)) return '*';
  const missing = nullsOf(source).map(quoteText).join(', ');
  const trimmed = (cell: string) => `CASE WHEN trim(${cell}) NOT IN (${missing}) THEN trim(${cell}) END`;
  const cells = source.header.map(quoteName).map((cell) => {
    const text = source.padded ? trimmed(cell) : cell;
    return `${source.dump?.escaped ? withoutEscapes(text) : text} AS ${cell}`;
  });
  return cells.join(', ');
}

function isRewritten({ padded, dump }: Extract<EventSource, { kind: 'csv' }>): boolean {
  return padded === true || dump?.escaped === true;
}

/** Pairs of backslashes are apart before other escapes are read. */
function withoutEscapes(text: string): string {
  const part = Object.entries(dumpEscapes).reduce(
    (inner, [mark, code]) => `replace(${inner}, '\\${mark}', chr(${code}))`,
    'part',
  );
  const read = `array_to_string(list_transform(string_split(${text}, '\\\\'), lambda part: ${part}), '\\')`;
  return `CASE WHEN contains(${text}, '\\') THEN ${read} ELSE ${text} END`;
}

/** `lenient`: skip unreadable lines. */
export function readerOf(
  source: EventSource,
  furtherKeys: readonly string[] = [],
  rowNumbers = false,
  lenient = false,
  isRead: (key: string) => boolean = () => true,
): string {
  switch (source.kind) {
    case 'parquet':
      return parquetReader(source, rowNumbers);
    case 'csv':
      if (source.style === 'log') return accessLogReader(source.paths, source.compression, { endings: source.endings });
      return isRewritten(source)
        ? `(SELECT ${cellsOf(source)} FROM ${readCsv(source, lenient)})`
        : readCsv(source, lenient);
    case 'json':
      return jsonReader(
        source.paths,
        source.format,
        source.compression,
        [...keysOf(source).filter(isRead), ...furtherKeys],
        objectSizeOf(source),
        lenient && source.format === 'newline_delimited',
      );
    case 'cleaned':
      return jsonReader(
        [source.path],
        'newline_delimited',
        source.compression,
        [...keysOf(source).filter(isRead), ...furtherKeys],
        objectSizeOf(source),
      );
  }
}

function parquetReader(
  { paths, columns }: Extract<EventSource, { readonly kind: 'parquet' }>,
  rowNumbers: boolean,
): string {
  const texts = columns.flatMap(({ name, ofBytes }) => (ofBytes ? [`${ofBytes} AS ${quoteName(name)}`] : []));
  const numbers = rowNumbers ? ', file_row_number = true' : '';
  const folders = columns.some(({ ofFolder }) => ofFolder) ? 'true, hive_types_autocast = false' : 'false';
  const reader = `read_parquet(${quotePaths(paths)}, binary_as_string = ${texts.length === 0}, hive_partitioning = ${folders}${numbers})`;
  return texts.length === 0 ? reader : `(SELECT * REPLACE (${texts.join(', ')}) FROM ${reader})`;
}

/** Maximum size of an object of a source in bytes. */
export function objectSizeOf(source: EventSource): number {
  return source.kind === 'cleaned' && source.longest > defaultObjectSize ? longestRecord * 2 : defaultObjectSize;
}

/** DuckDB reserves twice this size for each thread, and reads objects up to twice this size. */
const defaultObjectSize = longestRecord / 2;

function jsonReader(
  paths: readonly string[],
  format: string,
  compression: Compression,
  keys: readonly string[],
  objectSize: number,
  lenient = false,
): string {
  return `read_json(${quotePaths(paths)}, format = '${format}', records = true, columns = ${textColumns(keys)}${lenient ? ', ignore_errors = true' : ''},
    maximum_object_size = ${objectSize}, compression = '${jsonCompression(compression)}', hive_partitioning = false)`;
}
