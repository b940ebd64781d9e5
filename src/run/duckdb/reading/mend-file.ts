import { join } from 'node:path';
import type { RejectedLines } from '../../backend.ts';
import type { Engine } from '../engine/engine.ts';
import { type CleanedFile, cleanFile, type CleaningOrder, type Rejection } from './source/clean-file.ts';
import { readName } from '../../events/column-names.ts';
import type { EventSource, TextSource } from './source/event-source.ts';
import { rowShapeOf } from './formats/csv-head.ts';
import { judgeAccessLog, judgeCsv, judgeJson, judgeNamedLog, judgeSnowplow } from './source/judge-record.ts';
import { openW3cReader } from './layouts/w3c-log.ts';
import { decideAgain } from './recognise/map-files.ts';
import { mergeRejected, rejectInVain } from './source/rejected-lines.ts';
import { unusualEntityKeys } from '../../events/snowplow-entities.ts';
import { splitArray } from './text/split-array.ts';
import { splitCsv } from './text/split-csv.ts';
import { splitLines } from './text/split-lines.ts';
import { splitObjects } from './text/split-objects.ts';

type CleanedSource = Extract<EventSource, { readonly kind: 'cleaned' }>;

interface MendedFile {
  readonly source: CleanedSource;
  readonly rejected: RejectedLines;
}

/** Writes the valid lines of a text file that DuckDB rejects into the engine's folder, and reports the others. */
export async function mendFile(engine: Engine, source: TextSource, path: string): Promise<MendedFile> {
  const cleaned = await copyGood(engine, source, path, readingOf(source));
  const mended = await decideAgain(engine, toCleanedSource(cleaned, path, source));
  return { source: mended, rejected: mergeRejected(cleaned.rejected, await rejectInVain(engine, mended, path)) };
}

/** Only copies the lines. Some may still lack a time or have an invalid count. */
export function copyGood(
  engine: Engine,
  source: TextSource,
  path: string,
  reading: Reading,
  onRejected?: (rejection: Rejection) => void,
): Promise<CleanedFile> {
  return cleanFile({
    path,
    compression: source.compression,
    encoding: source.encoding,
    target: join(engine.folder, `mended-${engine.nextNumber()}.ndjson`),
    engineReads: async (json) => (await engine.rows('SELECT json_valid($1)', [json]))[0]?.[0] === true,
    onRejected,
    ...reading,
  });
}

export function toCleanedSource(
  { compression, counts, longest, path }: CleanedFile,
  original: string,
  source: TextSource,
): CleanedSource {
  const unusual =
    source.kind === 'json' ? source.hints.unusual : unusualEntityKeys(source.header.join(' ').toLowerCase());
  const mapped = source.mapped && { mapped: source.mapped };
  return { kind: 'cleaned', compression, counts, longest, unusual, path, original, ...mapped };
}

export type Reading = Pick<CleaningOrder, 'split' | 'judge' | 'skip'>;

/**
 * How to split and judge the records of a text file. `givenName`: a column's key in the copy; undefined for unused
 * columns.
 */
export function readingOf(source: TextSource, givenName: (name: string) => string | undefined = readName): Reading {
  const roots = new Map(source.mapped?.roots.map((root) => [root.toLowerCase(), root]));
  // Columns that a mapping reads keep the mapping's spelling.
  const nameOf = (name: string) => roots.get(name.toLowerCase()) ?? givenName(name);
  if (source.kind === 'json')
    return { split: source.format === 'array' ? splitArray : splitObjects, judge: judgeJson, skip: 0 };
  if (source.style === 'snowplow') return { split: splitLines, judge: judgeSnowplow(nameOf), skip: 0 };
  if (source.style === 'w3c') return { split: splitLines, judge: judgeNamedLog(nameOf, openW3cReader()), skip: 0 };
  if (source.style === 'log') return { split: splitLines, judge: judgeAccessLog(nameOf, source.endings), skip: 0 };
  const { header, before = 0 } = source;
  return { split: splitCsv(rowShapeOf(source)), judge: judgeCsv(header.map(nameOf), source), skip: before + 1 };
}
