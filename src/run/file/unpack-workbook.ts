import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CellValue } from 'hucre';
import { BackendError } from '../../ask/sluice-error.ts';
import { plural, quote, shellWord, showText } from '../../ask/text.ts';
import { nameable, newSourceCopy, noteWritten, openUnpacked, sourceName } from './source-copy.ts';

/** A worksheet with rows. */
export interface Sheet {
  /** A temporary copy as CSV, called `book.xlsx/Sheet.csv`. */
  readonly path: string;
  readonly name: string;
  /** Some rows below the column names. Dates are text. */
  readonly sample: readonly Readonly<Record<string, Field>>[];
}

type Field = string | number | boolean | null;

/** A row of a sheet, numbered from 0. Trailing empty cells may be missing. */
interface Row {
  readonly index: number;
  readonly values: readonly CellValue[];
}

const unpackOnce = openUnpacked<readonly Sheet[]>();

/**
 * Copies the sheets of a workbook that have rows, except hidden ones, as CSV. The first row with more than one value
 * has the column names, or the row below if the first has names of groups of columns. Semicolons separate the cells,
 * because numbers that are texts may have decimal commas. Times are written as they are shown, without a zone; a column
 * whose times are all midnight has dates. Numbers have the fifteen digits that spreadsheets show. An unchanged workbook
 * is read only once. Error: `file-corrupt`.
 */
export function unpackWorkbook(file: string): Promise<readonly Sheet[]> {
  return unpackOnce(file, () => copySheets(file));
}

/**
 * The copy of a single sheet, which a path names as it is, or as its copy is called (`book.xlsx/Sheet.csv`). Errors:
 * `file-corrupt`, and `table-not-found` if there is no such sheet.
 */
export async function unpackSheet(place: { readonly file: string; readonly sheet: string }): Promise<string> {
  const sheets = await unpackWorkbook(place.file);
  const called = (name: string) =>
    sheets.find((sheet) => sheet.name === name) ??
    sheets.find((sheet) => sheet.name.toLowerCase() === name.toLowerCase());
  const found = called(place.sheet) ?? called(place.sheet.replace(/\.csv$/i, ''));
  if (!found)
    throw new BackendError(`${sourceName(place.file)} has no sheet ${quote(place.sheet)}.${listOf(sheets)}`, {
      code: 'table-not-found',
      hint: nameOne(place.file, sheets),
    });
  nameable(sourceName(found.path));
  return found.path;
}

/** The error for a workbook whose sheets have times in different columns. */
export function unclearSheets(file: string, sheets: readonly Sheet[]): BackendError {
  return new BackendError(
    `${sourceName(file)} has several sheets whose rows have times, in different columns:${listOf(sheets)}`,
    { code: 'table-unclear', hint: nameOne(file, sheets) },
  );
}

function listOf(sheets: readonly Sheet[]): string {
  return sheets
    .slice(0, 20)
    .map(({ name, sample }) => {
      const columns = Object.keys(sample[0] ?? {});
      return `\n  ${showText(name)}: ${columns.slice(0, 12).map(showText).join(', ')}${columns.length > 12 ? ', …' : ''}`;
    })
    .join('');
}

function nameOne(file: string, [first]: readonly Sheet[]): string {
  return first
    ? `Name one, such as ${shellWord(showText(`${sourceName(file)}/${first.name}`))}.`
    : 'Name another file.';
}

async function copySheets(file: string): Promise<readonly Sheet[]> {
  const { HucreError } = await import('hucre');
  try {
    const sheets: Sheet[] = [];
    for (const { name, rows } of await openSheets(file)) {
      const sheet = await copySheet(file, name, rows);
      if (sheet) sheets.push(sheet);
    }
    return sheets;
  } catch (cause) {
    if (!(cause instanceof HucreError)) throw cause;
    throw new BackendError(`${sourceName(file)} cannot be read as a workbook: ${cause.message.replace(/\.$/, '')}.`, {
      code: 'file-corrupt',
      cause,
      hint: 'Save it again, or save its sheet as CSV.',
    });
  }
}

interface OpenSheet {
  readonly name: string;
  readonly rows: AsyncIterable<Row> | Iterable<Row>;
}

