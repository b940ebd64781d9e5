import type { FunnelRules } from '../../analysis/funnel/funnel-rules.ts';
import type { StepSets } from './step-sets.ts';
import { type Columns, ever, exclusionLayers, later, mapped, micros, moved, never } from './walk-words.ts';

/**
 * Combines the events of one time into one element: their time, their conditions, and the sets of steps they can fill.
 */
export function tiedLayers({ order }: FunnelRules, sets: StepSets): Columns[] {
  const together = 'tupleElement(part, 2)';
  return [
    { every_time: 'tupleElement(evs, 1)' },
    { parts: `arraySplit((e, t, p) -> t <> p, evs, every_time, ${later('every_time', never)})` },
    {
      ts: 'arrayMap(part -> part[1].1, parts)',
      ms: "arrayMap(part -> arrayReduce('groupBitOr', tupleElement(part, 3)), parts)",
      sets: `arrayMap(part -> arrayFold((had, met) -> ${sets.withEvent('had', 'met')}, ${together}, ${sets.none}), parts)`,
      ...(order === 'strict' && { counts: 'arrayMap(part -> toInt64(length(part)), parts)' }),
    },
    { starts: 'arrayMap(t -> true, ts)', ends: 'arrayMap(t -> true, ts)' },
  ];
}

/** Number of bits that hold a count of steps. */
const bitsOfCount = 4;

/**
 * Steps that are consecutive among all events, with simultaneous events in any order. An attempt starts with some
 * events of its first time, uses all events of the times in between, and ends with some events of its last time. So for
 * each start and number of steps at its own time, only one attempt is possible. For each start, larger numbers come
 * first.
 */
export function strictTiedLayers({ steps, window, exclusions }: FunnelRules, limit: string, sets: StepSets): Columns[] {
  const length = steps.length;
  const within = micros(window);
  const places = steps.map((_, place) => place);
  const further = places.slice(1);
  const conditions = [...new Set(exclusions.map(({ condition }) => condition))];
  // For each step: how many steps from this one on the events of one time can fill.
  const possible = steps.map((_, from) => {
    const had = steps.slice(from).map((_, more) => `toUInt64(${sets.have('f', from, from + more)})`);
    return `bitShiftLeft(${had.join(' + ')}, ${from * bitsOfCount})`;
  });
  const fields: Record<string, string> = {
    ...Object.fromEntries(places.map((place) => [`t${place}`, moved('ts', place, 'toInt64(0)')])),
    ...Object.fromEntries(further.map((place) => [`n${place}`, moved('counts', place, 'toInt64(-1)')])),
    ...Object.fromEntries(places.map((place) => [`r${place}`, moved('possible', place, 'toUInt64(0)')])),
    ...Object.fromEntries(
      conditions.flatMap((condition) =>
        places.map((place) => [`x${condition}_${place}`, moved(`after_${condition}`, place, ever)]),
      ),
    ),
  };
  const names = Object.keys(fields);
  const most = `bitAnd(r0, ${2 ** bitsOfCount - 1})`;
  const limited = steps.some((step) => step.within !== Infinity);
  const waits = `[${steps.map((step) => `toInt64(${micros(step.within)})`).join(', ')}]`;
  const onward = further.flatMap((place): Columns[] => {
    const before = place - 1;
    const test = [
      ...(place > 1 ? ['went'] : []),
      `p < ${length}`,
      `t - b <= ${within}`,
      ...(limited ? [`t - a <= ${waits}[p + 1]`] : []),
    ].join(' AND ');
    const more = `if(${test}, toInt64(bitAnd(bitShiftRight(r, ${bitsOfCount} * p), ${2 ** bitsOfCount - 1})), 0)`;
    const went: Readonly<Record<string, string>> = place > 1 ? { went: `went${before}` } : {};
    return [
      {
        [`more${place}`]: mapped(more, {
          ...went,
          p: `pos${before}`,
          b: 't0',
          a: `t${before}`,
          t: `t${place}`,
          r: `r${place}`,
        }),
      },
      {
        [`pos${place}`]: mapped('p + more', { p: `pos${before}`, more: `more${place}` }),
        [`went${place}`]: mapped(`${place > 1 ? 'went AND ' : ''}more = n`, {
          ...went,
          more: `more${place}`,
          n: `n${place}`,
        }),
      },
    ];
  });
  /**
   * SQL for the value at the time of a step. `pos`: the number of steps that the attempt has taken by the end of each
   * of its times.
   */
  const at = (step: number, value: (place: number) => string, pos: (place: number) => string) =>
    length === 1
      ? value(0)
      : `multiIf(${places
          .slice(0, -1)
          .map((place) => `${pos(place)} > ${step}, ${value(place)}`)
          .join(', ')}, ${value(length - 1)})`;
  const inLambda = (step: number, field: string) =>
    at(
      step,
      (place) => `${field}${place}`,
      (place) => `pos${place}`,
    );
  const spoils = exclusions.map(
    ({ condition, from, to }) =>
      `(deepest > ${from} AND if(deepest > ${to}, ${inLambda(from, `x${condition}_`)} < ${inLambda(to, 't')}, ${inLambda(from, `x${condition}_`)} <= t0 + ${within}))`,
  );
  const all = Object.fromEntries(
    [
      ...places.map((place) => `pos${place}`),
      ...places.map((place) => `t${place}`),
      ...names.filter((name) => name.startsWith('x')),
    ].map((name) => [name, name]),
  );
  const last = `pos${length - 1}`;
  return [
    ...exclusionLayers(exclusions),
    { possible: `arrayMap(f -> ${possible.join(' + ')}, sets)` },
    {
      heads: `arrayFlatten(${mapped(`arrayMap(fewer -> tuple(toInt64(${most}) - toInt64(fewer), ${names.join(', ')}), range(if(t0 < ${limit}, ${most}, 0)))`, fields)})`,
    },
    {
      pos0: 'tupleElement(heads, 1)',
      ...Object.fromEntries(names.map((name, index) => [name, `tupleElement(heads, ${index + 2})`])),
    },
    ...onward,
    { deepest: `toInt64(arrayMax(${last}))` },
    {
      kept_runs:
        exclusions.length === 0
          ? last
          : mapped(`if(${last} >= deepest AND NOT (${spoils.join(' OR ')}), ${last}, 0)`, all),
    },
    { depth: 'toInt64(if(has(kept_runs, deepest), deepest, 0))' },
    { place: 'indexOf(kept_runs, depth)' },
    {
      ...Object.fromEntries(
        steps.map((_, step) => [
          `c${step}`,
          at(
            step,
            (place) => `t${place}[place]`,
            (place) => `pos${place}[place]`,
          ),
        ]),
      ),
      unclear: 'false',
      spoiled: 'deepest > 0 AND depth = 0',
    },
  ];
}

