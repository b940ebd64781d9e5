import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column, Value } from '../../../../src/plan/column.ts';
import type { StoredView } from '../../../../src/run/backend.ts';
import { type Engine, openEngine } from '../../../../src/run/duckdb/engine/engine.ts';
import { type RowFilter, rowOperators, type RowSort, type RowView } from '../../../../src/run/stored-view.ts';
import type { Result } from '../../../../src/shape/result/result.ts';
import { compareValues } from '../../../../src/shape/values/compare-values.ts';
import type { RowSource } from '../../../../src/show/text/row-source.ts';
import { composeGrid } from '../../../../src/use/explorer/grid/compose-grid.ts';
import { sourceOfRows } from '../../../../src/use/explorer/grid/grid-source.ts';
import { openResultView } from '../../../../src/use/explorer/grid/result-view.ts';
import { numberColumn, textColumn, timeColumn } from '../../../run/ask-sql.ts';
import { askPieces, askWhole } from '../../../run/written-rows.ts';
import { days, makePlan } from '../../../shape/plans.ts';
import { openDesk } from './open-desk.ts';

const zone = 'Europe/Berlin';
const keyed = (column: Column, key: string): Column => ({ ...column, key: `Any.${key}`, member: `Any.${key}` });
const columns: readonly Column[] = [
  keyed(textColumn, 'word'),
  keyed(numberColumn, 'whole'),
  keyed(numberColumn, 'double'),
  keyed(numberColumn, 'decimal'),
  keyed(timeColumn('day'), 'day'),
  keyed(timeColumn('hour'), 'hour'),
  { ...keyed(textColumn, 'truth'), type: 'boolean' },
  keyed(numberColumn, 'huge'),
  keyed(textColumn, 'numbered'),
  { ...keyed(numberColumn, 'latest'), type: 'time' },
];
// More than one row group of the file.
const count = 62_000;
const text = `SELECT
  CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'Ünder_' || (i % 50) WHEN 3 THEN '😀%' WHEN 4 THEN '～' ELSE 'word ' || (i % 900) END,
  CASE WHEN i % 11 = 0 THEN NULL ELSE (hash(i) % 2000)::BIGINT - 1000 END,
  CASE i % 13 WHEN 0 THEN NULL WHEN 1 THEN 'nan'::DOUBLE WHEN 2 THEN 'inf'::DOUBLE ELSE (hash(i + 1) % 4000) / 8.0 END,
  CASE WHEN i % 17 = 0 THEN NULL ELSE ((hash(i + 2) % 100000)::INTEGER - 500)::DECIMAL(18, 2) / 100 END,
  CASE WHEN i % 19 = 0 THEN NULL ELSE TIMESTAMP '2024-02-20' + to_days((hash(i + 3) % 30)::INTEGER) END,
  TIMESTAMP '2024-10-26 20:00:00' + to_hours((hash(i + 4) % 12)::INTEGER),
  CASE i % 3 WHEN 0 THEN NULL ELSE i % 2 = 0 END,
  CASE WHEN i % 5 = 0 THEN NULL ELSE 170141183460469231731687303715884105000::HUGEINT - (i % 90) END,
  CASE WHEN i % 4 = 0 THEN NULL ELSE (i % 300)::INTEGER END,
  TIMESTAMP_MS '2024-03-10 01:02:03.123' + to_seconds((i % 77)::INTEGER)
  FROM range(${count}) t(i)`;

let engine: Engine;
let whole: Result;
let pieces: RowSource;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
  whole = await askWhole(engine, { text, columns, zone });
  pieces = (await askPieces(engine, { text, columns, zone }))!;
});
afterAll(() => engine[Symbol.asyncDispose]());

const all = columns.map((_, index) => index);

async function openBoth(view: RowView): Promise<{ readonly ours: StoredView; readonly theirs: StoredView }> {
  return { ours: await pieces.view!(view), theirs: openResultView(whole, view) };
}

/** Compares both views at a few places. */
async function expectSame(view: RowView, places: readonly number[]): Promise<void> {
  const { ours, theirs } = await openBoth(view);
  await using _closed = ours;
  expect(ours.rowCount).toBe(theirs.rowCount);
  for (const place of places) {
    const start = Math.floor(place * Math.max(0, theirs.rowCount - 1));
    const [mine, yours] = [await ours.read(start, 40, all), await theirs.read(start, 40, all)];
    expect(mine.rowCount).toBe(yours.rowCount);
    expect(mine.columns.map((values) => [...values])).toEqual(yours.columns.map((values) => [...values]));
  }
}

