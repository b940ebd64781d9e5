import { ownEventsTable } from '../../plan/events/events-table.ts';
import type { Cube } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';

/**
 * How much of the events a statement reads: none; all lines to the end; or some, so that it may not notice an invalid
 * line.
 */
export type EventsReach = 'none' | 'some' | 'all';

/** `statement` is only searched if the model is not built-in, because its SQL may name the events. */
export function eventsReach(plan: Plan, statement: () => string): EventsReach {
  if (!asksBuiltIn(plan)) return /\bevents\b/i.test(statement().replaceAll(ownEventsTable, '')) ? 'some' : 'none';
  const whole =
    !plan.ungrouped &&
    plan.rowConditions.length === 0 &&
    plan.segments.length === 0 &&
    plan.project === undefined &&
    plan.joins.length === 0 &&
    plan.times.every(({ range }) => range === undefined || range.start < range.end) &&
    plan.limit !== 0;
  return whole ? 'all' : 'some';
}

/** Whether it asks cubes that sluice makes of events. The rows of a model's own events cube are no such cube. */
export function asksBuiltIn(plan: Plan): boolean {
  return cubesOf(plan).some(({ source }) => ['events', 'sessions', 'users', 'computed'].includes(source.kind));
}

/** The cubes that the members and joins of a plan name. */
export function cubesOf(plan: Plan): readonly Cube[] {
  return [
    ...[...plan.dimensions, ...plan.times, ...plan.measures, ...plan.segments].map(({ cube }) => cube),
    ...plan.joins.flatMap(({ from, to }) => [from, to]),
  ];
}
