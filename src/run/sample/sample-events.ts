import { daysOf } from './days.ts';
import { randomFrom } from './random.ts';
import { visitOf, type SampleEvent } from './visit.ts';
import { openVisitors } from './visitors.ts';

export interface SampleOptions {
  /** A whole number; the same seed gives the same events. */
  readonly seed: number;
  /** Exactly so many events. */
  readonly events: number;
  /** The last day, `YYYY-MM-DD`, in UTC. */
  readonly to: string;
  /** So many days, the last one included. */
  readonly days: number;
  /** Numbers of the projects, the busiest first; 42 and 7 where not set. */
  readonly projects?: readonly number[] | undefined;
}

/** What newcomers get: fifty thousand events over ninety days. */
export const usualSample = { seed: 1, events: 50_000, days: 90, projects: [42, 7] } as const;

/**
 * Made-up events of a small shop, in the order of time, a batch a day: weekdays and hours have their rhythm, people
 * return, sign up, click and buy, bots read, some will not be known, and for three days nothing was measured.
 */
export function* sampleEvents(options: SampleOptions): Generator<readonly SampleEvent[], void, undefined> {
  const { seed, projects = usualSample.projects } = options;
  const random = randomFrom(seed);
  const visitors = openVisitors(random);
  for (const { start, events } of daysOf(options)) {
    const today: SampleEvent[] = [];
    while (today.length < events) {
      const visit = visitOf(random, visitors.next(), start, projects);
      for (const event of visit.slice(0, events - today.length)) today.push(event);
    }
    yield today.sort((one, other) => one.time - other.time || (one.id < other.id ? -1 : 1));
  }
}
