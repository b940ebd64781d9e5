import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RejectedLine, RejectedLines } from '../../backend.ts';
import { compressFast, type Compression, readBytes } from '../../file/read-bytes.ts';
import { sourceName } from '../../file/source-copy.ts';
import { PackingDamage } from '../../file/unpack.ts';
import { foldMembers, type Judge } from './judge-record.ts';
import { longestRecord, type Splitter, type TakeRecord } from './split-records.ts';

/** Keys in a cleaned file: the line that the record stood in, and the how manieth it was, from 1. */
export const lineKey = 'sluice line';
export const recordKey = 'sluice record';

export interface CleanedFile {
  readonly path: string;
  readonly compression: Compression;
  /** Bytes of its longest line. */
  readonly longest: number;
  /** Some rows say for how many events they stand. */
  readonly counts: boolean;
  readonly rejected: RejectedLines;
}

/**
 * A record that was rejected; `record` is its number, from 1, beyond all of them for what damaged the file as a whole.
 */
export interface Rejection {
  readonly record: number;
  readonly line: number;
  readonly reason: string;
}

/** The number of rejected lines that are listed by file and line. The rest is counted. */
export const mostExamples = 20;

export interface CleaningOrder {
  readonly path: string;
  readonly compression: Compression;
  readonly encoding?: string | undefined;
  readonly target: string;
  readonly split: (take: TakeRecord) => Splitter;
  readonly judge: Judge;
  /** The engine's own opinion of text that JSON.parse refuses. */
  readonly engineReads: (json: string) => Promise<boolean>;
  /** So many records at the start are none. */
  readonly skip: number;
  /** Told of every rejection. */
  readonly onRejected?: ((rejection: Rejection) => void) | undefined;
}

/** Copies the good records of a text file, a line each, with the line they stood in; tells of the others. */
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
    // What came before the damage is good. The last, half record is part of the damage.
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
