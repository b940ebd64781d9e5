import type { CanonicalQuery } from '../../ask/query/query.ts';
import { warningIssue } from '../../ask/outcome.ts';
import type { Column } from '../column.ts';
import type { PlanOrder } from '../plan.ts';
import type { Binding } from './bind-context.ts';

/**
 * The order of rows. What the query asks for, else its default: the first time bucket ascending, else the first
 * measure descending, else the first dimension ascending. Ties are decided by the remaining dimensions and buckets
 * (and by the measures where rows are not grouped), so that pages are stable. Source: Cube's query format; ties are sluice's own.
 */
export function bindOrder(query: CanonicalQuery, columns: readonly Column[], binding: Binding): readonly PlanOrder[] {
  const asked = query.order ? askedOrder(query.order, columns, binding) : defaultOrder(columns);
  const used = new Set(asked.map((order) => order.column));
  const ties = columns.flatMap((column, index): PlanOrder[] =>
    (column.kind === 'measure' && !query.ungrouped) || used.has(index) ? [] : [{ column: index, descending: false }]);
  return [...asked, ...ties];
}

function askedOrder(order: NonNullable<CanonicalQuery['order']>, columns: readonly Column[], binding: Binding): readonly PlanOrder[] {
  const found: PlanOrder[] = [];
  order.forEach(([member, direction], index) => {
    const column = columns.findIndex((candidate) => candidate.key === member || candidate.member === member);
    if (column < 0) {
      binding.issues.push(warningIssue('order-not-selected', `The order by "${member}" has no effect, as the answer does not hold it.`, {
        path: ['order', index], hint: 'Add it to the measures or dimensions, or leave it out of the order.',
      }));
    } else if (!found.some((earlier) => earlier.column === column)) found.push({ column, descending: direction === 'desc' });
  });
  return found;
}

function defaultOrder(columns: readonly Column[]): readonly PlanOrder[] {
  const time = columns.findIndex((column) => column.kind === 'time');
  if (time >= 0) return [{ column: time, descending: false }];
  const measure = columns.findIndex((column) => column.kind === 'measure');
  if (measure >= 0) return [{ column: measure, descending: true }];
  return columns.length > 0 ? [{ column: 0, descending: false }] : [];
}