async function openSheets(file: string): Promise<readonly OpenSheet[]> {
  const bytes = await readFile(file);
  if (/\.ods$/i.test(file)) {
    const { readOds } = await import('hucre/ods');
    const { sheets } = await readOds(bytes);
    return sheets.map(({ name, rows }) => ({ name, rows: rows.map((values, index) => ({ index, values })) }));
  }
  const { readXlsx, streamXlsxRows } = await import('hucre/xlsx');
  const names = new Map<number, string>();
  await readXlsx(bytes, {
    sheets: ({ name, index, hidden, veryHidden }) => {
      if (!hidden && !veryHidden) names.set(index, name);
      return false;
    },
  });
  return [...names].map(([sheet, name]) => ({ name, rows: streamXlsxRows(bytes, { sheet }) }));
}

/** Rows in which the column names are looked for. */
const mostTitles = 20;
const sampleSize = 100;

async function copySheet(file: string, name: string, rows: OpenSheet['rows']): Promise<Sheet | undefined> {
  const copy = newSourceCopy(`${sourceName(file)}/${name.replaceAll(/[/\\\0]/g, '_')}.csv`, sourceName(file));
  noteWritten(copy);
  const spool = `${copy}.rows`;
  const titles: Row[] = [];
  let header: Row | undefined;
  let isFirst = true;
  let width = 0;
  const sample: Field[][] = [];
  /** Columns with times, and whether one of these has a time of day. */
  const timed = new Map<number, boolean>();
  const fieldsOf = ({ values }: Row) =>
    values.map((value, column) => {
      if (!(value instanceof Date)) return value;
      timed.set(column, (timed.get(column) ?? false) || value.getTime() % 86_400_000 !== 0);
      return value
        .toISOString()
        .replace('T', ' ')
        .replace(/(\.000)?Z$/, '');
    });
  const lines = async function* () {
    for await (const row of rows) {
      if (!row.values.some(isFilled)) continue;
      width = Math.max(width, row.values.findLastIndex(isFilled) + 1);
      if (!header) {
        titles.push(row);
        if (row.values.filter(isFilled).length > 1) [header, titles.length] = [row, 0];
        else if (titles.length > mostTitles) header = titles.shift();
        continue;
      }
      if (isFirst && isNamesBelow(row, header)) header = row;
      else yield lineBelow(row);
      isFirst = false;
    }
  };
  const lineBelow = (row: Row) => {
    const fields = fieldsOf(row);
    if (sample.length < sampleSize) sample.push(fields);
    return `${JSON.stringify(fields)}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(spool, { mode: 0o600 }));
  // A sheet with one column has its name in the first row, and its next rows were taken for titles.
  const names = header ?? titles.shift();
  if (!names) return undefined;
  const first = titles.map(fieldsOf);
  const dated = new Set([...timed].filter(([, isTimed]) => !isTimed).map(([column]) => column));
  const lineOf = (fields: readonly Field[]) =>
    `${Array.from({ length: width }, (_, column) => cellOf(fields[column], dated.has(column))).join(';')}\n`;
  const headings = fieldsOf(names);
  const table = async function* () {
    yield lineOf(headings);
    for (const fields of first) yield lineOf(fields);
    const input = createReadStream(spool);
    for await (const line of createInterface({ input, crlfDelay: Infinity })) yield lineOf(JSON.parse(line) as Field[]);
  };
  await pipeline(Readable.from(table()), createWriteStream(copy, { mode: 0o600 }));
  await unlink(spool);
  const records = [...first, ...sample].map((fields) =>
    Object.fromEntries(
      headings.flatMap((heading, column) => (isFilled(heading) ? [[String(heading), fields[column] ?? null]] : [])),
    ),
  );
  return { path: copy, name, sample: records };
}

function isFilled(value: CellValue | undefined): boolean {
  return value !== null && value !== undefined && value !== '';
}

/** Whether the row below the first heading has the names of the columns: more of them, all different, and no values. */
function isNamesBelow({ values }: Row, above: Row): boolean {
  const names = values.filter(isFilled);
  const areNames = names.every((name) => typeof name === 'string' && /^[^\d]*\p{L}/u.test(name));
  return areNames && new Set(names).size === names.length && names.length > above.values.filter(isFilled).length;
}

function cellOf(value: Field | undefined, isDate: boolean): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(Number(value.toPrecision(15)));
  const text =
    isDate && typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d) 00:00:00$/, '$1') : String(value);
  return /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A sentence on the sheets of a workbook that are not read. */
export function unreadSheets(file: string, names: readonly string[]): string {
  const count = names.length;
  return (
    `${plural(count, 'The sheet', 'The sheets')} ${names.slice(0, 5).map(quote).join(', ')}` +
    `${count > 5 ? ' and others' : ''} of ${quote(basename(sourceName(file)))} ${plural(count, 'is', 'are')}` +
    ` not read: ${plural(count, 'it has', 'they have')} no column with a time.`
  );
}
