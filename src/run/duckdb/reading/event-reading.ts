import { SluiceError } from '../../../ask/sluice-error.ts';
import { findDamage } from '../../file/read-bytes.ts';
import { canRead } from '../engine/can-read.ts';
import { localZoneColumn } from '../../../plan/model/property-sql.ts';
import type { Engine } from '../engine/engine.ts';
import { quoteName } from '../engine/sql-text.ts';
import { holdsDates } from '../mapping/decide-time.ts';
import { demandTime } from './demand-time.ts';
import { describeParquet } from './source/describe-parquet.ts';
import { isTimeName } from '../../events/column-names.ts';
import { type EventSource, isText } from './source/event-source.ts';
import { findNumberMarks, likelyMarks } from './source/decimal-marks.ts';
import {
  columnsOf,
  eventsRelation,
  eventsWithFurther,
  type FurtherForm,
  type KnownColumns,
  readerOf,
} from './source/events-relation.ts';
import { furtherColumn } from './source/further-fields.ts';
import { isPlainCsv } from './source/inspect-csv.ts';
import type { SampledRecord } from './text/head-records.ts';
import { mapFiles, presetOf, type ReadingOptions } from './recognise/map-files.ts';
import { type ReadableFile, readableFiles } from './source/readable-files.ts';
import { findTimes, mayHaveTimes } from './source/time-columns.ts';
import { asChosen, type RecognisedFile } from './recognise/recognise-file.ts';
import { findFirstRows } from './recognise/first-rows.ts';
import { namesIn, type Recognition, recogniseFields } from './recognise/recognise-fields.ts';
import type { CellMarks } from './columns/recognition.ts';
import { isPlainKey, mostKeys, shapedReader } from './recognise/sample-keys.ts';
import { sampleTexts } from './recognise/sample-times.ts';
import { describeEntities } from '../../events/snowplow-entities.ts';

/** How the events of one file are read into rows of one shape, regardless of the file's format. */
export interface EventReading {
  /**
   * SELECT of the canonical columns (in the order of `eventFields`) and `further`: a JSON object with all other fields
   * as text, keys sorted, nulls omitted; NULL if there are none. One row an event: a row with a count is repeated.
   */
  readonly select: string;
  /** The same in another form. */
  readonly selectIn: (form: FurtherForm) => string;
  /** False if DuckDB may silently misread the file; call `mendEventFile` as well. */
  readonly isPlain: boolean;
  /** Snowplow entities that are read, as far as field names tell: `client_session`. */
  readonly entities: readonly string[];
  /** For display: `NDJSON, gzip`. */
  readonly format: string;
}

interface FirstReading extends EventReading {
  /** The preset that reads the file; undefined if its column names suffice. */
  readonly recognised: RecognisedFile | undefined;
  /** How the columns are mapped; undefined for an empty file. */
  readonly recognition: Recognition | undefined;
  /** Unpacks the whole file. False if its packing is damaged, which DuckDB mostly ignores: the file must be mended. */
  readonly isWhole: () => Promise<boolean>;
}

/**
 * Inspects one file. Throws as `sniffFormat` does, and `events-without-time`. DuckDB rejects the SELECT if a line is
 * not an event, or if a key first appears too late to be seen. Call `mendEventFile` then, and for damaged packing.
 */
export async function readEventFile(engine: Engine, path: string, options?: ReadingOptions): Promise<FirstReading> {
  const inspected = await inspectEventFile(engine, path, options);
  const { file, source, recognised, isPlain, keys, recognition } = inspected;
  return {
    ...(isPlain ? await readInspected(engine, [inspected]) : asSelects(selectNothing)),
    isPlain,
    entities: entitiesOf(source, keys),
    recognised,
    format: formatOf(file),
    recognition,
    isWhole: () => isWhole(engine, source, file.path),
  };
}

/** The key that files must share to be read by one statement; undefined if the file must be read alone. */
export function shapeOf({ source, isPlain }: InspectedFile): string | undefined {
  if (!source || !isText(source) || !isPlain) return undefined;
  // The first records of a file decide its time format. Files with the same format are read together. A row in another
  // format fails, and its file is then read alone.
  const { kind, compression, mapped } = source;
  return JSON.stringify(kind === 'json' ? [kind, compression, source.format, mapped] : { ...source, paths: [] });
}

