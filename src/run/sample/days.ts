import { weekdayTraffic } from './site.ts';
import { day } from '../../ask/time/duration.ts';

export interface SampleDay {
  /** Midnight in UTC, epoch milliseconds. */
  readonly start: number;
  readonly events: number;
}

/** How many events each day has: more on workdays, slowly growing, none on three days; together exactly as many as asked. */
export function daysOf({ events, to, days }: { readonly events: number; readonly to: string; readonly days: number }): readonly SampleDay[] {
  const first = Date.parse(`${to}T00:00:00Z`) - (days - 1) * day;
  const weights = Array.from({ length: days }, (_, index) => (isGap(index, days) ? 0 : trafficOn(first + index * day) * (1 + index / days / 2)));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let weight = 0;
  let given = 0;
  return weights.map((share, index) => {
    weight += share;
    const due = index === days - 1 ? events : Math.round((events * weight) / whole);
    const count = due - given;
    given = due;
    return { start: first + index * day, events: count };
  });
}

/** Three days in a row, past the first third. */
function isGap(index: number, days: number): boolean {
  const start = Math.floor(days * 0.4);
  return days >= 14 && index >= start && index < start + 3;
}

function trafficOn(start: number): number {
  // 1970-01-01 was a Thursday.
  return weekdayTraffic[(Math.floor(start / day) + 3) % 7]!;
}
