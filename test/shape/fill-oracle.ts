import type { Value } from '../../src/plan/column.ts';
import type { Plan } from '../../src/plan/plan.ts';

export type OracleRow = readonly Value[];

/**
 * Zero-fill, the slow and obvious way, row by row: keep what offset and limit leave, then look for each bucket of each
 * kept series through the whole answer, add what is nowhere, and sort. Columns are dimensions, the bucket, measures.
 */
export function fillSlowly(
  all: readonly OracleRow[],
  plan: Plan,
  labels: readonly string[],
  fillWith?: 0,
): readonly OracleRow[] {
  const width = plan.dimensions.length;
  const kept = all.slice(plan.offset, plan.limit === undefined ? undefined : plan.offset + plan.limit);
  const seriesOf = (row: OracleRow) => row.slice(0, width);
  const series =
    width === 0
      ? [[]]
      : kept.map(seriesOf).filter((one, index, list) => list.findIndex((other) => same(one, other)) === index);
  const added: OracleRow[] = [];
  for (const one of series) {
    for (const label of labels) {
      if (all.some((row) => same(seriesOf(row), one) && row[width] === label)) continue;
      added.push([
        ...one,
        label,
        ...plan.columns.slice(width + 1).map((column) => (fillWith === undefined ? column.whenAbsent : fillWith)),
      ]);
    }
  }
  return sortSlowly([...kept, ...added], plan);
}

export function sortSlowly(rows: readonly OracleRow[], plan: Plan): readonly OracleRow[] {
  return rows.toSorted((a, b) => {
    for (const { column, descending } of plan.order) {
      const x = a[column] ?? null;
      const y = b[column] ?? null;
      if (x === null && y === null) continue;
      if (x === null) return 1;
      if (y === null) return -1;
      const order = typeof x === 'string' && typeof y === 'string' ? byCodePoint(x, y) : x < y ? -1 : x > y ? 1 : 0;
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
}

function byCodePoint(a: string, b: string): number {
  const x = [...a].map((character) => character.codePointAt(0) ?? 0);
  const y = [...b].map((character) => character.codePointAt(0) ?? 0);
  const at = x.findIndex((point, index) => point !== y[index]);
  if (at === -1) return x.length - y.length;
  return (x[at] ?? 0) - (y[at] ?? -1);
}

function same(a: readonly Value[], b: readonly Value[]): boolean {
  return a.every((value, index) => value === b[index]);
}
