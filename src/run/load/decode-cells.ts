import { isRecord } from '../../ask/document/json-record.ts';
import { isCalendarUnit } from '../../ask/time/granularity.ts';
import { writeLocal, writeWithOffset } from '../../ask/time/local-time.ts';
import { toInstant } from '../../ask/time/zone.ts';
import type { Column, Value } from '../../plan/column.ts';
import { readLongNumber } from './read-long-number.ts';
import { readExtremeText, readNumericText, readShortNumber } from './read-number.ts';

/** The raw rows of an answer, accessible by column. A cell is undefined if its row lacks the column. */
export interface WireCells {
  readonly rowCount: number;
  /** The cells under a key; undefined if the answer does not have the key. */
  cells(key: string): readonly unknown[] | undefined;
  /** Keys of the first row. */
  readonly keys: readonly string[];
}

/**
 * Reads the `data` of an answer in any form that servers use: rows as objects, `{members, dataset}` by row, or
 * `{members, columns}` by column. Returns a sentence if it has none of them.
 */
export function toWireCells(data: unknown): WireCells | string {
  if (Array.isArray(data)) return cellsOfRows(data);
  if (!isRecord(data) || !Array.isArray(data['members'])) return 'It has no rows.';
  const members = data['members'].map(String);
  if (Array.isArray(data['columns'])) return cellsOfColumns(members, data['columns']);
  if (Array.isArray(data['dataset'])) return cellsOfDataset(members, data['dataset']);
  return 'It has no rows.';
}

function cellsOfRows(rows: readonly unknown[]): WireCells | string {
  for (let row = 0; row < rows.length; row += 1) if (!isRecord(rows[row])) return `Row ${row + 1} is not an object.`;
  const objects = rows as readonly Readonly<Record<string, unknown>>[];
  const keys = Object.keys(objects[0] ?? {});
  return {
    rowCount: rows.length,
    keys,
    cells(key) {
      const cells: unknown[] = new Array(objects.length);
      for (let row = 0; row < objects.length; row += 1)
        cells[row] = (objects[row] as Readonly<Record<string, unknown>>)[key];
      return cells;
    },
  };
}

function cellsOfDataset(members: readonly string[], dataset: readonly unknown[]): WireCells | string {
  const wrong = dataset.findIndex((row) => !Array.isArray(row) || row.length !== members.length);
  if (wrong >= 0) return `Row ${wrong + 1} does not have one cell for each of its ${members.length} members.`;
  return {
    rowCount: dataset.length,
    keys: members,
    cells(key) {
      const at = members.indexOf(key);
      return at < 0 ? undefined : (dataset as readonly (readonly unknown[])[]).map((row) => row[at]);
    },
  };
}

function cellsOfColumns(members: readonly string[], columns: readonly unknown[]): WireCells | string {
  const rowCount = Array.isArray(columns[0]) ? columns[0].length : 0;
  const even =
    columns.length === members.length && columns.every((column) => Array.isArray(column) && column.length === rowCount);
  if (!even) return 'It does not have one column for each member, all of the same length.';
  return {
    rowCount,
    keys: members,
    cells: (key) => (members.includes(key) ? (columns[members.indexOf(key)] as readonly unknown[]) : undefined),
  };
}

/** A cell that does not fit its column. */
export interface Misfit {
  readonly row: number;
  /** The expected kind of value: `a number`. */
  readonly wanted: string;
  /** True if it is an integer that JSON parsing may have rounded, so that the text must be read. */
  readonly bent?: boolean;
}

type DecodedCells =
  | { readonly values: readonly Value[] | Float64Array; readonly misfit?: undefined }
  | { readonly misfit: Misfit };

/**
 * Converts the cells of one column to values (see `Value`). Numbers may come as text, and null stays null. Missing
 * cells (undefined) become null; the caller checks whether they are allowed.
 */
export function decodeCells(
  cells: readonly unknown[],
  column: Column,
  zones: LabelZones,
  reading: NumberReading,
): DecodedCells {
  if (column.type === 'number') return decodeNumbers(cells, reading);
  if (column.type === 'time' && column.kind !== 'measure')
    return decodeEach(cells, 'a time', timeReader(column, zones));
  if (column.type === 'boolean') return decodeEach(cells, 'true or false', readTruth);
  return column.kind === 'measure' && column.type === 'time'
    ? decodeEach(cells, 'a time', (cell) => (typeof cell === 'string' ? readExtremeText(cell) : undefined))
    : decodeTexts(cells);
}

interface NumberReading {
  /** True if large numbers were parsed exactly. */
  readonly exact: boolean;
  /**
   * True if the column must be numeric, so that text does not fit. Otherwise (the minimum of some texts, a dimension of
   * codes) it stays text.
   */
  readonly strict: boolean;
}

/** Returns a typed array if all cells are plain numbers, otherwise values that may include null and bigint. */
function decodeNumbers(cells: readonly unknown[], reading: NumberReading): DecodedCells {
  const numbers = new Float64Array(cells.length);
  for (let row = 0; row < cells.length; row += 1) {
    const cell = cells[row];
    let number = typeof cell === 'string' ? readPlainNumber(cell) : Number.NaN;
    if (Number.isNaN(number)) {
      const value = readOtherNumber(cell, reading);
      if (typeof value !== 'number') return decodeMixedNumbers(cells, numbers, row, reading);
      number = value;
    }
    numbers[row] = number;
  }
  return { values: numbers };
}

