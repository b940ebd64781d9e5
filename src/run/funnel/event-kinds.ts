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
  /** The kind that meets these conditions, given in rising order; made where there is none yet. */
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
