import type { FunnelRules } from '../../analysis/funnel/funnel-rules.ts';

/** Times before and after all events. Differences between them still fit into Int64. */
export const never = '-4000000000000000000';
export const ever = 'toInt64(4000000000000000000)';
const longest = 10 ** 17;

/** The columns that one enclosing query adds, with their SQL. */
export type Columns = Readonly<Record<string, string>>;

/** Column names in the SQL of these columns. */
export function wordsOf(columns: Columns): Set<string> {
  return new Set(Object.values(columns).flatMap((text) => text.match(/\b[a-z_]+\d*(?:_\d+)?\b/g) ?? []));
}

/** An array with the result of `value` for the elements at each position of the arrays. */
export function mapped(value: string, arrays: Readonly<Record<string, string>>): string {
  return `arrayMap((${Object.keys(arrays).join(', ')}) -> ${value}, ${Object.values(arrays).join(', ')})`;
}

/**
 * The array shifted by one position: `later` puts each element at the position of its successor, `sooner` at that of
 * its predecessor.
 */
export function later(array: string, first: string): string {
  return `arrayPushFront(arrayPopBack(${array}), ${first})`;
}
export function sooner(array: string, last: string): string {
  return `arrayPushBack(arrayPopFront(${array}), ${last})`;
}

export function greatest(all: readonly string[]): string {
  return all.length === 1 ? all[0]! : `greatest(${all.join(', ')})`;
}

export function micros(time: number): string {
  return String(Math.floor(Math.min(time, longest)));
}

/** Each event's value `by` events later. */
export function moved(array: string, by: number, none: string): string {
  return by === 0 ? array : `arrayResize(arraySlice(${array}, ${by + 1}), length(ts), ${none})`;
}

export function maskOf(conditions: readonly number[]): string {
  return `toUInt64(${conditions.reduce((mask, condition) => mask | (1n << BigInt(condition)), 0n)})`;
}

/** For each condition of exclusions, the times of its last event before and its next event after each event. */
export function exclusionLayers(exclusions: FunnelRules['exclusions']): Columns[] {
  return [...new Set(exclusions.map(({ condition }) => condition))].map((condition) => {
    const last = `arrayFill(x -> x > ${never}, arrayMap((t, m) -> if(bitTest(m, ${condition}), t, ${never}), ts, ms))`;
    return {
      [`before_${condition}`]: `arrayFill((x, s) -> s, ${later(last, never)}, starts)`,
      ...nextAfter(`after_${condition}`, `bitTest(m, ${condition})`),
    };
  });
}

export function nextAfter(name: string, meets: string): Columns {
  const next = `arrayReverseFill(x -> x < ${ever}, arrayMap((t, m) -> if(${meets}, t, ${ever}), ts, ms))`;
  return { [name]: `arrayReverseFill((x, e) -> e, ${sooner(next, ever)}, ends)` };
}
