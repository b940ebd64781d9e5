import type { FunnelRules } from '../../duckdb/funnel/funnel-rules.ts';

/** Times before and after all events. Differences from them still fit. */
export const never = '-4000000000000000000';
export const ever = 'toInt64(4000000000000000000)';
const longest = 10 ** 17;

/** The columns of one query around the others, with their SQL. */
export type Columns = Readonly<Record<string, string>>;

/** Names of columns that the SQL of others may read. */
export function wordsOf(columns: Columns): Set<string> {
  return new Set(Object.values(columns).flatMap((text) => text.match(/\b[a-z_]+\d*(?:_\d+)?\b/g) ?? []));
}

/** An array of what the elements of others, all of one place, are turned into. */
export function mapped(value: string, arrays: Readonly<Record<string, string>>): string {
  return `arrayMap((${Object.keys(arrays).join(', ')}) -> ${value}, ${Object.values(arrays).join(', ')})`;
}

/** Each element at the position of its successor, or of its predecessor. */
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
