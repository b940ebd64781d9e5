import type { FunnelRules } from '../../../src/run/analysis/funnel/funnel-rules.ts';

/** An event as the definition needs it: its time, the conditions it meets, and its breakdown value. */
export interface OracleEvent {
  readonly time: number;
  readonly meets: readonly number[];
  readonly value?: string | null;
}

export interface OracleResult {
  readonly depth: number;
  readonly spoiled: boolean;
  readonly times: readonly number[];
  /** No valid attempt of this depth has an earlier event at any step. */
  readonly earliestThroughout: boolean;
  readonly value: string | null;
}

/** Events that an attempt chose: in the order of steps, or by time if any order counts. */
type Chosen = readonly OracleEvent[];

/**
 * How far a user came, directly from the definition: tries every attempt, checks if it is spoiled, and takes the
 * furthest, then the first. Only for very few events.
 */
export function askOracle(
  rules: FunnelRules,
  events: readonly OracleEvent[],
  attribution: 'first' | 'last' | number = 'first',
  entriesBefore = Infinity,
): OracleResult {
  const all = (rules.order === 'unordered' ? anyOrder(rules, events) : inOrder(rules, events))
    .filter((chosen) => chosen[0]!.time < entriesBefore)
    .filter((chosen) => rules.order !== 'strict' || areNeighbours(chosen, events));
  const clean = (chosen: Chosen) => !isSpoiled(rules, chosen, events);
  const furthest = Math.max(0, ...all.map((chosen) => chosen.length));
  const counting =
    rules.order === 'unordered' ? all.filter(clean) : all.filter((chosen) => chosen.length === furthest).filter(clean);
  const depth = Math.max(0, ...counting.map((chosen) => chosen.length));
  if (depth === 0) return { depth, spoiled: furthest > 0, times: [], earliestThroughout: true, value: null };
  const best = counting.filter((chosen) => chosen.length === depth);
  const times = best.map(timesOf).reduce((first, other) => (compareTimes(other, first) < 0 ? other : first));
  return {
    depth,
    spoiled: false,
    times,
    earliestThroughout: best.every((chosen) => chosen.every((event, index) => event.time >= times[index]!)),
    value: smallestValue(
      rules,
      best.filter((chosen) => compareTimes(timesOf(chosen), times) === 0),
      attribution,
    ),
  };
}

/** An event with the values that all steps of an attempt share. */
export interface HeldEvent extends OracleEvent {
  readonly held: readonly (string | null)[];
}

/**
 * The same if the steps share values: asks about the events of each combination of values alone, and takes the
 * furthest, then the earliest, then the smallest value.
 */
export function askHeldOracle(
  rules: FunnelRules,
  events: readonly HeldEvent[],
  attribution?: 'first' | 'last' | number,
  entriesBefore?: number,
): OracleResult {
  const combinations = Map.groupBy(
    events.filter(({ held }) => !held.includes(null)),
    ({ held }) => JSON.stringify(held),
  );
  const all = [...combinations.values()].map((own) => askOracle(rules, own, attribution, entriesBefore));
  const last = (value: string | null) => (value === null ? 1 : 0);
  const compareValues = (one: string | null, other: string | null) =>
    last(one) - last(other) || (one === other ? 0 : one! < other! ? -1 : 1);
  const [best] = all.toSorted(
    (one, other) =>
      other.depth - one.depth || compareTimes(one.times, other.times) || compareValues(one.value, other.value),
  );
  const nobody = { depth: 0, times: [], earliestThroughout: true, value: null };
  if (!best || best.depth === 0) return { ...nobody, spoiled: all.some(({ spoiled }) => spoiled) };
  return best;
}

/**
 * All attempts of all lengths: events of the first steps, each used once, times never decreasing, within both kinds of
 * window.
 */
function inOrder({ steps, window }: FunnelRules, events: readonly OracleEvent[]): Chosen[] {
  const found: Chosen[] = [];
  const extend = (chosen: Chosen) => {
    if (chosen.length > 0) found.push(chosen);
    const step = steps[chosen.length];
    if (!step) return;
    for (const event of events) {
      if (chosen.includes(event) || !event.meets.includes(step.condition)) continue;
      const before = chosen.at(-1);
      if (
        before &&
        (event.time < before.time || event.time - before.time > step.within || event.time - chosen[0]!.time > window)
      )
        continue;
      extend([...chosen, event]);
    }
  };
  extend([]);
  return found;
}

/** All choices of an event, or none, per step: each event used once, all within one window. */
function anyOrder({ steps, window }: FunnelRules, events: readonly OracleEvent[]): Chosen[] {
  const found: Chosen[] = [];
  const choose = (step: number, chosen: Chosen) => {
    if (step === steps.length) {
      const sorted = [...chosen].sort((a, b) => a.time - b.time);
      if (sorted.length > 0 && sorted.at(-1)!.time - sorted[0]!.time <= window) found.push(sorted);
      return;
    }
    choose(step + 1, chosen);
    for (const event of events)
      if (!chosen.includes(event) && event.meets.includes(steps[step]!.condition)) choose(step + 1, [...chosen, event]);
  };
  choose(0, []);
  return found;
}

function areNeighbours(chosen: Chosen, events: readonly OracleEvent[]): boolean {
  return !events.some(
    (event) => !chosen.includes(event) && event.time > chosen[0]!.time && event.time < chosen.at(-1)!.time,
  );
}

function isSpoiled({ exclusions, window }: FunnelRules, chosen: Chosen, events: readonly OracleEvent[]): boolean {
  return exclusions.some(({ condition, from, to }) =>
    events.some(({ time, meets }) => {
      if (!meets.includes(condition) || chosen.length <= from || time <= chosen[from]!.time) return false;
      return chosen.length > to ? time < chosen[to]!.time : time <= chosen[0]!.time + window;
    }),
  );
}

/**
 * Events of equal time have no order, so an unordered attempt may use any chosen event at the time of the attributed
 * step.
 */
function smallestValue(
  { order }: FunnelRules,
  attempts: readonly Chosen[],
  attribution: 'first' | 'last' | number,
): string | null {
  const step = attribution === 'first' ? 0 : attribution === 'last' ? attempts[0]!.length - 1 : attribution;
  const values = attempts.flatMap((chosen) =>
    (order === 'unordered'
      ? chosen.filter(({ time }) => time === chosen[step]!.time)
      : chosen.slice(step, step + 1)
    ).flatMap(({ value }) => value ?? []),
  );
  return values.length === 0 ? null : values.reduce((first, other) => (other < first ? other : first));
}

function timesOf(chosen: Chosen): readonly number[] {
  return chosen.map((event) => event.time);
}

function compareTimes(left: readonly number[], right: readonly number[]): number {
  for (const [index, time] of left.entries()) if (time !== right[index]) return time - right[index]!;
  return 0;
}
