import type { FunnelRules } from '../../duckdb/funnel/funnel-rules.ts';

/**
 * The sets of steps that some events can be, one event a step, as the bits of one whole number: bit 0b101 tells whether
 * some two of them can be the first and the third step. An event adds to each set without a step the one with it. So
 * events that fit several steps are shared out exactly, whatever their order.
 */
export interface StepSets {
  /** Those of no events. */
  readonly none: string;
  /** Those of one more event, which meets the conditions `met`. */
  withEvent(sets: string, met: string): string;
  /** Whether the steps from one to another, which is one of them, can all be had. */
  have(sets: string, from: number, to: number): string;
  /** Whether a set, given as its number, can be had. */
  haveSet(sets: string, set: string): string;
  /** How many steps at most; `none` has 0. */
  most(sets: string): string;
  /** Whether one more event makes more steps possible. */
  grow(sets: string, met: string): string;
}

/** The widest whole number of ClickHouse has bits for the sets of so many steps. */
export const mostStepsInSets = 8;

export function stepSets({ steps }: Pick<FunnelRules, 'steps'>): StepSets {
  const type = steps.length <= 6 ? 'UInt64' : steps.length === 7 ? 'UInt128' : 'UInt256';
  const numbers = Array.from({ length: 2 ** steps.length }, (_, set) => set);
  const constant = (sets: readonly number[]) =>
    `to${type}('${sets.reduce((bits, set) => bits | (1n << BigInt(set)), 0n)}')`;
  const without = steps.map((_, step) => constant(numbers.filter((set) => ((set >> step) & 1) === 0)));
  const ofSize = Array.from({ length: steps.length + 1 }, (_, size) =>
    constant(numbers.filter((set) => sizeOf(set) === size)),
  );
  const nothing = `to${type}(0)`;
  const most = (sets: string) =>
    `multiIf(${ofSize
      .map((same, size) => `bitAnd(${sets}, ${same}) <> 0, ${size}`)
      .slice(1)
      .toReversed()
      .join(', ')}, 0)`;
  return {
    none: constant([0]),
    withEvent: (sets, met) =>
      steps.reduce(
        (all, { condition }, step) =>
          `bitOr(${all}, if(bitTest(${met}, ${condition}), bitShiftLeft(bitAnd(${sets}, ${without[step]}), ${2 ** step}), ${nothing}))`,
        sets,
      ),
    have: (sets, from, to) => `bitAnd(${sets}, ${constant([2 ** (to + 1) - 2 ** from])}) <> 0`,
    haveSet: (sets, set) => `bitAnd(bitShiftRight(${sets}, ${set}), to${type}(1)) <> 0`,
    most,
    grow: (sets, met) =>
      `(${steps
        .map(
          ({ condition }, step) =>
            `(bitTest(${met}, ${condition}) AND bitAnd(bitAnd(${sets}, [${ofSize.join(', ')}][${most(sets)} + 1]), ${without[step]}) <> 0)`,
        )
        .join(' OR ')})`,
  };
}

function sizeOf(set: number): number {
  return set === 0 ? 0 : (set & 1) + sizeOf(set >> 1);
}