/** A SELECT over plain files of one shape. DuckDB rejects it as that of `readEventFile`. */
export async function readInspected(
  engine: Engine,
  files: readonly InspectedFile[],
): Promise<Pick<EventReading, 'select' | 'selectIn'>> {
  const [{ source }] = files as readonly [InspectedFile];
  const paths = files.map(({ file }) => file.path);
  const keys = [...new Set(files.flatMap((file) => file.keys))];
  const together = source && source.kind !== 'cleaned' ? { ...source, paths } : source;
  return asSelects(await selectOf(engine, together, paths, keys));
}

export interface InspectedFile extends OpenSource {
  readonly isPlain: boolean;
  /**
   * Keys of JSON that were seen. For a file below 1 MiB these are all keys, unless there are too many or some are not
   * plain names.
   */
  readonly keys: readonly string[];
  readonly recognition: Recognition | undefined;
}

/** Inspects one file. Throws as `readEventFile`. */
export async function inspectEventFile(engine: Engine, path: string, options?: ReadingOptions): Promise<InspectedFile> {
  const given = await openSource(engine, path, options);
  const { source: plain } = given;
  const isUtf8 = plain === undefined || !isText(plain) || plain.encoding === undefined;
  const mayBePlain = isUtf8 && (plain?.kind !== 'csv' || (await isPlainCsv(plain, path, engine.closed)));
  // Files that are not plain or cannot be read are inspected when they are mended.
  const looked = mayBePlain && plain ? await marksOf(engine, plain, path, options).catch(unlessTold) : undefined;
  const isPlain = mayBePlain && looked !== 'unreadable';
  const marks = looked === 'unreadable' ? undefined : looked;
  const opened = { ...given, source: plain && marks ? { ...plain, marks: withoutDoubts(marks) } : plain };
  const { source } = opened;
  const { all, file } = withoutRecords(opened.file);
  const found = source && (await namesIn(source, file.path, { all }));
  const keys = source?.kind === 'json' ? withRoots(found!.names.filter(isPlainKey).slice(0, mostKeys), source) : [];
  const fields = source && recogniseFields(found!, source);
  const recognition = fields && {
    ...fields,
    ...('wrapped' in file && file.wrapped && { wrapped: file.wrapped }),
    marks,
    firstRows: findFirstRows(file),
    isDated: fields.isDated || (await areDates(engine, opened, found!.names)),
  };
  return { ...opened, file, isPlain, keys, recognition };
}

function unlessTold(error: unknown): 'unreadable' {
  if (error instanceof SluiceError) throw error;
  return 'unreadable';
}

export function withoutDoubts({ columns, times }: CellMarks): NonNullable<EventSource['marks']> {
  return { columns, times };
}

/** Undefined if the file is not CSV, or nothing suggests numbers or times that SQL does not read as they are. */
export async function marksOf(
  engine: Engine,
  source: EventSource,
  path: string,
  { mappingOf, content }: ReadingOptions = {},
  known?: KnownColumns,
): Promise<CellMarks | undefined> {
  if (source.kind !== 'csv' || source.style !== 'headed') return undefined;
  const { decimal: declared, timeFormat } = mappingOf?.(path) ?? {};
  const { likely, units, points } = likelyMarks(source.delimiter, content);
  const hasNumbers = declared !== undefined || likely.length > 0 || units;
  const hasTimes = typeof timeFormat === 'object' || mayHaveTimes(content);
  if (!hasNumbers && !hasTimes) return undefined;
  const columns = known?.columns ?? columnsOf(source);
  const reader = known?.reader ?? readerOf(source, [], false, true);
  const consumed = source.mapped?.consumed ?? [];
  const numbers = hasNumbers
    ? await findNumberMarks(engine, { columns, reader, path, consumed, likely, units, points }, declared)
    : { columns: [], doubtful: [] };
  if (!hasTimes) return { ...numbers, times: [] };
  const times = await findTimes(engine, { columns, reader, source, consumed }, timeFormat);
  return { ...numbers, times: times.columns, doubtful: [...numbers.doubtful, ...times.doubtful] };
}

/** Whether the head of a file shows times without a time of day. Only for times that are found by column name. */
async function areDates(engine: Engine, { file, source }: OpenSource, names: readonly string[]): Promise<boolean> {
  if (source?.mapped?.fields.some(({ type }) => type === 'time')) return false;
  const columns = source?.kind === 'parquet' ? source.columns : undefined;
  const times = names.filter(isTimeName);
  if (times.some((name) => columns?.find((column) => column.name === name)?.type === 'DATE')) return times.length === 1;
  const texts = await Promise.all(times.map((root) => sampleTexts(engine, file, columns, { kind: 'column', root })));
  return holdsDates('iso', texts.flat());
}

