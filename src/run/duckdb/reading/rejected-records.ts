import { type Compression, readBytes } from '../../file/read-bytes.ts';
import { sourceName } from '../../file/source-copy.ts';
import { withoutFaults } from '../../file/transcoding-fault.ts';
import type { Rejection } from './source/clean-file.ts';
import { readLineFault } from './text/line-fault.ts';
import { longestHead, type RawRecord, type Splitter, type TakeRecord } from './text/split-records.ts';

/** An invalid line with its text. */
export interface RejectedRecord {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly reason: string;
  /** The original text, cut at 64 KB with a note. */
  readonly text: string;
}

export type OnRejected = (record: RejectedRecord) => void | Promise<void>;

interface RejectedFrom {
  readonly path: string;
  readonly compression: Compression;
  readonly encoding: string | undefined;
  readonly split: (take: TakeRecord) => Splitter;
}

/** Looks up the text of each rejection in the file and passes both on. Rejections come in record order. */
export async function tellRejected(
  from: RejectedFrom,
  rejections: readonly Rejection[],
  onRejected: OnRejected,
): Promise<void> {
  let next = 0;
  let number = 0;
  let found: RejectedRecord[] = [];
  const toRecord = ({ line, reason }: Rejection, text: string): RejectedRecord => ({
    file: sourceName(from.path),
    line,
    reason,
    text,
  });
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
    for await (const piece of readBytes(from.path, from.compression, { encoding: from.encoding })) {
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
  const isCut =
    whole.length > longestHead || (bytes === undefined && reason !== undefined && whole.length === longestHead);
  const copied = withoutFaults(whole.subarray(0, longestHead)).replace(/\r$/, '');
  const text = readLineFault(copied)?.line ?? copied;
  return isCut ? `${text} … (cut at ${longestHead / 1024} KB)` : text;
}
