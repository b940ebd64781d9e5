import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Value } from '../../src/plan/column.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { collect } from '../../src/shape/collect.ts';
import { decideFill, type FillSetting } from '../../src/shape/fill/decide-fill.ts';
import { fill } from '../../src/shape/fill/fill.ts';
import { filled, partialByPresent, partialByRange } from '../../src/shape/result/marks.ts';
import { type Result, toResult } from '../../src/shape/result/result.ts';
import { sumValues } from '../../src/shape/values/decimal.ts';
import { fillSlowly, type OracleRow, sortSlowly } from './fill-oracle.ts';
import { answerOf, day, days, makePlan, type PlanWish, someFacts, somewhere } from './plans.ts';
import { runs } from '../runs.ts';
import { withParts } from '../../src/ask/cloneable.ts';

const local: FillSetting = { mode: 'auto', completeness: 'local' };

async function ask(plan: Plan, rows: readonly OracleRow[], setting = local): Promise<Result> {
  const decision = decideFill(plan, setting);
  if (decision.kind === 'leave') throw new Error(`left: ${decision.why}`);
  return collect(decision.run, answerOf(decision.run, rows, 3), someFacts);
}

function rowsOf(result: Result<object>): readonly (readonly Value[])[] {
  return Array.from({ length: result.rowCount }, (_, row) =>
    result.columns.map((column) => result.values(column.key)[row] ?? null),
  );
}

const midnight = (date: string) => `${date}T00:00:00.000`;

