import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitColumns } from '../../../src/show/terminal/fit-columns.ts';

const text = (values: number, heading = 'T') => ({ values, heading, shrinks: true });
const number = (values: number, heading = 'N') => ({ values, heading, shrinks: false });
const fit = (needs: Parameters<typeof fitColumns>[0], width: number) => fitColumns(needs, width, 2, '…');

describe('fitColumns', () => {
  it('gives every column its full width if there is room', () => {
    expect(fit([text(20), number(7)], 40)).toEqual([20, 7]);
    expect(fit([text(500), number(7, 'A long heading')], Infinity)).toEqual([500, 14]);
  });

  it('breaks headings before it cuts values', () => {
    expect(fit([text(20), number(5, 'Unique Users Count')], 34)).toEqual([20, 11]);
    expect(fit([text(20), number(5, 'Unique Users Count')], 30)).toEqual([20, 6]);
  });

  it('cuts the longest texts first', () => {
    expect(fit([text(50), text(12), number(6)], 40)).toEqual([18, 12, 6]);
    expect(fit([text(50), text(50), number(6)], 41)).toEqual([16, 15, 6]);
  });

  it('drops columns at the right if texts would get too short', () => {
    expect(fit([text(50), number(30), number(30)], 45)).toEqual([13, 30]);
    expect(fit([number(30), number(30)], 45)).toEqual([30]);
  });

  it('drops columns before it cuts texts until they look alike', () => {
    expect(fit([{ ...text(50), least: 14 }, number(8), number(8)], 40)).toEqual([20, 8, 8]);
    expect(fit([{ ...text(50), least: 14 }, number(8), number(8)], 33)).toEqual([23, 8]);
    expect(fit([{ ...text(12), least: 14 }, number(8)], 22)).toEqual([12, 8]);
  });

  it('keeps the first column, however narrow', () => {
    expect(fit([text(50), number(30)], 5)).toEqual([5]);
    expect(fit([number(30)], 1)).toEqual([1]);
  });

  it('never exceeds the width, and gives values that cannot be cut enough room', () => {
    const need = fc.record({
      values: fc.nat(60),
      heading: fc.string({ maxLength: 30 }),
      shrinks: fc.boolean(),
      least: fc.option(fc.nat(30), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(need, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 120 }), (needs, width) => {
        const widths = fit(needs, width);
        expect(widths.length).toBeGreaterThan(0);
        expect(widths.reduce((total, cells) => total + cells, 2 * (widths.length - 1))).toBeLessThanOrEqual(width);
        if (widths.length > 1)
          for (const [index, cells] of widths.entries())
            if (!needs[index]?.shrinks) expect(cells).toBeGreaterThanOrEqual(needs[index]?.values ?? 0);
      }),
    );
  });
});
