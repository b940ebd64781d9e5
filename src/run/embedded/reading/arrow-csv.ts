import type { FieldTarget, FieldWriter } from './arrow-values.ts';

const quote = 0x22;
const comma = 0x2c;
const lineFeed = 0x0a;

/** CSV text that grows, row by row. */
export interface CsvText {
  writeRow(row: number, writers: readonly FieldWriter[]): void;
  readonly length: number;
  /** Of the longest row so far, in bytes. */
  readonly longest: number;
  /** What was written since the last time. */
  take(): Buffer;
}

export function openCsvText(): CsvText {
  let buffer = Buffer.allocUnsafe(1 << 20);
  let end = 0;
  let longest = 0;
  const reserve = (bytes: number) => {
    if (end + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + bytes));
    buffer.copy(larger, 0, 0, end);
    buffer = larger;
  };
  const target: FieldTarget = {
    writeBytes(bytes, start, stop) {
      if (!(start >= 0 && start <= stop && stop <= bytes.length)) throw new Error('a text that lies outside of its buffer');
      reserve(2 * (stop - start) + 2);
      buffer[end++] = quote;
      for (let index = start; index < stop; index++) {
        const byte = bytes[index]!;
        if (byte === quote) buffer[end++] = quote;
        buffer[end++] = byte;
      }
      buffer[end++] = quote;
    },
    writeText(text) {
      const escaped = text.includes('"') ? text.replaceAll('"', '""') : text;
      reserve(3 * escaped.length + 2);
      buffer[end++] = quote;
      end += buffer.write(escaped, end);
      buffer[end++] = quote;
    },
  };
  return {
    writeRow(row, writers) {
      const start = end;
      for (let index = 0; index < writers.length; index++) {
        reserve(1);
        if (index > 0) buffer[end++] = comma;
        writers[index]!(row, target);
      }
      reserve(1);
      buffer[end++] = lineFeed;
      longest = Math.max(longest, end - start);
    },
    get length() {
      return end;
    },
    get longest() {
      return longest;
    },
    take() {
      const taken = Buffer.from(buffer.subarray(0, end));
      end = 0;
      return taken;
    },
  };
}
