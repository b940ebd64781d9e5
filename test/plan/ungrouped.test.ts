import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemberFilter, Query } from '../../src/ask/query/query.ts';
import { ask, askTotal, modelOf } from './ask.ts';
import { openTestEngine, valuesOf, type Cell, type TestEngine } from './engine.ts';
import { runs } from '../runs.ts';

const model = modelOf(`
cubes:
  - name: T
    sql_table: t
    joins: [{name: Kinds, relationship: many_to_one, sql: "{CUBE}.kind = {Kinds}.kind"}]
    measures:
      - {name: count, type: count}
      - {name: big, type: count, filters: [{sql: "{CUBE}.amount > 2"}]}
      - {name: sum, type: sum, sql: amount}
      - {name: avg, type: avg, sql: amount, filters: [{sql: "{CUBE}.kind = 'x'"}]}
      - {name: kinds, type: count_distinct, sql: kind}
      - {name: ratio, type: number, sql: "100.0 * {sum} / {count}"}
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true, public: true}
      - {name: kind, type: string, sql: kind}
      - {name: amount, type: number, sql: amount}
      - {name: at, type: time, sql: happened}
      - {name: size, type: string, case: {when: [{sql: "{CUBE}.amount > 2", label: "it's $1 big"}, {sql: "{CUBE}.amount > 0", label: {sql: "{CUBE}.kind"}}], else: {label: small}}}
  - name: Kinds
    sql_table: kinds
    measures: [{name: count, type: count}, {name: weight, type: sum, sql: weight}]
    dimensions: [{name: kind, type: string, sql: kind, primary_key: true}]
`);

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine(`
    CREATE TABLE t (id INTEGER, kind VARCHAR, amount INTEGER, happened TIMESTAMP);
    CREATE TABLE kinds (kind VARCHAR, weight INTEGER); INSERT INTO kinds VALUES ('x', 5);`);
});
afterAll(() => engine[Symbol.asyncDispose]());

interface Item {
  readonly id: number;
  readonly kind: string | null;
  readonly amount: number | null;
  readonly at: string;
}

async function fill(items: readonly Item[]): Promise<void> {
  await engine.setup(
    `DELETE FROM t; ${items.length > 0 ? `INSERT INTO t VALUES ${valuesOf(items.map(({ id, kind, amount, at }): readonly Cell[] => [id, kind, amount, at]))}` : ''}`,
  );
}

const items = fc
  .array(
    fc.record({
      kind: fc.constantFrom('x', 'y', null),
      amount: fc.constantFrom(0, 1, 2, 3, null),
      at: fc.constantFrom('2024-03-10T06:30:00', '2024-03-10T07:30:00', '2024-03-11T00:00:00'),
    }),
    { maxLength: 30 },
  )
  .map((rows) => rows.map((row, id): Item => ({ id, ...row })));

describe('rows that are not grouped', () => {
  it('carry what each of them would add to a measure', async () => {
    await fill([
      { id: 1, kind: 'x', amount: 3, at: '2024-03-10T06:30:00' },
      { id: 2, kind: 'y', amount: null, at: '2024-03-10T07:30:00' },
      { id: 3, kind: null, amount: 2, at: '2024-03-11T00:00:00' },
    ]);
    const rows = await ask(
      engine,
      {
        measures: ['count', 'big', 'sum', 'avg', 'kinds', 'ratio'].map((name) => `T.${name}`),
        dimensions: ['T.id'],
        timeDimensions: [{ dimension: 'T.at', granularity: 'hour' }],
        timezone: 'America/New_York',
        ungrouped: true,
      },
      model,
    );
    const withNames = (id: number, hour: string, [count, big, sum, avg, kinds, ratio]: readonly Cell[]) => ({
      'T.id': id,
      'T.at.hour': hour,
      'T.count': count,
      'T.big': big,
      'T.sum': sum,
      'T.avg': avg,
      'T.kinds': kinds,
      'T.ratio': ratio,
    });
    expect(rows).toEqual([
      withNames(1, '2024-03-10T06:00:00.000', [1, 1, 3, 3, 1, 300]),
      withNames(2, '2024-03-10T07:00:00.000', [1, null, null, null, 1, null]),
      withNames(3, '2024-03-11T00:00:00.000', [1, null, 2, null, null, 200]),
    ]);
  });

  it('stand each for themselves, also where they are alike', async () => {
    await fill([1, 2, 3].map((id) => ({ id, kind: 'x', amount: 1, at: '2024-03-10T00:00:00' })));
    expect(await ask(engine, { dimensions: ['T.kind'], ungrouped: true }, model)).toHaveLength(3);
    expect(await ask(engine, { dimensions: ['T.kind'] }, model)).toHaveLength(1);
  });

  it('are joined as they are, and rows that are not there count nothing', async () => {
    await fill([
      { id: 1, kind: 'x', amount: 1, at: '2024-03-10' },
      { id: 2, kind: 'x', amount: 1, at: '2024-03-10' },
      { id: 3, kind: 'y', amount: 1, at: '2024-03-10' },
    ]);
    expect(
      await ask(
        engine,
        { measures: ['Kinds.count', 'Kinds.weight'], dimensions: ['T.id'], order: { 'T.id': 'asc' }, ungrouped: true },
        model,
      ),
    ).toEqual([
      { 'T.id': 1, 'Kinds.count': 1, 'Kinds.weight': 5 },
      { 'T.id': 2, 'Kinds.count': 1, 'Kinds.weight': 5 },
      { 'T.id': 3, 'Kinds.count': null, 'Kinds.weight': null },
    ]);
  });
});

