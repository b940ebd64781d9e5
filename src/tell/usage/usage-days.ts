import type { Value } from '../../plan/column.ts';
import type { Result } from '../../shape/result.ts';
import { toSteadyProvenance } from '../../shape/provenance.ts';
import type { ProjectAnswer } from './usage.ts';
import type { UsagePlan } from './usage-plan.ts';
import type { Query } from '../../ask/query/query.ts';
import { usualTimeMember } from '../../ask/query/time-member.ts';
import { writeRange } from '../../ask/time/previous-range.ts';

/** The cube whose rows are events. */
export const eventsCube = 'TrackedEvents';
const count = `${eventsCube}.count`;

/** The one question that a project is asked: its events by day. `time`: full name of the time of events, where it is not the usual one. */
export function usageQuery({ asked, zone }: UsagePlan, time: string = usualTimeMember(eventsCube)): Query {
  return { measures: [count], timeDimensions: [{ dimension: time, granularity: 'day', dateRange: [...writeRange(asked, zone)] }], timezone: zone };
}

/**
 * The answer to it, whether days without events are there or not. A count that is null is that of a project that has not been onboarded.
 */
export function toProjectAnswer(result: Result): ProjectAnswer {
  const days = readDays(result);
  if (result.rowCount > 0 && days.size === 0) return { state: 'not-onboarded' };
  return { state: 'counted', days, provenance: toSteadyProvenance(result.provenance), refreshed: result.provenance.refreshed };
}

/** The latest day with events in the answer to it; null where none had any. */
export function lastDayOf(result: Result): string | null {
  return [...readDays(result)].flatMap(([label, events]) => (Number(events) > 0 ? label : [])).sort().at(-1) ?? null;
}

function readDays(result: Result): ReadonlyMap<string, Value> {
  const days = new Map<string, Value>();
  const axis = result.columns.find(({ kind }) => kind === 'time');
  const labels = axis ? result.values(axis.key) : [];
  const counts = result.values(count);
  for (let row = 0; row < result.rowCount; row++) {
    const events = counts[row] ?? null;
    if (events !== null) days.set(String(labels[row]).slice(0, 10), events);
  }
  return days;
}