describe('fill', () => {
  const march = makePlan({
    granularity: 'day',
    range: days('2024-03-08', '2024-03-12'),
    dimensions: { type: 'string' },
    measures: { count: 'count', mean: 'avg' },
  });
  const rows: OracleRow[] = [
    ['click', midnight('2024-03-08'), 4, 1.5],
    ['view', midnight('2024-03-08'), 9, 2.5],
    ['view', midnight('2024-03-11'), 7, null],
  ];

  it('gives each series its own run of days, in the order of the query', async () => {
    const result = fill(await ask(march, rows), march);
    expect(rowsOf(result)).toEqual([
      ['click', midnight('2024-03-08'), 4, 1.5],
      ['view', midnight('2024-03-08'), 9, 2.5],
      ['click', midnight('2024-03-09'), 0, null],
      ['view', midnight('2024-03-09'), 0, null],
      ['click', midnight('2024-03-10'), 0, null],
      ['view', midnight('2024-03-10'), 0, null],
      ['click', midnight('2024-03-11'), 0, null],
      ['view', midnight('2024-03-11'), 7, null],
      ['click', midnight('2024-03-12'), 0, null],
      ['view', midnight('2024-03-12'), 0, null],
    ]);
  });

  it('marks the cells that it adds, and no other', async () => {
    const result = fill(await ask(march, rows), march);
    const marked = Array.from({ length: result.rowCount }, (_, row) => result.marks.of('E.count', row));
    expect(marked).toEqual([0, 0, filled, filled, filled, filled, filled, 0, filled, filled]);
    expect(result.marks.flags('E.mean')).toBe(result.marks.flags('E.count'));
    expect(result.provenance).toMatchObject({ filled: true, filledCells: 14, rows: 10, truncated: null });
  });

  it('writes 0 where the platform does when asked to', async () => {
    const result = fill(await ask(march, rows), march, { fillWith: 0 });
    expect(rowsOf(result)[2]).toEqual(['click', midnight('2024-03-09'), 0, 0]);
    expect(rowsOf(result)[7]).toEqual(['view', midnight('2024-03-11'), 7, null]);
  });

  it('does not count what it adds against the limit, and brings back nothing that the limit cut', async () => {
    const plan = { ...march, limit: 1 };
    const result = fill(await ask(plan, rows), plan);
    expect(rowsOf(result).map((row) => row.slice(0, 3))).toEqual([
      ['click', midnight('2024-03-08'), 4],
      ['click', midnight('2024-03-09'), 0],
      ['click', midnight('2024-03-10'), 0],
      ['click', midnight('2024-03-11'), 0],
      ['click', midnight('2024-03-12'), 0],
    ]);
    expect(result.provenance.truncated).toEqual({ limit: 1 });
  });

  it('never turns a group that the limit cut into a zero', async () => {
    const plan = { ...march, limit: 2 };
    const result = fill(await ask(plan, rows), plan);
    expect(
      rowsOf(result)
        .filter((row) => row[0] === 'view')
        .map((row) => row[1]),
    ).toEqual(['2024-03-08', '2024-03-09', '2024-03-10', '2024-03-12'].map(midnight));
  });

  it('leaves out what the offset passes over', async () => {
    const plan = { ...march, offset: 2 };
    const result = fill(await ask(plan, rows), plan);
    expect(rowsOf(result).map((row) => [row[0], row[2]])).toEqual([
      ['view', 0],
      ['view', 0],
      ['view', 7],
      ['view', 0],
    ]);
  });

  it('yields the whole range for an empty answer without dimensions, and nothing for one with dimensions', async () => {
    const bare = makePlan({ granularity: 'day', range: days('2024-03-08', '2024-03-10') });
    expect(rowsOf(fill(await ask(bare, []), bare))).toEqual([
      [midnight('2024-03-08'), 0],
      [midnight('2024-03-09'), 0],
      [midnight('2024-03-10'), 0],
    ]);
    expect(fill(await ask(march, []), march).rowCount).toBe(0);
  });

  it('leaves real rows in the order in which they came, whatever that is', async () => {
    const result = fill(await ask(march, rows.toReversed()), march);
    const real = rowsOf(result).filter((_, row) => result.marks.of('E.count', row) === 0);
    expect(real).toEqual(rows.toReversed());
    expect(result.rowCount).toBe(10);
  });

  it('puts missing days where the order by a measure wants them', async () => {
    const plan = makePlan({
      granularity: 'day',
      range: days('2024-03-08', '2024-03-11'),
      measures: { delta: 'sum' },
      order: [
        { column: 1, descending: true },
        { column: 0, descending: false },
      ],
    });
    const result = fill(
      await ask(plan, [
        [midnight('2024-03-09'), 5],
        [midnight('2024-03-11'), -5],
      ]),
      plan,
    );
    expect(rowsOf(result)).toEqual([
      [midnight('2024-03-09'), 5],
      [midnight('2024-03-08'), 0],
      [midnight('2024-03-10'), 0],
      [midnight('2024-03-11'), -5],
    ]);
  });

  it('keeps columns of numbers typed where the missing value is a number', () => {
    const plan = makePlan({
      granularity: 'day',
      range: days('2024-03-08', '2024-03-10'),
      measures: { count: 'count', mean: 'avg' },
    });
    const result = fill(
      toResult({
        columns: plan.columns,
        data: [[midnight('2024-03-09')], Float64Array.of(3), Float64Array.of(1.5)],
        provenance: somewhere,
      }),
      plan,
    );
    expect(result.values('E.count')).toEqual(Float64Array.of(0, 3, 0));
    expect(result.values('E.mean')).toEqual([null, 1.5, null]);
  });

  it('marks added buckets that are cut by the range or by the present', async () => {
    const plan = makePlan({
      granularity: 'day',
      range: { start: day('2024-03-08') + 3_600_000, end: day('2024-03-12') - 1000 },
      now: day('2024-03-10') + 7_200_000,
    });
    const result = fill(
      await ask(plan, [
        [midnight('2024-03-08'), 2],
        [midnight('2024-03-10'), 1],
      ]),
      plan,
    );
    expect([0, 1, 2, 3].map((row) => result.marks.of('E.count', row))).toEqual([
      partialByRange,
      filled,
      partialByPresent,
      filled | partialByRange | partialByPresent,
    ]);
    expect(result.provenance.partialBuckets).toBe(3);
  });

  it('labels the 23, 24 and 25 hours of a local day', async () => {
    for (const [date, hours] of [
      ['2024-03-31', 23],
      ['2024-06-01', 24],
      ['2024-10-27', 25],
    ] as const) {
      const range = localDay(date);
      const plan = makePlan({ granularity: 'hour', zone: 'Europe/Berlin', range });
      const result = fill(await ask(plan, [], { mode: 'all', completeness: 'local' }), plan);
      const labels = result.values('E.time.hour') as readonly string[];
      expect(labels).toHaveLength(hours);
      expect(new Set(labels).size).toBe(hours);
      expect(labels.map((label) => Date.parse(label))).toEqual(
        Array.from({ length: hours }, (_, hour) => range.start + hour * 3_600_000),
      );
    }
  });

  it.each([
    ['week', 3, ['2024-03-04', '2024-03-11', '2024-03-18']],
    ['month', 1, ['2024-03-01']],
    ['year', 1, ['2024-01-01']],
  ] as const)('fills each %s of a range', async (granularity, count, labels) => {
    const plan = makePlan({ granularity, range: days('2024-03-04', '2024-03-24') });
    const result = fill(await ask(plan, []), plan);
    expect(rowsOf(result)).toEqual(labels.map((label) => [midnight(label), 0]));
    expect(result.provenance.filledCells).toBe(count);
  });

  it('fills a year of hours, and more buckets only if asked to', async () => {
    const year = makePlan({ granularity: 'hour', zone: 'Europe/Berlin', range: days('2024-01-01', '2024-12-31') });
    expect(fill(await ask(year, []), year).rowCount).toBe(8784);
    const more = makePlan({ granularity: 'minute', range: days('2024-03-04', '2024-03-11') });
    expect(decideFill(more, local)).toEqual({ kind: 'leave', why: expect.stringContaining('--fill all') as string });
    expect(fill(await ask(more, [], { ...local, mode: 'all' }), more).rowCount).toBe(8 * 1440);
  });

  describe('without a range', () => {
    const plan = makePlan({ granularity: 'week', measures: { count: 'count', mean: 'avg' }, limit: 4 });
    const asked = (rows: readonly OracleRow[], wish: Partial<Plan> = {}) =>
      ask({ ...plan, ...wish }, rows).then((result) => fill(result, { ...plan, ...wish }));

    it('fills a single series between its first and its last row', async () => {
      const result = await asked([
        [midnight('2024-03-04'), 4, 1.5],
        [midnight('2024-03-25'), 2, 1],
        [null, 7, 2],
      ]);
      expect(rowsOf(result)).toEqual([
        [midnight('2024-03-04'), 4, 1.5],
        [midnight('2024-03-11'), 0, null],
        [midnight('2024-03-18'), 0, null],
        [midnight('2024-03-25'), 2, 1],
        [null, 7, 2],
      ]);
      expect(result.provenance.filledCells).toBe(4);
    });

    it.each([[[]], [[[null, 3, 1]]]])('adds nothing to %j', async (rows: readonly OracleRow[]) => {
      expect(rowsOf(await asked(rows))).toEqual(rows);
    });

    it('follows the clock of the zone', async () => {
      const hours = makePlan({ granularity: 'hour', zone: 'Europe/Berlin' });
      const ends = ['2024-10-27T01:00:00.000+02:00', '2024-10-27T03:00:00.000+01:00'];
      const result = fill(
        await ask(
          hours,
          ends.map((end) => [end, 1]),
        ),
        hours,
      );
      expect(rowsOf(result)).toEqual([
        [ends[0], 1],
        ['2024-10-27T02:00:00.000+02:00', 0],
        ['2024-10-27T02:00:00.000+01:00', 0],
        [ends[1], 1],
      ]);
    });

    it('leaves an answer that its limit or offset may have cut', async () => {
      const rows: OracleRow[] = ['2024-01-01', '2024-02-05', '2024-03-04', '2024-04-01'].map((date) => [
        midnight(date),
        1,
        1,
      ]);
      expect((await asked(rows)).rowCount).toBe(4);
      expect(decideFill({ ...plan, offset: 1 }, local)).toEqual({ kind: 'leave' });
      const pages = makePlan({ granularity: 'week', dimensions: { page: 'string' } });
      expect(decideFill(pages, local)).toEqual({ kind: 'leave' });
    });

    it('leaves an answer whose rows are far apart, and says why', async () => {
      const minutes = makePlan({ granularity: 'minute' });
      const rows: OracleRow[] = ['1970-01-01', '2024-03-04'].map((date) => [`${date}T00:00:00.000Z`, 1]);
      const result = fill(await ask(minutes, rows), minutes);
      expect(rowsOf(result)).toEqual(rows);
      expect(result.provenance.notes).toEqual([expect.stringContaining('more than 10,000')]);
    });
  });

  it('leaves a remote answer that reached its limit, and says why', async () => {
    const plan = { ...march, limit: 3 };
    const result = fill(await ask(plan, rows, { mode: 'auto', completeness: 'remote' }), plan);
    expect(rowsOf(result)).toEqual(rows);
    expect(result.provenance.notes).toEqual([expect.stringContaining('reached its limit')]);
  });

  it('refuses to make more than five million cells, and still keeps the limit', async () => {
    const plan = makePlan({
      granularity: 'minute',
      range: days('2020-01-01', '2020-12-31'),
      dimensions: { page: 'string' },
      limit: 10,
    });
    const many = Array.from(
      { length: 12 },
      (_, index): OracleRow => [`/${String(index).padStart(2, '0')}`, '2020-01-01T00:00:00.000Z', 1],
    );
    const result = fill(await ask(plan, many, { mode: 'all', completeness: 'local' }), plan);
    expect(result.rowCount).toBe(10);
    expect(result.provenance.truncated).toEqual({ limit: 10 });
    expect(result.provenance.notes).toEqual([expect.stringContaining('five million')]);
  });
});

