import fc from 'fast-check';
import type { FunnelOrder } from '../../../src/ask/funnel/funnel.ts';
import type { FunnelRules } from '../../../src/run/analysis/funnel/funnel-rules.ts';
import type { OracleEvent } from './funnel-oracle.ts';

export interface Case {
  readonly rules: FunnelRules;
  readonly events: readonly OracleEvent[];
  readonly entriesBefore: number;
}

export interface CaseShape {
  readonly order: FunnelOrder;
  /** Events meet at most one condition. */
  readonly apart?: boolean;
  readonly events?: number;
  /** Number of distinct times. */
  readonly times?: number;
  readonly steps?: { readonly min: number; readonly max: number };
}

/** Few conditions and very few times, so that steps repeat and overlap and most events have a twin at their time. */
export function arbitraryCase({
  order,
  apart = false,
  events: most = 7,
  times = 10,
  steps = { min: 2, max: 4 },
}: CaseShape): fc.Arbitrary<Case> {
  const conditions = 4;
  const condition = fc.integer({ min: 0, max: conditions - 1 });
  const within =
    order === 'unordered'
      ? fc.constant(Infinity)
      : fc.oneof({ weight: 2, arbitrary: fc.constant(Infinity) }, fc.integer({ min: 1, max: 4 }));
  const meets = apart
    ? fc.oneof({ weight: 5, arbitrary: condition.map((one) => [one]) }, fc.constant<number[]>([]))
    : fc.uniqueArray(condition, { maxLength: 3 });
  const event = fc.record({
    time: fc.nat(times - 1),
    meets: meets.map((met) => met.toSorted()),
    value: fc.option(fc.constantFrom('a', 'b', 'c')),
  });
  return fc.integer(steps).chain((length) => {
    const stretch =
      order === 'unordered'
        ? fc.constant({ from: 0, to: length - 1 })
        : fc
            .tuple(fc.integer({ min: 0, max: length - 2 }), fc.integer({ min: 1, max: length - 1 }))
            .map(([from, more]) => ({ from, to: Math.max(from + 1, more) }));
    return fc.record({
      rules: fc.record({
        order: fc.constant(order),
        window: fc.integer({ min: 1, max: 9 }),
        steps: fc.array(fc.record({ condition, within }), { minLength: length, maxLength: length }),
        exclusions: fc.array(
          fc.tuple(condition, stretch).map(([met, ends]) => ({ condition: met, ...ends })),
          { maxLength: 2 },
        ),
      }),
      events: fc
        .oneof(
          { weight: 4, arbitrary: fc.array(event, { minLength: most - 2, maxLength: most }) },
          fc.array(event, { maxLength: most }),
        )
        .map((list) => list.toSorted((a, b) => a.time - b.time)),
      entriesBefore: fc.oneof({ weight: 3, arbitrary: fc.constant(Infinity) }, fc.integer({ min: 0, max: 9 })),
    });
  });
}