/**
 * Steps in any order. Goes from the last event to the first. Of the events from each one on, it keeps those that
 * increase the number of possible steps, earlier ones first. Other events cannot matter to earlier starts either. It
 * never keeps more events than there are steps.
 */
export function unorderedTiedLayers({ steps, window }: FunnelRules, limit: string, sets: StepSets): Columns[] {
  const within = micros(window);
  const [noEvents, noTimes] = ['CAST([] AS Array(Tuple(Int64, UInt64)))', 'CAST([] AS Array(Int64))'];
  const kept = `arrayFold((had, one) -> if(${sets.grow('had.1', 'one.2')},
    tuple(${sets.withEvent('had.1', 'one.2')}, arrayPushBack(had.2, one)), had),
    arrayPushFront(known.1, tuple(e.1, e.2)), tuple(${sets.none}, ${noEvents})).2`;
  const inTime = `arrayFilter(time -> time <= least(e.1 + ${within}, e.4), tupleElement(kept, 1))`;
  const begins = `e.3 AND e.1 < ${limit} AND kept[1].1 = e.1`;
  const counts = `(length(times) = ${steps.length} OR e.4 > e.1 + ${within}) AND length(times) >= length(known.2)`;
  const next = `if(${begins}, tuple(kept, if(${counts}, times, known.2), true), tuple(kept, known.2, known.3))`;
  // A lambda over a single element serves to name its value.
  const named = `arrayMap(kept -> arrayMap(times -> ${next}, [${inTime}])[1], [${kept}])[1]`;
  return [
    {
      found: `arrayFold((known, e) -> ${named}, arrayReverse(arrayZip(ts, os, starts, stops)), tuple(${noEvents}, ${noTimes}, false))`,
    },
    { depth: 'toInt64(length(found.2))' },
    {
      ...Object.fromEntries(steps.map((_, step) => [`c${step}`, `(found.2)[${step + 1}]`])),
      unclear: 'false',
      spoiled: 'depth = 0 AND found.3',
    },
  ];
}

/**
 * The attributed value: the smallest one among the simultaneous events that can be the attributed step. In order, the
 * other events of this time must still fill the other steps at this time. In any order, the event must add a step to
 * those of the earlier events. `evs`: all events.
 */
export function tiedValueLayers(
  { order, steps }: FunnelRules,
  attribution: 'first' | 'last' | number,
  sets: StepSets,
): Columns[] {
  const step = attribution === 'first' ? '0' : attribution === 'last' ? 'greatest(depth - 1, 0)' : String(attribution);
  const times = `[${steps.map((_, index) => `c${index}`).join(', ')}]`;
  const together = 'tupleElement(at_time, 2)';
  const others = `arrayFold((had, o) -> if(o = met AND NOT had.2, tuple(had.1, true), tuple(${sets.withEvent('had.1', 'o')}, had.2)), ${together}, tuple(${sets.none}, false)).1`;
  const fits =
    order === 'unordered'
      ? sets.grow('before', 'met')
      : `bitTest(met, value_condition) AND (beside = 0 OR ${sets.haveSet(others, 'beside')})`;
  return [
    {
      value_step: `toInt64(${step})`,
      value_time: `if(depth > toInt64(${step}), ${times}[toInt64(${step}) + 1], ${never})`,
      value_condition: `[${steps.map(({ condition }) => condition).join(', ')}][toInt64(${step}) + 1]`,
    },
    {
      at_time: 'arrayFilter(e -> e.1 = value_time, evs)',
      ...(order === 'unordered'
        ? {
            before: `arrayFold((had, e) -> ${sets.withEvent('had', 'e.2')}, arrayFilter(e -> e.1 >= c0 AND e.1 < value_time, evs), ${sets.none})`,
          }
        : {
            beside: steps
              .map(
                (_, index) =>
                  `if(depth > ${index} AND value_step <> ${index} AND c${index} = value_time, toUInt16(${2 ** index}), 0)`,
              )
              .join(' + '),
          }),
    },
    { fitting: `arrayFilter(met -> ${fits}, arrayDistinct(${together}))` },
    {
      value_found: `if(depth > value_step, arraySort(arrayFilter(v -> isNotNull(v), tupleElement(arrayFilter(e -> has(fitting, e.2), at_time), 4)))[1], NULL)`,
      value_unclear: 'false',
    },
  ];
}
