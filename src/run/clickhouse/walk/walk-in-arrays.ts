import { type Expression, sql, trusted } from '../../../plan/sql/expression.ts';
import type { FunnelRules } from '../../analysis/funnel/funnel-rules.ts';
import { orderedLayers } from './ordered-layers.ts';
import { mostStepsInSets, stepSets } from './step-sets.ts';
import { strictTiedLayers, tiedLayers, tiedValueLayers, unorderedTiedLayers } from './tied-layers.ts';
import {
  type Columns,
  ever,
  exclusionLayers,
  greatest,
  later,
  maskOf,
  micros,
  moved,
  never,
  nextAfter,
  sooner,
  wordsOf,
} from './walk-words.ts';

/** The input of a walk. */
interface WalkGiven {
  /** Users' events: `who`, `ticks` (microseconds), `met` (a bit for each condition) and, if needed, `step_value`. */
  readonly events: Expression;
  /** Conditions are numbered in the order in which steps name them, so that simultaneous events sort by step. */
  readonly rules: FunnelRules;
  /** Whether events have the text `held`: those of a user with the same text are followed on their own. */
  readonly isHeld?: boolean;
  readonly attribution: 'first' | 'last' | number | undefined;
  /** Attempts start before this time, in epoch microseconds. */
  readonly entriesBefore: number;
  /** Assigns simultaneous events exactly to the steps that they match, which takes longer. Requires `canBeTied`. */
  readonly tied?: boolean;
}

/** Whether a `tied` walk supports this number of steps. */
export function canBeTied({ steps }: FunnelRules): boolean {
  return steps.length <= mostStepsInSets;
}

/** Up to this many distinct conditions, unordered steps are matched exactly, by all subsets of the conditions. */
const mostSubsets = 4;

/**
 * The walks of the embedded engine (`walk-ordered.ts`, `walk-users.ts`) on arrays. One row for each user who starts:
 * `who`, `depth`, `chain` (the times of the steps reached), `step_value`, `spoiled` and `hard`. Users are hard if their
 * events must be followed one by one: because simultaneous events match several steps (unless the walk is `tied`), or
 * because an exclusion moves steps of an attempt that has not reached the exclusion's end (with any walk). No lambda
 * holds a long array: the server would copy it for each element.
 */
export function walkExpression(given: WalkGiven): Expression {
  const walk = walkEach(given);
  return given.isHeld ? bestOfUsers(walk) : walk;
}

/**
 * The best row of each user: the furthest, then the earliest. If several have the same times and different values, the
 * user is hard, because the server does not order text by code unit.
 */
function bestOfUsers(walk: Expression): Expression {
  const each = sql`SELECT who, min(tuple(-depth, chain)) AS best, groupArray(tuple(tuple(-depth, chain), step_value)) AS found, max(hard) AS some_hard FROM (${walk}) GROUP BY who`;
  const values = sql`SELECT who, best, some_hard,
    arrayFilter(v -> isNotNull(v), arrayDistinct(arrayMap(f -> tupleElement(f, 2),
    arrayFilter(f -> tupleElement(f, 1) = best, found))))
    AS best_values FROM (${each})`;
  return sql`SELECT who, -tupleElement(best, 1) AS depth, tupleElement(best, 2) AS chain,
    if(notEmpty(best_values), best_values[1], NULL) AS step_value, depth = 0 AS spoiled,
    some_hard OR length(best_values) > 1 AS hard
    FROM (${values})`;
}

