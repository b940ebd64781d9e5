import type { Funnel } from '../ask/funnel/funnel.ts';
import { writeInstantLocal } from '../ask/time/local-time.ts';
import { quote } from '../ask/quote.ts';
import type { NearMiss } from '../run/followed-funnel.ts';
import { formatDuration } from './format/format-duration.ts';
import { formatNumber } from './format/format-number.ts';
import { formatTime } from './format/format-time.ts';

const orders = {
  ordered: 'in this order, whatever comes between',
  strict: 'in this order, with nothing between',
  unordered: 'in any order',
} as const;

/** How a funnel counts: its steps by name, its window and its order, and by whom. */
export function describeFunnel({ name, steps, secondsToConvert, order, by }: Funnel, computed: 'here' | 'by-server'): readonly string[] {
  const named = steps.map((step, index) => `${index + 1} ${step.name}`).join(', ');
  const what = `The steps of ${name}: ${named}.`;
  if (computed === 'by-server') return [what, `The server counted, in its own way, with ${formatWindow(secondsToConvert)} to convert: the platform follows known users and lets no other event come between.`];
  return [what, `Counted by ${by}, ${orders[order]}, within ${formatWindow(secondsToConvert)} of the first step.`];
}

/** A window is chosen by people, mostly a whole number of something: `2 h` rather than `2 h 00 min`. */
function formatWindow(seconds: number): string {
  return formatDuration(seconds * 1000).replace(/ 00 \w+$/, '');
}

export interface FunnelDates {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly byEntry: boolean;
  readonly zone: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What the dates of a funnel are about, and whether some have not had all of their time. */
export function describeDates(funnel: Funnel, { from, to, byEntry, zone, now }: FunnelDates): readonly string[] {
  const at = (instant: number) => formatTime(writeInstantLocal(instant, zone));
  const ends = [...(from === undefined ? [] : [`from ${at(from)}`]), ...(to === undefined ? [] : [`until ${at(to - 1)}`])];
  const span = ends.length === 0 ? '' : ` ${ends.join(' ')} (${zone})`;
  const what = ends.length === 0 ? 'All events are looked at.' : byEntry ? `Those who began${span}; what they did after it counts to the end of their time.` : `Events${span}; what came later does not count.`;
  const end = Math.min(now, to === undefined || byEntry ? now : to);
  const late = byEntry && to !== undefined && to + funnel.secondsToConvert * 1000 <= now;
  return late ? [what] : [what, `Who began in the last ${formatWindow(funnel.secondsToConvert)} before ${at(end)} has not had all of the time.`];
}

/** What may be wrong with the targets of steps that nobody reached. */
export function describeNearMisses({ steps }: Funnel, misses: readonly NearMiss[]): readonly string[] {
  return misses.map(({ step, target, path, events }) => `Nobody reached step ${step + 1}, ${steps[step]?.name ?? ''}: its target ${quote(target)} occurs nowhere, but ${quote(path)} does, ${formatNumber(events)} times. Targets are compared to the letter.`);
}
