import type { FunnelRules } from '../../analysis/funnel/funnel-rules.ts';

/**
 * The sets of steps that a group of events can fill, with one event per step, encoded as the bits of one integer. Bit
 * number 0b101 tells whether two of the events can be the first and the third step. Each further event extends every
 * set that lacks a step which it matches. So events that match several steps are assigned exactly, whatever their
 * order.
 */
export interface StepSets {
  /** The sets that no events can fill: only the empty one. */
  readonly none: string;
  /** The sets after adding an event that meets the conditions `met`. */
  withEvent(sets: string, met: string): string;
  /** Whether the events can fill all steps `from` to `to`, both inclusive. */
  have(sets: string, from: number, to: number): string;
  /** Whether the events can fill the set with this number. */
  haveSet(sets: string, set: string): string;
  /** Whether adding an event increases the largest number of steps. */
  grow(sets: string, met: string): string;
}

/** Maximum number of steps whose sets fit into the bits of ClickHouse's widest integer. */
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
  /** The largest number of steps that the events can fill; 0 for `none`. */
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
