/**
 * The events of one user that a funnel looks at. The arrays may be longer than `count`: they are used again for the
 * next user.
 */
export interface UserEvents {
  count: number;
  /** Microseconds since an instant of the user's own, never falling. */
  times: Float64Array;
  /** See `EventKinds`. */
  kinds: Int32Array;
  /** Only attempts that begin before this time count; Infinity: all. */
  entriesBefore: number;
}

/** Makes the arrays long enough; what they held is lost where they were not. */
export function makeRoom(events: UserEvents, length: number): void {
  if (events.times.length >= length) return;
  events.times = new Float64Array(length * 2);
  events.kinds = new Int32Array(length * 2);
}

/** End of the events that have the same time as the one at `first`. */
export function endOfGroup({ times, count }: UserEvents, first: number): number {
  const time = times[first]!;
  let end = first + 1;
  while (end < count && times[end] === time) end += 1;
  return end;
}

/** Index of the first event whose time is not below. */
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

/**
 * What an event can stand for: which of the program's conditions it meets, as a small number. Kind 0 meets none.
 */
export interface EventKinds {
  readonly conditions: number;
  /** How many kinds there are by now. */
  readonly size: number;
  /** Indexes of the conditions that an event of this kind meets. */
  conditionsOf(kind: number): readonly number[];
  meets(kind: number, condition: number): boolean;
  /** The kind that meets these conditions, given in rising order; created if it is missing. */
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
