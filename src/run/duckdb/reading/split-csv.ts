import { splitLines } from './split-lines.ts';
import { longestHead, longestRecord, type RawRecord, type Splitter, type TakeRecord } from './split-records.ts';

// RFC 4180. Beyond it, as DuckDB reads it: a quotation mark within a cell without quotation marks is text, and spaces
// around a quoted cell do not count.

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

/** What tells a row of a file from a line within a quoted cell. */
export interface RowShape {
  readonly delimiter: string;
  /** Cells of a row. */
  readonly width: number;
  /**
   * Indexes of the columns that hold an event's time; none: every line of as many cells, if four or more, may be a row.
   */
  readonly times: readonly number[];
}

/**
 * A record a row of a CSV file, which may run over several lines inside quotation marks. A quotation mark that opens
 * and does not close where it should costs its own line only. It is damage where its cell runs into a line that is a
 * row by itself, never closes, or leaves its row with another number of cells; and where both the line that it opens in
 * and the one that it closes in are rows without it. Then the line that it opens in is rejected, and reading goes on at
 * the next one.
 */
export function splitCsv(shape: RowShape): (take: TakeRecord) => Splitter {
  return (take) => {
    /** Lines that belong to no record yet; those from `from` to before `next` have been looked at. */
    let lines: RawRecord[] = [];
    let from = 0;
    let next = 0;
    /**
     * The cell that is open between two lines, the length so far, and whether the first line is a row without the mark.
     */
    let open: { readonly cell: number; readonly bytes: number; readonly isRow: boolean } | undefined;

    /** Rows are damaged, and the next lines may be what is left of the last one. */
    let amidDamage = false;

    const reject = (reason: string) => {
      amidDamage = true;
      const { line, bytes, head } = lines[from]!;
      take({ line, reason, head: head ?? bytes?.subarray(0, longestHead) });
      goOnAt(from + 1);
    };
    const finish = () => {
      const record = lines.slice(from, next).map(({ bytes }) => bytes!);
      const { line } = lines[from]!;
      const joined = () => Buffer.concat(record.flatMap((bytes, index) => (index === 0 ? [bytes] : [lineEnd, bytes])));
      take({ line, bytes: record.length === 1 ? record[0]! : joined() });
      goOnAt(next);
    };
    const goOnAt = (index: number) => {
      open = undefined;
      from = next = index;
      if (from < lines.length && from < 10_000) return;
      lines = lines.slice(from);
      from = next = 0;
    };

    const takeLine = (raw: RawRecord) => {
      const { bytes, reason } = raw;
      if (!bytes) return reject(open ? neverClosed : (reason ?? neverClosed));
      if (!open && !bytes.includes(quote)) {
        next += 1;
        return finish();
      }
      const text = withoutReturn(bytes.toString('latin1'));
      if (open || amidDamage) {
        if (startsRow(text, shape)) {
          if (open) return reject(intoNextRow);
          amidDamage = false;
        } else if (!open && endsQuotedCell(text, shape.delimiter)) {
          next += 1;
          reject(restOfDamage);
          amidDamage = readCells(text, shape.delimiter).end !== 'whole';
          return;
        }
      }
      const { cells, end } = readCells(text, shape.delimiter, { inside: open !== undefined });
      const cell = (open?.cell ?? 0) + cells.length;
      const length = (open?.bytes ?? 0) + bytes.length;
      const isRow = open?.isRow ?? isRowOtherwise(text, shape);
      next += 1;
      if (end === 'text') return reject(textAfterQuote);
      if (end === 'whole') {
        // Of one line, the number of cells is for others to judge.
        if (open && cell !== shape.width) return reject(fieldsInVain(cell, shape.width));
        return open && isRow && isRowOtherwise(text, shape) ? reject(intoNextRow) : finish();
      }
      if (cell >= shape.width || length > longestRecord) return reject(neverClosed);
      open = { cell, bytes: length, isRow };
    };

    const splitter = splitLines((line) => {
      lines.push(line);
      while (next < lines.length) takeLine(lines[next]!);
    });
    return {
      push: (piece) => splitter.push(piece),
      end() {
        splitter.end();
        while (open) {
          reject(neverClosed);
          while (next < lines.length) takeLine(lines[next]!);
        }
      },
    };
  };
}

const lineEnd = Buffer.from('\n');
const neverClosed = 'a quotation mark that opens in this row is never closed';
const intoNextRow = 'a quotation mark that opens in this row is not closed before the next row';
const restOfDamage = 'the rest of a damaged row';
const textAfterQuote = 'text after a closing quotation mark';

export function fieldsInVain(count: number, width: number): string {
  return `${count} ${count === 1 ? 'field' : 'fields'} where the header has ${width}`;
}

/** Whether a line is a row, or the first line of one, whatever stands before it. */
function startsRow(text: string, shape: RowShape): boolean {
  const { cells, end, strays } = readCells(text, shape.delimiter);
  if (strays.length > 0 || end === 'text') return false;
  if (end === 'whole') return isRow(cells, shape);
  return cells.length < shape.width && shape.times.length > 0 && hasTime(cells, shape);
}

