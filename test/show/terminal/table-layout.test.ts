import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Value } from '../../../src/plan/column.ts';
import type { Result } from '../../../src/shape/result/result.ts';
import { cellWidth } from '../../../src/show/labels/cell-width.ts';
import { layOutTable, type TableOptions } from '../../../src/show/terminal/write-table.ts';
import { toPlainText } from '../../../src/show/terminal/table-line.ts';
import { anyResult } from '../arbitrary-result.ts';
import { dayColumn, exampleResult, hostileTexts, numberColumn, textColumn } from '../example-result.ts';

const draw = (result: Result, options: Partial<TableOptions> = {}) =>
  layOutTable(result, { width: 80, ...options }).map(toPlainText);
const drawn = (result: Result, options: Partial<TableOptions> = {}) => `${draw(result, options).join('\n')}\n`;
const anyWidth = fc.oneof(fc.integer({ min: 1, max: 140 }), fc.constant(Infinity));

const flags = [4, 0, 1, 0, 8];
const series = exampleResult(
  [
    [dayColumn('utcTime', 'Utc Time'), [5, 6, 7, 8, 9].map((day) => `2024-03-0${day}T00:00:00.000`)],
    [numberColumn('count', 'Count'), [4080, 12_345, 0, 99, 1]],
    [numberColumn('users', 'Unique Users Count', { additive: false }), [312, 1001, 0, 45, 1]],
    [numberColumn('minutes', 'Average Duration Minutes', { additive: false }), [1.5, 12.3333, null, 3, 0.01234]],
    [
      numberColumn('returning', 'Returning User Percentage', { additive: false, format: 'percent' }),
      [6.56, 12, null, 100, 3.1],
    ],
  ],
  {
    marks: Object.fromEntries(
      ['utcTime.day', 'count', 'users', 'minutes', 'returning'].map((name) => [`TrackedEvents.${name}`, flags]),
    ),
    provenance: {
      uncounted: [{ what: 'events without a user', rows: 1204 }],
      rejected: { count: 3, examples: [{ file: 'events/2024.ndjson', line: 17, reason: 'not JSON' }] },
    },
  },
);

const titles = [
  'Pricing',
  '価格と料金プラン — 株式会社サンプル',
  'مرحبا بالعالم',
  '👩‍👩‍👧‍👦 Family plans 🇩🇪',
  'नमस्ते दुनिया',
  ...hostileTexts,
  '',
  null,
];
const pages = exampleResult(
  [
    [textColumn('pageTitle', 'Page Title'), titles],
    [
      textColumn('docPath', 'Doc Path'),
      titles.map((_, index) => (index === 2 ? `/a/very/long/path${'/and/on'.repeat(20)}` : `/page/${index}`)),
    ],
    [
      numberColumn('count', 'Count'),
      titles.map((_, index) => (index === 0 ? 12345678901234567890n : index === 1 ? '98765432109876543210.25' : index)),
    ],
    [numberColumn('users', 'Unique Users Count'), titles.map((_, index) => index * 1000)],
  ],
  { provenance: { truncated: { limit: 12 }, total: 4321 } },
);

const wide = exampleResult(
  Array.from({ length: 20 }, (_, index) =>
    index < 2
      ? [textColumn(`d${index}`, `Dimension Number ${index}`), ['alpha', 'beta']]
      : [numberColumn(`m${index}`, `Measure Number ${index}`), [index * 1000, index * 12_345]],
  ),
);

