import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitColumns } from '../../../src/show/html/split-columns.ts';
import { anyResult } from '../arbitrary-result.ts';
import { exampleResult, numberColumn, textColumn } from '../example-result.ts';

const room = { width: 200, size: 10, padding: 10 };

it('repeats the columns that name the rows, and leaves none out', () => {
  const counts = Array.from({ length: 12 }, (_, index) => [numberColumn(`n${index}`, `N ${index}`), [1234]] as const);
  const result = exampleResult([[textColumn('path', 'Path'), ['/docs']], ...counts]);
  const groups = splitColumns(result, room, 1);
  expect(groups.length).toBeGreaterThan(1);
  expect(groups.every(([first, ...others]) => first === 0 && others.length > 0)).toBe(true);
  expect(groups.flatMap((group) => group.slice(1))).toEqual(counts.map((_, index) => index + 1));
});

it('keeps a table whole that fits', () => {
  const result = exampleResult([
    [textColumn('path', 'Path'), ['/docs', null]],
    [numberColumn('count', 'Count'), [1, 2]],
  ]);
  expect(splitColumns(result, room, 2)).toEqual([[0, 1]]);
});

it('has every column of any result, in order', () => {
  fc.assert(
    fc.property(anyResult, fc.integer({ min: 1, max: 2000 }), (result, width) => {
      const groups = splitColumns(result, { ...room, width }, result.rowCount);
      expect([...new Set(groups.flat())]).toEqual(result.columns.map((_, index) => index));
    }),
  );
});
