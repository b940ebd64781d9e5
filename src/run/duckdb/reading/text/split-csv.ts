import { splitLines } from './split-lines.ts';
import { longestHead, longestRecord, type RawRecord, type Splitter, type TakeRecord } from './split-records.ts';

// RFC 4180 with DuckDB's extensions: a quotation mark inside an unquoted cell is text, and spaces around a quoted cell
// are ignored. Spark and MySQL write \" for a quotation mark inside a quoted cell, instead of doubling it.

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

/** Cells that are missing values: empty ones, and the mark that PostgreSQL, MySQL and Hive write for NULL. */
export const csvNulls = ['', '\\N'];

/** How a database writes a table with tabs. */
export interface DumpForm {
  /** Tabs, line breaks and backslashes in cells are written as `\t`, `\n` and `\\`. */
  readonly escaped: boolean;
  /** NULL is a missing value. */
  readonly nulls: boolean;
}

export const dumpEscapes = { t: 9, n: 10, r: 13, b: 8, f: 12, v: 11 } as const;

function unescaped(cell: string): string {
  return cell.replaceAll(/\\([\\tnrbfv])/g, (_, mark: string) =>
    mark === '\\' ? mark : String.fromCharCode(dumpEscapes[mark as keyof typeof dumpEscapes]),
  );
}

/** The cells that are missing values in a file of this dialect. */
export function nullsOf({ dump }: Pick<CsvDialect, 'dump'>): readonly string[] {
  return dump?.nulls ? [...csvNulls, 'NULL'] : csvNulls;
}

export interface CsvDialect {
  readonly delimiter: string;
  /** A backslash before a quotation mark or another backslash makes it text. */
  readonly escapes?: boolean | undefined;
  /** Spaces around cells, as in `time, user, page`, are no part of them. */
  readonly padded?: boolean | undefined;
  readonly dump?: DumpForm | undefined;
}

/** The properties that distinguish a row from a line inside a quoted cell. */
export interface RowShape extends CsvDialect {
  /** Number of cells in a row. */
  readonly width: number;
  /**
   * Indexes of the columns with the event time. If there are none, every line with the right number of cells may be a
   * row, if there are at least four.
   */
  readonly times: readonly number[];
}

/**
 * Each row of a CSV file is a record, which may span lines inside quotation marks. An unmatched quotation mark costs
 * only its own line. A cell counts as damaged if it runs into a line that is a row by itself, never closes, or gives
 * its row another number of cells. It also counts as damaged if the lines in which it opens and closes are both rows
 * without it. The opening line is then rejected, and reading continues at the next line.
 */
