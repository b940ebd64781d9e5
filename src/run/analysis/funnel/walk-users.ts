import { openAttributedValue } from './attributed-value.ts';
import { openConditionLists } from './condition-lists.ts';
import type { FollowedUsers } from './followed-users.ts';
import type { FunnelProgram } from './funnel-program.ts';
import type { Attempt, FunnelRules, FunnelWalk } from './funnel-rules.ts';
import { type EventGroup, readGroup, takeSteps } from './sort-events.ts';
import { openStepMatcher } from './step-matcher.ts';
import { type EventKinds, type UserEvents, endOfGroup, type UserSource } from './user-events.ts';
import { openOrderedWalk } from './walk-ordered.ts';

/**
 * Steps in any order. A window moves over the user's events, and a matching assigns its events to steps, one each. An
 * excluded event ends the window, which then only counts if it contains all steps.
 */
function openUnorderedWalk({ steps, window, exclusions }: FunnelRules, kinds: EventKinds): FunnelWalk {
  const conditions = steps.map((step) => step.condition);
  const matcher = openStepMatcher(kinds, conditions);
  const excluded = [...new Set(exclusions.map((exclusion) => exclusion.condition))];
  const beginsAt = (events: UserEvents, first: number, end: number): boolean => {
    for (let index = first; index < end; index++)
      if (conditions.some((condition) => kinds.meets(events.kinds[index]!, condition))) return true;
    return false;
  };
  const spoils = (kind: number): boolean => excluded.some((condition) => kinds.meets(kind, condition));

  return (events, attempt) => {
    matcher.clear();
    attempt.depth = 0;
    let candidates = false;
    let begin = 0;
    let next = 0;
    let spoiler = 0;
    for (let first = 0; first < events.count && attempt.depth < steps.length; ) {
      const start = events.times[first]!;
      if (start >= events.entriesBefore) break;
      const end = endOfGroup(events, first);
      if (beginsAt(events, first, end)) {
        candidates = true;
        if (excluded.length > 0)
          while (spoiler < events.count && !(events.times[spoiler]! > start && spoils(events.kinds[spoiler]!)))
            spoiler += 1;
        const spoiled = excluded.length > 0 && spoiler < events.count ? events.times[spoiler]! : Infinity;
        const last = Math.min(start + window, spoiled);
        for (; next < events.count && events.times[next]! <= last; next++) {
          matcher.addEvents(events.kinds[next]!, 1);
          if (matcher.size < steps.length) matcher.placeEvent(events.kinds[next]!);
        }
        const counts = matcher.size === steps.length || spoiled > start + window;
        if (counts && matcher.size > attempt.depth) {
          attempt.depth = matcher.size;
          begin = first;
        }
      }
      for (; first < end; first++) if (first < next) matcher.removeEvent(events.kinds[first]!);
      next = Math.max(next, end);
    }
    attempt.spoiled = candidates && attempt.depth === 0;
    takeTimes(events, begin, attempt.depth, attempt.times);
  };

  /** Records the times of the first events from `begin` on that fill `depth` steps. */
  function takeTimes(events: UserEvents, begin: number, depth: number, times: Float64Array): void {
    matcher.clear();
    for (let index = begin; matcher.size < depth; index++) {
      const kind = events.kinds[index]!;
      matcher.addEvents(kind, 1);
      if (matcher.placeEvent(kind)) times[matcher.size - 1] = events.times[index]!;
    }
  }
}

/**
 * Steps that are consecutive among all of a user's events. Simultaneous events can be in any order, so an attempt may
 * start among some and end among others. All events at times in between must be steps. Each start is followed for at
 * most as many events as there are steps.
 */
