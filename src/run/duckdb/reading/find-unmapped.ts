import { isUtf8 } from 'node:buffer';
import { parseWithLongNumbers } from '../../../ask/document/parse-exactly.ts';
import type { FileShape } from '../../../plan/mapping/preset.ts';
import { toShape } from '../../../plan/mapping/to-shape.ts';
import type { Encodings } from '../../file/encoding.ts';
import { jsonType, textOf } from '../engine/column-text.ts';
import { type Engine, openEngine } from '../engine/engine.ts';
import { quoteName } from '../engine/sql-text.ts';
import { describeParquet } from './source/describe-parquet.ts';
import { type EventSource, groupSources } from './source/event-source.ts';
import { columnsOf, readerOf } from './source/events-relation.ts';
import type { SampledRecord } from './text/head-records.ts';
import { type MappingOf, isTimed } from './recognise/map-files.ts';
import { readingOf } from './mend-file.ts';
import { readableFiles, sniffFiles } from './source/readable-files.ts';
import { recogniseFile } from './recognise/recognise-file.ts';
import type { WrappedEvents } from './columns/recognition.ts';
import { sampleRecords, splitHead } from './recognise/sample-keys.ts';

const mostRows = 500;
const headBytes = 1 << 20;

type CsvSource = Extract<EventSource, { readonly kind: 'csv' }>;

/** The shape of one file from its first rows; undefined if unknown. */
async function readShape(engine: Engine, source: EventSource, path: string): Promise<FileShape | undefined> {
  if (source.kind === 'cleaned') return undefined;
  if (source.kind === 'json') {
    const records = await sampleRecords(source, path, 1 << 19, parseWithLongNumbers);
    return toShape('json', records.slice(0, mostRows));
  }
  if (source.kind === 'csv') return readCsvShape(source, path);
  const columns = columnsOf(source);
  const texts = columns.map(({ name, type }) => textOf(quoteName(name), type));
  const reader = readerOf({ ...source, paths: [path] });
  const rows = await engine.rows(`SELECT ${texts.join(', ')} FROM ${reader} LIMIT ${mostRows}`);
  return toShape(
    source.kind,
    rows.map((row) => Object.fromEntries(columns.map(({ name, type }, index) => [name, toValue(row[index], type)]))),
    columns.map(({ name }) => name),
  );
}

/** The shape of the first rows that are whole: DuckDB refuses a file for its broken ones. */
async function readCsvShape(source: CsvSource, path: string): Promise<FileShape> {
  const { split, judge, skip } = readingOf(source, (name) => name);
  const rows: SampledRecord[] = [];
  let records = 0;
  const splitter = split((record) => {
    records += 1;
    if (records <= skip || rows.length >= mostRows) return;
    // Rows in another encoding show the columns as well: reading the file tells of them.
    const { bytes } = record;
    const judgement = judge(
      bytes && !isUtf8(bytes) ? { ...record, bytes: Buffer.from(bytes.toString('utf8')) } : record,
    );
    if (judgement.kind === 'object') rows.push(JSON.parse(judgement.json) as SampledRecord);
  });
  await splitHead(source, path, splitter, headBytes);
  return toShape('csv', rows, source.header);
}

/** Parses objects and lists, which arrive as JSON. */
function toValue(value: unknown, type: string): unknown {
  if (typeof value !== 'string') return null;
  if (!/^(STRUCT|MAP|UNION)\b|\[\d*\]$/.test(type) && type !== jsonType) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A file whose columns are not recognised. */
export interface UnmappedFile {
  readonly file: string;
  readonly shape: FileShape;
  /** Its list, if its events lie within an object. */
  readonly wrapped?: WrappedEvents | undefined;
}

/** Maximum number of files inspected. */
export const mostInspected = 20;

/** The first of `unmappedFiles`. */
export async function findUnmapped(
  files: readonly string[],
  mappingOf: MappingOf | undefined,
  encoding?: Encodings,
): Promise<UnmappedFile | undefined> {
  for await (const file of unmappedFiles(files, mappingOf, encoding)) return file;
  return undefined;
}

/**
 * The files, among the first ones, without a mapping, a preset, or a column name that indicates the event time.
 * `starting`: an engine to use. Errors: those of `sniffFormat` and `arrowToParquet`.
 */
export async function* unmappedFiles(
  files: readonly string[],
  mappingOf: MappingOf | undefined,
  encoding?: Encodings,
  starting?: Promise<Engine>,
): AsyncGenerator<UnmappedFile> {
  const open = files
    .slice(0, mostInspected)
    .filter((file) => Object.keys(mappingOf?.(file)?.columns ?? {}).length === 0);
  const sniffed = await sniffFiles(open, encoding);
  const doubtful = sniffed.filter(
    (file) =>
      file.format === 'parquet' ||
      file.format === 'arrow' ||
      file.format === 'json-objects' ||
      file.format === 'json-wrapped' ||
      file.format === 'lines' ||
      file.format === 'otlp' ||
      (file.format !== 'empty' && groupSources([file], new Map()).some((source) => !isTimed(source))),
  );
  if (doubtful.length === 0) return;
  await using own = starting ? undefined : await openEngine({ threads: 1 });
  const engine = own ?? (await starting!);
  for (const { path } of doubtful) {
    const [file] = await readableFiles(engine, [path], { encoding });
    const columns = await describeParquet(engine, file!.format === 'parquet' ? [file!.path] : []);
    const [source] = groupSources([file!], columns);
    if (!source || isTimed(source)) continue;
    if (recogniseFile(file!, columns.get(file!.path), mappingOf?.(path)?.preset)) continue;
    const shape = await readShape(engine, source, file!.path);
    const wrapped = 'wrapped' in file! ? file.wrapped : undefined;
    if (shape && shape.columns.length > 0) yield { file: path, shape, ...(wrapped && { wrapped }) };
  }
}
