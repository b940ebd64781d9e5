import type { StepMatcher } from './step-matcher.ts';
import { endOfGroup, type EventKinds, type UserEvents } from './user-events.ts';

/** Insertion sort is used up to this length; most lists are nearly sorted. */
const short = 64;

/** Sorts events by time. Times are whole numbers that are not negative. `kindCount`: number of kinds. */
export function sortEvents(events: UserEvents, kindCount: number): void {
  const { times, kinds, count } = events;
  if (count <= short) {
    moveIntoPlace(times, kinds, count);
    return;
  }
  let high = 0;
  let sorted = true;
  for (let index = 1; index < count; index++) if (times[index]! < times[index - 1]!) sorted = false;
  if (sorted) return;
  for (let index = 0; index < count; index++) if (times[index]! > high) high = times[index]!;
  if ((high + 1) * kindCount <= 2 ** 53) sortTogether(times, kinds, count, kindCount);
  else sortApart(times, kinds, count);
}

function moveIntoPlace(times: Float64Array, kinds: Int32Array, count: number): void {
  for (let index = 1; index < count; index++) {
    const time = times[index]!;
    let place = index - 1;
    if (times[place]! <= time) continue;
    const kind = kinds[index]!;
    while (place >= 0 && times[place]! > time) {
      times[place + 1] = times[place]!;
      kinds[place + 1] = kinds[place]!;
      place -= 1;
    }
    times[place + 1] = time;
    kinds[place + 1] = kind;
  }
}

/** Time and kind fit into one number. */
function sortTogether(times: Float64Array, kinds: Int32Array, count: number, kindCount: number): void {
  for (let index = 0; index < count; index++) times[index] = times[index]! * kindCount + kinds[index]!;
  times.subarray(0, count).sort();
  for (let index = 0; index < count; index++) {
    const both = times[index]!;
    // Correct a quotient that was rounded up to the next whole number.
    let time = Math.floor(both / kindCount);
    if (time * kindCount > both) time -= 1;
    kinds[index] = both - time * kindCount;
    times[index] = time;
  }
}

function sortApart(times: Float64Array, kinds: Int32Array, count: number): void {
  const order = Uint32Array.from({ length: count }, (_, index) => index).sort((a, b) => times[a]! - times[b]!);
  const [timesThen, kindsThen] = [times.slice(0, count), kinds.slice(0, count)];
  order.forEach((from, to) => {
    times[to] = timesThen[from]!;
    kinds[to] = kindsThen[from]!;
  });
}

/** The simultaneous events of a user, by kind. */
export interface EventGroup {
  readonly kinds: readonly { readonly kind: number; readonly count: number }[];
}

/** Collects the simultaneous events from index `first` on. Kinds that meet no condition are omitted. */
export function readGroup(events: UserEvents, kinds: EventKinds, first: number): EventGroup {
  const end = endOfGroup(events, first);
  const counts = new Map<number, number>();
  for (let index = first; index < end; index++) {
    const kind = events.kinds[index]!;
    if (kinds.conditionsOf(kind).length > 0) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return { kinds: [...counts].map(([kind, count]) => ({ kind, count })) };
}

/** How many steps from `from` up to `end` these events can fill, one event each. */
export function takeSteps(group: EventGroup, matcher: StepMatcher, from: number, end: number): number {
  matcher.clear();
  for (const { kind, count } of group.kinds) matcher.addEvents(kind, count);
  let step = from;
  while (step < end && matcher.placeStep(step)) step += 1;
  return step - from;
}
