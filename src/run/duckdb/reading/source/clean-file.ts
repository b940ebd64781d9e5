import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RejectedLine, RejectedLines } from '../../../backend.ts';
import { compressFast, type Compression, readBytes } from '../../../file/read-bytes.ts';
import { sourceName } from '../../../file/source-copy.ts';
import { PackingDamage } from '../../../file/unpack.ts';
import { foldMembers, type Judge } from './judge-record.ts';
import { longestRecord, type Splitter, type TakeRecord } from '../text/split-records.ts';

/** Keys in a cleaned file: the record's line in the original file, and its record number, from 1. */
export const lineKey = 'sluice line';
export const recordKey = 'sluice record';

export interface CleanedFile {
  readonly path: string;
  readonly compression: Compression;
  /** Size of its longest line in bytes. */
  readonly longest: number;
  /** Whether some rows have a count of events. */
  readonly counts: boolean;
  readonly rejected: RejectedLines;
}

/**
 * A rejected record. `record` is its number, from 1; damage to the file as a whole gets a number after the last record.
 */
export interface Rejection {
  readonly record: number;
  readonly line: number;
  readonly reason: string;
}

/** Number of rejected lines listed with file and line. The rest are only counted. */
export const mostExamples = 20;

export interface CleaningOrder {
  readonly path: string;
  readonly compression: Compression;
  readonly encoding?: string | undefined;
  readonly target: string;
  readonly split: (take: TakeRecord) => Splitter;
  readonly judge: Judge;
  /** Whether DuckDB accepts JSON text that JSON.parse rejects. */
  readonly engineReads: (json: string) => Promise<boolean>;
  /** Number of records to skip at the start. */
  readonly skip: number;
  /** Called for each rejection. */
  readonly onRejected?: ((rejection: Rejection) => void) | undefined;
}

/** Copies the valid records of a text file, one a line, with their original line numbers. Reports the rejected ones. */
export async function cleanFile(order: CleaningOrder): Promise<CleanedFile> {
  const examples: RejectedLine[] = [];
  let count = 0;
  let longest = 0;
  let lastLine = 0;
  let records = 0;
  let counts = false;
  let toSkip = order.skip;
  let written: string[] = [];
  let doubts: (Rejection & { readonly json: string })[] = [];

  const reject = ({ record, line, reason }: Rejection) => {
    count += 1;
    order.onRejected?.({ record, line, reason });
    examples.push({ file: sourceName(order.path), line, reason });
    if (examples.length > 4 * mostExamples) trim();
  };
  const trim = () => {
    examples.sort((one, other) => one.line - other.line);
    examples.length = Math.min(examples.length, mostExamples);
  };
  const keep = (record: number, line: number, json: string) => {
    counts ||= json.includes('.count"');
    const text = withPlace(json, record, line);
    longest = Math.max(longest, text.length * 3 > longestRecord ? Buffer.byteLength(text) : text.length * 3);
    written.push(text);
  };
  const splitter = order.split((record) => {
    lastLine = record.line;
    records += 1;
    if (toSkip > 0) {
      toSkip -= 1;
      return;
    }
    const judgement = order.judge(record);
    if (judgement.kind === 'object') keep(records, record.line, judgement.json);
    else if (judgement.kind === 'broken') {
      const rejection = { record: records, line: record.line, reason: judgement.reason };
      if (judgement.doubtful === undefined) reject(rejection);
      else doubts.push({ ...rejection, json: judgement.doubtful });
    }
  });

  async function* cleaned(): AsyncGenerator<Buffer> {
    const flush = async () => {
      for (const doubt of doubts) {
        if (await order.engineReads(doubt.json)) keep(doubt.record, doubt.line, doubt.json);
        else reject(doubt);
      }
      const text = Buffer.from(written.join(''));
      doubts = [];
      written = [];
      return text;
    };
    let damage: PackingDamage | undefined;
    try {
      for await (const piece of readBytes(order.path, order.compression, { encoding: order.encoding })) {
        splitter.push(piece);
        yield await flush();
      }
    } catch (error) {
      if (!(error instanceof PackingDamage)) throw error;
      damage = error;
    }
    // Records before the damage are valid. The last, incomplete record is part of the damage.
    if (!damage || damage.complete) splitter.end();
    if (damage) {
      const reach = damage.complete ? 'lines may be wrong or missing' : 'nothing after this could be read';
      reject({ record: records + 1, line: lastLine + 1, reason: `${damage.message}: ${reach}` });
    }
    yield await flush();
  }

  const packed = order.compression !== 'none';
  await (packed
    ? pipeline(Readable.from(cleaned()), await compressFast(), createWriteStream(order.target))
    : pipeline(Readable.from(cleaned()), createWriteStream(order.target)));
  trim();
  return { path: order.target, compression: packed ? 'zstd' : 'none', longest, counts, rejected: { count, examples } };
}

function withPlace(json: string, record: number, line: number): string {
  const isOwn = (key: string) => key === lineKey || key === recordKey;
  const bare =
    json.includes(lineKey) || json.includes(recordKey)
      ? foldMembers(
          json,
          '',
          (key) => !isOwn(key),
          () => false,
        )
      : json;
  const rest = bare.slice(1).trimStart();
  return `{"${lineKey}":${line},"${recordKey}":${record}${rest.startsWith('}') ? '' : ','}${rest}\n`;
}
