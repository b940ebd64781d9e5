import type { Attempt, FunnelRules } from './funnel-rules.ts';
import { readGroup } from './sort-events.ts';
import { openStepMatcher } from './step-matcher.ts';
import { endOfGroup, type EventKinds, firstFrom, type UserEvents } from './user-events.ts';

/** The breakdown's value in a user's attempt; null if the attributed step was not reached. */
type AttributedValue = (
  events: UserEvents,
  attempt: Attempt,
  valueOf: (index: number) => string | null,
) => string | null;

/**
 * If several simultaneous events can be the attributed step of the first furthest attempt, the smallest value counts,
 * by code unit, so that file order does not matter.
 */
export function openAttributedValue(
  { order, steps }: FunnelRules,
  kinds: EventKinds,
  attribution: 'first' | 'last' | number,
): AttributedValue {
  const conditions = steps.map((step) => step.condition);
  const matcher = openStepMatcher(kinds, conditions);

  /** Kinds of the events at `first` that can be the step, if the other steps of the same time have an event each. */
  const inOrder = (events: UserEvents, { depth, times }: Attempt, step: number, first: number) => {
    let from = step;
    while (from > 0 && times[from - 1] === times[step]) from -= 1;
    let end = step + 1;
    while (end < depth && times[end] === times[step]) end += 1;
    const group = readGroup(events, kinds, first);
    return memo((kind) => {
      if (!kinds.meets(kind, conditions[step]!)) return false;
      if (end - from === 1) return true;
      matcher.clear();
      for (const { kind: other, count } of group.kinds)
        if (count > (other === kind ? 1 : 0)) matcher.addEvents(other, count - (other === kind ? 1 : 0));
      for (let other = from; other < end; other++) if (other !== step && !matcher.placeStep(other)) return false;
      return true;
    });
  };

  /** Kinds of the events at `first` that can be one more step after the earlier steps of the attempt. */
  const inAnyOrder = (events: UserEvents, { times }: Attempt, first: number) =>
    memo((kind) => {
      matcher.clear();
      for (let index = firstFrom(events, times[0]!); index < first; index++) {
        matcher.addEvents(events.kinds[index]!, 1);
        matcher.placeEvent(events.kinds[index]!);
      }
      matcher.addEvents(kind, 1);
      return matcher.placeEvent(kind);
    });

  return (events, attempt, valueOf) => {
    const step = attribution === 'first' ? 0 : attribution === 'last' ? attempt.depth - 1 : attribution;
    if (step >= attempt.depth) return null;
    const first = firstFrom(events, attempt.times[step]!);
    const fits = order === 'unordered' ? inAnyOrder(events, attempt, first) : inOrder(events, attempt, step, first);
    let smallest: string | null = null;
    const end = endOfGroup(events, first);
    for (let index = first; index < end; index++) {
      if (!fits(events.kinds[index]!)) continue;
      const value = valueOf(index);
      if (value !== null && (smallest === null || value < smallest)) smallest = value;
    }
    return smallest;
  };
}

function memo(judge: (kind: number) => boolean): (kind: number) => boolean {
  const known = new Map<number, boolean>();
  return (kind) => {
    const verdict = known.get(kind) ?? judge(kind);
    known.set(kind, verdict);
    return verdict;
  };
}
