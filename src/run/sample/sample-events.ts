import { keepLater, openTable, rowsBefore, type EventTable } from './event-table.ts';
import { mixAll } from './mix.ts';
import { randomFrom } from './random.ts';
import { gapOf, slotsOf, spanOf } from './traffic.ts';
import { addVisit, type Site } from './visit.ts';
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

/** Some rows of a table, in their order; both are valid until the next batch is asked for. */
export interface SampleBatch {
  readonly table: EventTable;
  readonly rows: Uint32Array;
}

/** A number that is this sample's own: two samples share no identifiers. */
export function saltOf({ seed, events, to, days }: SampleOptions): number {
  return mixAll([seed, events, Date.parse(to), days]);
}

/**
 * Made-up events of a small shop, in the order in which they arrive: seasons, weekdays and hours have their rhythm,
 * people return, sign up, sign in on other devices, click and buy, robots read, some will not be known, some events
 * come late, and for three days nothing was measured. However many there are, few are in memory at once.
 */
export function* sampleEvents(options: SampleOptions): Generator<SampleBatch, void, undefined> {
  const salt = saltOf(options);
  const random = randomFrom(options.seed);
  const span = spanOf(options);
  const site: Site = {
    random, visitors: openVisitors(random, salt), projects: (options.projects ?? usualSample.projects).length,
    span, gap: gapOf(span), events: 0, sessions: 0,
  };
  const table = openTable(4096);
  for (const slot of slotsOf(options.events, span, salt)) {
    let left = slot.events;
    while (left > 0) left -= addVisit(site, table, slot, left);
    // Many slots of a small sample hold nothing: what is due waits until it is worth a batch.
    const end = slot.start + slot.length;
    if (table.length < 2048) continue;
    yield { table, rows: rowsBefore(table, end) };
    keepLater(table, end);
  }
  if (table.length > 0) yield { table, rows: rowsBefore(table, Infinity) };
}
