import { type Compression, findDamage, readBytes } from '../../file/read-bytes.ts';
import type { Engine } from '../engine/engine.ts';
import { type CleanedFile, lineKey, recordKey, type Rejection } from './clean-file.ts';
import { demandTime } from './demand-time.ts';
import { describeParquet } from './describe-parquet.ts';
import { isCanonicalKey, isFurtherKey, readName } from './event-columns.ts';
import { type EventSource, groupSources, isText, type TextSource } from './event-source.ts';
import { eventsRelation, eventsWithFurther } from './events-relation.ts';
import { furtherKey } from './further-fields.ts';
import { isPlainCsv } from './inspect-csv.ts';
import { foldMembers, type Judge, keysOf } from './judge-record.ts';
import { copyGood, readingOf, toCleanedSource } from './mend-file.ts';
import { type ReadableFile, readableFiles } from './readable-files.ts';
import { listInVain } from './rejected-lines.ts';
import { allKeysOf, isPlainKey, mostKeys, sampleKeys, shapedReader } from './sample-keys.ts';
import { describeEntities } from './snowplow-entities.ts';
import { longestHead, type RawRecord, type Splitter, type TakeRecord } from './split-records.ts';

/** How the events of one file are read into rows of one shape, whatever the file's own is. */
export interface EventReading {
  /**
   * SELECT of the canonical columns (in the order of `eventFields`) and `further`: the text of a JSON object with all
   * fields that have no column, keys sorted, null values left out; NULL where there are none. One row an event: a row
   * that stands for several events is repeated.
   */
  readonly select: string;
  /** False: DuckDB may misread the file without a word: then `mendEventFile`, too. */
  readonly isPlain: boolean;
  /** Entities of Snowplow's that are read, as far as the file's fields tell: `client_session`. */
  readonly entities: readonly string[];
  /** For people: `NDJSON, gzip`. */
  readonly format: string;
}

export interface FirstReading extends EventReading {
  /** Unpacks all of the file. False: its packing is damaged, which DuckDB mostly passes over, and the file has to be mended. */
  readonly isWhole: () => Promise<boolean>;
}

/** Entities of Snowplow's that a file's fields tell of. Errors: as `readEventFile`. */
export async function readEntities(engine: Engine, path: string): Promise<readonly string[]> {
  const { source } = await openSource(engine, path);
  return entitiesOf(source, source?.kind === 'json' ? [...(await sampleKeys(source, path))] : []);
}

/** A file that was mended is plain. */
export type MendedReading = Pick<EventReading, 'select' | 'format'>;

export type OnRejected = (record: RejectedRecord) => void | Promise<void>;

/**
 * Looks at one file; throws as `sniffFormat` does, and `events-without-time`. DuckDB refuses the SELECT where a line is no event, and where a key
 * first appears so late that it was not seen: then `mendEventFile`, as where the packing is damaged.
 */
export async function readEventFile(engine: Engine, path: string): Promise<FirstReading> {
  const { file, source } = await openSource(engine, path);
  const isPlain = source?.kind !== 'csv' || (await isPlainCsv(source, path, engine.closed));
  const keys = source?.kind === 'json' ? [...(await sampleKeys(source, path))].filter(isPlainKey).slice(0, mostKeys) : [];
  return {
    select: await selectOf(engine, source, path, keys), isPlain, entities: entitiesOf(source, keys), format: formatOf(file),
    isWhole: () => isWhole(engine, source, path),
  };
}

async function isWhole(engine: Engine, source: EventSource | undefined, path: string): Promise<boolean> {
  // A CSV file was unpacked to its end already, to see whether it is plain.
  if (source === undefined || !isText(source) || source.kind === 'csv') return true;
  return (await findDamage(path, source.compression, { signal: engine.closed })) === undefined;
}

/** The same without the lines that are no events; each of them is handed over with its text, in the file's order. */
export async function mendEventFile(engine: Engine, path: string, onRejected: OnRejected): Promise<MendedReading> {
  const { file, source } = await openSource(engine, path);
  const format = formatOf(file);
  if (!source || source.kind === 'cleaned') return { select: await selectOf(engine, source, path), format };
  if (!isText(source)) {
    for (const { line, reason } of await listInVain(engine, source, source.paths[0]!)) await onRejected({ file: path, line, reason, text: '' });
    return { select: eventsWithFurther(source, false), format };
  }
  const keys = source.kind === 'json' ? await allKeysOf(engine, source, path, mostKeys) : undefined;
  const fits = keys !== undefined && keys.size <= mostKeys && [...keys].every(isPlainKey);
  if (source.kind === 'json' && fits) {
    const select = eventsWithFurther(source, true, await shapedReader(engine, source, path, [...keys]));
    if ((await succeeds(engine, select)) && (await isWhole(engine, source, path))) return { select, format };
  }
  return { select: await selectGood(engine, source, path, keys !== undefined && !fits, onRejected), format };
}

interface OpenSource {
  readonly file: ReadableFile;
  /** undefined: the file is empty. */
  readonly source: EventSource | undefined;
}

async function openSource(engine: Engine, path: string): Promise<OpenSource> {
  const [file] = await readableFiles(engine, [path]);
  const [source] = groupSources([file!], await describeParquet(engine, file!.format === 'parquet' ? [file!.path] : []));
  if (source) demandTime(source);
  return { file: file!, source };
}

