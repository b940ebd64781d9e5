import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withParts } from '../../src/ask/cloneable.ts';
import type { TimeRange } from '../../src/ask/time/range.ts';
import { toInstant } from '../../src/ask/time/zone.ts';
import type { Value } from '../../src/plan/column.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { compare } from '../../src/shape/compare.ts';
import { fill } from '../../src/shape/fill/fill.ts';
import { toSeriesLabels } from '../../src/shape/fill/series-grid.ts';
import { withOther } from '../../src/shape/others.ts';
import { pivot } from '../../src/shape/pivot.ts';
import { filled } from '../../src/shape/result/marks.ts';
import { type Result, toResult } from '../../src/shape/result/result.ts';
import { sort } from '../../src/shape/result/sort.ts';
import { head } from '../../src/shape/result/take-rows.ts';
import { share } from '../../src/shape/share.ts';
import { stack } from '../../src/shape/stack.ts';
import { totals } from '../../src/shape/totals.ts';
import { toHeadings } from '../../src/show/labels/headings.ts';
import { days, makePlan, somewhere } from './plans.ts';

const midnight = (date: string) => `${date}T00:00:00.000`;

function resultOf(plan: Plan, rows: readonly (readonly Value[])[]): Result {
  const data = plan.columns.map((_, index) => rows.map((row) => row[index] ?? null));
  return toResult({ columns: plan.columns, data, provenance: { ...somewhere, rows: rows.length } });
}

describe('pivot', () => {
  const plan = makePlan({
    granularity: 'day',
    range: days('2024-03-08', '2024-03-09'),
    dimensions: { type: 'string' },
    measures: { count: 'count', mean: 'avg' },
  });

  it('makes a column of each value, null last, and leaves cells without a row empty', () => {
    const result = pivot(
      resultOf(plan, [
        ['view', midnight('2024-03-08'), 3, 1.5],
        [null, midnight('2024-03-08'), 1, null],
        ['click', midnight('2024-03-09'), 2, 2.5],
      ]),
      { rows: ['E.time.day'], columns: 'E.type', values: ['E.count'] },
    );
    expect(result.rows()).toEqual([
      { 'E.time.day': midnight('2024-03-08'), 'E.count["click"]': null, 'E.count["view"]': 3, 'E.count[null]': 1 },
      { 'E.time.day': midnight('2024-03-09'), 'E.count["click"]': 2, 'E.count["view"]': null, 'E.count[null]': null },
    ]);
    expect(result.columns.map((column) => column.title)).toEqual(['E time', 'click', 'view', 'no type']);
  });

  it('carries the marks of cells', () => {
    const whole = fill(resultOf(plan, [['view', midnight('2024-03-08'), 3, 1.5]]), plan);
    const result = pivot(whole, { rows: ['E.time.day'], columns: 'E.type', values: ['E.count', 'E.mean'] });
    expect([0, 1].map((row) => result.marks.of('E.count["view"]', row))).toEqual([0, filled]);
    expect(result.columns.map((column) => column.shortTitle)).toEqual(['time', 'view: count', 'view: mean']);
  });

  it('never lets two values or two rows meet that are not the same', () => {
    const pairs = makePlan({ dimensions: { left: 'string', right: 'string', across: 'string' } });
    const text = fc.constantFrom<Value>(null, '', '∅', 'null', 'a', 'a, b', 'b', '"', 'a"|"b', '[null]', '__proto__');
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(text, text, text), { selector: (row) => JSON.stringify(row) }), (cells) => {
        const result = pivot(
          resultOf(
            pairs,
            cells.map((cell, index) => [...cell, index]),
          ),
          { rows: ['E.left', 'E.right'], columns: 'E.across', values: ['E.count'] },
        );
        const found = result
          .rows()
          .flatMap((row) =>
            Object.entries(row).flatMap(([key, value]) =>
              value !== null && key.startsWith('E.count')
                ? [[row['E.left'], row['E.right'], JSON.parse(key.slice('E.count['.length, -1)), value]]
                : [],
            ),
          );
        const asked = cells.map((cell, index) => [...cell, index]);
        expect(new Set(found.map((cell) => JSON.stringify(cell)))).toEqual(
          new Set(asked.map((cell) => JSON.stringify(cell))),
        );
        expect(found).toHaveLength(asked.length);
      }),
    );
  });

  it('adds up rows that meet in a cell where that is allowed, and says so where it is not', () => {
    const result = pivot(
      resultOf(plan, [
        ['view', midnight('2024-03-08'), 3, 1.5],
        ['view', midnight('2024-03-09'), 4, 2.5],
        ['click', midnight('2024-03-09'), 2, 9],
      ]),
      { rows: [], columns: 'E.type', values: ['E.count', 'E.mean'] },
    );
    expect(result.rows()).toEqual([
      { 'E.count["click"]': 2, 'E.mean["click"]': 9, 'E.count["view"]': 7, 'E.mean["view"]': null },
    ]);
    expect(result.provenance.notes).toEqual([
      'E mean: several rows share a cell, and this measure cannot be added up.',
    ]);
  });

  it('says how many values found no column', () => {
    const result = pivot(
      resultOf(
        plan,
        ['a', 'b', 'c', 'd'].map((type) => [type, midnight('2024-03-08'), 1, 1]),
      ),
      {
        rows: ['E.time.day'],
        columns: 'E.type',
        values: ['E.count'],
        maxColumns: 2,
      },
    );
    expect(result.columns.map((column) => column.key)).toEqual(['E.time.day', 'E.count["a"]', 'E.count["b"]']);
    expect(result.provenance.notes).toEqual(['E type: 2 more values are left out of the columns.']);
  });
});

