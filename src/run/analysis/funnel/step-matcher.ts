import type { EventKinds } from './user-events.ts';

/**
 * Assigns events to steps, one event a step, as many as possible: a bipartite matching. Events that meet the same
 * conditions form one node with a capacity.
 */
export interface StepMatcher {
  /** Number of steps with an event. */
  readonly size: number;
  clear(): void;
  addEvents(kind: number, count: number): void;
  /** Assigns an event to this step and moves others if needed; false if that is impossible. */
  placeStep(step: number): boolean;
  /** Assigns an unused event of this kind to any step, which increments `size`; false if no step can take it. */
  placeEvent(kind: number): boolean;
  /** Removes one event of this kind. Its step gets another event if possible. */
  removeEvent(kind: number): void;
}

const none = -1;

/** `steps`: the condition of each step. */
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