export function splitCsv(shape: RowShape): (take: TakeRecord) => Splitter {
  return (take) => {
    /** Lines without a record yet. Those from `from` up to `next` have been inspected. */
    let lines: RawRecord[] = [];
    let from = 0;
    let next = 0;
    /**
     * The cell left open at a line break, the length so far, and whether the first line is a row without the quotation
     * mark.
     */
    let open: { readonly cell: number; readonly bytes: number; readonly isRow: boolean } | undefined;

    /** Rows are damaged, and the next lines may be remains of the last one. */
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
        } else if (!open && endsQuotedCell(text, shape)) {
          next += 1;
          reject(restOfDamage);
          amidDamage = readCells(text, shape).end !== 'whole';
          return;
        }
      }
      const { cells, end } = readCells(text, shape, { inside: open !== undefined });
      const cell = (open?.cell ?? 0) + cells.length;
      const length = (open?.bytes ?? 0) + bytes.length;
      const isRow = open?.isRow ?? isRowOtherwise(text, shape);
      next += 1;
      if (end === 'text') return reject(textAfterQuote);
      if (end === 'whole') {
        // For a single line, the judge checks the number of cells.
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

/** Whether a line is a row or the start of one, regardless of earlier lines. */
function startsRow(text: string, shape: RowShape): boolean {
  const { cells, end, strays } = readCells(text, shape);
  if (strays.length > 0 || end === 'text') return false;
  if (end === 'whole') return isRow(cells, shape);
  return cells.length < shape.width && shape.times.length > 0 && hasTime(cells, shape);
}

/** Whether a line is a row if unmatched quotation marks are text. */
function isRowOtherwise(text: string, shape: RowShape): boolean {
  return isRow(readCells(text, shape, { loose: true }).cells, shape);
}

/** Whether a line closes a quoted cell that an earlier line opened. */
function endsQuotedCell(text: string, dialect: CsvDialect): boolean {
  return readCells(text, dialect).strays.some((cell) => /[^"]"(?:"")*\s*$/.test(cell));
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
  /** The complete cells. */
  readonly cells: readonly string[];
  /** How the text ends: after a cell, in an open cell, or with text after a closing quotation mark. */
  readonly end: 'whole' | 'open' | 'text';
  /** Unquoted cells that contain a quotation mark. */
  readonly strays: readonly string[];
}

interface CellsOptions {
  /** The text starts inside a quoted cell. */
  readonly inside?: boolean;
  /** Treat unmatched quotation marks as text. */
  readonly loose?: boolean;
}

/** The cells of a row, or of one line of it. */
function readCells(
  text: string,
  { delimiter, escapes = false }: CsvDialect,
  { inside = false, loose = false }: CellsOptions = {},
): Cells {
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
      const close = closingQuote(text, first + 1, escapes);
      const after = skipSpaces(close + 1);
      if (close >= 0 && (after === text.length || text.startsWith(delimiter, after))) {
        const written = text.slice(first + 1, close);
        cells.push(escapes ? written.replace(/\\(["\\])/g, '$1') : written.replaceAll('""', '"'));
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

/** A doubled quotation mark is an escaped one, unless backslashes escape. */
function closingQuote(text: string, start: number, escapes: boolean): number {
  if (escapes) {
    const rest = /(?:[^"\\]|\\.)*"/sy;
    rest.lastIndex = start;
    return rest.test(text) ? rest.lastIndex - 1 : -1;
  }
  let close = text.indexOf('"', start);
  while (close >= 0 && text.charCodeAt(close + 1) === quote) close = text.indexOf('"', close + 2);
  return close;
}

/** The fields of one row. A trailing carriage return belongs to the line break. Missing values of a dump are empty. */
export function splitFields(row: string, dialect: CsvDialect): readonly string[] {
  const text = withoutReturn(row);
  const { cells, end } = readCells(text, dialect);
  const fields = end === 'whole' ? cells : text.split(dialect.delimiter);
  const trimmed = dialect.padded ? fields.map((field) => field.trim()) : fields;
  const { dump } = dialect;
  if (!dump) return trimmed;
  const nulls = nullsOf(dialect);
  return trimmed.map((field) => (nulls.includes(field) ? '' : dump.escaped ? unescaped(field) : field));
}

/** Whether backslashes escape quotation marks: fewer rows are damaged if they do. */
export function seemsToEscape(rows: string, shape: RowShape): boolean {
  const bytes = Buffer.from(rows);
  const damaged = (escapes: boolean) => {
    let count = 0;
    const dialect = { ...shape, escapes };
    const splitter = splitCsv(dialect)((record) => {
      const text = record.bytes?.toString();
      if (text === undefined || (text.trim() !== '' && splitFields(text, dialect).length !== shape.width)) count += 1;
    });
    splitter.push(bytes);
    splitter.end();
    return count;
  };
  const doubling = damaged(false);
  return doubling > 0 && damaged(true) < doubling;
}

function withoutReturn(text: string): string {
  return text.charCodeAt(text.length - 1) === carriageReturn ? text.slice(0, -1) : text;
}

/**
 * Whether every quoted cell ends in the line in which it starts, so that all readers find the same rows. `bytes` are
 * whole lines. Text between quotes is not checked: DuckDB rejects text after a closing quotation mark.
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
    // The last quotation mark closes a cell or is text. If that is unclear, parse the whole line.
    const mayOpen = before === separator || before === lineFeed || before === space || before === quote;
    const mayClose = after === separator || after === lineFeed || after === carriageReturn;
    const line = () => withoutReturn(bytes.toString('latin1', start, end));
    if ((mayOpen || !mayClose) && readCells(line(), { delimiter }).end !== 'whole') return false;
    at = feed < 0 ? -1 : bytes.indexOf(quote, feed);
  }
  return true;
}
