import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, medianDeviation } from '../../src/tell/evaluate/judge-alert.ts';
import { partialByPresent, partialByRange } from '../../src/shape/result/marks.ts';
import type { UsageAnswer } from '../../src/tell/ports.ts';
import type { Report, ReportAlert } from '../../src/tell/report/report.ts';
import { writeReportJson } from '../../src/tell/report/report-to-json.ts';
import { dayColumn, emptyProvenance, exampleResult, numberColumn } from '../show/example-result.ts';
import { answer, issuesOf, prepare } from './notebook-world.ts';

const cell = (yaml: string, kind = 'query') => `\`\`\`${kind}\n${yaml}\n\`\`\`\n`;
const daily = (range: string, more: string) =>
  cell(
    `name: views\nquery: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day, dateRange: ${range}}]}\n${more}`,
  );
const watchedOf = ({ blocks }: Report): readonly ReportAlert[] =>
  blocks.flatMap((block) => (block.kind === 'cell' ? (block.watched ?? []) : []));

/** The days up to 7 March 2024, the day before the reference time of these tests. */
function dayAt(back: number): string {
  return `${new Date(Date.parse('2024-03-07T00:00:00Z') - back * 86_400_000).toISOString().slice(0, 10)}T00:00:00.000`;
}

/** Counts the values on each side of every candidate: slow, and without sorting. */
function oracleMedian(values: readonly number[]): number {
  const candidates = values.filter((value) => {
    const below = values.filter((other) => other < value).length;
    const above = values.filter((other) => other > value).length;
    return 2 * below <= values.length && 2 * above <= values.length;
  });
  return (Math.min(...candidates) + Math.max(...candidates)) / 2;
}

function oracleState(counts: readonly number[], deviations: number, weekday: boolean): ReportAlert['state'] {
  const last = counts.at(-1)!;
  const past: number[] = [];
  for (let back = weekday ? 7 : 1; back < counts.length; back += weekday ? 7 : 1) past.push(counts.at(-1 - back)!);
  if (past.length < 4) return 'unknown';
  const middle = oracleMedian(past);
  const spread = oracleMedian(past.map((one) => (one > middle ? one - middle : middle - one)));
  return last > middle + deviations * spread || last < middle - deviations * spread ? 'raised' : 'clear';
}

describe('the band of usual values', () => {
  it('agrees with a slow definition by counting', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), {
          minLength: 1,
          maxLength: 30,
        }),
        (values) => {
          expect(median(values)).toBe(oracleMedian(values));
          const middle = oracleMedian(values);
          expect(medianDeviation(values)).toBe(oracleMedian(values.map((one) => Math.abs(one - middle))));
        },
      ),
      { seed: 3, numRuns: 200 },
    );
  });

  it('raises an alert exactly when the slow definition does, in any order of rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 40 }), {
          minLength: 2,
          maxLength: 70,
        }),
        fc.constantFrom(1, 2, 3, 4.5),
        fc.boolean(),
        fc.boolean(),
        async (counts, deviations, weekday, reversed) => {
          const rows = counts.map((count, index) => [dayAt(counts.length - 1 - index), count] as const);
          if (reversed) rows.reverse();
          const result = exampleResult([
            [dayColumn('utcTime'), rows.map(([label]) => label)],
            [numberColumn('count', 'Count'), rows.map(([, count]) => count)],
          ]);
          const { report } = await answer(
            daily(`last ${counts.length} days`, `outside: ${deviations} mad${weekday ? ' of the same weekday' : ''}`),
            { query: () => Promise.resolve(result) },
          );
          expect(watchedOf(report)[0]?.state).toBe(oracleState(counts, deviations, weekday));
        },
      ),
      { seed: 5, numRuns: 120 },
    );
  });

  it('leaves out the days before the first event, whose zeros may be missing data', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 20, max: 40 }), { minLength: 2, maxLength: 20 }),
        fc.integer({ min: 0, max: 40 }),
        async (counts, before) => {
          const all = [...Array.from({ length: before }, () => 0), ...counts];
          const first = dayAt(counts.length - 1).slice(0, 10);
          const result = exampleResult(
            [
              [dayColumn('utcTime'), all.map((_, index) => dayAt(all.length - 1 - index))],
              [numberColumn('count', 'Count'), all],
            ],
            {
              provenance: {
                range: range(dayAt(all.length - 1).slice(0, 10), '2024-03-08'),
                earliest: `${first}T17:00:00.000Z`,
                asOf,
              },
            },
          );
          const { report } = await answer(daily(`last ${all.length} days`, 'outside: 2 mad'), {
            query: () => Promise.resolve(result),
          });
          expect(watchedOf(report)[0]?.state).toBe(oracleState(counts, 2, false));
        },
      ),
      { numRuns: 60 },
    );
  });
});

