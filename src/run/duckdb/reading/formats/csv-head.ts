import { basename } from 'node:path';
import { showText } from '../../../../ask/text.ts';
import { sourceName } from '../../../file/source-copy.ts';
import { looksLikeTime } from '../../../../plan/mapping/to-shape.ts';
import { isTimeName } from '../../../events/column-names.ts';
import { type CsvDialect, type DumpForm, type RowShape, seemsToEscape, splitFields } from '../text/split-csv.ts';
import { columnNamedTwice, withoutHeader, withoutLineFeeds } from './unfit-file.ts';

/** The start of a CSV file with a header. */
interface CsvHead {
  readonly delimiter: string;
  readonly header: readonly string[];
  /** Lines before the header: a title, comments, or Excel's `sep=;`. */
  readonly before: number;
  /** Backslashes escape quotation marks. */
  readonly escapes?: true;
  /** Spaces around cells are no part of them. */
  readonly padded?: true;
  readonly dump?: DumpForm;
}

/** What tells a row of events from a line inside a quoted cell. */
export function rowShapeOf({
  delimiter,
  escapes,
  header,
}: CsvDialect & { readonly header: readonly string[] }): RowShape {
  const times = header.flatMap((name, index) => (isTimeName(name) ? [index] : []));
  return { delimiter, escapes, width: header.length, times };
}

/** Errors: `column-named-twice`, `header-missing`, `line-ends`. */
export function readCsvHead(text: string, path: string): CsvHead {
  if (!text.includes('\n') && /\r./.test(text)) throw withoutLineFeeds(path);
  const lines = text.split('\n', mostBefore + 2).map((line) => line.replace(/\r$/, ''));
  const declared = /^sep=(.)$/i.exec(lines[0] ?? '')?.[1];
  const before = declared === undefined ? linesBefore(lines) : 1;
  const line = lines[before] ?? '';
  const delimiter = declared ?? delimiterOf(line);
  const cells = splitFields(line, { delimiter });
  const first = splitFields(lines[before + 1] ?? '', { delimiter });
  // A table may have dates as column names, but then the cells below are not times.
  const isValue = (cell: string) => looksLikeTime(cell) || /^\d{9,19}$/.test(cell);
  if (cells.some((cell, index) => isValue(cell) && isValue(first[index] ?? ''))) {
    const times = cells.flatMap((cell, index) => (looksLikeTime(cell) ? [index] : []));
    // A number may also be that of a user.
    const time = times.find((index) => !/^\d+$/.test(cells[index]!)) ?? times[0];
    const names = cells.map((_, index) => (index === time ? 'time' : `column_${index + 1}`));
    throw withoutHeader(path, names, delimiter);
  }
  const header = namesOf(cells, path);
  const rows = () =>
    text
      .split('\n')
      .slice(before + 1)
      .join('\n');
  const escapes = text.includes('\\"') && seemsToEscape(rows(), rowShapeOf({ delimiter, header }));
  const padded = isPadded(cells, lines.slice(before + 1), delimiter);
  const dump = delimiter === '\t' ? dumpFormOf(rows().split('\n').slice(0, -1)) : undefined;
  return { delimiter, header, before, ...(escapes && { escapes }), ...(padded && { padded }), ...(dump && { dump }) };
}

/**
 * How a database wrote these lines, if that is certain: PostgreSQL writes `\N` for NULL, MySQL the word itself. A
 * backslash alone can be that of a path. No cell is quoted.
 */
function dumpFormOf(lines: readonly string[]): DumpForm | undefined {
  const rows = lines.map((line) => line.replace(/\r$/, '').split('\t'));
  const cells = rows.flat();
  if (cells.some((cell) => cell.startsWith('"'))) return undefined;
  const nulls = new Set(rows.flatMap((row) => row.flatMap((cell, at) => (cell === 'NULL' ? [at] : [])))).size > 1;
  const isMarked = nulls || cells.some((cell) => cell === '\\N' || cell.includes('\\\\'));
  const escaped = isMarked && cells.every((cell) => cell === '\\N' || /^(?:[^\\]|\\[\\tnrbfv])*$/.test(cell));
  return escaped || nulls ? { escaped, nulls } : undefined;
}

