import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitColumns, withoutBlank, writeSplitTables } from '../../../src/show/html/split-columns.ts';
import { anyResult } from '../arbitrary-result.ts';
import { dayColumn, exampleResult, numberColumn, textColumn } from '../example-result.ts';

const room = { width: 200, size: 10, padding: 10 };

it('repeats the columns that name the rows, and leaves none out', () => {
  const counts = Array.from({ length: 12 }, (_, index) => [numberColumn(`n${index}`, `N ${index}`), [1234]] as const);
  const result = exampleResult([[textColumn('path', 'Path'), ['/docs']], ...counts]);
  const groups = splitColumns(result, room, 1);
  expect(groups.length).toBeGreaterThan(1);
  expect(groups.every(([first, ...others]) => first === 0 && others.length > 0)).toBe(true);
  expect(groups.flatMap((group) => group.slice(1))).toEqual(counts.map((_, index) => index + 1));
});

it('repeats every column that names a row if one of the others fits beside them, its texts wrapped', () => {
  const names = ['a', 'b', 'c'].map((name) => [textColumn(name), ['some words that can be wrapped']] as const);
  const counts = Array.from({ length: 8 }, (_, index) => [numberColumn(`n${index}`, `N ${index}`), [1234]] as const);
  const result = exampleResult([...names, ...counts]);
  for (const width of [400, 600]) {
    const groups = splitColumns(result, { ...room, width }, 1);
    expect(groups.length).toBeGreaterThan(1);
    expect(groups.map((group) => group.slice(0, 3))).toEqual(groups.map(() => [0, 1, 2]));
    expect(groups.flatMap((group) => group.slice(3))).toEqual(counts.map((_, index) => index + 3));
  }
  expect(writeSplitTables(result, { ...room, width: 400 }, {})[1]).toMatch(
    /^<p class="aside">Columns \d+ to \d+ of 11, rows in the same order<\/p>/,
  );
});

it('repeats the first column of listed events, and leaves out columns without a value', () => {
  const texts = Array.from(
    { length: 6 },
    (_, index) => [textColumn(`t${index}`, `T ${index}`), ['a long text', null]] as const,
  );
  const listed = exampleResult(
    [
      [dayColumn('utcTime', 'Time'), ['2024-03-08T00:00:00.000', '2024-03-09T00:00:00.000']],
      [textColumn('none', 'None'), [null, null]],
      ...texts,
    ],
    { provenance: { query: { ungrouped: true } } },
  );
  const { result, aside } = withoutBlank(listed);
  expect(aside).toBe('<p class="aside">No row has a value for: None</p>\n');
  const groups = splitColumns(result, room, 2);
  expect(groups.length).toBeGreaterThan(1);
  expect(groups.every(([first, ...others]) => first === 0 && others.length > 0)).toBe(true);
  expect(groups.flatMap((group) => group.slice(1))).toEqual([1, 2, 3, 4, 5, 6]);
  expect(withoutBlank(exampleResult([[textColumn('none', 'None'), [null]]])).aside).toBe('');
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
