/**
 * The events of one user that a funnel reads. The arrays may be longer than `count`, because they are reused for the
 * next user.
 */
export interface UserEvents {
  count: number;
  /** Microseconds since a user-specific origin, ascending. */
  times: Float64Array;
  /** See `EventKinds`. */
  kinds: Int32Array;
  /** Only attempts that start before this time count; Infinity for all. */
  entriesBefore: number;
}

/** Ensures the capacity of the arrays. Their contents are lost if they grow. */
export function makeRoom(events: UserEvents, length: number): void {
  if (events.times.length >= length) return;
  events.times = new Float64Array(length * 2);
  events.kinds = new Int32Array(length * 2);
}

/** End of the events with the same time as the one at `first`. */
export function endOfGroup({ times, count }: UserEvents, first: number): number {
  const time = times[first]!;
  let end = first + 1;
  while (end < count && times[end] === time) end += 1;
  return end;
}

/** Index of the first event at or after a time. */
export function firstFrom({ times, count }: UserEvents, time: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Event kinds: each set of conditions that an event can meet has a small number. Kind 0 meets none. */
export interface EventKinds {
  readonly conditions: number;
  /** Number of kinds so far. */
  readonly size: number;
  /** Indexes of the conditions that an event of this kind meets. */
  conditionsOf(kind: number): readonly number[];
  meets(kind: number, condition: number): boolean;
  /** The kind that meets these conditions, given in ascending order; created if missing. */
  kindOf(conditions: readonly number[]): number;
}

export function openEventKinds(conditions: number): EventKinds {
  const numbers = new Map<string, number>([['', 0]]);
  const lists: (readonly number[])[] = [[]];
  const sets: Set<number>[] = [new Set()];
  return {
    conditions,
    get size() {
      return lists.length;
    },
    conditionsOf: (kind) => lists[kind]!,
    meets: (kind, condition) => sets[kind]!.has(condition),
    kindOf(met) {
      const key = met.join(' ');
      let kind = numbers.get(key);
      if (kind === undefined) {
        kind = lists.length;
        numbers.set(key, kind);
        lists.push([...met]);
        sets.push(new Set(met));
      }
      return kind;
    },
  };
}

/** Iterates over users with their events. */
export interface UserSource {
  /** Advances to the next user; false at the end. */
  next(): boolean;
  /**
   * Advances to the same user's events with the next held values; false if there are none. Users without held values
   * have all their events at once.
   */
  more(): boolean;
  /** The current events of the user, sorted by time. The object is reused for all users. */
  readonly events: UserEvents;
  /** Epoch milliseconds of a time in `events`, rounded down. */
  toInstant(time: number): number;
  /** Epoch microseconds of the time of one of the events. */
  toMicros(time: number): bigint;
  /** The breakdown's value of an event. */
  valueOf(index: number): string | null;
  /** Only if keys were requested. */
  key(): string;
  /** The number of events without a user that were skipped since the last call. */
  takeNobody(): number;
}
