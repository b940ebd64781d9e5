import { wallByIntl } from '../ask/time/zones.ts';

/** A granularity of a model, with its numbers spelled out. */
export interface SlowGrid {
  readonly months: number;
  readonly milliseconds: number;
  /** `2024-04-01T00:00:00` is a wall time; with `Z` it is an instant. */
  readonly origin: string;
  /** Milliseconds by which all buckets start later. */
  readonly later?: number;
}

const minute = 60_000;
const day = 24 * 60 * minute;

const walls = new Map<string, Map<number, number>>();

export function wallAt(instant: number, zone: string): number {
  const seconds = Math.floor(instant / 1000) * 1000;
  let ofZone = walls.get(zone);
  if (!ofZone) walls.set(zone, (ofZone = new Map()));
  let wall = ofZone.get(seconds);
  if (wall === undefined) ofZone.set(seconds, (wall = Date.parse(`${wallByIntl(seconds, zone)}Z`)));
  return wall + (instant - seconds);
}

/** The start of bucket number k; the origin is in bucket 0. */
function startOfNumber(k: number, grid: SlowGrid, zone: string): number {
  const origin = grid.origin.endsWith('Z') ? wallAt(Date.parse(grid.origin), zone) : Date.parse(`${grid.origin}Z`);
  const date = new Date(origin);
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + k * grid.months, 1));
  let days = 28;
  while (new Date(first.getTime() + days * day).getUTCMonth() === first.getUTCMonth()) days += 1;
  const month = first.getTime() + (Math.min(date.getUTCDate(), days) - 1) * day + (((origin % day) + day) % day);
  return month + k * grid.milliseconds + (grid.later ?? 0);
}

/** By rule and zone: caches the starts found on earlier walks. */
const walked = new Map<string, Map<number, number>>();

/** Walks from the origin, bucket by bucket. */
function slotOf(wall: number, grid: SlowGrid, zone: string): number {
  const key = JSON.stringify([grid, zone]);
  let starts = walked.get(key);
  if (!starts) walked.set(key, (starts = new Map()));
  const startOf = (number: number) => {
    let start = starts.get(number);
    if (start === undefined) starts.set(number, (start = startOfNumber(number, grid, zone)));
    return start;
  };
  let k = 0;
  while (startOf(k) > wall) k -= 1;
  while (startOf(k + 1) <= wall) k += 1;
  return startOf(k);
}

export function isShortGrid({ months, milliseconds }: SlowGrid): boolean {
  return months === 0 && milliseconds < day;
}

/**
 * The bucket of an instant, as in an answer. A day and longer: the wall time of its start; setting back the clock never
 * returns to an earlier bucket. Shorter: the first instant after which the clock ran evenly and showed the same
 * stretch.
 */
export function bucketOnGrid(instant: number, grid: SlowGrid, zone: string): number {
  const wall = wallAt(instant, zone);
  if (isShortGrid(grid)) {
    let start = instant - (wall - slotOf(wall, grid, zone));
    const offset = wall - instant;
    if (wallAt(start, zone) - start === offset) return start;
    for (let last = instant; last - start > 1; ) {
      const middle = Math.floor((start + last) / 2);
      if (wallAt(middle, zone) - middle === offset) last = middle;
      else start = middle;
      if (last - start <= 1) return last;
    }
    return start;
  }
  return slotOf(latestWall(instant, zone), grid, zone);
}

const known = new Map<string, number>();

/** The latest time that the clock has shown so far. */
function latestWall(instant: number, zone: string): number {
  const key = `${zone} ${instant}`;
  let latest = known.get(key) ?? wallAt(instant, zone);
  if (!known.has(key) && wallAt(instant - 26 * 60 * minute, zone) + 26 * 60 * minute > latest)
    for (let ago = 1; ago <= 26 * 60; ago += 1) latest = Math.max(latest, wallAt(instant - ago * minute, zone));
  known.set(key, latest);
  return latest;
}