async function selectOf(engine: Engine, source: EventSource | undefined, path: string, keys: readonly string[] = []): Promise<string> {
  if (!source) return `SELECT *, CAST(NULL AS VARCHAR) AS further FROM (${eventsRelation([], undefined)})`;
  if (source.kind !== 'json') return eventsWithFurther(source, true);
  return eventsWithFurther(source, true, await shapedReader(engine, source, path, keys));
}

function entitiesOf(source: EventSource | undefined, keys: readonly string[]): readonly string[] {
  if (source?.kind === 'csv') return describeEntities(source.header);
  return describeEntities(source?.kind === 'parquet' ? source.columns.map(({ name }) => name) : keys);
}

/** Reads all of it, every column. */
async function succeeds(engine: Engine, select: string): Promise<boolean> {
  return engine.rows(`SELECT max(hash(whole_row)) FROM (${select}) AS whole_row`).then(() => true, () => false);
}

/** A SELECT over a copy of the good lines. */
async function selectGood(engine: Engine, source: TextSource, path: string, folded: boolean, onRejected: OnRejected): Promise<string> {
  const { cleaned, keys, rejections } = await copyWithKeys(engine, source, path, folded);
  const copy = toCleanedSource(cleaned, path, source);
  const inVain = await listInVain(engine, copy, path);
  const all = [...rejections, ...inVain].sort((one, other) => one.record - other.record);
  await tellRejected({ path, compression: source.compression, split: readingOf(source).split }, all, onRejected);
  const reader = await shapedReader(engine, copy, copy.path, keys, [lineKey, recordKey]);
  return eventsWithFurther(copy, false, reader);
}

interface CopyWithKeys {
  readonly cleaned: CleanedFile;
  readonly keys: readonly string[];
  readonly rejections: readonly Rejection[];
}

/** Where the keys turn out to be too many, or no names, a second copy folds them. */
async function copyWithKeys(engine: Engine, source: TextSource, path: string, folded: boolean): Promise<CopyWithKeys> {
  const keys = new Set<string>();
  const rejections: Rejection[] = [];
  const reading = readingOf(source, (name) => readName(name) ?? name);
  const cleaned = await copyGood(engine, source, path, { ...reading, judge: withKeys(reading.judge, keys, folded) }, (rejection) => rejections.push(rejection));
  const fit = [...keys].every((key) => isPlainKey(key) || key === furtherKey) && keys.size <= mostKeys;
  return fit || folded ? { cleaned, keys: [...keys], rejections } : copyWithKeys(engine, source, path, true);
}

function withKeys(judge: Judge, keys: Set<string>, folded: boolean): Judge {
  return (record) => {
    const judgement = judge(record);
    if (judgement.kind !== 'object') return judgement;
    const json = folded ? foldMembers(judgement.json, furtherKey, isCanonicalKey, isFurtherKey) : judgement.json;
    // One too many says enough.
    if (keys.size <= mostKeys) for (const key of keysOf(json)) keys.add(key);
    return { kind: 'object', json };
  };
}

const formatNames = { ndjson: 'NDJSON', 'json-array': 'JSON', parquet: 'Parquet', empty: 'empty' } as const;

function formatOf(file: ReadableFile): string {
  if (file.format === 'parquet' && file.original !== undefined) return 'Arrow';
  const name = file.format !== 'csv' ? formatNames[file.format] : file.style === 'snowplow' ? 'Snowplow enriched TSV' : file.delimiter === '\t' ? 'TSV' : 'CSV';
  return 'compression' in file && file.compression !== 'none' ? `${name}, ${file.compression}` : name;
}

/** A line that is no event, with its text. */
export interface RejectedRecord {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly reason: string;
  /** As it stands in the file, cut at 64 KB, which it then says. */
  readonly text: string;
}

interface RejectedFrom {
  readonly path: string;
  readonly compression: Compression;
  readonly split: (take: TakeRecord) => Splitter;
}

/** Hands over each of the rejections with its text, which is looked up in the file. They come in the order of their records. */
async function tellRejected(from: RejectedFrom, rejections: readonly Rejection[], onRejected: (record: RejectedRecord) => void | Promise<void>): Promise<void> {
  let next = 0;
  let number = 0;
  let found: RejectedRecord[] = [];
  const toRecord = ({ line, reason }: Rejection, text: string): RejectedRecord => ({ file: from.path, line, reason, text });
  const splitter = from.split((record) => {
    number += 1;
    if (rejections[next]?.record !== number) return;
    found.push(toRecord(rejections[next]!, textOf(record)));
    next += 1;
  });
  const tell = async () => {
    const telling = found;
    found = [];
    for (const record of telling) await onRejected(record);
  };
  try {
    for await (const piece of readBytes(from.path, from.compression)) {
      splitter.push(piece);
      await tell();
      if (next === rejections.length) return;
    }
    splitter.end();
    await tell();
  } catch (error) {
    if (from.compression === 'none') throw error;
  }
  for (const rejection of rejections.slice(next)) await onRejected(toRecord(rejection, ''));
}

function textOf({ bytes, head, reason }: RawRecord): string {
  const whole = bytes ?? head ?? Buffer.alloc(0);
  const isCut = whole.length > longestHead || (bytes === undefined && reason !== undefined && whole.length === longestHead);
  const text = whole.subarray(0, longestHead).toString('utf8').replace(/\r$/, '');
  return isCut ? `${text} … (cut at ${longestHead / 1024} KB)` : text;
}
