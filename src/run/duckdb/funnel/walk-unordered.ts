import type { FunnelRules, FunnelWalk } from './funnel-rules.ts';
import { openStepMatcher } from './step-matcher.ts';
import { endOfGroup, type EventKinds, type UserEvents } from './user-events.ts';

/**
 * Steps in whatever order: a window moves over the user's events, and the steps that its events can be, one each, are
 * a matching that grows and shrinks with it. An excluded event ends the window where all steps are to be taken before
 * it, and spoils a window in which not all are.
 */
export function openUnorderedWalk({ steps, window, exclusions }: FunnelRules, kinds: EventKinds): FunnelWalk {
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

  /** The first events from `begin` on that can be so many steps. */
  function takeTimes(events: UserEvents, begin: number, depth: number, times: Float64Array): void {
    matcher.clear();
    for (let index = begin; matcher.size < depth; index++) {
      const kind = events.kinds[index]!;
      matcher.addEvents(kind, 1);
      if (matcher.placeEvent(kind)) times[matcher.size - 1] = events.times[index]!;
    }
  }
}
