import { plural } from '../ask/text.ts';
import type { TableLayout } from '../ask/query/saved-query.ts';
import { type Column, inSentence, renamed, type Value } from '../plan/column.ts';
import { isNamedBy } from './label-columns.ts';
import { formatValue } from './format/format.ts';
import { toMarks } from './result/marks.ts';
import { withNote } from './result/provenance.ts';
import { noSuchColumn, type Result, toResult } from './result/result.ts';
import { type Codes, toGroups } from './values/codes.ts';
import { compareInColumn } from './values/compare-values.ts';
import { sumValues } from './values/decimal.ts';
import { takeCodes, takeFlags, takeValues } from './values/take.ts';
import type { Values } from './values/values.ts';

/** Which columns to turn. */
export interface PivotShape {
  /** Keys of the columns to keep: one row for each combination of their values, in order of first appearance. */
  readonly rows: readonly string[];
  /** Key of the column whose values become columns, in ascending order, null last. */
  readonly columns: string;
  /** Keys of the measures to put in the cells. */
  readonly values: readonly string[];
  /** Maximum number of new columns (default: 500). A note counts the others. */
  readonly maxColumns?: number | undefined;
}

/**
 * Turns the values of one column into columns: `day, type, count` becomes `day, count of click, count of pageview`.
 *
 * Keys are unique for each value: `TrackedEvents.count["click"]`, `…[null]`. A cell without a row is null, because it
 * is not known to be 0 unless `fill` added it. Several rows for one cell are summed if the measure is additive; else
 * the cell is null and a note says so.
 *
 * (It does not use arquero's pivot, which scans the table once for each new column and names columns by the text of the
 * value.)
 */
export function pivot(
  result: Result<object>,
  { rows: rowKeys, columns: columnKey, values: valueKeys, maxColumns = 500 }: PivotShape,
): Result {
  const rowColumns = rowKeys.map((key) => columnOf(result, key));
  const across = columnOf(result, columnKey);
  const measures = valueKeys.map((key) => columnOf(result, key));
  const { groups, firstRows: picked } = toGroups(
    rowColumns.map((column) => result.codes(column.key)),
    result.rowCount,
  );
  const acrossCodes = result.codes(columnKey);
  const places = toPlaces(acrossCodes, across, maxColumns);
  const cells = toCells(groups, picked.length, acrossCodes, places.placeOfCode, places.shown.length);
  const notes: string[] = [];
  if (places.left > 0)
    notes.push(
      `${across.title}: ${places.left} more ${plural(places.left, 'value is', 'values are')} left out of the columns.`,
    );

  const columns: Column[] = [...rowColumns];
  const data: (Values | Codes)[] = rowColumns.map((column) => takeCodes(result.codes(column.key), picked));
  const flags = new Map<string, Uint8Array>();
  for (const { key } of rowColumns) {
    const before = result.marks.flags(key);
    if (before) flags.set(key, takeFlags(before, picked));
  }
  const gathered = measures.map((measure) => ({
    measure,
    values: takeValues(result.values(measure.key), cells.rows),
    flags: takeOptionalFlags(result.marks.flags(measure.key), cells.rows),
  }));
  places.shown.forEach((value, place) => {
    const start = place * picked.length;
    const end = start + picked.length;
    const crowded = cells.crowded.get(place);
    for (const { measure, values, flags: marked } of gathered) {
      const column = toPivoted(measure, across, value, measures.length > 1);
      const own = values instanceof Float64Array ? values.subarray(start, end) : values.slice(start, end);
      columns.push(column);
      data.push(crowded ? addUp(own, crowded, result.values(measure.key), measure.additive) : own);
      if (crowded && !measure.additive)
        notes.push(`${measure.title}: several rows share a cell, and this measure cannot be added up.`);
      if (marked) flags.set(column.key, marked.subarray(start, end));
    }
  });
  const provenance = notes.reduce(withNote, { ...result.provenance, rows: picked.length });
  return toResult({ columns, data, marks: toMarks(flags), provenance });
}

