import type { Column, Value } from '../../../plan/column.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { StoredAnswer, StoredView } from '../../../run/backend.ts';
import type { RowView } from '../../../run/stored-view.ts';
import { toBucketFlags } from '../../../shape/fill/partial-buckets.ts';
import type { Provenance } from '../../../shape/result/provenance.ts';
import type { Result } from '../../../shape/result/result.ts';
import { compareValues } from '../../../shape/values/compare-values.ts';
import { toShownFlags } from '../../../show/labels/mark-legend.ts';
import type { GridRows } from './grid-state.ts';
import { openResultView } from './result-view.ts';

/** Rows for a grid, in memory or in the engine. */
export interface GridSource {
  readonly columns: readonly Column[];
  readonly rowCount: number;
  /** True if the answer reached its limit. */
  readonly isLimited: boolean;
  /** For each column, whether its cells can have signs. */
  readonly marked: readonly boolean[];
  /** The least and the greatest value of each column of numbers; undefined for the others. */
  extremes(): Promise<readonly (readonly [least: Value, greatest: Value] | undefined)[]>;
  open(view: RowView, signal?: AbortSignal): Promise<GridView>;
}

export interface GridView extends Pick<StoredView, 'rowCount' | 'statistics'>, AsyncDisposable {
  read(start: number, count: number, columns: readonly number[], signal?: AbortSignal): Promise<GridRows>;
}

/** Rows in memory: of a remote answer, or of one that was filled, compared or pivoted. */
export function sourceOfResult(result: Result<object>): GridSource {
  const { columns, rowCount } = result;
  const shown = columns.map((column) => toShownFlags(result as Result, column));
  const known = columns.map(({ key }) => result.marks.flags(key));
  const signs = columns.map((_, index) => signsAmong(rowCount, known[index], shown[index]));
  return {
    columns,
    rowCount,
    isLimited: result.provenance.truncated !== null,
    marked: signs,
    extremes: async () =>
      columns.map((column) => (column.type === 'number' ? extremesOf(result.values(column.key)) : undefined)),
    async open(view) {
      const opened = openResultView(result, view);
      return {
        rowCount: opened.rowCount,
        statistics: opened.statistics,
        async read(start, count, wanted) {
          const batch = await opened.read(start, count, wanted);
          const flags = wanted.map((index) => {
            const own = known[index];
            return (
              own &&
              Uint8Array.from({ length: batch.rowCount }, (_, at) => {
                const row = opened.rowAt(start + at);
                return ((own[row] ?? 0) << 4) | (shown[index]?.(row) ?? 0);
              })
            );
          });
          return { start, columns: wanted, batch, flags };
        },
        [Symbol.asyncDispose]: opened[Symbol.asyncDispose],
      };
    },
  };
}

function signsAmong(
  rowCount: number,
  flags: Uint8Array | undefined,
  shown: ((row: number) => number) | undefined,
): boolean {
  if (!flags || !shown) return false;
  for (let row = 0; row < rowCount; row += 1) if (shown(row) !== 0) return true;
  return false;
}

function extremesOf(values: ArrayLike<Value>): readonly [least: Value, greatest: Value] {
  let least: Value = null;
  let greatest: Value = null;
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] ?? null;
    if (value === null) continue;
    if (least === null || compareValues(value, least, 'number') < 0) least = value;
    if (greatest === null || compareValues(value, greatest, 'number') > 0) greatest = value;
  }
  return [least, greatest];
}

/** Rows in the engine, of an answer without additions. Partial buckets are marked at their labels. */
export function sourceOfRows(
  { rowCount, view, extremes }: Pick<StoredAnswer, 'rowCount'> & Required<Pick<StoredAnswer, 'view' | 'extremes'>>,
  plan: Plan,
  { truncated }: Pick<Provenance, 'truncated'>,
): GridSource {
  const { columns } = plan;
  const axis = plan.times.find(({ granularity }) => granularity !== undefined)?.column;
  const flagsOf = axis === undefined ? undefined : toBucketFlags(plan);
  return {
    columns,
    rowCount,
    isLimited: truncated !== null,
    // The sign at the bucket applies to its whole row.
    marked: columns.map((_, index) => flagsOf !== undefined && index === axis),
    extremes,
    async open(wanted, signal) {
      const opened = await view(wanted, signal);
      return {
        rowCount: opened.rowCount,
        statistics: opened.statistics,
        async read(start, count, asked, reading) {
          const batch = await opened.read(start, count, asked, reading);
          const flags = asked.map((index, at) => {
            if (!flagsOf || index !== axis) return undefined;
            const labels = batch.columns[at] ?? [];
            return Uint8Array.from({ length: batch.rowCount }, (_, row) => flagsOf(labels[row] ?? null) * 17);
          });
          return { start, columns: asked, batch, flags };
        },
        [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
      };
    },
  };
}