describe('terminal tables', () => {
  it.each([60, 80, 120])('show a time series at %i columns', async (width) => {
    await expect(drawn(series, { width })).toMatchFileSnapshot(`../golden/series-${width}.txt`);
  });

  it.each([60, 80, 120])('show page titles in any script at %i columns', async (width) => {
    await expect(drawn(pages, { width })).toMatchFileSnapshot(`../golden/pages-${width}.txt`);
  });

  it.each([60, 80, 120])('show twenty columns at %i columns', async (width) => {
    await expect(drawn(wide, { width })).toMatchFileSnapshot(`../golden/wide-${width}.txt`);
  });

  it('keep every column and all text on a pipe', () => {
    const lines = draw(pages, { width: Infinity });
    expect(lines[0]).toMatch(/^Page Title +Doc Path +Count {2}Unique Users Count$/);
    expect(lines.join('\n')).toContain(`/a/very/long/path${'/and/on'.repeat(20)} `);
    expect(draw(wide, { width: Infinity })[0]?.match(/Number/g)).toHaveLength(20);
  });

  it('name the columns that do not fit', () => {
    const result = exampleResult([
      [textColumn('a', 'A'), ['x'.repeat(30)]],
      [numberColumn('b', 'B'), [1]],
      [numberColumn('c', 'C'), [10n ** 30n]],
    ]);
    expect(draw(result, { width: 30 }).at(-1)).toBe('1 column does not fit: C');
  });

  it('show one row of measures vertically', () => {
    expect(draw(exampleResult([[numberColumn('count', 'Count'), [991_631]]]))).toEqual(['Count  991,631']);
    expect(
      draw(
        exampleResult([
          [numberColumn('count', 'Count'), [991_631]],
          [numberColumn('minutes', 'Average Minutes'), [3.14159]],
        ]),
      ),
    ).toEqual(['Count            991,631', 'Average Minutes     3.14']);
  });

  it('show headings even without rows', () => {
    const result = exampleResult([
      [textColumn('eventType', 'Event Type'), []],
      [numberColumn('count', 'Count'), []],
    ]);
    expect(draw(result)).toEqual(['Event Type  Count', '─────────────────', 'No rows.']);
  });

  it('say how many rows are omitted', () => {
    const result = exampleResult([
      [numberColumn('count', 'Count'), Float64Array.from({ length: 10_000 }, (_, row) => row)],
    ]);
    const lines = draw(result, { maxRows: 120, howToSeeAll: '--all prints all' });
    expect(lines).toHaveLength(123);
    expect(lines.at(-1)).toBe('… 120 of 10,000 rows shown; --all prints all');
    expect(draw(result)).toHaveLength(10_002);
  });

  it('never show a part of a number', () => {
    expect(
      draw(
        exampleResult([
          [numberColumn('count', 'Count'), [123_456_789]],
          [numberColumn('n', 'N'), [1]],
        ]),
        { width: 6 },
      ),
    ).toEqual(['     …', '     1']);
  });

  it('show null as a dash and the empty text as quotes', () => {
    const result = exampleResult([
      [textColumn('a', 'A'), ['', null]],
      [numberColumn('n', 'N'), [null, 0]],
    ]);
    expect(draw(result, { width: Infinity }).slice(2)).toEqual(['""  –', '–   0']);
  });

  it('mark single cells if no time column marks the row', () => {
    const result = exampleResult(
      [
        [textColumn('a', 'A'), ['x', 'y']],
        [numberColumn('n', 'N'), [0, 1234]],
      ],
      { marks: { 'TrackedEvents.n': [2, 0] } },
    );
    expect(draw(result, { width: Infinity })).toEqual([
      'A      N',
      '─────────',
      'x      0?',
      'y  1,234',
      '',
      '? filled or zero: the server does not say which',
    ]);
  });

  it('draw bars and shares of a known total if there is room', () => {
    const columns = [
      [textColumn('a', 'A'), ['x', 'y', 'z']],
      [numberColumn('n', 'N'), [10, 30, null]],
    ] as const;
    const parts = exampleResult(columns);
    expect(draw(parts, { width: 36 })).toEqual([
      'A       N  Share of 40',
      '─'.repeat(36),
      'x      10        25.0%  ████',
      'y      30        75.0%  ████████████',
      'z       –',
      '─'.repeat(36),
      'Total  40',
    ]);
    // Without room for both, only the bars are drawn; without room for bars, neither. A pipe gets only the figures.
    expect(draw(parts, { width: 24 })[3]).toBe('y      30  █████████████');
    expect(draw(parts, { width: 14 })[3]).toBe('y      30');
    expect(draw(parts, { width: Infinity })[3]).toBe('y  30');
    // Shares are left out if a limit cut the rows.
    const top = exampleResult(columns, { provenance: { query: { limit: 3 } } });
    expect(draw(top)[0]).not.toContain('Share');
    const negative = exampleResult([columns[0], [numberColumn('n', 'N'), [10, -30, 4]]]);
    // Bars and shares start at 0.
    expect(draw(negative).slice(2)).toEqual(['x       10', 'y      -30', 'z        4', '─'.repeat(10), 'Total  -16']);
    const nearlyAll = exampleResult([columns[0], [numberColumn('n', 'N'), [299_981, 19, 0]]]);
    expect(draw(nearlyAll, { width: 50 }).slice(2, 5)).toEqual([
      expect.stringContaining('  99.9%  '),
      expect.stringContaining('   0.1%'),
      expect.stringMatching(/ 0\.0%$/),
    ]);
    // Shares cover all rows, even if fewer are shown.
    expect(draw(parts, { maxRows: 2 })[2]).toContain('25.0%');
  });

  it('show exact totals of additive measures on a screen if all rows are present', () => {
    const day = [dayColumn('utcTime', 'Day'), ['2024-03-05T00:00:00.000', '2024-03-06T00:00:00.000']] as const;
    const figures = [
      [numberColumn('n', 'N'), [10n ** 30n, 1]],
      [numberColumn('users', 'Users', { additive: false }), [3, 4]],
      [numberColumn('cents', 'Cents'), ['0.1', '0.2']],
    ] as const;
    const lines = draw(exampleResult([day, ...figures]));
    expect(lines.at(-1)).toMatch(/^Total +1,000,000,000,000,000,000,000,000,000,001 +– +0\.3$/);
    const isTotal = (result: Result, options: Partial<TableOptions> = {}) =>
      draw(result, options).some((line) => line.startsWith('Total'));
    const rows = [day, ...figures];
    // A pipe gets only rows. Cut results and users have no total.
    expect(isTotal(exampleResult(rows), { width: Infinity })).toBe(false);
    expect(isTotal(exampleResult(rows, { provenance: { truncated: { limit: 2 } } }))).toBe(false);
    expect(isTotal(exampleResult(rows, { provenance: { query: { limit: 2 } } }))).toBe(false);
    expect(isTotal(exampleResult(rows, { provenance: { query: { offset: 2 } } }))).toBe(false);
    expect(isTotal(exampleResult([day, figures[1]]))).toBe(false);
    // The total covers all rows, even if fewer are shown.
    expect(draw(exampleResult(rows), { maxRows: 1 }).find((line) => line.startsWith('Total'))).toMatch(
      /^Total of 2 .* 0\.3$/,
    );
  });

  it('group columns under shared headings, and add an arrow to each change', () => {
    const compared = exampleResult([
      [textColumn('a', 'A'), ['x', 'y', 'z']],
      [numberColumn('n', 'N (May)'), [10, 20, 5]],
      [numberColumn('n.previous', 'N (April)'), [20, 10, 5]],
      [numberColumn('n.change', 'N (change)', { additive: false }), [-10, 10, 0]],
    ]);
    expect(draw(compared)).toEqual([
      '       ─────── N ────────',
      'A      May  April  change',
      '─'.repeat(25),
      'x       10     20   ▼ -10',
      'y       20     10    ▲ 10',
      'z        5      5       0',
      '─'.repeat(25),
      'Total   35     35       0',
    ]);
    const percents = (earlier: readonly Value[], changes: readonly Value[], isWhole = true) =>
      draw(
        exampleResult([
          [textColumn('a', 'A'), ['x', 'y']],
          [numberColumn('n', 'N'), [10, 20]],
          [numberColumn('n.previous', 'Before', { additive: isWhole }), earlier],
          [numberColumn('n.change', 'Change', { additive: false }), changes],
          [numberColumn('n.changePercent', 'In %', { additive: false, format: 'percent' }), [null, null]],
        ]),
      ).at(-1);
    expect(percents([0, 40], [10, -20])).toMatch(/^Total +30 +40 +-10 +-25%$/);
    // A bucket that is not over is not comparable, and neither is an earlier range of which rows may be missing.
    expect(percents([0, 40], [null, -20])).toMatch(/^Total +30 +40 +– +–$/);
    expect(percents([null, 40], [null, -20], false)).toMatch(/^Total +30 +– +– +–$/);
    expect(draw(compared, { width: Infinity })[0]).toBe('A  N (May)  N (April)  N (change)');
    expect(draw(compared, { unicode: false })[3]).toMatch(/v -10$/);
    const coloured = layOutTable(compared, { width: 80 }).flat();
    expect(coloured.filter(({ style }) => style === 'gain').map(({ text }) => text.trim())).toEqual(['▲ 10']);
    expect(coloured.filter(({ style }) => style === 'loss').map(({ text }) => text.trim())).toEqual(['▼ -10']);
  });

  it('draw in ASCII on request', () => {
    const plain = exampleResult(
      [
        [textColumn('a', 'A'), ['a long text']],
        [numberColumn('n', 'N'), [null]],
      ],
      { marks: { 'TrackedEvents.n': [1] } },
    );
    expect(draw(plain, { width: 13, unicode: false }).join('\n')).toMatch(/^[\x20-\x7e\n]+$/);
  });

  it('never exceed the width', () => {
    fc.assert(
      fc.property(anyResult, anyWidth, (result, width) => {
        for (const line of draw(result, { width })) expect(cellWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('contain no control characters', () => {
    fc.assert(
      fc.property(anyResult, anyWidth, (result, width) => {
        for (const line of draw(result, { width }))
          expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u);
      }),
    );
  });

  it('have a line for each row whatever the values', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        fc.pre(result.columns.some(({ kind }) => kind !== 'measure') || result.rowCount !== 1);
        const lines = draw(result, { width: Infinity });
        expect(lines[1]).toMatch(/^─*$/);
        expect(lines.length).toBeGreaterThanOrEqual(2 + result.rowCount);
      }),
    );
  });
});
