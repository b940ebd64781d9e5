import { invariant } from '../../../ask/invariant.ts';
import type { Column, Value } from '../../../plan/column.ts';
import type { StoredView } from '../../../run/backend.ts';
import {
  type ColumnStatistics,
  histogramParts,
  quantileShares,
  type RowView,
  topValues,
} from '../../../run/stored-view.ts';
import type { Result } from '../../../shape/result/result.ts';
import { rowOrder } from '../../../shape/result/sort.ts';
import { toCodes } from '../../../shape/values/codes.ts';
import { compareValues } from '../../../shape/values/compare-values.ts';
import { takeValues } from '../../../shape/values/take.ts';
import { toRowTest } from './read-grid-filter.ts';

interface ResultView extends StoredView {
  /** Index in the result of a row of the view. */
  readonly rowAt: (row: number) => number;
}

/** Views over rows in memory, equal to those of an engine. */
export function openResultView(result: Result<object>, { sort, filters }: RowView): ResultView {
  const rows = sort.length === 0 && filters.length === 0 ? undefined : chooseRows(result, { sort, filters });
  const rowCount = rows?.length ?? result.rowCount;
  return {
    rowCount,
    rowAt: (row) => rows?.[row] ?? row,
    async read(start, count, columns) {
      const end = Math.max(start, Math.min(start + count, rowCount));
      return {
        rowCount: end - start,
        columns: columns.map((index) => {
          const values = result.values(columnAt(result, index).key);
          return rows ? takeValues(values, rows.subarray(start, end)) : values.slice(start, end);
        }),
      };
    },
    async statistics(index) {
      const column = columnAt(result, index);
      const values = result.values(column.key);
      return toStatistics(column, rows ? takeValues(values, rows) : values);
    },
    async [Symbol.asyncDispose]() {},
  };
}

function columnAt({ columns }: Result<object>, index: number): Column {
  const column = columns[index];
  invariant(column, `there is a column ${index}`);
  return column;
}

function chooseRows(result: Result<object>, { sort, filters }: RowView): Int32Array {
  const test = toRowTest(result, filters);
  const chosen: number[] = [];
  for (let row = 0; row < result.rowCount; row += 1) if (test(row)) chosen.push(row);
  const keys = sort.map(({ column, descending }) => {
    const { key, type } = columnAt(result, column);
    return { values: result.values(key), type, sign: descending ? -1 : 1 };
  });
  if (keys.length === 0) return Int32Array.from(chosen);
  return Int32Array.from(chosen).sort(rowOrder(keys));
}

function toStatistics(column: Column, values: ArrayLike<Value> & Iterable<Value>): ColumnStatistics {
  const { codes, dictionary } = toCodes(values as Parameters<typeof toCodes>[0]);
  const counts = new Array<number>(dictionary.length).fill(0);
  for (const code of codes) counts[code] = (counts[code] as number) + 1;
  const present = dictionary
    .map((value, code) => ({ value, count: counts[code] ?? 0 }))
    .filter(({ value }) => value !== null);
  const ordered = present.toSorted((a, b) => compareValues(a.value, b.value, column.type));
  const count = present.reduce((sum, one) => sum + one.count, 0);
  // NaN and infinities have no position on a number line.
  const measured = ordered.filter(
    ({ value }) => typeof value !== 'number' || column.type !== 'number' || Number.isFinite(value),
  );
  const known = {
    rowCount: codes.length,
    nullCount: codes.length - count,
    distinctCount: ordered.length,
    least: measured[0]?.value ?? null,
    greatest: measured.at(-1)?.value ?? null,
    top: ordered.toSorted((a, b) => b.count - a.count).slice(0, topValues),
  };
  if (measured.length === 0 || (column.type !== 'number' && column.type !== 'time')) return known;
  const places = measured.map(({ value, count: times }) => ({
    place: column.type === 'time' ? toInstant(String(value)) : Number(value),
    times,
  }));
  const histogram = toHistogram(places);
  const placed = places.reduce((sum, { times }) => sum + times, 0);
  if (column.type === 'time') return { ...known, histogram };
  return {
    ...known,
    mean: toMean(places, placed),
    quantiles: quantileShares.map((share) => valueAt(places, Math.max(1, Math.ceil(share * placed)))),
    histogram,
  };
}

interface RowPosition {
  readonly place: number;
  readonly times: number;
}

/** Treats local time as UTC: only differences matter. */
function toInstant(text: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

function toMean(places: readonly RowPosition[], count: number): number {
  let sum = 0;
  let lost = 0;
  for (const { place, times } of places) {
    const added = place * times;
    const next = sum + added;
    // Neumaier summation: accumulate the rounding errors separately.
    lost += Math.abs(sum) >= Math.abs(added) ? sum - next + added : added - next + sum;
    sum = next;
  }
  return (sum + lost) / count;
}

function valueAt(places: readonly RowPosition[], rank: number): number {
  let passed = 0;
  return places.find(({ times }) => (passed += times) >= rank)?.place ?? Number.NaN;
}

function toHistogram(places: readonly RowPosition[]): readonly number[] {
  const counts = new Array<number>(histogramParts).fill(0);
  const least = places[0]?.place ?? 0;
  const width = ((places.at(-1)?.place ?? 0) - least) / histogramParts;
  for (const { place, times } of places) {
    const part =
      width > 0 && Number.isFinite(width) ? Math.min(histogramParts - 1, Math.floor((place - least) / width)) : 0;
    counts[part] = (counts[part] ?? 0) + times;
  }
  return counts;
}
