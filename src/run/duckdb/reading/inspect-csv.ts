import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { type Compression, readBytes, roomFor } from '../../file/read-bytes.ts';
import type { TextSource } from './event-source.ts';
import { isTimeName } from './event-columns.ts';
import { quotesEndInLine, type RowShape, splitCsv } from './split-csv.ts';
import { longestRecord } from './split-records.ts';

const lineFeed = 0x0a;

export type CsvSource = Pick<
  Extract<TextSource, { kind: 'csv' }>,
  'style' | 'delimiter' | 'compression' | 'encoding' | 'header'
>;

/** What tells a row of events from a line within a quoted cell. */
export function rowShapeOf({ delimiter, header }: CsvSource): RowShape {
  return { delimiter, width: header.length, times: header.flatMap((name, index) => (isTimeName(name) ? [index] : [])) };
}

/**
 * Whether DuckDB may read a CSV file as it stands. It takes a quoted cell that swallows thousands of rows for a cell,
 * and bytes that are not UTF-8 for text; such a file, and one whose packing is damaged, is read row by row instead.
 */
export async function isPlainCsv(source: CsvSource, path: string, signal: AbortSignal): Promise<boolean> {
  const { style, delimiter, compression, encoding } = source;
  if (encoding !== undefined) return false;
  let spansLines = false;
  try {
    for await (const lines of wholeLines(path, compression, signal)) {
      if (!isUtf8(lines)) return false;
      spansLines ||= style === 'headed' && !quotesEndInLine(lines, delimiter);
    }
    return !spansLines || (await areRowsWhole(source, path, signal));
  } catch (error) {
    // A file that is gone, or cannot be read at all, is for the statement to tell of.
    return signal.aborted || compression === 'none' || (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Whether cells of several lines are as they should be. */
async function areRowsWhole(source: CsvSource, path: string, signal: AbortSignal): Promise<boolean> {
  let whole = true;
  const splitter = splitCsv(rowShapeOf(source))(({ bytes }) => (whole &&= bytes !== undefined));
  for await (const piece of readBytes(path, source.compression, { signal })) {
    splitter.push(piece);
    if (!whole) return false;
  }
  splitter.end();
  return whole;
}

/**
 * The file in pieces that end with a line, valid until the next one is asked for; a line that is too long comes in
 * several.
 */
async function* wholeLines(path: string, compression: Compression, signal: AbortSignal): AsyncGenerator<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(await roomFor(path));
  let kept = 0;
  const plain = compression === 'none';
  const pieces = plain ? readInto(path, signal, () => buffer.subarray(kept)) : readBytes(path, compression, { signal });
  for await (const read of pieces) {
    const all = kept + read.length;
    if (!plain) {
      if (all > buffer.length) buffer = Buffer.concat([buffer.subarray(0, kept)], 2 * all);
      read.copy(buffer, kept);
    }
    const end = buffer.subarray(0, all).lastIndexOf(lineFeed) + 1;
    yield buffer.subarray(0, end);
    buffer.copyWithin(0, end, all);
    kept = all - end;
    if (kept > longestRecord) {
      yield buffer.subarray(0, kept);
      kept = 0;
    } else if (kept === buffer.length) buffer = Buffer.concat([buffer], 2 * kept);
  }
  yield buffer.subarray(0, kept);
}

/** A stream would make a new buffer for every piece, which costs more than to look at it. */
async function* readInto(path: string, signal: AbortSignal, space: () => Buffer): AsyncGenerator<Buffer> {
  await using file = await open(path);
  for (;;) {
    signal.throwIfAborted();
    const into = space();
    const { bytesRead } = await file.read(into, 0, into.length);
    if (bytesRead === 0) return;
    yield into.subarray(0, bytesRead);
  }
}
