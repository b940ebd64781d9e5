import { day, hour } from '../../ask/time/granularity.ts';
import { mix } from './random.ts';
import { holidays, hours, monthTraffic, places, weekdayTraffic } from './site.ts';

/** A time slot of at most an hour, and the number of events of the visits that begin in it. */
export interface Slot {
  /** Epoch milliseconds. */
  readonly start: number;
  readonly length: number;
  readonly events: number;
  /** Number of days with traffic before this one, so without days of the gap. */
  readonly day: number;
}

export interface SampleRange {
  /** Epoch milliseconds, inclusive. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The days of the sample. */
export function spanOf({ to, days }: { readonly to: string; readonly days: number }): SampleRange {
  const end = Date.parse(`${to}T00:00:00Z`) + day;
  return { start: end - days * day, end };
}

/**
 * Three consecutive days without events, after the first third of the sample. Samples of less than two weeks have none.
 */
export function gapOf({ start, end }: SampleRange): SampleRange | undefined {
  const days = (end - start) / day;
  if (days < 14) return undefined;
  const first = start + Math.floor(days * 0.4) * day;
  return { start: first, end: first + 3 * day };
}

const mostAtOnce = 1 << 16;

/** All slots in order of time. Slots in the gap have no events; the total equals `events`. */
export function* slotsOf(events: number, span: SampleRange, salt: number): Generator<Slot, void, undefined> {
  const gap = gapOf(span);
  const weightOf = (start: number) =>
    gap && start >= gap.start && start < gap.end ? 0 : dayTraffic(start, span.start, salt);
  let whole = 0;
  for (let start = span.start; start < span.end; start += day) whole += weightOf(start);
  whole *= dayWeight;
  let weight = 0;
  let given = 0;
  let trafficDay = -1;
  for (let start = span.start; start < span.end; start += day) {
    const today = weightOf(start);
    if (today > 0) trafficDay += 1;
    for (let index = 0; index < 24; index++) {
      const last = start + day >= span.end && index === 23;
      const before = weight;
      weight += today * hourWeights[index]!;
      const pieces = Math.max(1, Math.ceil((events * (weight - before)) / whole / mostAtOnce));
      const length = hour / pieces;
      for (let piece = 1; piece <= pieces; piece++) {
        const due =
          last && piece === pieces
            ? events
            : Math.round((events * (before + ((weight - before) * piece) / pieces)) / whole);
        yield {
          start: Math.floor(start + index * hour + (piece - 1) * length),
          length: Math.floor(length),
          events: due - given,
          day: trafficDay,
        };
        given = due;
      }
    }
  }
}

/** The local hour, from 0, of an hour in UTC. */
export function localHour(utcHour: number, offset: number): number {
  return Math.floor((utcHour - offset / 60 + 24) % 24);
}

/** Traffic follows the local hours of visitors. */
const hourWeights: readonly number[] = hours.map((_, index) =>
  places.reduce((sum, { offset, weight }) => sum + weight * hours[localHour(index, offset)]!, 0),
);
const dayWeight = hourWeights.reduce((sum, weight) => sum + weight, 0);

/** The relative traffic of a day: weekday, season, holidays, growth of three fifths per year, and random variation. */
function dayTraffic(start: number, first: number, salt: number): number {
  const years = (start - first) / (365 * day);
  const luck = 0.92 + (0.16 * mix(Math.floor(start / day) + salt)) / 2 ** 32;
  return weekdayOf(start) * seasonOf(start) * (1 + 0.6 * years) * luck;
}

function weekdayOf(start: number): number {
  // 1970-01-01 was a Thursday.
  return weekdayTraffic[(((Math.floor(start / day) + 3) % 7) + 7) % 7]!;
}

function seasonOf(start: number): number {
  const date = new Date(start);
  const place = (date.getUTCMonth() + 11.5 + (date.getUTCDate() - 0.5) / 31) % 12;
  const before = Math.floor(place);
  const season = monthTraffic[before]! + (monthTraffic[(before + 1) % 12]! - monthTraffic[before]!) * (place - before);
  return season * (holidays[date.toISOString().slice(-19, -14)] ?? 1);
}
