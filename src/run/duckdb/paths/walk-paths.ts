import type { CodedTimes } from '../funnel/coded-times.ts';
import type { PathTally } from '../../analysis/paths/path-tally.ts';

/** The rules of paths. Names of steps are numbers. */
export interface PathRules {
  /** The name for each code; negative if such steps do not count. */
  readonly nameOfCode: Int32Array;
  /** Microseconds without a step after which a session ends. */
  readonly gap: number;
  readonly maxSteps: number;
  readonly anchor:
    | { readonly kind: 'none' }
    | {
        readonly kind: 'ends';
        readonly from: number | undefined;
        readonly to: number | undefined;
        readonly keep: 'first' | 'last';
      }
    | { readonly kind: 'through'; readonly point: number; readonly before: number };
  /** Names of the target of sessions that end, and of the step that replaces omitted steps. */
  readonly dropOff: number;
  readonly leftOut: number;
}

/** Splits a user's events into sessions and counts their paths. */
export function openPathWalk(rules: PathRules, tally: PathTally): (events: CodedTimes) => void {
  const { nameOfCode, gap } = rules;
  let names = new Int32Array(256);
  let times = new Float64Array(256);

  return (events) => {
    tally.nextUser();
    if (names.length < events.count) {
      names = new Int32Array(events.count * 2);
      times = new Float64Array(events.count * 2);
    }
    let length = 0;
    let previous = 0;
    for (let index = 0; index < events.count; index++) {
      const name = nameOfCode[events.codes[index]!]!;
      if (name < 0) continue;
      const time = events.times[index]!;
      if (length > 0 && time - previous >= gap) {
        countSession(length);
        length = 0;
      }
      previous = time;
      // Repeats form one step at the time of the last one.
      if (length === 0 || names[length - 1] !== name) names[length++] = name;
      times[length - 1] = time;
    }
    if (length > 0) countSession(length);
  };

  /** Counts the path of a session whose steps are the first `length` entries of `names`. May change these. */
  function countSession(length: number): void {
    const { anchor, maxSteps } = rules;
    let [first, end, number] = [0, length, 1];
    if (anchor.kind === 'through') {
      const at = find(anchor.point, 0, length);
      if (at < 0) return;
      first = Math.max(0, at - anchor.before);
      number = anchor.before + 1 - (at - first);
    } else if (anchor.kind === 'ends') {
      if (anchor.from !== undefined) first = find(anchor.from, 0, length);
      if (first < 0) return;
      if (anchor.to !== undefined) end = find(anchor.to, first, length) + 1;
      if (end === 0) return;
    }
    tally.addSession();
    // A session that reaches the end point does not drop off.
    let ends = anchor.kind !== 'ends' || anchor.to === undefined;
    const room = maxSteps - number + 1;
    if (end - first > room) {
      if (anchor.kind === 'ends' && anchor.from !== undefined && anchor.to !== undefined) end = leaveOut(first, end);
      else if (anchor.kind === 'ends' && anchor.keep === 'last') first = end - room;
      else {
        end = first + room;
        ends = false;
      }
    }
    for (let index = first; index < end; index++) {
      const step = number + index - first;
      tally.addNode(step, names[index]!, index + 1 < end);
      if (index + 1 < end) tally.addEdge(step, names[index]!, names[index + 1]!, times[index + 1]! - times[index]!);
      else if (ends && step < maxSteps) tally.addEdge(step, names[index]!, rules.dropOff, undefined);
    }
  }

  function find(name: number, from: number, end: number): number {
    for (let index = from; index < end; index++) if (names[index] === name) return index;
    return -1;
  }

  /** Keeps the first and last steps, and replaces those in between by one step at the time of the first of them. */
  function leaveOut(first: number, end: number): number {
    const half = rules.maxSteps >> 1;
    const middle = first + half;
    names[middle] = rules.leftOut;
    names.copyWithin(middle + 1, end - half, end);
    times.copyWithin(middle + 1, end - half, end);
    return middle + 1 + half;
  }
}