describe('totals', () => {
  const plan = makePlan({ dimensions: { type: 'string' }, measures: { count: 'count', sum: 'sum', mean: 'avg' } });

  it('adds up what adds up, exactly, and says what does not', () => {
    const result = totals(
      resultOf(plan, [
        ['a', 2n ** 53n, '0.10', 1],
        ['b', 1, '0.20', 2],
        ['c', null, null, 3],
      ]),
    );
    expect(result.rows()).toEqual([{ 'E.count': 2n ** 53n + 1n, 'E.sum': '0.30', 'E.mean': null }]);
    expect(result.provenance.notes).toEqual(['No total of E mean: it cannot be added up.']);
  });

  it('says if rows beyond a limit are missing, as shares do', () => {
    const whole = resultOf(plan, [['a', 1, '0.10', null]]);
    const cut = withParts(whole, { provenance: { ...whole.provenance, truncated: { limit: 1 } } });
    expect(totals(cut).provenance.notes).toContain('The totals contain only the rows up to the limit of 1.');
    expect(share(cut).provenance.notes).toEqual(['Shares are those of the rows up to the limit of 1.']);
    expect(share(whole).provenance.notes).toEqual([]);
  });

  it('is null over nothing', () => {
    expect(totals(resultOf(plan, [])).rows()).toEqual([{ 'E.count': null, 'E.sum': null, 'E.mean': null }]);
  });
});

describe('withOther', () => {
  const plan = makePlan({ dimensions: { flag: 'boolean', page: 'string' }, measures: { count: 'count', mean: 'avg' } });
  const rows = [
    [true, '/a', 5, 1],
    [true, '/b', 3, 2],
    [false, '/c', 2, 3],
    [false, '/d', 1, 4],
  ];

  it('puts the rest into one row, and keeps the total', () => {
    const result = withOther(resultOf(plan, rows), 2);
    expect(result.rows().map((row) => Object.values(row))).toEqual([
      [true, '/a', 5, 1],
      [true, '/b', 3, 2],
      [null, 'Other', 3, null],
    ]);
    expect(totals(result).values('E.count')).toEqual([11]);
    expect(result.provenance.notes).toEqual(['Other has no E mean: it cannot be added up.']);
  });

  it('leaves a short result alone', () => {
    const short = resultOf(plan, rows);
    expect(withOther(short, 4)).toBe(short);
  });
});

describe('share', () => {
  const plan = makePlan({
    granularity: 'day',
    dimensions: { type: 'string' },
    measures: { count: 'count', mean: 'avg' },
  });
  const rows = [
    ['a', midnight('2024-03-08'), 1, 1],
    ['b', midnight('2024-03-08'), 3, 1],
    ['a', midnight('2024-03-09'), 4, 1],
    ['b', midnight('2024-03-10'), 0, 1],
  ];

  it('is of the whole, or of each bucket', () => {
    expect(share(resultOf(plan, rows)).values('E.count.share')).toEqual([12.5, 37.5, 50, 0]);
    expect(share(resultOf(plan, rows), { within: ['E.time.day'] }).values('E.count.share')).toEqual([
      25,
      75,
      100,
      null,
    ]);
  });

  it('stands behind its measure, and only additive measures have one', () => {
    const result = share(resultOf(plan, rows));
    expect(result.columns.map((column) => column.key)).toEqual([
      'E.type',
      'E.time.day',
      'E.count',
      'E.count.share',
      'E.mean',
    ]);
    expect(result.columns[3]?.format).toBe('percent');
  });
});

