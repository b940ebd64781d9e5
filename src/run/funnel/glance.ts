import type { EventKinds } from './event-kinds.ts';
import type { Attempt, FunnelRules } from './funnel-rules.ts';
import type { UserEvents } from './user-events.ts';

/** Settles what is settled at a glance: who never came past the first step. False: it takes a real walk. */
export type Glance = (events: UserEvents, attempt: Attempt) => boolean;

const several = -2;
const none = -1;

/**
 * Most users of most funnels never come past the first step. Where each step has a condition of its own, and no two
 * events of a user a time, one pass tells: each step remembers the latest beginning from which it was reached.
 */
export function openGlance({ steps, window, exclusions }: FunnelRules, kinds: EventKinds): Glance {
  const plain = exclusions.length === 0 && steps.every(({ within }) => within === Infinity) && new Set(steps.map(({ condition }) => condition)).size === steps.length;
  if (!plain) return () => false;
  const stepOfCondition = new Map(steps.map(({ condition }, step) => [condition, step]));
  let stepOfKind = new Int32Array(0);
  const learn = () => {
    stepOfKind = Int32Array.from({ length: kinds.size }, (_, kind) => {
      const conditions = kinds.conditionsOf(kind);
      return conditions.length > 1 ? several : conditions.length === 0 ? none : stepOfCondition.get(conditions[0]!) ?? none;
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