/** Continues from the first row that is not a number, or that a number cannot represent. */
function decodeMixedNumbers(
  cells: readonly unknown[],
  before: Float64Array,
  from: number,
  reading: NumberReading,
): DecodedCells {
  const values: Value[] = new Array(cells.length);
  for (let row = 0; row < from; row += 1) values[row] = before[row] as number;
  for (let row = from; row < cells.length; row += 1) {
    const cell = cells[row];
    const number = typeof cell === 'string' ? readPlainNumber(cell) : Number.NaN;
    const value = Number.isNaN(number) ? readOtherNumber(cell, reading) : number;
    if (value === undefined) return { misfit: { row, wanted: 'a number', bent: isBent(cell) } };
    values[row] = value;
  }
  return { values };
}

/** NaN if the text needs a closer look. */
function readPlainNumber(text: string): number {
  return text.length > 16 ? readLongNumber(text) : readShortNumber(text);
}

/** undefined if it is not a number, or if JSON may have rounded it. */
function readOtherNumber(cell: unknown, { exact, strict }: NumberReading): Value | undefined {
  if (typeof cell === 'string') return strict ? readNumericText(cell) : readExtremeText(cell);
  // The wire may contain -0, which means zero.
  if (typeof cell === 'number') return exact || !isBent(cell) ? cell + 0 : undefined;
  if (typeof cell === 'boolean') return Number(cell);
  return cell === null || cell === undefined ? null : undefined;
}

function isBent(cell: unknown): boolean {
  return Number.isInteger(cell) && !Number.isSafeInteger(cell);
}

/** Returns text unchanged, in the same array if all cells are text. */
function decodeTexts(cells: readonly unknown[]): DecodedCells {
  let row = 0;
  while (row < cells.length && (typeof cells[row] === 'string' || cells[row] === null)) row += 1;
  if (row === cells.length) return { values: cells as readonly (string | null)[] };
  return decodeEach(cells, 'text', (cell) =>
    typeof cell === 'string' ? cell : typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : undefined,
  );
}

/**
 * Rows are mostly ordered by time, so try the last cell first. Reusing the same string saves work for later grouping.
 */
function timeReader(column: Column, zones: LabelZones): (cell: unknown) => Value | undefined {
  const read = labelReader(column, zones);
  let last: unknown;
  let label: string | undefined;
  return (cell) => {
    if (cell === last) return label;
    if (typeof cell !== 'string') return undefined;
    last = cell;
    label = read(cell);
    return label;
  };
}

/** Some databases have no booleans and return 0 and 1. */
function readTruth(cell: unknown): boolean | undefined {
  if (typeof cell === 'boolean') return cell;
  const text = String(cell).toLowerCase();
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

/** `read` returns undefined for values that do not fit. */
function decodeEach(
  cells: readonly unknown[],
  wanted: string,
  read: (cell: unknown) => Value | undefined,
): DecodedCells {
  const values: Value[] = new Array(cells.length);
  for (let row = 0; row < cells.length; row += 1) {
    const cell = cells[row];
    if (cell === null || cell === undefined) {
      values[row] = null;
      continue;
    }
    const value = read(cell);
    if (value === undefined) return { misfit: { row, wanted } };
    values[row] = value;
  }
  return { values };
}

/** Converts a time on the wire to an answer's label (see `Value`); undefined if it is not a time. */
type ReadLabel = (text: string) => string | undefined;

interface LabelZones {
  /** Canonical IANA name of the zone of the wire's labels. */
  readonly wire: string;
  /** The zone of the answer. */
  readonly answer: string;
  /** Called with a label that two buckets share because the clock went back. */
  readonly onAmbiguous: (label: string) => void;
}

/**
 * Reads the times of a column. The wire has wall times without offset: in the body's zone for buckets, in UTC for times
 * without granularity. Create one per column, because it caches labels.
 */
function labelReader(column: Column, zones: LabelZones): ReadLabel {
  if (column.kind !== 'time' || column.granularity === undefined || isCalendarUnit(column.granularity))
    return readWallTime;
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const wall = readWallTime(text);
    if (wall === undefined) return undefined;
    const local = Date.parse(`${wall}Z`);
    const instant = toInstant(local, zones.wire, 'first');
    if (instant !== toInstant(local, zones.wire, 'last')) zones.onAmbiguous(wall);
    const label = writeWithOffset(instant, zones.answer);
    if (known.size > 10_000) known.clear();
    known.set(text, label);
    return label;
  };
}

/** `YYYY-MM-DDTHH:mm:ss.SSS` from any precision; a time with an offset is converted to UTC. */
function readWallTime(text: string): string | undefined {
  return isWallTime(text) ? text : readOtherTime(text);
}

/** Checks the usual form without a pattern, for speed: it runs for each cell. */
function isWallTime(text: string): boolean {
  if (text.length !== 23 || text.charCodeAt(10) !== 84 || text.charCodeAt(19) !== 46) return false;
  if (
    text.charCodeAt(4) !== 45 ||
    text.charCodeAt(7) !== 45 ||
    text.charCodeAt(13) !== 58 ||
    text.charCodeAt(16) !== 58
  )
    return false;
  return (
    isDigit(text, 0) &&
    isDigit(text, 3) &&
    isDigit(text, 5) &&
    isDigit(text, 6) &&
    isDigit(text, 8) &&
    isDigit(text, 9) &&
    isDigit(text, 11) &&
    isDigit(text, 12) &&
    isDigit(text, 14) &&
    isDigit(text, 17) &&
    isDigit(text, 20) &&
    isDigit(text, 22)
  );
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function readOtherTime(text: string): string | undefined {
  const found = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text);
  if (!found) return undefined;
  const [, date, clock = '00:00:00', fraction = '', offset] = found;
  const wall = `${date}T${clock.length === 5 ? `${clock}:00` : clock}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  const local = Date.parse(`${wall}Z`);
  if (Number.isNaN(local)) return undefined;
  if (offset === undefined || offset === 'Z') return wall;
  const size = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2))) * 60_000;
  return writeLocal(offset.startsWith('-') ? local + size : local - size);
}