const weeks = Array.from({ length: 36 }, (_unused, index) => 35 - index);
const steady = (last: number, more: Parameters<typeof exampleResult>[1] = {}) =>
  exampleResult(
    [
      [dayColumn('utcTime'), weeks.map(dayAt)],
      [numberColumn('count', 'Count'), weeks.map((back) => (back === 0 ? last : 100 + (back % 3)))],
    ],
    more,
  );
const compared = (change: number, more: Parameters<typeof exampleResult>[1] = {}) =>
  exampleResult(
    ['', '.previous', '.change', '.changePercent'].map(
      (suffix, index) =>
        [
          { ...numberColumn('count'), key: `TrackedEvents.count${suffix}` },
          [[100 + change, 100, change, change][index] ?? null],
        ] as const,
    ),
    more,
  );
const range = (start: string, end: string) => ({
  start: `${start}T00:00:00.000Z`,
  end: `${end}T00:00:00.000Z`,
});
const asOf = '2024-03-08T12:00:00.000Z';

describe('a threshold', () => {
  it.each([
    ['change < -20%', -21, 'raised'],
    ['change < -20%', -20, 'clear'],
    ['change <= -20 %', -20, 'raised'],
    ['change < −20%', -30, 'raised'],
    ['change > 5', 6, 'raised'],
    ['count.change > 5', 5, 'clear'],
    ['total < 80', -21, 'raised'],
    ['"< 80"', -19, 'clear'],
  ] as const)('%s of a change of %d is %s', async (condition, change, state) => {
    const text = cell(
      `name: views\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\nalert: ${condition}`,
      'compare',
    );
    const { report } = await answer(text, {
      query: () => Promise.resolve(compared(change)),
    });
    expect(watchedOf(report).map((one) => one.state)).toEqual([state]);
    const [block] = report.blocks;
    if (state === 'raised')
      expect(block).toMatchObject({
        alerts: [expect.stringContaining('Alert (')],
      });
    else expect(block).not.toHaveProperty('alerts');
    expect(JSON.parse(writeReportJson(report)).blocks[0].watched).toHaveLength(1);
  });

  it('of rows applies to their total', async () => {
    const { report } = await answer(daily('last 36 days', 'alert: [count > 3600, change > 0%]'), {
      query: ({ query }) =>
        Promise.resolve(query.timeDimensions?.[0]?.granularity === 'day' ? steady(100) : compared(7)),
    });
    expect(watchedOf(report).map(({ state, text }) => [state, text])).toEqual([
      ['raised', '3,636'],
      ['raised', '7'],
    ]);
  });
});

