import { openConditionLists } from './condition-lists.ts';
import type { FunnelRules, FunnelWalk } from './funnel-rules.ts';
import { type EventGroup, readGroup, takeSteps } from './sort-events.ts';
import { openStepMatcher } from './step-matcher.ts';
import { endOfGroup, type EventKinds, type UserEvents } from './user-events.ts';

/**
 * Steps that are neighbours among all of a user's events: no other event has a time between the first and the last of
 * them. Events of one time stand in any order, so that an attempt may begin among some and end among others; all events
 * of the times between are steps. Each beginning is followed for at most as many events as there are steps.
 */
export function openStrictWalk({ steps, window, exclusions }: FunnelRules, kinds: EventKinds): FunnelWalk {
  const conditions = steps.map((step) => step.condition);
  const matcher = openStepMatcher(kinds, conditions);
  const times = new Float64Array(steps.length);
  const lists = openConditionLists(kinds);
  let events: UserEvents;
  const groups = new Map<number, EventGroup>();

  const groupAt = (first: number): EventGroup => {
    let group = groups.get(first);
    if (!group) {
      // Those that a beginning can reach lie close together.
      if (groups.size > 2 * steps.length) groups.clear();
      group = readGroup(events, kinds, first);
      groups.set(first, group);
    }
    return group;
  };

  /** How many steps from `step` on the events of one time can be. */
  const take = (first: number, end: number, step: number): number => {
    if (end - first === 1) return kinds.meets(events.kinds[first]!, conditions[step]!) ? 1 : 0;
    return takeSteps(groupAt(first), matcher, step, steps.length);
  };

  /** Follows the attempt whose first `taken` steps are among the events from `first` to `end`. Sets `times`. */
  const follow = (first: number, end: number, taken: number): number => {
    const start = events.times[first]!;
    times.fill(start, 0, taken);
    let reached = taken;
    let before = start;
    let next = end;
    while (next < events.count && reached < steps.length) {
      const time = events.times[next]!;
      if (time - start > window || time - before > steps[reached]!.within) break;
      const close = endOfGroup(events, next);
      const more = take(next, close, reached);
      times.fill(time, reached, reached + more);
      reached += more;
      if (more < close - next) break;
      before = time;
      next = close;
    }
    return reached;
  };

  const isSpoiled = (depth: number): boolean =>
    exclusions.some(({ condition, from, to }) => {
      if (from >= depth) return false;
      const spoiling = firstAfter(condition, times[from]!);
      return to < depth ? spoiling < times[to]! : spoiling <= times[0]! + window;
    });

  /** The time of the first event after `time` that meets the condition; Infinity: there is none. */
  const firstAfter = (condition: number, time: number): number => {
    let low = lists.starts[condition]!;
    const end = lists.starts[condition + 1]!;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (events.times[lists.places[middle]!]! <= time) low = middle + 1;
      else high = middle;
    }
    return low < end ? events.times[lists.places[low]!]! : Infinity;
  };

  /** Calls for every beginning, in the order in which the times of their attempts come; until `visit` says true. */
  const eachBeginning = (visit: (reached: number) => boolean): void => {
    for (let first = 0; first < events.count; ) {
      if (events.times[first]! >= events.entriesBefore) return;
      const end = endOfGroup(events, first);
      for (let taken = take(first, end, 0); taken > 0; taken--) if (visit(follow(first, end, taken))) return;
      first = end;
    }
  };

  return (ofUser, attempt) => {
    events = ofUser;
    groups.clear();
    attempt.depth = 0;
    attempt.spoiled = false;
    eachBeginning((reached) => {
      if (reached > attempt.depth) {
        attempt.depth = reached;
        attempt.times.set(times.subarray(0, reached));
      }
      return attempt.depth === steps.length;
    });
    if (exclusions.length === 0 || attempt.depth === 0) return;
    const { depth } = attempt;
    lists.fill(events);
    attempt.depth = 0;
    eachBeginning((reached) => {
      if (reached < depth || isSpoiled(depth)) return false;
      attempt.depth = depth;
      attempt.times.set(times.subarray(0, depth));
      return true;
    });
    attempt.spoiled = attempt.depth === 0;
  };
}