/** Drops the sampled records, so that the inspected file does not retain them. */
function withoutRecords(opened: ReadableFile): {
  readonly file: ReadableFile;
  readonly all?: readonly SampledRecord[];
} {
  if (!('sample' in opened)) return { file: opened };
  const { all, ...file } = opened;
  return { file: { ...file, sample: [] }, ...(all && { all }) };
}

/** Adds the keys that a mapping names, even if the file lacks them. */
export function withRoots(keys: Iterable<string>, { mapped }: EventSource): readonly string[] {
  return [...new Set([...keys, ...(mapped?.roots ?? [])])];
}

export async function isWhole(engine: Engine, source: EventSource | undefined, path: string): Promise<boolean> {
  // The check for plain CSV has already unpacked the file to the end.
  if (source === undefined || !isText(source) || source.kind === 'csv') return true;
  return (await findDamage(path, source.compression, { signal: engine.closed })) === undefined;
}

interface OpenSource {
  readonly file: ReadableFile;
  /** Undefined if the file is empty. */
  readonly source: EventSource | undefined;
  readonly recognised: RecognisedFile | undefined;
}

export async function openSource(engine: Engine, path: string, options: ReadingOptions = {}): Promise<OpenSource> {
  const [sniffed] = await readableFiles(engine, [path], options);
  const file = asChosen(sniffed!, presetOf(options.mappingOf?.(path)));
  const columns = await describeParquet(engine, file.format === 'parquet' ? [file.path] : []);
  let recognised: RecognisedFile | undefined;
  const [source] = await mapFiles(engine, [file], columns, options.mappingOf, (_path, found) => {
    recognised = found;
  });
  if (source) await demandTime(source);
  return { file, source, recognised };
}

export async function selectOf(
  engine: Engine,
  source: EventSource | undefined,
  paths: readonly string[],
  keys: readonly string[] = [],
): Promise<EventReading['selectIn']> {
  if (!source) return selectNothing;
  const reader = source.kind === 'json' ? await shapedReader(engine, source, paths, keys) : undefined;
  return (form) => eventsWithFurther(source, true, reader, form);
}

function selectNothing({ fields = [] }: FurtherForm): string {
  const columns = ['further', localZoneColumn, ...fields.map(furtherColumn)].map(
    (name) => `CAST(NULL AS VARCHAR) AS ${quoteName(name)}`,
  );
  return `SELECT *, ${columns.join(', ')} FROM (${eventsRelation([], undefined)})`;
}

export function asSelects(selectIn: EventReading['selectIn']): Pick<EventReading, 'select' | 'selectIn'> {
  return { select: selectIn({}), selectIn };
}

export function entitiesOf(source: EventSource | undefined, keys: readonly string[]): readonly string[] {
  if (source?.kind === 'csv') return describeEntities(source.header);
  return describeEntities(source?.kind === 'parquet' ? source.columns.map(({ name }) => name) : keys);
}

/** Whether DuckDB can read all rows and columns. */
export function succeeds(engine: Engine, { selectIn }: Pick<EventReading, 'selectIn'>): Promise<boolean> {
  return canRead(engine, selectIn({ hashed: true }));
}

const formatNames = { ndjson: 'NDJSON', 'json-array': 'JSON', parquet: 'Parquet', empty: 'empty' } as const;
const styleNames = {
  snowplow: 'Snowplow enriched TSV',
  log: 'access log',
  w3c: 'W3C extended log',
} as const;

export function formatOf(file: ReadableFile): string {
  if (file.format === 'parquet' && file.original !== undefined) return 'Arrow';
  const wrapped = 'wrapped' in file && file.wrapped ? [`list ${file.wrapped.list}`] : [];
  const name =
    file.format !== 'csv'
      ? formatNames[file.format]
      : file.style !== 'headed'
        ? styleNames[file.style]
        : file.delimiter === '\t'
          ? 'TSV'
          : 'CSV';
  const packed = 'compression' in file && file.compression !== 'none' ? [file.compression] : [];
  const encoded = 'encoding' in file && file.encoding !== undefined ? [file.encoding] : [];
  return [name, ...wrapped, ...packed, ...encoded].join(', ');
}
