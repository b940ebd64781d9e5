import { openConditionLists } from './condition-lists.ts';
import type { Attempt, FunnelRules, FunnelWalk } from './funnel-rules.ts';
import { type EventGroup, readGroup, takeSteps } from './sort-events.ts';
import { openStepMatcher } from './step-matcher.ts';
import { type EventKinds, firstFrom, type UserEvents } from './user-events.ts';

/** Handles users who never pass the first step. False if a full walk is needed. */
type FastPath = (events: UserEvents, attempt: Attempt) => boolean;

const several = -2;
const none = -1;

/**
 * Most users of most funnels never pass the first step. If each step has its own condition and no two events are
 * simultaneous, one pass that remembers the latest start is enough.
 */
function openFastPath({ steps, window, exclusions }: FunnelRules, kinds: EventKinds): FastPath {
  const plain =
    exclusions.length === 0 &&
    steps.every(({ within }) => within === Infinity) &&
    new Set(steps.map(({ condition }) => condition)).size === steps.length;
  if (!plain) return () => false;
  const stepOfCondition = new Map(steps.map(({ condition }, step) => [condition, step]));
  let stepOfKind = new Int32Array(0);
  const learn = () => {
    stepOfKind = Int32Array.from({ length: kinds.size }, (_, kind) => {
      const conditions = kinds.conditionsOf(kind);
      return conditions.length > 1
        ? several
        : conditions.length === 0
          ? none
          : (stepOfCondition.get(conditions[0]!) ?? none);
    });
  };

  return ({ times, kinds: kindOf, count, entriesBefore }, attempt) => {
    if (stepOfKind.length < kinds.size) learn();
    let first = -1;
    let latest = -Infinity;
    for (let index = 0; index < count; index++) {
      const time = times[index]!;
      if (index > 0 && time === times[index - 1]) return false;
      const step = stepOfKind[kindOf[index]!]!;
      if (step === several) return false;
      if (step === 0) {
        if (time >= entriesBefore) continue;
        if (first === -1) first = time;
        latest = time;
      } else if (step === 1 && time - latest <= window) return false;
    }
    attempt.spoiled = false;
    attempt.depth = first === -1 ? 0 : 1;
    attempt.times[0] = first;
    return true;
  };
}

/**
 * Ordered steps with any events in between. Every constraint has the same form: a step's event must not be earlier than
 * a time that grows with another step's event. Taking the earlier event of two attempts at each step therefore gives an
 * attempt too, so there is a first one. Each step points at the earliest possible event, and advances if another step
 * requires it. Pointers never move back, even when a step is added, so the work is linear in the number of events.
 */
