import type { Retention } from '../../../ask/activity/retention.ts';
import type { CodedTimes } from '../funnel/coded-times.ts';
import type { FollowedReturns } from '../../analysis/activity/followed-returns.ts';

/**
 * The role of an event in the lowest bits of its code: a start, a return, or a start regardless of its conditions. The
 * higher bits hold the number of its value, in the order of values.
 */
export const [startBit, returnBit, mayStartBit, kindBits] = [1, 2, 4, 3];

const dayInMicroseconds = 86_400_000_000;

type Rules = Pick<Retention, 'cohorts' | 'window' | 'periods' | 'least' | 'cumulative'>;

/**
 * Counts users one by one. Times are microseconds since just before the first cohort's period; earlier events have time
 * 0. `ends`: ends of the cohorts' periods on the same scale. `groupOf`: the group of each value; undefined for a single
 * group.
 */
export function openReturnsWalk(
  { cohorts, window, periods, least, cumulative }: Rules,
  ends: Float64Array,
  groupOf?: Int32Array,
): { readonly walk: (events: CodedTimes) => void; readonly followed: () => FollowedReturns } {
  const groups = groupOf ? groupOf.reduce((most, group) => Math.max(most, group + 1), 0) : 1;
  const sizes = new Float64Array(groups * ends.length);
  const cells = new Float64Array(sizes.length * periods);
  const isCalendar = window === 'calendar';
  /** The last user counted for each group. */
  const counted = new Int32Array(groups);
  let user = 0;
  let returns = new Float64Array(1024);
  /** The period of each return. */
  let cohortOf = new Int32Array(1024);
  const inGroup = (code: number, group: number) => !groupOf || groupOf[code >> kindBits] === group;

  function walk(events: CodedTimes): void {
    const { codes, count } = events;
    if (returns.length < count) [returns, cohortOf] = [new Float64Array(count * 2), new Int32Array(count * 2)];
    if (cohorts !== 'recurring') {
      const first = firstStart(events, cohorts);
      if (first >= 0) followGroup(events, groupOf ? groupOf[codes[first]! >> kindBits]! : 0, first);
      return;
    }
    if (!groupOf) {
      followGroup(events, 0);
      return;
    }
    user += 1;
    for (let index = 0; index < count; index++) {
      const code = codes[index]!;
      const group = groupOf[code >> kindBits]!;
      if (!(code & startBit) || counted[group] === user) continue;
      counted[group] = user;
      followGroup(events, group);
    }
  }

  /** The starts and returns of a group; `only`: the one start that counts. */
  function followGroup({ times, codes, count }: CodedTimes, group: number, only?: number): void {
    let [length, cohort] = [0, 0];
    for (let index = 0; index < count; index++) {
      const code = codes[index]!;
      if (!(code & returnBit) || !inGroup(code, group)) continue;
      const time = (returns[length] = times[index]!);
      if (isCalendar) {
        while (time >= ends[cohort]!) cohort += 1;
        cohortOf[length] = cohort;
      }
      length += 1;
    }
    // The first start of each period counts.
    let [begun, after, from] = [-1, 0, 0];
    for (let index = only ?? 0; index <= (only ?? count - 1); index++) {
      const [time, code] = [times[index]!, codes[index]!];
      if (!(code & startBit) || time < after || !inGroup(code, group)) continue;
      do after = ends[++begun]!;
      while (time >= after);
      sizes[group * ends.length + begun]! += 1;
      from = firstFrom(returns, from, length, isCalendar ? after : time + dayInMicroseconds);
      followStart(group, begun, time, from, length);
    }
  }

  function followStart(group: number, begun: number, start: number, from: number, length: number): void {
    const first = (group * ends.length + begun) * periods;
    let last = 0;
    for (let at = from; at < length; ) {
      const period = isCalendar ? cohortOf[at]! - begun : Math.floor((returns[at]! - start) / dayInMicroseconds);
      if (period >= periods && !cumulative) return;
      const next = isCalendar ? ends[begun + period]! : start + (period + 1) * dayInMicroseconds;
      const enough = at + least - 1;
      if (enough < length && returns[enough]! < next) {
        if (cumulative) last = period;
        else cells[first + period]! += 1;
      }
      at = firstFrom(returns, at + 1, length, next);
    }
    if (last > 0) cells[first + Math.min(last, periods - 1)]! += 1;
  }

  /** For cumulative retention, users who returned in a later period also count in earlier ones. */
  function followed(): FollowedReturns {
    if (cumulative)
      for (let cohort = 0; cohort < sizes.length; cohort++)
        for (let period = periods - 2; period > 0; period--)
          cells[cohort * periods + period]! += cells[cohort * periods + period + 1]!;
    return { sizes, cells };
  }

  return { walk, followed };
}

/** Counts users by the values of their starts. */
export function openPopularity(
  { cohorts }: Pick<Rules, 'cohorts'>,
  values: number,
): { readonly walk: (events: CodedTimes) => void; readonly users: Int32Array } {
  const users = new Int32Array(values);
  const counted = new Int32Array(values);
  let user = 0;
  const count = (code: number) => {
    const value = code >> kindBits;
    if (counted[value] === user) return;
    counted[value] = user;
    users[value]! += 1;
  };
  return {
    users,
    walk(events) {
      user += 1;
      if (cohorts === 'recurring') {
        for (let index = 0; index < events.count; index++)
          if (events.codes[index]! & startBit) count(events.codes[index]!);
        return;
      }
      const first = firstStart(events, cohorts);
      if (first >= 0) count(events.codes[first]!);
    },
  };
}

/**
 * The only start of a user that counts, in all history; -1 if there is none, or if it was before the first cohort.
 * Among simultaneous events, one that meets the conditions of starts counts first, then the smallest value.
 */
function firstStart({ times, codes, count }: CodedTimes, cohorts: Retention['cohorts']): number {
  const wanted = cohorts === 'first_ever' ? mayStartBit : startBit;
  let first = 0;
  while (first < count && !(codes[first]! & wanted)) first += 1;
  const time = times[first]!;
  if (first === count || time === 0) return -1;
  let found = -1;
  for (let index = first; index < count && times[index] === time; index++)
    if (codes[index]! & startBit && (found < 0 || codes[index]! >> kindBits < codes[found]! >> kindBits)) found = index;
  return found;
}

/**
 * Index of the first ascending number from `from` on that is at least `wanted`; `end` if there is none. Exponential
 * search finds near ones fast.
 */
function firstFrom(numbers: Float64Array, from: number, end: number, wanted: number): number {
  let low = from;
  let step = 1;
  while (low + step <= end && numbers[low + step - 1]! < wanted) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
