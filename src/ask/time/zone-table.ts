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
/** Sampling misses nothing: the nearest two changes that any zone makes (Recife in 2000, Gaza in 2040) lie 6 days and 23 hours apart, … */
const sampleStep = 6 * day;
/** … but for Freetown in 1939, with 3 days and 23:40. */
const restless = { from: Date.UTC(1900, 0, 1), to: Date.UTC(1950, 0, 1), sampleStep: 3 * day };
/** Before this no place had left its own solar time, so that all earlier instants have the offset of this one. */
const earliest = Date.UTC(1800, 0, 1);
/**
 * No law reaches this far: all later instants have the offset of this one. So a zone's history has an end, and can be written out
 * for an engine whose own tables are of another year.
 */
const latest = Date.UTC(2100, 0, 1);

const formats = new Map<string, Intl.DateTimeFormat>();
const tables = new Map<string, Map<number, Stretch>>();

export function stretchIndex(instant: number): number {
  return Math.floor(within(instant) / stretchLength);
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
  const last = Math.min(first + stretchLength - 1, latest);
  const step = first > restless.from - stretchLength && first < restless.to ? restless.sampleStep : sampleStep;
  const before = offsetByIntl(zone, first - 1);
  const changes: Transition[] = [];
  let low = first - 1;
  let offset = before;
  while (low < last) {
    const high = Math.min(low + step, last);
    const offsetThen = offsetByIntl(zone, high);
    if (offsetThen !== offset) changes.push({ instant: findChange(zone, low, high, offset), offset: offsetThen });
    low = high;
    offset = offsetThen;
  }
  return { before, changes };
}

/** The first instant in (low, high] whose offset differs from the one at `low`. Clocks change on whole seconds. */
function findChange(zone: string, low: number, high: number, offsetAtLow: number): number {
  let same = Math.floor(low / 1000);
  let other = Math.floor(high / 1000);
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetByIntl(zone, middle * 1000) === offsetAtLow) same = middle;
    else other = middle;
  }
  return other * 1000;
}

function within(instant: number): number {
  return Math.min(Math.max(instant, earliest), latest);
}

/**
 * Intl is asked for the offset itself, which is exact to the second. (`getTimezoneOffset` of date-fns-tz takes the instant
 * for a wall time, so that it is wrong in the hours before a change.)
 */
function offsetByIntl(zone: string, instant: number): number {
  const whole = Math.floor(within(instant) / 1000) * 1000;
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