describe('sort and head', () => {
  const plan = makePlan({ dimensions: { type: 'string' } });
  const rows = [
    ['b', 2],
    [null, 3],
    ['a', null],
    ['c', 10],
    ['d', 2],
  ];

  it('orders by value, nulls last either way, ties as they stood', () => {
    expect(sort(resultOf(plan, rows), [{ key: 'E.count', descending: true }]).values('E.type')).toEqual([
      'c',
      null,
      'b',
      'd',
      'a',
    ]);
    expect(sort(resultOf(plan, rows), [{ key: 'E.type' }]).values('E.type')).toEqual(['a', 'b', 'c', 'd', null]);
  });

  it('takes the first rows', () => {
    expect(head(resultOf(plan, rows), 2).rows()).toEqual([
      { 'E.type': 'b', 'E.count': 2 },
      { 'E.type': null, 'E.count': 3 },
    ]);
    expect(head(resultOf(plan, rows), 2).provenance.rows).toBe(2);
  });
});

describe('compare', () => {
  const dimensions = { type: 'string' } as const;
  const march = makePlan({
    granularity: 'day',
    range: days('2024-03-01', '2024-03-04'),
    dimensions,
    change: { comparison: 'March' },
  });
  const february = makePlan({
    granularity: 'day',
    range: days('2024-02-01', '2024-02-02'),
    dimensions,
    change: { comparison: 'February' },
  });

  it('aligns by the place in the calendar, not by the rows, and keeps the longest range', () => {
    const stacked = stack([
      {
        label: 'March',
        result: resultOf(march, [
          ['a', midnight('2024-03-02'), 6],
          ['b', midnight('2024-03-02'), 1],
          ['a', midnight('2024-03-04'), 5],
        ]),
      },
      {
        label: 'February',
        result: resultOf(february, [
          ['a', midnight('2024-02-01'), 2],
          ['a', midnight('2024-02-02'), 4],
        ]),
      },
    ]);
    const result = compare(stacked, [march, february]);
    expect(
      result
        .rows()
        .map((row) => [
          row['E.type'],
          row['E.time.day'],
          row['E.time.day.previous'],
          row['E.count'],
          row['E.count.previous'],
          row['E.count.change'],
          row['E.count.changePercent'],
        ]),
    ).toEqual([
      ['a', midnight('2024-03-01'), midnight('2024-02-01'), null, 2, null, null],
      ['a', midnight('2024-03-02'), midnight('2024-02-02'), 6, 4, 2, 50],
      ['b', midnight('2024-03-02'), midnight('2024-02-02'), 1, null, null, null],
      ['a', midnight('2024-03-04'), null, 5, null, null, null],
    ]);
    expect(result.columns.map((column) => column.title).slice(-4)).toEqual([
      'E count (March)',
      'E count (February)',
      'E count (change)',
      'E count (change in %)',
    ]);
  });

  it('has no percentage of nothing, and is exact where numbers are', () => {
    const [now, before] = [makePlan({ change: { comparison: 'now' } }), makePlan({ change: { comparison: 'before' } })];
    const ask = (current: Value, previous: Value) =>
      compare(
        stack([
          { label: 'now', result: resultOf(now, [[current]]) },
          { label: 'before', result: resultOf(before, [[previous]]) },
        ]),
        [now, before],
      ).rows()[0];
    expect(ask(5, 0)).toEqual({
      'E.count': 5,
      'E.count.previous': 0,
      'E.count.change': 5,
      'E.count.changePercent': null,
    });
    expect(ask(-1, -4)).toMatchObject({ 'E.count.change': 3, 'E.count.changePercent': 75 });
    expect(ask(2n ** 60n, 2n ** 60n - 1n)).toMatchObject({ 'E.count.change': 1 });
    expect(ask('1.30', '1.1')).toMatchObject({ 'E.count.change': '0.20' });
    // A count that is missing in a row is 0.
    expect(ask(null, 3)).toMatchObject({ 'E.count.change': -3, 'E.count.changePercent': -100 });
  });

  it('pairs hours by the clock, also on a day that lacks one or has one twice', () => {
    for (const [zone, current, earlier] of [
      ['America/New_York', '2024-03-10', '2024-03-09'],
      ['America/New_York', '2024-03-11', '2024-03-10'],
      ['America/New_York', '2024-11-03', '2024-11-02'],
      ['America/New_York', '2024-11-04', '2024-11-03'],
      ['America/New_York', '2024-11-02', '2024-11-01'],
      // The clock skips midnight.
      ['Africa/Cairo', '2026-04-24', '2026-04-23'],
      ['Africa/Cairo', '2026-04-25', '2026-04-24'],
    ] as const) {
      const dayOf = (date: string): TimeRange => ({
        start: toInstant(Date.parse(`${date}T00:00Z`), zone, 'first'),
        end: toInstant(Date.parse(`${date}T00:00Z`) + 86_400_000, zone, 'first'),
      });
      const plans = [current, earlier].map((date) =>
        makePlan({ granularity: 'hour', zone, range: dayOf(date), change: { comparison: date } }),
      );
      const labels = plans.map((plan) => toSeriesLabels(plan.series!, plan).labels);
      const stacked = stack(
        plans.map((plan, index) => ({
          label: plan.comparison!,
          result: resultOf(
            plan,
            labels[index]!.map((label) => [label, 1]),
          ),
        })),
      );
      const pairs = compare(stacked, plans)
        .rows()
        .map(
          (row) =>
            [row['E.time.hour'], row['E.time.hour.previous']] as const as readonly [string | null, string | null],
        );
      for (const [now, before] of pairs)
        if (now !== null && before !== null) expect(now.slice(11, 23)).toBe(before.slice(11, 23));
      expect(pairs.map(([now]) => now).filter((now) => now !== null)).toEqual(labels[0]);
      expect(pairs.map(([, before]) => before).filter((before) => before !== null)).toEqual(labels[1]);
      expect(pairs).toHaveLength(Math.max(...labels.map(({ length }) => length)));
    }
  });

  it('has its rows for each of equal ranges, and a title of its own for each column', () => {
    const plans = ['2024-03', '2024-03', '2024-03', '2024-02'].map((comparison) =>
      makePlan({ dimensions, change: { comparison } }),
    );
    const stacked = stack(
      plans.map((plan, index) => ({
        label: plan.comparison!,
        result: resultOf(plan, [
          ['a', index === 3 ? 2 : 1],
          ['b', index === 3 ? 4 : 3],
        ]),
      })),
    );
    const result = compare(stacked, plans);
    expect(
      result
        .rows()
        .map((row) => [row['E.count'], row['E.count.previous'], row['E.count.previous.2'], row['E.count.previous.3']]),
    ).toEqual([
      [1, 1, 1, 2],
      [3, 3, 3, 4],
    ]);
    expect(toHeadings(result.columns).filter((heading) => heading.startsWith('E.'))).toEqual([]);
  });

  it('keeps a third range', () => {
    const plans = ['x', 'y', 'z'].map((comparison) => makePlan({ change: { comparison } }));
    const stacked = stack(
      plans.map((plan, index) => ({ label: plan.comparison ?? '', result: resultOf(plan, [[2 ** index]]) })),
    );
    expect(compare(stacked, plans).rows()).toEqual([
      {
        'E.count': 1,
        'E.count.previous': 2,
        'E.count.change': -1,
        'E.count.changePercent': -50,
        'E.count.previous.2': 4,
        'E.count.change.2': -3,
        'E.count.changePercent.2': -75,
      },
    ]);
  });
});

describe('stack', () => {
  it('names the range of each row, and adds up what is known about the parts', () => {
    const plan = makePlan({ granularity: 'day', range: days('2024-03-01', '2024-03-02') });
    const one = fill(resultOf(plan, [[midnight('2024-03-01'), 1]]), plan);
    const result = stack([
      { label: 'A', result: one },
      { label: 'B', result: resultOf(plan, [[midnight('2024-03-02'), 3]]) },
    ]);
    expect(result.rows()).toEqual([
      { compareDateRange: 'A', 'E.time.day': midnight('2024-03-01'), 'E.count': 1 },
      { compareDateRange: 'A', 'E.time.day': midnight('2024-03-02'), 'E.count': 0 },
      { compareDateRange: 'B', 'E.time.day': midnight('2024-03-02'), 'E.count': 3 },
    ]);
    expect([0, 1, 2].map((row) => result.marks.of('E.count', row))).toEqual([0, filled, 0]);
    expect(result.provenance).toMatchObject({ rows: 3, filledCells: 1, filled: false });
  });
});
