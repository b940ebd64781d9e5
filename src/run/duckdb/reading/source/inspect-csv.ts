import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { type Compression, readBytes, roomFor } from '../../../file/read-bytes.ts';
import { rowShapeOf } from '../formats/csv-head.ts';
import type { TextSource } from './event-source.ts';
import { quotesEndInLine, splitCsv } from '../text/split-csv.ts';
import { longestRecord } from '../text/split-records.ts';

const lineFeed = 0x0a;

export type CsvSource = Pick<
  Extract<TextSource, { kind: 'csv' }>,
  'style' | 'delimiter' | 'escapes' | 'compression' | 'encoding' | 'header'
>;

/**
 * Whether DuckDB reads a CSV file correctly. It accepts a quoted cell that spans thousands of rows, and bytes that are
 * not UTF-8, and it refuses a backslash before any other character. Such files, files with damaged packing, and logs
 * whose lines have fields of their own are read row by row instead.
 */
export async function isPlainCsv(source: CsvSource, path: string, signal: AbortSignal): Promise<boolean> {
  const { style, delimiter, compression, encoding } = source;
  if (encoding !== undefined || source.escapes || style === 'w3c') return false;
  let spansLines = false;
  try {
    for await (const lines of wholeLines(path, compression, signal)) {
      if (!isUtf8(lines)) return false;
      spansLines ||= style === 'headed' && !quotesEndInLine(lines, delimiter);
    }
    return !spansLines || (await areRowsWhole(source, path, signal));
  } catch (error) {
    // The statement reports a missing or unreadable file.
    return signal.aborted || compression === 'none' || (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Whether cells with several lines are well-formed. */
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
 * The file in chunks of whole lines, each valid until the next is requested. Very long lines come in several chunks.
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

/** A stream allocates a buffer for every chunk, which costs more than the check itself. */
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