export function openOrderedWalk({ steps, window, exclusions }: FunnelRules, kinds: EventKinds): FunnelWalk {
  const lists = openConditionLists(kinds);
  const matcher = openStepMatcher(
    kinds,
    steps.map((step) => step.condition),
  );
  const conditions = steps.map((step) => step.condition);
  const within = Float64Array.from(steps, (step) => step.within);
  const limited = steps.some((step) => step.within !== Infinity);
  const nextSame = conditions.map((condition, index) => conditions.indexOf(condition, index + 1));
  const lastSame = conditions.map((condition, index) =>
    index === 0 ? -1 : conditions.lastIndexOf(condition, index - 1),
  );
  /** Each step's position in the lists, and the time of its event. */
  const at = new Int32Array(steps.length);
  const when = new Float64Array(steps.length);
  const excludedAt = new Int32Array(exclusions.length);
  const pending: number[] = [];
  let events: UserEvents;
  let length = 0;
  let guarded = false;
  let group: { readonly first: number; readonly events: EventGroup } | undefined;

  const pointAt = (step: number, place: number): boolean => {
    if (place >= lists.starts[conditions[step]! + 1]!) return false;
    at[step] = place;
    when[step] = events.times[lists.places[place]!]!;
    if (step === 0 && when[0]! >= events.entriesBefore) return false;
    pending.push(step);
    return true;
  };

  /** Advances a step to the first event at or after `time`; false if there is none. */
  const raise = (step: number, time: number): boolean => {
    if (when[step]! >= time) return true;
    const end = lists.starts[conditions[step]! + 1]!;
    let place = at[step]! + 1;
    while (place < end && events.times[lists.places[place]!]! < time) place += 1;
    return pointAt(step, place);
  };

  /** Advances other steps as this step's time requires. */
  const demand = (step: number): boolean => {
    const time = when[step]!;
    if (step + 1 < length && !raise(step + 1, time)) return false;
    const same = nextSame[step]!;
    if (same !== -1 && same < length && at[same]! <= at[step]! && !pointAt(same, at[step]! + 1)) return false;
    if (limited && step > 0 && !raise(step - 1, time - within[step]!)) return false;
    if (step === length - 1 && !raise(0, time - window)) return false;
    return !guarded || exclusions.every((_, index) => demandClean(index, step));
  };

  /** The first step of an exclusion must not be earlier than the last excluded event before its end. */
  const demandClean = (index: number, step: number): boolean => {
    const { condition, from, to } = exclusions[index]!;
    if (from >= length || step !== (to < length ? to : 0)) return true;
    const end = lists.starts[condition + 1]!;
    const first = lists.starts[condition]!;
    let place = excludedAt[index]!;
    if (to < length) while (place < end && events.times[lists.places[place]!]! < when[to]!) place += 1;
    else while (place < end && events.times[lists.places[place]!]! <= when[0]! + window) place += 1;
    excludedAt[index] = place;
    return place === first || raise(from, events.times[lists.places[place - 1]!]!);
  };

  const settle = (): boolean => {
    do {
      for (let step = pending.pop(); step !== undefined; step = pending.pop()) if (!demand(step)) return false;
      if (lists.overlapping && !partSteps()) return false;
    } while (pending.length > 0);
    return true;
  };

  /** Simultaneous steps need an event each. The first step without one advances. */
  const partSteps = (): boolean => {
    for (let first = 0; first < length; ) {
      let end = first + 1;
      while (end < length && when[end] === when[first]) end += 1;
      if (end - first > 1) {
        const index = firstFrom(events, when[first]!);
        if (group?.first !== index) group = { first: index, events: readGroup(events, kinds, index) };
        const taken = takeSteps(group.events, matcher, first, end);
        if (taken < end - first) {
          const late = first + taken;
          const limit = lists.starts[conditions[late]! + 1]!;
          let place = at[late]!;
          while (place < limit && events.times[lists.places[place]!]! <= when[late]!) place += 1;
          return pointAt(late, place);
        }
      }
      first = end;
    }
    return true;
  };

  /** Adds the next step to a valid attempt. */
  const extend = (): boolean => {
    const step = length;
    length += 1;
    const before = lastSame[step]!;
    const first = lists.starts[conditions[step]!]!;
    return (
      pointAt(step, before === -1 ? first : Math.max(first, at[before]! + 1)) &&
      (step === 0 || raise(step, when[step - 1]!)) &&
      settle()
    );
  };

  /** A plain loop: most attempts are too short for a call of `set` to pay off. */
  const keepTimes = ({ times }: Attempt): void => {
    for (let step = 0; step < length; step++) times[step] = when[step]!;
  };

  const avoidExcluded = (attempt: Attempt): boolean => {
    length = attempt.depth;
    guarded = true;
    excludedAt.set(exclusions.map(({ condition }) => lists.starts[condition]!));
    // The failed step advanced the others. Reset all to the attempt without it.
    for (let step = 0; step < length; step++) {
      if (!pointAt(step, placeOf(step, attempt.times[step]!))) return false;
    }
    return settle();
  };

  const placeOf = (step: number, time: number): number => {
    const before = lastSame[step]!;
    const end = lists.starts[conditions[step]! + 1]!;
    let low = before === -1 ? lists.starts[conditions[step]!]! : at[before]! + 1;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (events.times[lists.places[middle]!]! < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const fastPath = openFastPath({ order: 'ordered', steps, window, exclusions }, kinds);

  return (ofUser, attempt) => {
    if (fastPath(ofUser, attempt)) return;
    events = ofUser;
    lists.fill(events);
    length = 0;
    guarded = false;
    group = undefined;
    attempt.depth = 0;
    attempt.spoiled = false;
    pending.length = 0;
    while (attempt.depth < steps.length && extend()) {
      attempt.depth += 1;
      keepTimes(attempt);
    }
    if (exclusions.length === 0 || attempt.depth === 0) return;
    pending.length = 0;
    if (avoidExcluded(attempt)) keepTimes(attempt);
    else {
      attempt.depth = 0;
      attempt.spoiled = true;
    }
  };
}
