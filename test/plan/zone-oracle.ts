import type { Granularity } from '../../src/ask/time/granularity.ts';
import { type Weekday, weekdays } from '../../src/ask/time/range.ts';
import { wallByIntl } from '../ask/time/zones.ts';

/** Buckets by `Intl`, one instant at a time: slow, and independent of the tested code. */

const lengths = { second: 1000, minute: 60_000, hour: 3_600_000 } as const;
const day = 86_400_000;

const offsets = new Map<string, Map<number, number>>();

function shown(instant: number, zone: string): number {
  // Since Liberia's change in 1972, every clock change is at a full minute, so one lookup per minute suffices.
  const looked = instant < Date.UTC(1973, 0, 1) ? Math.floor(instant / 1000) * 1000 : instant - (instant % 60_000);
  const ofZone = offsets.get(zone) ?? new Map<number, number>();
  offsets.set(zone, ofZone);
  let offset = ofZone.get(looked);
  if (offset === undefined) ofZone.set(looked, (offset = Date.parse(`${wallByIntl(looked, zone)}Z`) - looked));
  return instant + offset;
}

/** As in an answer: wall time for a day and longer, else the instant, both as epoch ms. */
export function bucketByIntl(
  instant: number,
  granularity: Granularity,
  zone: string,
  weekStart: Weekday = 'monday',
): number {
  return granularity in lengths
    ? shortStart(instant, lengths[granularity as keyof typeof lengths], zone)
    : unitStart(latestDay(instant, zone), granularity, weekStart);
}

const latestDays = new Map<string, number>();

/** The last day that the clock has shown so far: a day that has begun is not left again. */
function latestDay(instant: number, zone: string): number {
  const key = `${zone} ${instant}`;
  const known = latestDays.get(key);
  if (known !== undefined) return known;
  let latest = shown(instant, zone);
  // Only if the clock was set back recently.
  if (shown(instant - 26 * 3_600_000, zone) + 26 * 3_600_000 > latest) {
    for (let minutes = 1; minutes <= 26 * 60; minutes += 1)
      latest = Math.max(latest, shown(instant - minutes * 60_000, zone));
  }
  const found = Math.floor(latest / day) * day;
  latestDays.set(key, found);
  return found;
}

function unitStart(date: number, granularity: Granularity, weekStart: Weekday): number {
  const [year, month] = [new Date(date).getUTCFullYear(), new Date(date).getUTCMonth()];
  switch (granularity) {
    case 'week': {
      let start = date;
      while (new Date(start).getUTCDay() !== (weekdays.indexOf(weekStart) + 1) % 7) start -= day;
      return start;
    }
    case 'month':
      return Date.UTC(year, month, 1);
    case 'quarter':
      return Date.UTC(year, month - (month % 3), 1);
    case 'year':
      return Date.UTC(year, 0, 1);
    default:
      return date;
  }
}

/** The first instant after which the clock ran evenly and showed the same unit. */
function shortStart(instant: number, length: number, zone: string): number {
  const wall = shown(instant, zone);
  const start = instant - (wall - Math.floor(wall / length) * length);
  const offset = wall - instant;
  if (shown(start, zone) - start === offset) return start;
  let [other, same] = [start, instant];
  while (same - other > 1) {
    const middle = Math.floor((same + other) / 2);
    if (shown(middle, zone) - middle === offset) same = middle;
    else other = middle;
  }
  return same;
}