function takeOptionalFlags(flags: Uint8Array | undefined, rows: Int32Array): Uint8Array | undefined {
  return flags && takeFlags(flags, rows);
}

function columnOf(result: Result<object>, key: string): Column {
  const column = result.columns.find((candidate) => candidate.key === key);
  if (column === undefined) throw noSuchColumn(key, result.columns);
  return column;
}

/** The values that become columns, and the column of each code; −1 for values beyond the maximum. */
function toPlaces(
  { dictionary }: Codes,
  column: Column,
  most: number,
): { shown: readonly Value[]; placeOfCode: Int32Array; left: number } {
  const order = dictionary
    .map((_, code) => code)
    .sort((a, b) => compareInColumn(dictionary[a] as Value, dictionary[b] as Value, column) || a - b);
  const placeOfCode = new Int32Array(dictionary.length).fill(-1);
  const shown = order.slice(0, most).map((code, place) => {
    placeOfCode[code] = place;
    return dictionary[code] as Value;
  });
  return { shown, placeOfCode, left: dictionary.length - shown.length };
}

interface Cells {
  /** The row in each cell, column by column; −1 for an empty cell. */
  readonly rows: Int32Array;
  /** By column: the cells with several rows, and all of these rows. */
  readonly crowded: ReadonlyMap<number, ReadonlyMap<number, number[]>>;
}

function toCells(groups: Int32Array, size: number, { codes }: Codes, placeOfCode: Int32Array, places: number): Cells {
  const rows = new Int32Array(size * places).fill(-1);
  const crowded = new Map<number, Map<number, number[]>>();
  for (let row = 0; row < groups.length; row += 1) {
    const place = placeOfCode[codes[row] as number] as number;
    if (place < 0) continue;
    const group = groups[row] as number;
    const cell = place * size + group;
    const there = rows[cell] as number;
    if (there < 0) {
      rows[cell] = row;
      continue;
    }
    const ofPlace = crowded.get(place) ?? new Map<number, number[]>();
    crowded.set(place, ofPlace);
    const meeting = ofPlace.get(group) ?? [there];
    ofPlace.set(group, meeting);
    meeting.push(row);
  }
  return { rows, crowded };
}

function addUp(
  values: Values,
  crowded: ReadonlyMap<number, readonly number[]>,
  source: Values,
  additive: boolean,
): Values {
  const sums = Array.from<Value>(values);
  for (const [group, rows] of crowded)
    sums[group] = additive ? sumValues(rows.map((row) => source[row] as Value)) : null;
  return sums;
}

function toPivoted(measure: Column, across: Column, value: Value, several: boolean): Column {
  const label = value === null ? `no ${inSentence(across)}` : formatValue(value, across);
  return {
    ...measure,
    key: `${measure.key}[${typeof value === 'bigint' ? value : JSON.stringify(value)}]`,
    ...renamed(measure, (name) => (several ? `${label}: ${name}` : label)),
    whenAbsent: null,
  };
}

/** Pivots by the column of a name, with all other groups as rows. A result without this column stays unchanged. */
export function pivotBy(result: Result<object>, name: string): Result {
  const groups = result.columns.filter(({ kind }) => kind !== 'measure');
  const key = groups.find((column) => isNamedBy(column, name))?.key;
  if (key === undefined) return result as Result;
  return pivot(result, {
    columns: key,
    rows: groups.flatMap((column) => (column.key === key ? [] : column.key)),
    values: result.columns.flatMap(({ kind, key: value }) => (kind === 'measure' ? value : [])),
  });
}

/** Lays out a result as a table for people. A result that lacks a column of the layout stays unchanged. */
export function layOut(result: Result, { rows, across, values }: TableLayout): Result {
  const has = (key: string) => result.columns.some((column) => column.key === key);
  return [...rows, across, ...values].every(has) ? pivot(result, { rows, columns: across, values }) : result;
}