/** A local day of Berlin, found by asking the platform's calendar hour by hour. */
function localDay(date: string): { start: number; end: number } {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' });
  const hours = Array.from({ length: 72 }, (_, hour) => day(date) + (hour - 24) * 3_600_000).filter(
    (instant) => format.format(instant) === date,
  );
  return { start: hours[0] ?? 0, end: (hours.at(-1) ?? 0) + 3_600_000 };
}

describe('the laws of fill', () => {
  const texts: readonly Value[] = [null, '', 'null', '∅', 'a, b', 'a', 'b, c', '～', '😀', 'Ä'];
  const numbers: readonly Value[] = [null, 0, -3, 7, 2.5, 2n ** 60n];
  const dates = ['2024-03-29', '2024-03-30', '2024-03-31', '2024-04-01', '2024-04-02'];
  const question = fc
    .record({
      width: fc.integer({ min: 0, max: 2 }),
      zone: fc.constantFrom('UTC', 'Europe/Berlin'),
      cells: fc.uniqueArray(
        fc.tuple(
          fc.constantFrom(...texts),
          fc.constantFrom(true, false, null),
          fc.constantFrom(...dates, null),
          fc.constantFrom(...numbers),
          fc.constantFrom(1, 5, 9),
        ),
        {
          maxLength: 40,
        },
      ),
      limit: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
      offset: fc.integer({ min: 0, max: 5 }),
      shuffled: fc.shuffledSubarray([0, 1, 2, 3, 4]),
      directions: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      fillWith: fc.constantFrom<0 | undefined>(0, undefined),
    })
    .map(({ width, zone, cells, limit, offset, shuffled, directions, fillWith }) => {
      const names = (['text', 'flag'] as const).slice(0, width);
      const count = width + 3;
      // As the binder does it: what is asked for, then the remaining dimensions and time.
      const asked = shuffled.filter((column) => column < count).slice(0, 2);
      const order = [
        ...asked,
        ...Array.from({ length: width + 1 }, (_, column) => column).filter((column) => !asked.includes(column)),
      ].map((column) => ({
        column,
        descending: asked.includes(column) && (directions[column] ?? false),
      }));
      const range =
        zone === 'UTC'
          ? days('2024-03-29', '2024-04-02')
          : { start: day('2024-03-29') - 3_600_000, end: day('2024-04-03') - 7_200_000 };
      const preference: PlanWish = {
        granularity: 'day',
        range,
        zone,
        order,
        offset,
        dimensions: Object.fromEntries(names.map((name) => [name, name === 'text' ? 'string' : 'boolean'])),
        measures: { count: 'sum', mean: 'avg' },
        ...(limit === undefined ? {} : { limit }),
      };
      const plan = makePlan(preference);
      const unsorted = cells.map(
        ([text, flag, date, value, mean]): OracleRow => [
          ...[text, flag].slice(0, width),
          date === null ? null : midnight(date),
          value,
          mean,
        ],
      );
      const grouped = unsorted.filter(
        (row, index) =>
          unsorted.findIndex((other) => row.slice(0, width + 1).every((value, at) => value === other[at])) === index,
      );
      return { plan, rows: sortSlowly(grouped, plan), fillWith };
    });
  const labels = dates.map(midnight);

  it('agrees with the slow, obvious fill', async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ plan, rows, fillWith }) => {
        const result = fill(await ask(plan, rows), plan, { fillWith });
        expect(rowsOf(result)).toEqual(fillSlowly(rows, plan, labels, fillWith));
      }),
      { numRuns: runs(500) },
    );
  });

  it('changes nothing the second time, even where it does not know that it was there', async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ plan, rows }) => {
        const once = fill(await ask(plan, rows), plan);
        expect(fill(once, plan)).toBe(once);
        const forgetful = { ...once, provenance: { ...once.provenance, filled: false, truncated: null } };
        const everything = { ...plan, limit: undefined, offset: 0 };
        const whole = fill(await ask(everything, rows), everything);
        expect(rowsOf(fill(withParts(whole, { provenance: { ...forgetful.provenance } }), everything))).toEqual(
          rowsOf(whole),
        );
      }),
    );
  });

  it('keeps the totals, the real rows and their order', async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ plan, rows }) => {
        const result = fill(await ask(plan, rows), plan);
        const kept = rows.slice(plan.offset, plan.limit === undefined ? undefined : plan.offset + plan.limit);
        const real = rowsOf(result).filter((_, row) => (result.marks.of('E.count', row) & filled) === 0);
        expect(real).toEqual(kept);
        const width = plan.dimensions.length;
        expect(sumValues(result.values('E.count')) ?? 0).toEqual(
          sumValues(kept.map((row) => row[width + 1] ?? null)) ?? 0,
        );
      }),
    );
  });

  it('has every bucket of every series exactly once where there is no limit', async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ plan: asked, rows: all }) => {
        const rows = all.filter((row) => row[asked.dimensions.length] !== null);
        const plan = { ...asked, limit: undefined, offset: 0 };
        const width = plan.dimensions.length;
        const cells = rowsOf(fill(await ask(plan, rows), plan)).map((row) => JSON.stringify(row.slice(0, width + 1)));
        const series = width === 0 ? 1 : new Set(rows.map((row) => JSON.stringify(row.slice(0, width)))).size;
        expect(new Set(cells).size).toBe(cells.length);
        expect(cells).toHaveLength(series * labels.length);
      }),
    );
  });
});
