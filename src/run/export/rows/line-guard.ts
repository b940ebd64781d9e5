import { quote } from '../../../ask/text.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import { toInstant } from '../../../plan/to-instant.ts';
import { ExportError } from './export-error.ts';
import { type LineForm, OutOfOrder, WrittenOtherwise } from './line-form.ts';

/** Checks each line of an answer without parsing it. */
export interface LineGuard {
  readonly rows: number;
  readonly events: number;
  /** Lines that equal the line before them. */
  readonly repeated: number;
  /**
   * The last line compared with the one before: another time, the same time in byte order, or the same time out of
   * order.
   */
  readonly tie: 'none' | 'ordered' | 'disordered';
  /** Adds equal lines that were not adjacent when they were checked. */
  addRepeated(lines: number): void;
  /**
   * Checks a line from `{` to after `}`. The caller must ensure that it begins with the first member. Returns the start
   * of its count; the bytes before it identify the row. Throws `WrittenOtherwise`, `OutOfOrder`, and the `ExportError`
   * `rows-outside`.
   */
  look(bytes: Buffer, start: number, end: number): number;
  /** Call it before the bytes of earlier lines are reused. */
  release(): void;
  /** Call it after the last line. Throws `rows-outside`. */
  finish(): void;
}

const [quoteMark, zero, nine] = [0x22, 0x30, 0x39] as const;
/** Numbers with this many digits are exact. */
const mostDigits = 15;

/** `ordered`: no line may have an earlier time than the line before. */
export function openLineGuard(
  { opening, beforeCount, timed, range }: LineForm,
  { ordered }: { readonly ordered: boolean },
): LineGuard {
  const keyLength = beforeCount.length;
  let rows = 0;
  let events = 0;
  let repeated = 0;
  let tie: LineGuard['tie'] = 'none';
  /** The previous line, in bytes that may be reused after `release`. */
  let lastBytes: Buffer = Buffer.alloc(0);
  let lastStart = 0;
  let lastEnd = 0;
  let timeStart = 0;
  let timeEnd = 0;

  /** Adds up the count. Returns its start, at the comma before its key. */
  const count = (bytes: Buffer, start: number, end: number): number => {
    let at = end - 2;
    const isText = bytes[at] === quoteMark;
    if (isText) at -= 1;
    const last = at;
    let value = 0;
    for (let place = 1, byte = bytes[at]!; byte >= zero && byte <= nine; byte = bytes[at]!) {
      value += (byte - zero) * place;
      place *= 10;
      at -= 1;
    }
    const digits = last - at;
    if (isText) {
      if (bytes[at] !== quoteMark) throw new WrittenOtherwise('a count is not a number');
      at -= 1;
    }
    const found = at + 1 - keyLength;
    if (value === 0 || digits > mostDigits || found < start)
      throw new WrittenOtherwise('a count is not where it belongs');
    for (let index = 0; index < keyLength; index += 1) {
      if (bytes[found + index] !== beforeCount[index]) throw new WrittenOtherwise('a count is not where it belongs');
    }
    events += value;
    return found;
  };

  const timeOf = (bytes: Buffer, start: number, end: number): number => {
    const from = start + opening.length;
    const to = bytes[from] === quoteMark ? bytes.indexOf(quoteMark, from + 1) : -1;
    if (to < 0 || to >= end) throw new ExportError('The source returned a row without a time.', outside);
    const text = bytes.toString('latin1', from + 1, to);
    const instant = toInstant(text);
    if (instant === undefined)
      throw new ExportError(`The source returned a row with an invalid time: ${quote(text)}.`, outside);
    if (instant >= range.start && instant < range.end) return instant;
    throw new ExportError(
      `The source returned a row of ${quote(text)} for the range ${writeUtc(range.start)} to ${writeUtc(range.end)}.`,
      outside,
    );
  };

  /** Negative if earlier than the previous line, 0 if equal. */
  const compareTime = (bytes: Buffer, start: number, end: number): number => {
    const from = start + opening.length;
    const length = timeEnd - timeStart;
    if (bytes[from + length - 1] !== quoteMark || bytes[from] !== quoteMark)
      return timeOf(bytes, start, end) - timeOf(lastBytes, lastStart, lastEnd) || 1;
    for (let index = 1; index < length; index += 1) {
      const difference = bytes[from + index]! - lastBytes[timeStart + index]!;
      if (difference !== 0) return difference;
    }
    return 0;
  };

  const follow = (bytes: Buffer, start: number, end: number) => {
    const order = rows === 0 ? 1 : compareTime(bytes, start, end);
    if (order < 0) throw new OutOfOrder('a row is earlier than the one before');
    const after = order === 0 ? bytes.compare(lastBytes, lastStart, lastEnd, start, end) : undefined;
    if (after === 0) repeated += 1;
    tie = after === undefined ? 'none' : after < 0 ? 'disordered' : 'ordered';
    if (rows === 0) timeOf(bytes, start, end);
  };

  return {
    get rows() {
      return rows;
    },
    get events() {
      return events;
    },
    get repeated() {
      return repeated;
    },
    get tie() {
      return tie;
    },
    addRepeated(lines) {
      repeated += lines;
    },
    look(bytes, start, end) {
      if (rows === 0 && bytes.compare(opening, 0, opening.length, start, start + opening.length) !== 0)
        throw new WrittenOtherwise('a row does not begin as it should');
      const found = count(bytes, start, end);
      if (timed && ordered) follow(bytes, start, end);
      rows += 1;
      lastBytes = bytes;
      lastStart = start;
      lastEnd = end;
      if (timed) {
        const length = timeEnd - timeStart;
        timeStart = start + opening.length;
        // Times of one answer almost always have the same length.
        timeEnd =
          length > 0 && bytes[timeStart + length - 1] === quoteMark
            ? timeStart + length
            : bytes.indexOf(quoteMark, timeStart + 1) + 1;
      }
      return found;
    },
    release() {
      lastBytes = Buffer.from(lastBytes.subarray(lastStart, lastEnd));
      [timeStart, timeEnd] = [timeStart - lastStart, timeEnd - lastStart];
      [lastStart, lastEnd] = [0, lastBytes.length];
    },
    finish() {
      if (rows > 0 && timed && ordered) timeOf(lastBytes, lastStart, lastEnd);
    },
  };
}

const outside = {
  code: 'rows-outside',
  hint: 'Check the proxies before the source. One of them drops the filters, so the data is not reliable.',
} as const;