function walkEach({ events, rules, isHeld, attribution, entriesBefore, tied = false }: WalkGiven): Expression {
  const mask = maskOf(rules.steps.map(({ condition }) => condition));
  const begins =
    rules.order === 'unordered' ? `bitAnd(met, ${mask}) <> 0` : `bitTest(met, ${rules.steps[0]!.condition})`;
  const value = trusted(attribution === undefined ? '' : ', CAST(step_value AS Nullable(String))');
  let from = sql`SELECT who, arraySort(groupArray(tuple(ticks, bitAnd(met, ${trusted(mask)}), met${value}))) AS evs
    FROM (${events}) GROUP BY who${trusted(isHeld ? ', held' : '')}
    HAVING countIf(${trusted(begins)}) > 0`;
  const limit = entriesBefore === Infinity ? ever : `toInt64(${entriesBefore})`;
  const layers = tied ? layersOfTied(rules, limit, attribution) : layersOf(rules, limit, attribution);
  const chain = rules.steps.map((_, step) => `c${step}`).join(', ');
  const last: Columns = {
    depth: 'depth',
    chain: `arraySlice([${chain}], 1, depth)`,
    step_value: `CAST(${attribution === undefined ? 'NULL' : 'value_found'} AS Nullable(String))`,
    spoiled: 'spoiled',
    hard: attribution === undefined ? 'unclear' : 'unclear OR value_unclear',
  };
  // Omit columns that no outer query reads: the server is slow with wide nested queries.
  const read = wordsOf(last);
  const needed = layers.toReversed().map((columns) => {
    const kept = [...read];
    for (const word of wordsOf(columns)) read.add(word);
    return { columns, kept };
  });
  const known = new Set(['evs']);
  for (const { columns, kept } of needed.toReversed()) {
    const list = [
      ...kept.filter((word) => known.has(word)),
      ...Object.entries(columns).map(([name, text]) => `${text} AS ${name}`),
    ];
    for (const name of Object.keys(columns)) known.add(name);
    from = sql`SELECT who, ${trusted(list.join(', '))} FROM (${from})`;
  }
  const list = Object.entries(last).map(([name, text]) => (name === text ? name : `${text} AS ${name}`));
  return sql`SELECT who, ${trusted(list.join(', '))} FROM (${from}) WHERE depth > 0 OR spoiled OR hard`;
}

type Attribution = WalkGiven['attribution'];

const eachEvent: Columns = { ts: 'tupleElement(evs, 1)', os: 'tupleElement(evs, 2)', ms: 'tupleElement(evs, 3)' };
const startsAndEnds: Columns = {
  starts: `arrayMap((t, p) -> t <> p, ts, ${later('ts', never)})`,
  ends: `arrayMap((t, n) -> t <> n, ts, ${sooner('ts', ever)})`,
};

function layersOf(rules: FunnelRules, limit: string, attribution: Attribution): Columns[] {
  return [
    { ...eachEvent, ...(attribution !== undefined && { vs: 'tupleElement(evs, 4)' }) },
    startsAndEnds,
    ...walks[rules.order](rules, limit),
    ...(attribution === undefined ? [] : valueLayers(rules, attribution)),
  ];
}

function layersOfTied(rules: FunnelRules, limit: string, attribution: Attribution): Columns[] {
  const sets = stepSets(rules);
  const steps = {
    ordered: () => [...tiedLayers(rules, sets), ...orderedLayers(rules, limit, sets)],
    strict: () => [...tiedLayers(rules, sets), ...strictTiedLayers(rules, limit, sets)],
    unordered: () => [eachEvent, startsAndEnds, nextStop(rules.exclusions), ...unorderedTiedLayers(rules, limit, sets)],
  };
  return [...steps[rules.order](), ...(attribution === undefined ? [] : tiedValueLayers(rules, attribution, sets))];
}

const walks = { ordered: orderedLayers, strict: strictLayers, unordered: unorderedLayers } as const;