function openStrictWalk({ steps, window, exclusions }: FunnelRules, kinds: EventKinds): FunnelWalk {
  const conditions = steps.map((step) => step.condition);
  const matcher = openStepMatcher(kinds, conditions);
  const times = new Float64Array(steps.length);
  const lists = openConditionLists(kinds);
  let events: UserEvents;
  const groups = new Map<number, EventGroup>();

  const groupAt = (first: number): EventGroup => {
    let group = groups.get(first);
    if (!group) {
      // The groups that a start can reach are close together.
      if (groups.size > 2 * steps.length) groups.clear();
      group = readGroup(events, kinds, first);
      groups.set(first, group);
    }
    return group;
  };

  /** How many steps from `step` on these simultaneous events can fill. */
  const take = (first: number, end: number, step: number): number => {
    if (end - first === 1) return kinds.meets(events.kinds[first]!, conditions[step]!) ? 1 : 0;
    return takeSteps(groupAt(first), matcher, step, steps.length);
  };

  /** Follows an attempt whose first `taken` steps are among the events from `first` to `end`. Writes `times`. */
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

  /** The time of the first event after `time` that meets the condition; Infinity if there is none. */
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

  /** Visits every start in order of its attempt's times, until `visit` returns true. */
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

const second = 1_000_000;

/** Maximum number of users in a batch. */
export const mostUsers = 4096;

/**
 * Follows the next users of a source, up to `mostUsers`. Of a user's combinations of held values, the furthest counts;
 * of several, the one with the earliest times; of several, the smallest value of the breakdown.
 */
export function openSourceWalk(
  rules: FunnelRules,
  {
    program,
    codes,
    keys: withKeys,
  }: { readonly program: FunnelProgram; readonly codes: { readonly kinds: EventKinds }; readonly keys: boolean },
): (source: UserSource) => FollowedUsers {
  const steps = rules.steps.length;
  const walk = openWalk(rules, codes.kinds);
  const attributed = program.breakdown && openAttributedValue(rules, codes.kinds, program.breakdown.attribution);
  const attempt = { depth: 0, spoiled: false, times: new Float64Array(steps) };
  const held = program.hold.length > 0;

  return (source) => {
    const depth = new Int32Array(mostUsers);
    const entry = new Float64Array(mostUsers);
    const elapsed = new Float64Array(mostUsers * steps);
    const values: (string | null)[] = [];
    const keys: string[] = [];
    const { events } = source;
    let [count, spoiled] = [0, 0];
    /** The times of the user's best combination so far, in epoch microseconds. */
    let best: readonly bigint[] = [];
    /** Whether the attempt comes further than the best, or as far earlier (below 0), or has the same times (0). */
    const compare = (): number => {
      if (attempt.depth !== depth[count]!) return depth[count]! - attempt.depth;
      return compareTimes(microsOf(attempt, source), best);
    };
    const keep = () => {
      const start = attempt.times[0]!;
      const place = count * steps;
      depth[count] = attempt.depth;
      entry[count] = source.toInstant(start);
      for (let step = 1; step < attempt.depth; step++) elapsed[place + step] = (attempt.times[step]! - start) / 1000;
      if (attributed) values[count] = attributed(events, attempt, source.valueOf);
      if (held) best = microsOf(attempt, source);
    };
    while (count < mostUsers && source.next()) {
      let isSpoiled = false;
      depth[count] = 0;
      do {
        walk(events, attempt);
        isSpoiled ||= attempt.spoiled;
        if (attempt.depth === 0) continue;
        const order = depth[count] === 0 ? -1 : compare();
        if (order < 0) keep();
        else if (order === 0 && attributed)
          values[count] = smaller(values[count]!, attributed(events, attempt, source.valueOf));
      } while (source.more());
      if (depth[count]! > 0) {
        if (withKeys) keys.push(source.key());
        count += 1;
      } else if (isSpoiled) spoiled += 1;
    }
    return {
      count,
      depth: depth.subarray(0, count),
      entry: entry.subarray(0, count),
      elapsed: elapsed.subarray(0, count * steps),
      values: attributed && values,
      keys: withKeys ? keys : undefined,
      spoiled,
      withoutUser: source.takeNobody(),
      unheld: 0,
    };
  };
}

function microsOf({ times, depth }: Attempt, source: UserSource): readonly bigint[] {
  return Array.from({ length: depth }, (_, step) => source.toMicros(times[step]!));
}

/** Compares the first times that differ. */
function compareTimes(left: readonly bigint[], right: readonly bigint[]): number {
  const at = left.findIndex((time, index) => time !== right[index]);
  if (at < 0) return 0;
  return left[at]! < right[at]! ? -1 : 1;
}

/** The smaller text, by code unit; null is no text. */
function smaller(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return other < one ? other : one;
}

export function toRules(
  { order, window, steps, exclusions }: FunnelProgram,
  { conditions }: { readonly conditions: readonly number[] },
): FunnelRules {
  return {
    order,
    window: window * second,
    steps: steps.map(({ within }, index) => ({
      condition: conditions[index]!,
      within: within === undefined ? Infinity : within * second,
    })),
    exclusions: exclusions.map(({ from, to }, index) => ({ condition: conditions[steps.length + index]!, from, to })),
  };
}

const walks = { ordered: openOrderedWalk, strict: openStrictWalk, unordered: openUnorderedWalk } as const;

/** Opens the walk that determines users' progress. */
export function openWalk(rules: FunnelRules, kinds: EventKinds): FunnelWalk {
  return walks[rules.order](rules, kinds);
}
