import type { EventKinds } from './user-events.ts';

/**
 * Gives steps events, one event a step, as many as can be: a matching in a bipartite graph. Events that meet the same
 * conditions are one node with a number of places.
 */
export interface StepMatcher {
  /** Steps that have an event. */
  readonly size: number;
  clear(): void;
  addEvents(kind: number, count: number): void;
  /** Gives this step an event, moving others where that is needed; false: it cannot have one beside them. */
  placeStep(step: number): boolean;
  /**
   * Gives an event of this kind, which has a place to spare, to any step, so that `size` grows; false: none can take
   * it.
   */
  placeEvent(kind: number): boolean;
  /** One event of this kind less; its step gets another where there is one. */
  removeEvent(kind: number): void;
}

const none = -1;

/** `steps` are the conditions of the steps. */
export function openStepMatcher(kinds: EventKinds, steps: readonly number[]): StepMatcher {
  const places: number[] = [];
  const taken: number[] = [];
  const seen: number[] = [];
  const active: number[] = [];
  const kindOfStep = new Int32Array(steps.length).fill(none);
  let round = 0;
  let size = 0;

  const assign = (step: number, kind: number) => {
    kindOfStep[step] = kind;
    taken[kind]! += 1;
  };
  const unassign = (step: number) => {
    taken[kindOfStep[step]!]! -= 1;
    kindOfStep[step] = none;
  };

  const findEvent = (step: number): boolean => {
    for (const kind of active) {
      if (seen[kind] === round || places[kind] === 0 || !kinds.meets(kind, steps[step]!)) continue;
      seen[kind] = round;
      if (taken[kind]! < places[kind]!) {
        assign(step, kind);
        return true;
      }
      for (let other = 0; other < steps.length; other++) {
        if (kindOfStep[other] !== kind) continue;
        unassign(other);
        if (findEvent(other)) {
          assign(step, kind);
          return true;
        }
        assign(other, kind);
      }
    }
    return false;
  };

  const findStep = (kind: number): boolean => {
    seen[kind] = round;
    for (let step = 0; step < steps.length; step++) {
      if (kindOfStep[step] === none && kinds.meets(kind, steps[step]!)) {
        assign(step, kind);
        return true;
      }
    }
    for (let step = 0; step < steps.length; step++) {
      const holder = kindOfStep[step]!;
      if (holder === none || seen[holder] === round || !kinds.meets(kind, steps[step]!)) continue;
      if (findStep(holder)) {
        taken[holder]! -= 1;
        assign(step, kind);
        return true;
      }
    }
    return false;
  };

  return {
    get size() {
      return size;
    },
    clear() {
      for (const kind of active) places[kind] = taken[kind] = 0;
      active.length = 0;
      kindOfStep.fill(none);
      size = 0;
    },
    addEvents(kind, count) {
      if (!(places[kind]! > 0)) {
        places[kind] = taken[kind] = 0;
        if (!active.includes(kind)) active.push(kind);
      }
      places[kind]! += count;
    },
    placeStep(step) {
      round += 1;
      const placed = findEvent(step);
      if (placed) size += 1;
      return placed;
    },
    placeEvent(kind) {
      if (taken[kind]! >= places[kind]!) return false;
      round += 1;
      const placed = findStep(kind);
      if (placed) size += 1;
      return placed;
    },
    removeEvent(kind) {
      places[kind]! -= 1;
      if (taken[kind]! <= places[kind]!) return;
      const step = kindOfStep.indexOf(kind);
      unassign(step);
      size -= 1;
      round += 1;
      if (findEvent(step)) size += 1;
    },
  };
}
