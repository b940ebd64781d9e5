import type { EventKinds } from './event-kinds.ts';
import type { StepMatcher } from './step-matcher.ts';
import { endOfGroup, type UserEvents } from './user-events.ts';

/** The events of one time, by what they can stand for. */
export interface EventGroup {
  readonly end: number;
  readonly kinds: readonly { readonly kind: number; readonly count: number }[];
}

/** The events of one time; `first` is the index of the first of them. More of a kind than there are steps are no use. */
export function readGroup(events: UserEvents, kinds: EventKinds, first: number): EventGroup {
  const end = endOfGroup(events, first);
  const counts = new Map<number, number>();
  for (let index = first; index < end; index++) {
    const kind = events.kinds[index]!;
    if (kinds.conditionsOf(kind).length > 0) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return { end, kinds: [...counts].map(([kind, count]) => ({ kind, count })) };
}

/** How many steps from `from` on, up to `end`, can be taken by these events, one each. */
export function takeSteps(group: EventGroup, matcher: StepMatcher, from: number, end: number): number {
  matcher.clear();
  for (const { kind, count } of group.kinds) matcher.addEvents(kind, count);
  let step = from;
  while (step < end && matcher.placeStep(step)) step += 1;
  return step - from;
}
