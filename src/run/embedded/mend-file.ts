import { join } from 'node:path';
import type { RejectedLines } from '../backend.ts';
import { cleanFile, type CleaningOrder } from './clean-file.ts';
import type { Engine } from './engine.ts';
import { spellingOf } from './event-columns.ts';
import type { EventSource, TextSource } from './event-source.ts';
import { judgeCsv, judgeJson } from './judge-record.ts';
import { mergeRejected, rejectTimeless } from './rejected-lines.ts';
import { splitArray } from './split-array.ts';
import { splitCsv } from './split-csv.ts';
import { splitLines } from './split-lines.ts';

export interface MendedFile {
  readonly source: EventSource;
  readonly rejected: RejectedLines;
}

/** Writes the good lines of a text file that DuckDB refuses into the engine's folder, and tells which were not. */
export async function mendFile(engine: Engine, source: TextSource, path: string): Promise<MendedFile> {
  const cleaned = await cleanFile({
    path,
    compression: source.compression,
    target: join(engine.folder, `mended-${engine.nextNumber()}.ndjson`),
    engineReads: async (json) => (await engine.rows('SELECT json_valid($1)', [json]))[0]?.[0] === true,
    ...readingOf(source),
  });
  const mended = { kind: 'cleaned', compression: cleaned.compression, longest: cleaned.longest, path: cleaned.path, original: path } as const;
  return { source: mended, rejected: mergeRejected(cleaned.rejected, await rejectTimeless(engine, mended, path)) };
}

function readingOf(source: TextSource): Pick<CleaningOrder, 'split' | 'judge' | 'header'> {
  if (source.kind === 'csv') {
    return { split: splitCsv(source.delimiter), judge: judgeCsv(source.header.map(spellingOf), source.delimiter), header: true };
  }
  return { split: source.format === 'array' ? splitArray : splitLines, judge: judgeJson, header: false };
}