const someColumn = fc.integer({ min: 0, max: columns.length - 1 });
const needles = fc.oneof(
  fc.constantFrom(
    '',
    'ü',
    'WORD 1',
    '%',
    '_',
    '😀',
    '～',
    "'; DROP TABLE x",
    '12',
    '-5',
    '0.5',
    '1,2',
    '.25',
    '2024-03',
    '2024-02-29 00',
    '2024-10-27T02',
    '2024-10-27 02:00:00',
    'true',
    '170141183460469231731687303715884104950',
    '99999999999999999999999999999999999999999',
    '-7.5',
    '300.0',
    'nan',
    'null',
  ),
  fc.integer({ min: -1100, max: 1100 }).map(String),
  fc.integer({ min: -4000, max: 4000 }).map((number) => String(number / 8)),
);
const someFilter: fc.Arbitrary<RowFilter> = fc.oneof(
  fc.record({ kind: fc.constant('anywhere' as const), text: needles }),
  fc.record({
    kind: fc.constant('test' as const),
    column: someColumn,
    operator: fc.constantFrom(...rowOperators),
    text: needles,
  }),
  fc.record({ kind: fc.constantFrom('missing' as const, 'present' as const), column: someColumn }),
);
/** A grid rejects text for comparisons of numbers. */
function isAsked(filter: RowFilter): boolean {
  if (
    filter.kind !== 'test' ||
    columns[filter.column]?.type !== 'number' ||
    ['~', '!~', '^=', '$='].includes(filter.operator)
  )
    return true;
  return /^-?\d+(\.\d+)?$/.test(filter.text);
}
const someSort: fc.Arbitrary<RowSort> = fc.record({ column: someColumn, descending: fc.boolean() });

describe('views of an answer that lies with the engine', () => {
  it('hold the rows, in the order, that the same view of the rows in memory has', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(someSort, { maxLength: 3, selector: ({ column }) => column }),
        fc.array(someFilter.filter(isAsked), { maxLength: 2 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 2 }),
        async (sort, filters, places) => {
          await expectSame({ sort, filters }, [0, ...places, 1]);
        },
      ),
      { numRuns: 15 },
    );
  }, 120_000);

  it('compares whole numbers with numbers that are not', async () => {
    for (const operator of ['=', '!=', '>', '>=', '<', '<='] as const) {
      for (const text of [
        '-7',
        '-7.5',
        '7',
        '7.5',
        '0',
        '-0.5',
        '1e2',
        '-99999999999999999999999999999999999999999999',
      ]) {
        const { ours, theirs } = await openBoth({ sort: [], filters: [{ kind: 'test', column: 1, operator, text }] });
        await using _closed = ours;
        expect(ours.rowCount, `${operator} ${text}`).toBe(theirs.rowCount);
      }
    }
  });

  it('sorts every kind of column in both directions, nulls last', async () => {
    for (const column of all) {
      for (const descending of [false, true]) {
        const view = await pieces.view!({ sort: [{ column, descending }], filters: [] });
        await using _closed = view;
        const {
          columns: [values = []],
        } = await view.read(0, count, [column]);
        const ordered = Array.from(values as Iterable<Value>);
        for (let row = 1; row < ordered.length; row += 1) {
          const [before = null, here = null] = [ordered[row - 1], ordered[row]];
          const order = compareValues(before, here, columns[column]!.type);
          if (here === null ? false : before === null || (descending ? order < 0 : order > 0))
            expect.fail(`row ${row} of column ${column}: ${String(before)}, ${String(here)}`);
        }
      }
    }
  });

  it('reads any rows of the whole, and fewer at the end', async () => {
    const { ours, theirs } = await openBoth({ sort: [], filters: [] });
    for (const start of [0, 20_479, 20_480, 61_440, count - 3, count, count + 5]) {
      const [mine, yours] = [await ours.read(start, 10, [1, 0]), await theirs.read(start, 10, [1, 0])];
      expect(mine.columns.map((values) => [...values])).toEqual(yours.columns.map((values) => [...values]));
      expect(mine.rowCount).toBe(yours.rowCount);
    }
  });

  it('counts what is in a column as it is counted in memory', async () => {
    for (const filters of [
      [],
      [{ kind: 'test', column: 1, operator: '>', text: '500' }],
      [{ kind: 'anywhere', text: 'no such text' }],
    ] satisfies RowFilter[][]) {
      const { ours, theirs } = await openBoth({ sort: [], filters });
      for (const column of filters.length === 0 ? all : [0, 1, 4]) {
        const [{ mean, ...mine }, { mean: theirMean, ...yours }] = [
          await ours.statistics(column),
          await theirs.statistics(column),
        ];
        expect(mine, `column ${columns[column]?.key}`).toEqual(yours);
        if (theirMean !== undefined) expect(mean! / theirMean).toBeCloseTo(1, 11);
        else expect(mean).toBeUndefined();
      }
    }
  });

  it('tells the least and the greatest number of each column', async () => {
    const extremes = await pieces.extremes!();
    const [least, greatest] = [await openResultView(whole, { sort: [], filters: [] }).statistics(3)].map((known) => [
      known.least,
      known.greatest,
    ])[0]!;
    expect(extremes[3]).toEqual([least, greatest]);
    expect(extremes[2]).toEqual([0, 499.875]);
    expect(extremes[0]).toBeUndefined();
  });

  it('leaves no file behind', async () => {
    const { readdir } = await import('node:fs/promises');
    const before = await readdir(engine.folder);
    const view = await pieces.view!({ sort: [{ column: 0, descending: true }], filters: [] });
    expect(await readdir(engine.folder)).toHaveLength(before.length + 1);
    await view[Symbol.asyncDispose]();
    await expect(
      pieces.view!({ sort: [{ column: 0, descending: true }], filters: [] }, AbortSignal.abort()),
    ).rejects.toMatchObject({ code: 'aborted' });
    expect(await readdir(engine.folder)).toEqual(before);
  });
});

