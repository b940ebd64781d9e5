import type { EventKinds, UserEvents } from './user-events.ts';

/** The events that meet each condition, sorted by time: consecutive lists in `places`. */
interface ConditionLists {
  /** Indexes of events. */
  places: Int32Array;
  /** The start of each condition's list, plus the end of the last. */
  readonly starts: Int32Array;
  /** Whether some event meets several conditions. */
  overlapping: boolean;
}

export function openConditionLists(kinds: EventKinds): ConditionLists & { fill(events: UserEvents): void } {
  const starts = new Int32Array(kinds.conditions + 1);
  const next = new Int32Array(kinds.conditions);
  return {
    places: new Int32Array(64),
    starts,
    overlapping: false,
    fill(events) {
      starts.fill(0);
      this.overlapping = false;
      for (let index = 0; index < events.count; index++) {
        const met = kinds.conditionsOf(events.kinds[index]!);
        if (met.length > 1) this.overlapping = true;
        for (let each = 0; each < met.length; each++) starts[met[each]! + 1]! += 1;
      }
      for (let condition = 0; condition < next.length; condition++) {
        next[condition] = starts[condition]!;
        starts[condition + 1]! += starts[condition]!;
      }
      const total = starts[next.length]!;
      if (total > this.places.length) this.places = new Int32Array(total * 2);
      for (let index = 0; index < events.count; index++) {
        const met = kinds.conditionsOf(events.kinds[index]!);
        for (let each = 0; each < met.length; each++) this.places[next[met[each]!]!++] = index;
      }
    },
  };
}