/** Steps that are consecutive among all events. Compares each event and its successors with the steps. */
function strictLayers({ steps, window, exclusions }: FunnelRules, limit: string): Columns[] {
  const within = micros(window);
  const fails = steps.map(({ condition, within: limited }, step) => {
    if (step === 0) return `NOT bitTest(m0, ${condition}) OR t0 >= ${limit}`;
    const soon = limited === Infinity ? '' : ` OR t${step} - t${step - 1} > ${micros(limited)}`;
    return `NOT bitTest(m${step}, ${condition}) OR t${step} - t0 > ${within}${soon}`;
  });
  const times = steps.map((_, step) => `t${step}`).join(', ');
  const kinds = steps.map((_, step) => `m${step}`).join(', ');
  const nexts = exclusions.map((_, index) => `n${index}`).join(', ');
  const spoils = exclusions.map(
    ({ from, to }, index) =>
      `(deepest > ${from} AND if(deepest > ${to}, n${index} < t${to}, n${index} <= t0 + ${within}))`,
  );
  return [
    ...exclusionLayers(exclusions),
    {
      ...Object.fromEntries(
        steps.flatMap((_, step) => [
          [`t${step}`, moved('ts', step, 'toInt64(0)')],
          [`m${step}`, moved('ms', step, 'toUInt64(0)')],
        ]),
      ),
      ...Object.fromEntries(
        exclusions.map(({ condition, from }, index) => [`n${index}`, moved(`after_${condition}`, from, ever)]),
      ),
    },
    {
      runs: `arrayMap((${times}, ${kinds}) -> multiIf(${fails.map((fail, step) => `${fail}, ${step}`).join(', ')}, ${steps.length}), ${times}, ${kinds})`,
    },
    { deepest: 'toInt64(arrayMax(runs))' },
    {
      kept_runs:
        exclusions.length === 0
          ? 'runs'
          : `arrayMap((r, ${times}, ${nexts}) -> if(r >= deepest AND NOT (${spoils.join(' OR ')}), r, 0),
            runs, ${times}, ${nexts})`,
    },
    { depth: 'toInt64(if(has(kept_runs, deepest), deepest, 0))' },
    { place: 'indexOf(kept_runs, depth)' },
    {
      ...Object.fromEntries(steps.map((_, step) => [`c${step}`, `ts[place + ${step}]`])),
      unclear: `arrayExists((t, o, pt, po) -> t = pt AND o <> po, ts, os, ${later('ts', never)}, ${later('os', '0')})`,
      spoiled: 'deepest > 0 AND depth = 0',
    },
  ];
}

/**
 * Steps in any order. By Hall's theorem, some steps can have one event each if every subset of the conditions has met
 * as many events as its steps need.
 */
