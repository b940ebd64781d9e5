import type { Rejection } from './clean-file.ts';
import { readBytes, type Compression } from './read-bytes.ts';
import { longestHead, type RawRecord, type Splitter, type TakeRecord } from './split-records.ts';

/** A line that is no event, with its text. */
export interface RejectedRecord {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly reason: string;
  /** As it stands in the file, cut at 64 KB, which it then says. */
  readonly text: string;
}

export interface RejectedFrom {
  readonly path: string;
  readonly compression: Compression;
  readonly split: (take: TakeRecord) => Splitter;
}

/** Hands over each of the rejections with its text, which is looked up in the file. They come in the order of their records. */
export async function tellRejected(from: RejectedFrom, rejections: readonly Rejection[], onRejected: (record: RejectedRecord) => void | Promise<void>): Promise<void> {
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
