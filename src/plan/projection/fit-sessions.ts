import { userKeyColumn } from '../model/event-fields.ts';
import type { Cube, Measure, Template } from '../model/model.ts';
import type { Condition, Plan } from '../plan.ts';
import { leafMeasures } from '../sql/leaf-measures.ts';
import { eventColumns, first, isOwnColumn, openFit, readsOtherRows, type Unfit } from './fit.ts';
import { keptSessions } from './projections.ts';

const has: ReadonlySet<string> = new Set(keptSessions.columns);

/** Columns of sessions and users that are computed from what the store keeps no more of. */
const otherColumns: ReadonlySet<string> = new Set([
  ...eventColumns,
  ...['session_key', 'events', 'page_views', 'landing_page', 'exit_page', 'last_timestamp'],
]);

/** Why kept sessions do not answer a plan over sessions or users. */
export function unfitForSessions(plan: Plan): Unfit {
  const fit = openFit(plan, otherColumns, has);
  const { member } = fit;
  const template = (cube: Cube, text: Template): Unfit =>
    isOwnColumn(text, `${userKeyColumn} IS NULL`) || isOwnColumn(text, `${userKeyColumn} IS NOT NULL`)
      ? undefined
      : fit.template(cube, text);
  const condition = (each: Condition): Unfit => {
    if (each.kind !== 'test') return first(each.conditions, condition);
    const { operand } = each;
    return operand.kind === 'measure'
      ? first(operand.measure.filters, (text) => template(operand.cube, text))
      : member(operand.cube, operand.dimension);
  };
  const leaf = (cube: Cube, measure: Measure): Unfit => {
    const isUsers = measure.type === 'count_distinct' && isOwnColumn(measure.sql ?? [], userKeyColumn);
    return (
      (measure.sql && !isUsers ? template(cube, measure.sql) : undefined) ??
      first(measure.filters, (text) => template(cube, text)) ??
      first(measure.uncounted ?? [], (rows) =>
        first([rows.sql, ...(rows.amount ? [rows.amount] : [])], (text) => template(cube, text)),
      )
    );
  };
  if (plan.ungrouped) return 'The question lists single rows.';
  if (readsOtherRows(plan)) return 'The question joins sessions to other rows.';
  return (
    first(plan.dimensions, ({ cube, dimension }) => member(cube, dimension)) ??
    first(plan.times, ({ cube, dimension, bucket }) => (bucket ? template(cube, bucket) : member(cube, dimension))) ??
    first(plan.segments, ({ cube, segment }) => template(cube, segment.sql)) ??
    first(plan.rowConditions, condition) ??
    first(leafMeasures(plan), ({ cube, measure }) => leaf(cube, measure)) ??
    first(plan.measures, ({ cube, measure }) =>
      measure.sql && !isOwnColumn(measure.sql, userKeyColumn)
        ? first(measure.sql, (part) => (part.kind === 'text' ? template(cube, [part]) : undefined))
        : undefined,
    )
  );
}