function unorderedLayers({ steps, window, exclusions }: FunnelRules, limit: string): Columns[] {
  const within = micros(window);
  const distinct = [...new Set(steps.map(({ condition }) => condition))];
  const needs = (conditions: readonly number[]) =>
    steps.filter(({ condition }) => conditions.includes(condition)).length;
  const bySubset = distinct.length <= mostSubsets;
  const subsets = bySubset
    ? Array.from({ length: 2 ** distinct.length - 1 }, (_, bits) =>
        distinct.filter((_, index) => ((bits + 1) >> index) & 1),
      )
    : [...distinct.map((condition) => [condition]), distinct];
  const counts = subsets.map((conditions, index) => ({
    index,
    conditions,
    mask: maskOf(conditions),
    // Without subsets, all conditions together only determine the start.
    needed: !bySubset && conditions === distinct ? 1 : needs(conditions),
  }));
  const layers: Columns[] = [];
  for (let nth = 1; nth <= steps.length; nth++)
    layers.push(
      Object.fromEntries(
        counts
          .filter(({ needed }) => nth <= needed)
          .map(({ index, mask }) => {
            const meets = `bitAnd(o, ${mask}) <> 0`;
            const next =
              nth === 1
                ? `arrayMap((t, o) -> if(${meets}, t, ${ever}), ts, os)`
                : `arrayMap((n, o) -> if(${meets}, n, ${ever}), ${sooner(`nth${index}_${nth - 1}`, ever)}, os)`;
            return [`nth${index}_${nth}`, `arrayReverseFill((n, o) -> ${meets}, ${next}, os)`];
          }),
      ),
    );
  const all = counts.at(-1)!;
  const reached = steps.map((_, step) => `r${step}`).join(', ');
  const reachedSteps = steps.map((_, step) => `toInt64(r${step} <= least(t + ${within}, x))`).join(' + ');
  if (bySubset)
    layers.push(
      Object.fromEntries(
        steps.map((_, step) => {
          const awaited = counts.flatMap(({ index, needed }) => {
            const nth = step + 1 - steps.length + needed;
            return nth >= 1 ? [`nth${index}_${nth}`] : [];
          });
          const names = awaited.map((_, index) => `a${index}`);
          return [
            `r${step}`,
            awaited.length === 1
              ? awaited[0]!
              : `arrayMap((${names.join(', ')}) -> ${greatest(names)}, ${awaited.join(', ')})`,
          ];
        }),
      ),
    );
  else {
    const awaited = counts
      .slice(0, -1)
      .flatMap(({ index, needed }) => Array.from({ length: needed }, (_, nth) => `nth${index}_${nth + 1}`));
    const names = awaited.map((_, index) => `a${index}`).join(', ');
    layers.push(
      { sorted: `arrayMap((${names}) -> arraySort([${names}]), ${awaited.join(', ')})` },
      Object.fromEntries(steps.map((_, step) => [`r${step}`, `arrayMap(times -> times[${step + 1}], sorted)`])),
    );
  }
  layers.push(
    nextStop(exclusions),
    { begins: `arrayMap((t, b) -> t = b AND t < ${limit}, ts, nth${all.index}_1)` },
    {
      sizes: `arrayMap((b, t, x, ${reached}) ->
        if(b AND (r${steps.length - 1} <= least(t + ${within}, x) OR x > t + ${within}), ${reachedSteps}, 0),
        begins, ts, stops, ${reached})`,
    },
    { depth: 'toInt64(arrayMax(sizes))' },
    { place: 'indexOf(sizes, depth)' },
    {
      ...Object.fromEntries(steps.map((_, step) => [`c${step}`, `r${step}[place]`])),
      unclear: bySubset ? 'false' : 'arrayExists(o -> bitCount(o) > 1, os)',
      spoiled: 'depth = 0 AND has(begins, true)',
    },
  );
  return layers;
}

/** The time of the next excluded event after each event. */
function nextStop(exclusions: FunnelRules['exclusions']): Columns {
  return nextAfter('stops', `bitAnd(m, ${maskOf(exclusions.map(({ condition }) => condition))}) <> 0`);
}

/** The value at the attributed step. If simultaneous events have different values, the user is hard. */
function valueLayers({ order, steps }: FunnelRules, attribution: 'first' | 'last' | number): Columns[] {
  const place = attribution === 'first' ? '1' : attribution === 'last' ? 'depth' : String(attribution + 1);
  const conditions = `[${steps.map(({ condition }) => condition).join(', ')}]`;
  const times = `[${steps.map((_, step) => `c${step}`).join(', ')}]`;
  const can = order === 'unordered' ? 'o <> 0' : 'bitTest(o, value_condition)';
  const among = `arrayFilter((v, t, o) -> t = value_time AND ${can}, vs, ts, os)`;
  const orUnknown =
    order === 'unordered' && attribution === 'last'
      ? ' OR (notEmpty(known_values) AND arrayExists(v -> isNull(v), among_values))'
      : '';
  return [
    {
      value_time: `if(depth > 0, ${times}[toInt64(${place})], ${never})`,
      value_condition: `${conditions}[greatest(toInt64(${place}), 1)]`,
    },
    { among_values: among },
    { known_values: 'arrayDistinct(among_values)' },
    {
      value_found: `if(depth >= ${place} AND notEmpty(known_values), known_values[1], NULL)`,
      value_unclear: `depth >= ${place} AND (length(known_values) > 1${orUnknown})`,
    },
  ];
}
