import { inColumnOrder } from '../ask/query/canonical-query.ts';
import type { Column } from './column.ts';
import type { Plan } from './plan.ts';

/**
 * The display order of columns, as indexes. Dimensions and times swap places among themselves, so that the requested
 * ones come first. Undefined if no order is requested. Engines and servers answer in the plan's own order.
 */
export function columnOrder(
  columns: readonly Column[],
  asked: readonly string[] | undefined,
): readonly number[] | undefined {
  if (!asked) return undefined;
  const groups = columns.flatMap(({ kind, key }) => (kind === 'dimension' || kind === 'time' ? [key] : []));
  const ordered = inColumnOrder(asked, groups);
  const places = new Map(columns.map(({ key }, index) => [key, index]));
  let next = 0;
  return columns.map(({ kind }, index) =>
    kind === 'dimension' || kind === 'time' ? (places.get(ordered[next++] ?? '') ?? index) : index,
  );
}

/** The plan with its columns in display order, for readers of rows in that order. */
export function withShownColumns(plan: Plan): Plan {
  const order = columnOrder(plan.columns, plan.query.columns);
  if (!order) return plan;
  const moved = <At extends { readonly column: number }>(at: At): At => ({ ...at, column: order.indexOf(at.column) });
  return {
    ...plan,
    columns: order.map((index) => plan.columns[index]!),
    dimensions: plan.dimensions.map(moved),
    times: plan.times.map((time) => (time.column === undefined ? time : moved({ ...time, column: time.column }))),
    measures: plan.measures.map(moved),
    order: plan.order.map(moved),
    series: plan.series && moved(plan.series),
  };
}
