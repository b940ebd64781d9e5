import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantile, toBins } from '../../../src/show/chart/bins.ts';

const number = fc.oneof(
  fc.integer({ min: -50, max: 500 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -3, max: 3, noNaN: true }),
  fc.integer(),
  fc.constantFrom(0, -0, 0.1, 0.3, 1e15, 1e15 + 2, 5e-324, Number.MAX_VALUE),
);
const numbers = fc.array(number, { minLength: 1, maxLength: 60 });

describe('bins', () => {
  it('hold each number once, between their bounds', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const { bounds, counts, step } = toBins(values);
        expect(bounds).toHaveLength(counts.length + 1);
        expect(counts.length).toBeLessThanOrEqual(82);
        expect(Number(step.toExponential().split('e')[0])).toBeOneOf([1, 2, 5]);
        // One by one, compared with the bounds.
        counts.forEach((count, bin) =>
          expect(count).toBe(
            values.filter(
              (value) =>
                value >= bounds[bin]! &&
                (value < bounds[bin + 1]! || (value === Number.MAX_VALUE && bin === counts.length - 1)),
            ).length,
          ),
        );
        expect([counts[0], counts.at(-1)]).not.toContain(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('are at most forty, at least one wide for whole numbers, and start at multiples of their width', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 1, maxLength: 200 }),
        (values) => {
          const { bounds, counts, step } = toBins(values);
          expect(counts.length).toBeLessThanOrEqual(40);
          expect(step).toBeGreaterThanOrEqual(1);
          for (const bound of bounds) expect(Math.abs(bound % step)).toBe(0);
        },
      ),
    );
  });

  it.each<[string, number[], number, number[], number[]]>([
    // The middle half is 35 wide: 2 × 35 / ∛8 = 35, and 50 is nearer than 20.
    ['by Freedman and Diaconis', [10, 20, 30, 40, 50, 60, 70, 80], 50, [0, 50, 100], [4, 4]],
    [
      'by Sturges, where the middle half is one value',
      [10, 10, 10, 10, 10, 10, 10, 90],
      20,
      [0, 20, 40, 60, 80, 100],
      [7, 0, 0, 0, 1],
    ],
    ['of few whole numbers', [1, 3, 3], 1, [1, 2, 3, 4], [1, 0, 2]],
    ['of tenths', [0.1, 0.3, 0.3, 0.7], 0.2, [0, 0.2, 0.4, 0.6, 0.8], [1, 2, 0, 1]],
    ['of one number', [42.5, 42.5], 5, [40, 45], [2]],
    ['of nothing but 0', [0], 1, [0, 1], [1]],
  ])('have the width of the known rules: %s', (_, values, step, bounds, counts) => {
    expect(toBins(values)).toMatchObject({ step, bounds, counts });
  });

  it('compute quantiles', () => {
    expect([
      quantile([1, 2, 3, 4], 0.5),
      quantile([1, 2, 10], 0.5),
      quantile([3], 0.25),
      quantile([0, 10], 0.25),
    ]).toEqual([2.5, 2, 3, 2.5]);
  });
});