describe('incomplete data', () => {
  const partly = { ...emptyProvenance, asOf };
  it.each([
    ['end early', { ...partly, endsEarly: 'The data ends on 2024-03-06.' }],
    ['are those of a range that is not over', { ...partly, range: range('2024-03-04', '2024-03-11') }],
    ['are those of a range to come', { ...partly, range: range('2024-03-09', '2024-03-11') }],
    ['could not be read', { ...partly, rejected: { ...emptyProvenance.rejected, count: 1 } }],
  ])('raise and clear nothing: they %s', async (_why, provenance) => {
    for (const change of [-90, 90]) {
      const { report } = await answer(
        cell(
          'name: views\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\nalert: change < -20%',
          'compare',
        ),
        { query: () => Promise.resolve(compared(change, { provenance })) },
      );
      expect(watchedOf(report).map(({ state }) => state)).toEqual(['unknown']);
    }
  });

  it('raise and clear nothing: a range of which the store lacks events, except in its last row', async () => {
    const lost = [{ start: null, end: '2024-02-10T00:00:00.000Z' }];
    const provenance = { ...partly, range: range('2024-02-01', '2024-03-08'), lost };
    const { report } = await answer(daily('last 36 days', 'alert: [count.last < 50, count.sum < 50, count > 0]'), {
      query: ({ query }) =>
        Promise.resolve(
          query.timeDimensions?.[0]?.granularity === 'day'
            ? steady(5, { provenance })
            : exampleResult([[numberColumn('count', 'Count'), [5]]], { provenance }),
        ),
    });
    expect(watchedOf(report).map(({ state }) => state)).toEqual(['raised', 'unknown', 'unknown']);
  });

  it('raise and clear nothing: a row that is not over, or that the range cuts', async () => {
    const asked = async (conditions: string, more: Parameters<typeof steady>[1]) => {
      const { report } = await answer(daily('last 36 days', `alert: [${conditions}]`), {
        query: () => Promise.resolve(steady(5, more)),
      });
      return watchedOf(report).map(({ state }) => state);
    };
    const conditions =
      'count.last < 50, count.min < 50, count.mean < 1000, count.first < 50, count.max < 50, count.sum < 50';
    expect(await asked(conditions, {})).toEqual(['raised', 'raised', 'raised', 'clear', 'clear', 'clear']);
    for (const flag of [partialByPresent, partialByRange]) {
      const marks = { 'TrackedEvents.utcTime.day': weeks.map((back) => (back === 0 ? flag : 0)) };
      expect(await asked(conditions, { marks })).toEqual(['unknown', 'unknown', 'unknown', 'clear', 'clear', 'clear']);
    }
  });

  it('raise and clear nothing: usage of a month that is not over, or of lines that could not be read', async () => {
    const asked = async (more: Partial<UsageAnswer>, provenance = partly) => {
      const figures = new Map([['total', { path: 'total', text: '5', value: 5, provenance }]]);
      const usage = { parts: [], figures, footnotes: [], failures: [], alerts: [], ...more };
      const { report } = await answer(cell('name: u\nalert: [total < 7, total > 7]', 'usage'), {
        usage: () => Promise.resolve(usage),
      });
      return watchedOf(report).map(({ state, finding }) => `${state}: ${finding}`);
    };
    expect(await asked({})).toEqual(['raised: It is 5.', 'clear: It is 5.']);
    const open = 'unknown: The month is not over. Use toDate or forecast.';
    expect(await asked({ partial: new Set(['total']) })).toEqual([open, open]);
    const broken = 'unknown: Some data could not be read.';
    const rejected = { ...emptyProvenance.rejected, count: 1 };
    expect(await asked({}, { ...partly, rejected })).toEqual([broken, broken]);
  });

  it('a missing or partial day is not the latest one', async () => {
    const ask = async (more: Parameters<typeof steady>[1]) => {
      const { report } = await answer(daily('last 40 days', 'outside: 3 mad of the same weekday'), {
        query: () => Promise.resolve(steady(5, more)),
      });
      return watchedOf(report)[0]?.state;
    };
    const whole = {
      ...emptyProvenance,
      asOf,
      zone: 'UTC',
      range: range('2024-02-01', '2024-03-08'),
    };
    expect(await ask({ provenance: whole })).toBe('raised');
    expect(
      await ask({
        provenance: {
          ...whole,
          asOf: '2024-03-09T12:00:00.000Z',
          range: range('2024-02-01', '2024-03-09'),
        },
      }),
    ).toBe('unknown');
    expect(await ask({ provenance: { ...whole, truncated: { limit: 36 } } })).toBe('unknown');
  });
});

describe('mistakes in an alert', () => {
  const query = 'query: {measures: [TrackedEvents.count]}\nrange: yesterday\n';
  it.each([
    ['alert: change < -20%', /missing-key/],
    ['name: v\nalert: change', /5:8 invalid-value/],
    ['name: v\nalert: chnge < 5', /unknown-figure/],
    ['name: v\nalert: total < 5%', /not-percent/],
    ['name: v\noutside: 3 mad of the same weekday', /not-a-series/],
    ['name: v\noutside: 3 sigma', /5:\d+ invalid-value/],
    ['name: v\nalert: {when: total < 5, outside: 3 mad}', /one-condition/],
    ['name: v\nalert: {when: total < 5, figure: count}', /one-condition/],
  ])('%s', async (yaml, issue) => {
    expect((await issuesOf(cell(`${query}${yaml}`))).join()).toMatch(issue);
  });

  it('say how a band names one of several measures', async () => {
    const days = 'timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day}]';
    const two = `query: {measures: [TrackedEvents.count, TrackedEvents.pageViewsCount], ${days}}\nrange: last 9 days\n`;
    const { issues } = await prepare(cell(`name: v\n${two}outside: 3 mad`));
    expect(issues.map(({ hint }) => hint)).toEqual([
      'Write `alert: {outside: 3 mad, figure: NAME}`. Specify which: count, pageViewsCount.',
    ]);
    expect(await issuesOf(cell(`name: v\n${two}alert: {outside: 3 mad, figure: count}`))).toEqual([]);
  });

  it('are not found in valid alerts', async () => {
    for (const yaml of ['alert: change < -20%', 'alert: [total < 5, {when: count > 9, because: Too much.}]'])
      expect(await issuesOf(cell(`name: v\n${query}${yaml}`)), yaml).toEqual([]);
    expect(await issuesOf(daily('last 40 days', 'outside: 3 mad of the same weekday'))).toEqual([]);
    expect(await issuesOf(cell('name: b\nfunnel: buy\nalert: cart.conversion < 40%', 'funnel'))).toEqual([]);
    expect(await issuesOf(cell('name: u\nalert: total > 7000', 'usage'))).toEqual([]);
  });
});