describe('a grid over an answer that lies with the engine', () => {
  const columnsOfPlan = [keyed(timeColumn('day'), 'time'), keyed(numberColumn, 'count')];
  const plan = {
    ...makePlan({
      granularity: 'day',
      range: days('2024-03-01', '2024-03-20'),
      now: Date.parse('2024-03-20T12:00:00Z'),
    }),
    columns: columnsOfPlan,
  };

  async function openStored(rows: number) {
    const source = (await askPieces(engine, {
      text: `SELECT TIMESTAMP '2024-03-01' + to_days((i % 20)::INTEGER), i FROM range(${rows}) t(i)`,
      columns: columnsOfPlan,
      zone: 'UTC',
    }))!;
    return sourceOfRows({ rowCount: rows, view: source.view!, extremes: source.extremes! }, plan, { truncated: null });
  }

  it('marks the buckets that are cut by the present, and makes room for the longest number', async () => {
    await using desk = await openDesk(await openStored(2_000_000), { width: 60, height: 30 });
    const [head, , ...lines] = composeGrid(desk.state, { depth: 'plain', unicode: true });
    expect(head).toContain('Number');
    expect(lines[19]).toMatch(/2024-03-20 ~\s+19$/);
    expect(lines[18]).toMatch(/2024-03-19\s+18$/);
    desk.press('G');
    await desk.settle();
    expect(composeGrid(desk.state, { depth: 'plain', unicode: true }).join('\n')).toMatch(/›.*1,999,999/);
  });

  it('lets go of a view that is overtaken, and goes on with the latest', async () => {
    await using desk = await openDesk(await openStored(500_000), { width: 60, height: 10 });
    desk.press('right', 's', 's');
    const views = desk.takeWanted().filter(({ kind }) => kind === 'view');
    const answers = await Promise.all(views.map((wanted) => desk.feed.fetch(wanted)));
    answers.toReversed().forEach((answer) => desk.send(answer));
    await desk.settle();
    expect(answers.map(({ kind }) => kind)).toEqual(['view-failed', 'view-opened']);
    expect(desk.state.problem).toBeUndefined();
    expect(composeGrid(desk.state, { depth: 'plain', unicode: true })[2]).toMatch(/499,999$/);
  });
});
