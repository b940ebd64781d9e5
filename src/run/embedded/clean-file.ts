import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RejectedLine, RejectedLines } from '../backend.ts';
import type { Judge } from './judge-record.ts';
import { compressFast, readBytes, type Compression } from './read-bytes.ts';
import { longestRecord, type Splitter, type TakeRecord } from './split-records.ts';

/** Key in a cleaned file: the line that the record stood in. */
export const lineKey = 'sluice line';

export interface CleanedFile {
  readonly path: string;
  readonly compression: Compression;
  /** Bytes of its longest line. */
  readonly longest: number;
  readonly rejected: RejectedLines;
}

/** So many rejected lines are told of, by file and line; the rest is counted. */
export const mostExamples = 20;

export interface CleaningOrder {
  readonly path: string;
  readonly compression: Compression;
  readonly target: string;
  readonly split: (take: TakeRecord) => Splitter;
  readonly judge: Judge;
  /** The engine's own opinion of text that JSON.parse refuses. */
  readonly engineReads: (json: string) => Promise<boolean>;
  /** The first record is a header. */
  readonly header: boolean;
}

/** Copies the good records of a text file, a line each, with the line they stood in; tells of the others. */
export async function cleanFile(order: CleaningOrder): Promise<CleanedFile> {
  const examples: RejectedLine[] = [];
  let count = 0;
  let longest = 0;
  let lastLine = 0;
  let toSkip = order.header ? 1 : 0;
  let written: string[] = [];
  let doubts: { readonly line: number; readonly json: string; readonly reason: string }[] = [];

  const reject = (line: number, reason: string) => {
    count += 1;
    examples.push({ file: order.path, line, reason });
    if (examples.length > 4 * mostExamples) trim();
  };
  const trim = () => {
    examples.sort((one, other) => one.line - other.line);
    examples.length = Math.min(examples.length, mostExamples);
  };
  const keep = (line: number, json: string) => {
    const text = withLine(json, line);
    longest = Math.max(longest, text.length * 3 > longestRecord ? Buffer.byteLength(text) : text.length * 3);
    written.push(text);
  };
  const splitter = order.split((record) => {
    lastLine = record.line;
    if (toSkip > 0) {
      toSkip -= 1;
      return;
    }
    const judgement = order.judge(record);
    if (judgement.kind === 'object') keep(record.line, judgement.json);
    else if (judgement.kind === 'broken') {
      if (judgement.doubtful === undefined) reject(record.line, judgement.reason);
      else doubts.push({ line: record.line, json: judgement.doubtful, reason: judgement.reason });
    }
  });

  async function* cleaned(): AsyncGenerator<Buffer> {
    const flush = async () => {
      for (const doubt of doubts) {
        if (await order.engineReads(doubt.json)) keep(doubt.line, doubt.json);
        else reject(doubt.line, doubt.reason);
      }
      const text = Buffer.from(written.join(''));
      doubts = [];
      written = [];
      return text;
    };
    try {
      for await (const piece of readBytes(order.path, order.compression)) {
        splitter.push(piece);
        yield await flush();
      }
    } catch (error) {
      if (order.compression === 'none' || (error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
      // What came before the damage is good. The last, half record is part of the damage.
      reject(lastLine + 1, `the ${order.compression} data is damaged: nothing after this could be read`);
      yield await flush();
      return;
    }
    splitter.end();
    yield await flush();
  }

  const packed = order.compression !== 'none';
  await (packed
    ? pipeline(Readable.from(cleaned()), await compressFast(), createWriteStream(order.target))
    : pipeline(Readable.from(cleaned()), createWriteStream(order.target)));
  trim();
  return { path: order.target, compression: packed ? 'zstd' : 'none', longest, rejected: { count, examples } };
}

function withLine(json: string, line: number): string {
  const rest = json.slice(1).trimStart();
  return `{"${lineKey}":${line}${rest.startsWith('}') ? '' : ','}${rest}\n`;
}