/** A sentence on files in which the word NULL is a missing value. */
export function tellNulls(files: readonly string[]): readonly string[] {
  const [first] = files;
  if (first === undefined) return [];
  const which = `${showText(basename(sourceName(first)))}${files.length > 1 ? ` and ${files.length - 1} more` : ''}`;
  return [`The word NULL in ${which} is read as no value, as MySQL writes it.`];
}

/** Whether a space precedes each name but the first, and most cells of the rows below. */
function isPadded(names: readonly string[], rows: readonly string[], delimiter: string): boolean {
  const isSpaced = (cell: string) => cell.startsWith(' ');
  if (names.length < 2 || !names.slice(1).every(isSpaced)) return false;
  const filled = rows.flatMap((row) => splitFields(row, { delimiter }).slice(1)).filter((cell) => cell !== '');
  return filled.filter(isSpaced).length * 2 > filled.length;
}

/** Whether the first line is not JSON and holds names separated by a delimiter. Names of JSON files rule it out. */
export function looksLikeHeader(body: string, name: string): boolean {
  if (/^[{[]/.test(body) || /\.(ndjson|jsonl|json)$/.test(name)) return false;
  const line = body.slice(0, endOfLine(body));
  return line.length < longestHeader && nameList.test(line.trimEnd());
}

/** Maximum length of a header line. */
const longestHeader = 1 << 16;
const nameList = /^(?:sep=.|["\p{L}\p{N}_.$\- ]+(?:[,;\t|]["\p{L}\p{N}_.$\- ]+)*)$/u;

function endOfLine(text: string): number {
  const end = text.search(/\r?\n/);
  return end < 0 ? text.length : end;
}

/** Maximum number of lines before the header. */
const mostBefore = 20;

/**
 * Titles, comments and empty lines have at most one filled cell. If two lines of equal width follow them, these are the
 * header and a row. Spreadsheets pad a title with empty cells. A line with one name and unnamed columns looks the same,
 * so then the title must have several words or an empty line below, and every cell of the header must be a name.
 */
function linesBefore(lines: readonly string[]): number {
  const isTitle = (line: string) => line.startsWith('#') || filledCells(line).length <= 1;
  const first = lines.findIndex((line) => !isTitle(line));
  if (first <= 0) return 0;
  const width = widthOf(lines[first]!);
  if (width <= 2 || lines[first + 1] === undefined || widthOf(lines[first + 1]!) !== width) return 0;
  const titles = lines.slice(0, first).filter((line) => !line.startsWith('#'));
  if (titles.every((line) => widthOf(line) === 1)) return first;
  const isClear = titles.some((line) => filledCells(line).length === 0 || /\S\s+\S/.test(filledCells(line)[0]!));
  const names = filledCells(lines[first]!).filter((cell) => /\p{L}/u.test(cell) && !looksLikeTime(cell));
  return isClear && names.length === width ? first : 0;
}

function filledCells(line: string): readonly string[] {
  return splitFields(line, { delimiter: delimiterOf(line) }).filter((cell) => cell.trim() !== '');
}

function widthOf(line: string): number {
  return splitFields(line, { delimiter: delimiterOf(line) }).length;
}

function delimiterOf(header: string): string {
  const counts = ['\t', ',', ';', '|'].map((mark) => ({
    mark,
    count: splitFields(header, { delimiter: mark }).length,
  }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best), { mark: ',', count: 1 }).mark;
}

/** Column names must differ even without letter case. Unnamed columns are named after their position. */
function namesOf(header: readonly string[], path: string): readonly string[] {
  const seen = new Map<string, string>();
  return header.map((written, index) => {
    const name = written.trim() || `column ${index + 1}`;
    const before = seen.get(name.toLowerCase());
    if (before !== undefined) throw columnNamedTwice(path, before, name);
    seen.set(name.toLowerCase(), name);
    return name;
  });
}
