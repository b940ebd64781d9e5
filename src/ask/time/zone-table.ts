import { day } from './duration.ts';

/** An instant (epoch ms) at which a zone's clock changes, and the offset from UTC (ms) that it has from then on. */
export interface Transition {
  readonly instant: number;
  readonly offset: number;
}

/** A stretch of a zone's history: the offset just before it begins, and the changes inside it. */
interface Stretch {
  readonly before: number;
  readonly changes: readonly Transition[];
}

const stretchLength = 384 * day;
/** Sampling misses nothing: the nearest two changes that any zone ever made (Freetown, 1939) lie 3 days and 23:40 apart. */
const sampleStep = 3 * day;
/** Before this no place had left its own solar time, so that all earlier instants have the offset of this one. */
const earliest = Date.UTC(1800, 0, 1);

const formats = new Map<string, Intl.DateTimeFormat>();
const tables = new Map<string, Map<number, Stretch>>();

export function stretchIndex(instant: number): number {
  return Math.floor(Math.max(instant, earliest) / stretchLength);
}

/** The stretch of this index, worked out when it is first asked for. The zone is a name that Intl knows. */
export function stretchAt(zone: string, index: number): Stretch {
  let table = tables.get(zone);
  if (table === undefined) tables.set(zone, (table = new Map()));
  let stretch = table.get(index);
  if (stretch === undefined) table.set(index, (stretch = findStretch(zone, index)));
  return stretch;
}

function findStretch(zone: string, index: number): Stretch {
  const first = index * stretchLength;
  const last = first + stretchLength - 1;
  const before = offsetByIntl(zone, first - 1);
  const changes: Transition[] = [];
  let low = first - 1;
  let offset = before;
  while (low < last) {
    const high = Math.min(low + sampleStep, last);
    const offsetThen = offsetByIntl(zone, high);
    if (offsetThen !== offset) changes.push({ instant: findChange(zone, low, high, offset), offset: offsetThen });
    low = high;
    offset = offsetThen;
  }
  return { before, changes };
}

/** The first instant in (low, high] whose offset differs from the one at `low`. */
function findChange(zone: string, low: number, high: number, offsetAtLow: number): number {
  let same = low;
  let other = high;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetByIntl(zone, middle) === offsetAtLow) same = middle;
    else other = middle;
  }
  return other;
}

/**
 * Intl is asked for the offset itself, which is exact to the second. (`getTimezoneOffset` of date-fns-tz takes the instant
 * for a wall time, so that it is wrong in the hours before a change.)
 */
function offsetByIntl(zone: string, instant: number): number {
  const whole = Math.floor(Math.max(instant, earliest) / 1000) * 1000;
  const text = formatOf(zone).format(whole);
  const found = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (found?.[1] === undefined) return 0;
  const size = (Number(found[2]) * 3600 + Number(found[3]) * 60 + Number(found[4] ?? 0)) * 1000;
  return found[1] === '-' ? -size : size;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
  }
  return format;
}