/** Whether a line is a row where a quotation mark that does not close in it is text. */
function isRowOtherwise(text: string, shape: RowShape): boolean {
  return isRow(readCells(text, shape.delimiter, { loose: true }).cells, shape);
}

/** Whether a line closes a quoted cell that it did not open. */
function endsQuotedCell(text: string, delimiter: string): boolean {
  return readCells(text, delimiter).strays.some((cell) => /[^"]"(?:"")*\s*$/.test(cell));
}

function isRow(cells: readonly string[], shape: RowShape): boolean {
  return cells.length === shape.width && hasTime(cells, shape);
}

function hasTime(cells: readonly string[], { times }: RowShape): boolean {
  return times.length === 0 ? cells.length > 3 : times.some((index) => looksLikeTime(cells[index] ?? ''));
}

function looksLikeTime(text: string): boolean {
  return text.length < 40 && /^\s*(?:\d{1,6}[-/]\d{1,2}[-/]\d{1,2}(?:[T ].*)?|\d{12,14})$/.test(text);
}

interface Cells {
  /** Those that are complete. */
  readonly cells: readonly string[];
  /** How the text ends: after a cell; in an open one; or nowhere, as text follows a closing quotation mark. */
  readonly end: 'whole' | 'open' | 'text';
  /** Cells without quotation marks around them that hold one. */
  readonly strays: readonly string[];
}

interface CellsOptions {
  /** The text begins within a quoted cell. */
  readonly inside?: boolean;
  /** A quotation mark that opens and does not close is text, too. */
  readonly loose?: boolean;
}

/** The cells of a row, or of one of its lines. */
function readCells(text: string, delimiter: string, { inside = false, loose = false }: CellsOptions = {}): Cells {
  const cells: string[] = [];
  const skipSpaces = (at: number) => {
    let index = at;
    while (text.charCodeAt(index) === space) index += 1;
    return index;
  };
  const strays: string[] = [];
  let position = inside ? -1 : 0;
  for (;;) {
    const first = position < 0 ? -1 : skipSpaces(position);
    if (first < 0 || text.charCodeAt(first) === quote) {
      const close = closingQuote(text, first + 1);
      const after = skipSpaces(close + 1);
      if (close >= 0 && (after === text.length || text.startsWith(delimiter, after))) {
        cells.push(text.slice(first + 1, close).replaceAll('""', '"'));
        if (after === text.length) return { cells, end: 'whole', strays };
        position = after + delimiter.length;
        continue;
      }
      if (first === position && !(loose && first >= 0)) return { cells, end: close < 0 ? 'open' : 'text', strays };
    }
    const end = text.indexOf(delimiter, position);
    const cell = text.slice(position, end < 0 ? text.length : end);
    cells.push(cell);
    if (cell.includes('"')) strays.push(cell);
    if (end < 0) return { cells, end: 'whole', strays };
    position = end + delimiter.length;
  }
}

/** A doubled quotation mark is a character. */
function closingQuote(text: string, start: number): number {
  let close = text.indexOf('"', start);
  while (close >= 0 && text.charCodeAt(close + 1) === quote) close = text.indexOf('"', close + 2);
  return close;
}

/** The fields of one row. A last carriage return belongs to the line's end. */
export function splitFields(row: string, delimiter: string): readonly string[] {
  const text = withoutReturn(row);
  const { cells, end } = readCells(text, delimiter);
  return end === 'whole' ? cells : text.split(delimiter);
}

function withoutReturn(text: string): string {
  return text.charCodeAt(text.length - 1) === carriageReturn ? text.slice(0, -1) : text;
}

/**
 * Whether every quoted cell ends in the line that it begins in, so that whoever reads the rows finds the same. `bytes`
 * are whole lines. What stands between is not looked at: DuckDB refuses text after a closing quotation mark.
 */
export function quotesEndInLine(bytes: Buffer, delimiter: string): boolean {
  const separator = delimiter.charCodeAt(0);
  for (let at = bytes.indexOf(quote); at >= 0; ) {
    const start = bytes.lastIndexOf(lineFeed, at) + 1;
    const feed = bytes.indexOf(lineFeed, at);
    const end = feed < 0 ? bytes.length : feed;
    const last = bytes.lastIndexOf(quote, end);
    const before = last === start ? lineFeed : bytes[last - 1]!;
    const after = last + 1 === end ? lineFeed : bytes[last + 1]!;
    // The last one closes, or is text; where that is not plain, the whole line is read.
    const mayOpen = before === separator || before === lineFeed || before === space || before === quote;
    const mayClose = after === separator || after === lineFeed || after === carriageReturn;
    const line = () => withoutReturn(bytes.toString('latin1', start, end));
    if ((mayOpen || !mayClose) && readCells(line(), delimiter).end !== 'whole') return false;
    at = feed < 0 ? -1 : bytes.indexOf(quote, feed);
  }
  return true;
}