it('labels of a case are values, whatever they hold', async () => {
  await fill([
    { id: 1, kind: 'x', amount: 3, at: '2024-03-10' },
    { id: 2, kind: 'y', amount: 1, at: '2024-03-10' },
    { id: 3, kind: null, amount: null, at: '2024-03-10' },
  ]);
  expect(
    await ask(engine, { measures: ['T.count'], dimensions: ['T.size'], order: { 'T.size': 'asc' } }, model),
  ).toEqual([
    { 'T.size': "it's $1 big", 'T.count': 1 },
    { 'T.size': 'small', 'T.count': 1 },
    { 'T.size': 'y', 'T.count': 1 },
  ]);
  expect(
    await ask(
      engine,
      { measures: ['T.count'], filters: [{ member: 'T.size', operator: 'contains', values: ["'S $1"] }] },
      model,
    ),
  ).toEqual([{ 'T.count': 1 }]);
});

const queries: fc.Arbitrary<Query> = fc
  .record({
    measures: fc.subarray(['T.count', 'T.sum', 'T.kinds', 'Kinds.weight']),
    dimensions: fc.subarray(['T.kind', 'T.amount', 'T.size']),
    timeDimensions: fc.constantFrom([], [{ dimension: 'T.at', granularity: 'day' } as const]),
    order: fc.constantFrom(
      undefined,
      [],
      [['T.count', 'asc'] as const],
      [['T.kind', 'desc'] as const],
      [['T.sum', 'desc'] as const, ['T.amount', 'asc'] as const],
    ),
    filters: fc.constantFrom<readonly MemberFilter[]>(
      [],
      [{ member: 'T.amount', operator: 'gt', values: [0] }],
      [{ member: 'T.count', operator: 'gt', values: [1] }],
    ),
    ungrouped: fc.boolean(),
  })
  .filter(
    ({ measures, dimensions, timeDimensions, filters, ungrouped }) =>
      measures.length + dimensions.length + timeDimensions.length > 0 &&
      !(ungrouped && filters.some(({ member }) => member === 'T.count')),
  );

describe('pages', () => {
  it('hold each row of the answer exactly once, in its order, whatever ties', async () => {
    await fc.assert(
      fc.asyncProperty(items, queries, fc.integer({ min: 1, max: 4 }), async (rows, query, limit) => {
        await fill(rows);
        const asked = (page: Query) => ask(engine, { ...query, ...page }, model, { ignoresUnknownOrder: true });
        const whole = await asked({ limit: 1000 });
        const paged = [];
        for (let offset = 0; offset < whole.length + limit; offset += limit)
          paged.push(...(await asked({ limit, offset })));
        expect(paged).toEqual(whole);
      }),
      { numRuns: runs(50) },
    );
  });

  it('are the pages of a total that does not mind them', async () => {
    await fc.assert(
      fc.asyncProperty(items, queries, async (rows, query) => {
        await fill(rows);
        const whole = await ask(engine, { ...query, limit: 1000 }, model, { ignoresUnknownOrder: true });
        const { order: _order, ...unordered } = query;
        expect(await askTotal(engine, { ...unordered, limit: 2, offset: 1 }, model)).toBe(whole.length);
      }),
      { numRuns: runs(50) },
    );
  });

  it('of no rows are empty, and beyond the end too', async () => {
    await fill([{ id: 1, kind: 'x', amount: 1, at: '2024-03-10' }]);
    expect(await ask(engine, { dimensions: ['T.id'], limit: 0 }, model)).toEqual([]);
    expect(await ask(engine, { dimensions: ['T.id'], offset: 1 }, model)).toEqual([]);
    expect(await askTotal(engine, { dimensions: ['T.id'], limit: 0 }, model)).toBe(1);
  });
});

describe('order', () => {
  it('puts missing values last, both ways', async () => {
    await fill([
      { id: 1, kind: null, amount: 1, at: '2024-03-10' },
      { id: 2, kind: 'a', amount: 1, at: '2024-03-10' },
      { id: 3, kind: 'b', amount: 1, at: '2024-03-10' },
    ]);
    const kinds = async (direction: 'asc' | 'desc') =>
      (await ask(engine, { dimensions: ['T.kind'], order: { 'T.kind': direction } }, model)).map(
        (row) => row['T.kind'],
      );
    expect(await kinds('asc')).toEqual(['a', 'b', null]);
    expect(await kinds('desc')).toEqual(['b', 'a', null]);
  });

  it('is by local buckets, which may stand otherwise than their instants', async () => {
    await fill([
      { id: 1, kind: null, amount: 1, at: '2024-03-11T03:00:00' },
      { id: 2, kind: 'a', amount: 1, at: '2024-03-11T04:00:00' },
    ]);
    expect(
      await ask(
        engine,
        {
          measures: ['T.count'],
          timeDimensions: [{ dimension: 'T.at', granularity: 'day' }],
          timezone: 'America/New_York',
          order: { 'T.at': 'desc' },
        },
        model,
      ),
    ).toEqual([
      { 'T.at.day': '2024-03-11T00:00:00.000', 'T.count': 1 },
      { 'T.at.day': '2024-03-10T00:00:00.000', 'T.count': 1 },
    ]);
  });
});
