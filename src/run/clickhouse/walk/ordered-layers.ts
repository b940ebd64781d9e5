import type { FunnelRules } from '../../analysis/funnel/funnel-rules.ts';
import type { StepSets } from './step-sets.ts';
import { type Columns, exclusionLayers, greatest, later, mapped, maskOf, micros, never } from './walk-words.ts';

/**
 * Ordered steps with any events in between. For each event and step: the latest start of an attempt with this step at
 * this event. Taking the later event of two attempts at each step gives an attempt too, so earlier attempts need not be
 * remembered. From the earliest end, the steps are then chosen backwards, each as the earliest event that fits. With
 * `sets`, an element is not one event but all events of one time. These can fill several consecutive steps if the step
 * before has an earlier time.
 */
export function orderedLayers({ steps, window, exclusions }: FunnelRules, limit: string, sets?: StepSets): Columns[] {
  const within = micros(window);
  const froms = [...new Set(exclusions.map(({ from }) => from))].filter((from) => from > 0);
  const taken: Readonly<Record<string, string>> = sets ? { f: 'sets' } : { m: 'ms' };
  const takes = (from: number, to: number) => (sets ? sets.have('f', from, to) : `bitTest(m, ${steps[to]!.condition})`);
  /** The array with the time of step `from` in the latest attempt whose step `step` is at each element. */
  const timeAt = (prefix: string, from: number, step: number) =>
    from === step ? 'ts' : sets ? `${prefix}_own${from}_${step}` : `${prefix}_at${from}_${step}`;
  const reaches = (prefix: string, guarded: typeof exclusions): Columns[] => {
    const open = guarded.filter(({ from }) => from === 0);
    const clean = open.map(({ to }, index) => ` AND (deepest > ${to} OR n${index} > t + ${within})`);
    const layers: Columns[] = [
      {
        [`${prefix}0`]: mapped(`if(${takes(0, 0)} AND t < ${limit}${clean.join('')}, t, ${never})`, {
          t: 'ts',
          ...taken,
          ...Object.fromEntries(open.map(({ condition }, index) => [`n${index}`, `after_${condition}`])),
        }),
      },
    ];
    for (let step = 1; step < steps.length; step++) {
      const before = `${prefix}${step - 1}`;
      const kept = (array: string) => later(`arrayFill((x, s) -> s > ${never}, ${array}, ${before})`, never);
      const held = guarded.length === 0 ? [] : froms.filter((from) => from < step);
      layers.push({
        [`${prefix}_from${step}`]: kept(before),
        [`${prefix}_prior${step}`]: kept('ts'),
        ...Object.fromEntries(
          held.map((from) => [`${prefix}_at${from}_${step}`, kept(timeAt(prefix, from, step - 1))]),
        ),
      });
      const arrays: Record<string, string> = { t: 'ts', ...taken };
      /**
       * Condition: the steps from `first` to this one are all at this time, and continue an attempt that starts at
       * `s${first}`.
       */
      const attempt = (first: number) => {
        if (first === 0) {
          arrays['s0'] = `${prefix}0`;
          return [takes(0, step), `s0 > ${never}`].join(' AND ');
        }
        const { within: limited } = steps[first]!;
        arrays[`s${first}`] = `${prefix}_from${first}`;
        if (limited !== Infinity) arrays[`p${first}`] = `${prefix}_prior${first}`;
        const ending = guarded.filter(({ from, to }) => to >= first && to <= step && from < first);
        for (const { from, condition } of ending) {
          arrays[`x${condition}`] = `before_${condition}`;
          if (from > 0) arrays[`a${from}_${first}`] = `${prefix}_at${from}_${first}`;
        }
        return [
          takes(first, step),
          `s${first} > ${never}`,
          `t - s${first} <= ${within}`,
          ...(limited === Infinity ? [] : [`t - p${first} <= ${micros(limited)}`]),
          ...ending.map(({ from, condition }) => `${from === 0 ? `s${first}` : `a${from}_${first}`} >= x${condition}`),
        ].join(' AND ');
      };
      const firsts = sets ? Array.from({ length: step + 1 }, (_, first) => first) : [step];
      const latest = (value: (first: number) => string) =>
        greatest(firsts.map((first) => `if(${attempt(first)}, ${value(first)}, ${never})`));
      const own = sets ? held : [];
      const texts = [
        [`${prefix}${step}`, latest((first) => `s${first}`)],
        ...own.map((from) => [
          timeAt(prefix, from, step),
          latest((first) => {
            if (from >= first) return 't';
            arrays[`a${from}_${first}`] = `${prefix}_at${from}_${first}`;
            return `a${from}_${first}`;
          }),
        ]),
      ];
      layers.push(Object.fromEntries(texts.map(([name, text]) => [name!, mapped(text!, arrays)])));
    }
    return layers;
  };
  const isReached = (array: string) => `arrayExists(s -> s > ${never}, ${array})`;
  const deepest = steps.map((_, step) => `toInt64(${isReached(`s${step}`)})`).join(' + ');
  const prefix = exclusions.length === 0 ? 's' : 'g';
  const stillReached = steps.map((_, step) => `deepest = ${step + 1}, ${isReached(`g${step}`)}`).join(', ');
  const picks: Columns[] = [];
  for (let step = steps.length - 1; step >= 0; step--) {
    const after = steps[step + 1];
    const last = step === steps.length - 1;
    const closed = exclusions.map((one, index) => ({ ...one, index })).filter(({ to }) => to > step);
    const held = closed.filter(({ from }) => from > 0 && from < step);
    const each = (write: (one: (typeof held)[number]) => string) => held.map(write).join('');
    const soonest = [
      never,
      ...(after && after.within !== Infinity ? [`c${step + 1} - ${micros(after.within)}`] : []),
      ...closed.filter(({ from }) => from === step).map(({ index }) => `x${index}`),
    ];
    const earliest = [
      never,
      `ends_at${step + 1} - ${within}`,
      ...closed.filter(({ from }) => from === 0).map(({ index }) => `x${index}`),
    ];
    const is = `depth > ${step + 1}`;
    picks.push(
      {
        ...(last ? {} : { [`soonest${step}`]: `if(${is}, ${greatest(soonest)}, ${never})` }),
        ...(last ? {} : { [`earliest${step}`]: `if(${is}, ${greatest(earliest)}, ${never})` }),
      },
      {
        [`c${step}`]: last
          ? `arrayFirst((t, s) -> s > ${never}, ts, ${prefix}${step})`
          : `arrayFirst((t, s${each(({ index }) => `, f${index}`)}) -> s > ${never} AND t >= soonest${step}
            AND s >= earliest${step}${each(({ index }) => ` AND f${index} >= x${index}`)},
            ts, ${prefix}${step}${each(({ from }) => `, ${timeAt(prefix, from, step)}`)})`,
      },
      {
        [`ends_at${step}`]: last ? `c${step}` : `if(${is}, ends_at${step + 1}, c${step})`,
        ...Object.fromEntries(
          exclusions.flatMap(({ condition, to }, index) =>
            to === step
              ? [
                  [
                    `x${index}`,
                    `if(depth > ${step}, arrayMax(arrayMap((t, m) -> if(bitTest(m, ${condition}) AND t < c${step}, t, ${never}), ts, ms)), ${never})`,
                  ],
                ]
              : [],
          ),
        ),
      },
    );
  }
  const moved = exclusions
    .filter(({ from }) => from > 0)
    .map(
      ({ condition, from, to }) =>
        `(depth > ${from} AND depth <= ${to} AND arrayExists((t, m) -> bitTest(m, ${condition}) AND t > c${from} AND t <= c0 + ${within}, ts, ms))`,
    );
  const conditions = steps.map(({ condition }) => condition);
  const repeated = maskOf(conditions.filter((condition, index) => conditions.indexOf(condition) !== index));
  const ties = `arrayExists((t, o, pt, po) -> t = pt AND o <> po AND po <> 0
    AND (bitCount(o) > 1 OR bitCount(po) > 1 OR bitAnd(bitOr(o, po), ${repeated}) <> 0),
    ts, os, ${later('ts', never)}, ${later('os', '0')})`;
  return [
    ...exclusionLayers(exclusions),
    ...reaches('s', []),
    { deepest },
    ...(exclusions.length === 0
      ? [{ depth: 'deepest' }]
      : [...reaches('g', exclusions), { depth: `if(multiIf(${stillReached}, false), deepest, 0)` }]),
    ...picks.filter((columns) => Object.keys(columns).length > 0),
    {
      unclear: [...(sets ? [] : [ties]), ...moved].join(' OR ') || 'false',
      spoiled: 'deepest > 0 AND depth = 0',
    },
  ];
}
