import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Filter, Query } from '../../src/ask/query/query.ts';
import { ask, askTotal, modelOf, planOf } from './ask.ts';
import { openTestEngine, valuesOf, type Cell, type Row, type TestEngine } from './engine.ts';
import { runs } from '../runs.ts';

/**
 * lines ─▶ orders ─▶ users ─▶ countries, each many to one; users ◀─▶ profiles one to one; users ─▶ visits one to many.
 * Lines have a composite key.
 */
const model = modelOf(`
cubes:
  - name: Lines
    sql_table: lines
    joins: [{name: Orders, relationship: many_to_one, sql: "{CUBE}.order_id = {Orders}.id"}]
    measures: &measures
      - {name: count, type: count}
      - {name: sum, type: sum, sql: amount}
      - {name: avg, type: avg, sql: amount}
      - {name: min, type: min, sql: amount}
      - {name: max, type: max, sql: amount}
      - {name: kinds, type: count_distinct, sql: kind}
      - {name: big, type: count, filters: [{sql: "{CUBE}.amount > 2"}]}
      - {name: filled, type: avg, sql: "coalesce({CUBE}.amount, 0)"}
      - {name: ones, type: sum, sql: "1"}
      - {name: labels, type: count_distinct, sql: "coalesce({CUBE}.kind, 'none')"}
      - {name: share, type: number, sql: "100.0 * {big} / nullif({count}, 0)"}
      - {name: mean, type: number, sql: "avg({CUBE}.amount)"}
      - {name: perUser, type: number, sql: "1.0 * {sum} / nullif({Users.count}, 0)"}
    dimensions:
      - {name: order, type: string, sql: order_id, primary_key: true}
      - {name: number, type: string, sql: number, primary_key: true}
      - {name: kind, type: string, sql: kind}
  - name: Orders
    sql_table: orders
    joins: [{name: Users, relationship: many_to_one, sql: "{CUBE}.user_id = {Users}.id"}]
    measures: *measures
    dimensions: &dimensions
      - {name: id, type: string, sql: id, primary_key: true, public: true}
      - {name: kind, type: string, sql: kind}
      - {name: amount, type: number, sql: amount}
  - name: Users
    sql_table: users
    joins:
      - {name: Countries, relationship: many_to_one, sql: "{CUBE}.country_id = {Countries}.id"}
      - {name: Profiles, relationship: one_to_one, sql: "{CUBE}.id = {Profiles}.id"}
      - {name: Visits, relationship: one_to_many, sql: "{CUBE}.id = {Visits}.user_id"}
    measures: *measures
    dimensions: *dimensions
    segments: [{name: rich, sql: "{CUBE}.amount > 1"}]
  - name: Countries
    sql_table: countries
    measures: *measures
    dimensions: *dimensions
  - name: Profiles
    sql_table: profiles
    measures: *measures
    dimensions: *dimensions
  - name: Visits
    sql_table: visits
    measures: *measures
    dimensions: *dimensions
`);

const tables = ['lines', 'orders', 'users', 'countries', 'profiles', 'visits'] as const;
const cubeNames = {
  Lines: 'lines',
  Orders: 'orders',
  Users: 'users',
  Countries: 'countries',
  Profiles: 'profiles',
  Visits: 'visits',
} as const;
type CubeName = keyof typeof cubeNames;

interface Item {
  readonly id: string;
  readonly kind: string | null;
  readonly amount: number | null;
  /** The foreign key: a line's order, an order's or a visit's user, a user's country. */
  readonly parent: string | null;
  /** A line's number within its order. */
  readonly number: string;
}
type Data = Readonly<Record<(typeof tables)[number], readonly Item[]>>;

let engine: TestEngine;
beforeAll(async () => {
  const columns = {
    lines: 'order_id',
    orders: 'user_id',
    users: 'country_id',
    countries: 'parent',
    profiles: 'parent',
    visits: 'user_id',
  };
  engine = await openTestEngine(
    tables
      .map(
        (table) =>
          `CREATE TABLE ${table} (id VARCHAR, kind VARCHAR, amount INTEGER, ${columns[table]} VARCHAR, number VARCHAR);`,
      )
      .join('\n'),
  );
});
afterAll(() => engine[Symbol.asyncDispose]());

async function fill(data: Data): Promise<void> {
  await engine.setup(
    tables
      .map((table) => {
        const rows = data[table].map(({ id, kind, amount, parent, number }): readonly Cell[] => [
          id,
          kind,
          amount,
          parent,
          number,
        ]);
        return `DELETE FROM ${table};${rows.length > 0 ? `INSERT INTO ${table} VALUES ${valuesOf(rows)};` : ''}`;
      })
      .join('\n'),
  );
}

const ids = ['a', 'b', 'c', 'd', 'aa', '1:a'];
const item = fc.record({
  kind: fc.option(fc.constantFrom('x', 'y')),
  amount: fc.option(fc.integer({ min: 0, max: 4 })),
  // Some match no row.
  parent: fc.option(fc.constantFrom(...ids)),
  number: fc.constantFrom('1', 'a1', '11'),
});
const table = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...ids), item), { selector: ([id]) => id, maxLength: 5 })
  .map((rows) => rows.map(([id, rest]): Item => ({ id, ...rest })));
const lines = fc
  .uniqueArray(item, { selector: (line) => `${line.parent ?? ''} ${line.number}`, maxLength: 8 })
  .map((rows) => rows.filter((row) => row.parent !== null).map((row): Item => ({ id: '', ...row })));
const datasets: fc.Arbitrary<Data> = fc.record({
  lines,
  orders: table,
  users: table,
  countries: table,
  profiles: table,
  visits: table,
});

/** One row of the joined cubes: a row or none for each cube. */
type Joined = Readonly<Partial<Record<CubeName, Item>>>;

/** The joins of the model. */
const joins: readonly {
  readonly from: CubeName;
  readonly to: CubeName;
  readonly on: (from: Item, to: Item) => boolean;
}[] = [
  { from: 'Lines', to: 'Orders', on: (line, order) => line.parent === order.id },
  { from: 'Orders', to: 'Users', on: (order, user) => order.parent === user.id },
  { from: 'Users', to: 'Countries', on: (user, country) => user.parent === country.id },
  { from: 'Users', to: 'Profiles', on: (user, profile) => user.id === profile.id },
  { from: 'Users', to: 'Visits', on: (user, visit) => user.id === visit.parent },
];

/**
 * All rows of the root, each with every match in the cubes on the way to the requested ones. A row without matches
 * stays, alone.
 */
function joinRows(data: Data, root: CubeName, wanted: readonly CubeName[]): readonly Joined[] {
  const needed = (cube: CubeName): boolean =>
    wanted.includes(cube) || joins.some((join) => join.from === cube && needed(join.to));
  let rows: readonly Joined[] = data[cubeNames[root]].map((row) => ({ [root]: row }));
  const follow = (cube: CubeName): void => {
    for (const { from, to, on } of joins.filter((join) => join.from === cube && needed(join.to))) {
      rows = rows.flatMap((row): readonly Joined[] => {
        const start = row[from];
        const matches = start ? data[cubeNames[to]].filter((candidate) => on(start, candidate)) : [];
        return matches.length === 0 ? [row] : matches.map((match) => ({ ...row, [to]: match }));
      });
      follow(to);
    }
  };
  follow(root);
  return rows;
}

/** A measure of a cube over a group: each row of that cube counts once, even if the join repeats it. */
function measured(cube: CubeName, measure: string, group: readonly Joined[]): number | null {
  const rows = [...new Set(group.map((row) => row[cube]).filter((row) => row !== undefined))];
  const amounts = rows.map((row) => row.amount).filter((amount) => amount !== null);
  const some = (value: number) => (amounts.length === 0 ? null : value);
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  const big = amounts.filter((amount) => amount > 2).length;
  switch (measure) {
    case 'count':
      return rows.length;
    case 'sum':
      return some(sum);
    case 'avg':
      return some(sum / amounts.length);
    case 'min':
      return some(Math.min(...amounts));
    case 'max':
      return some(Math.max(...amounts));
    case 'kinds':
      return new Set(rows.map((row) => row.kind).filter((kind) => kind !== null)).size;
    case 'big':
      return big;
    case 'filled':
      return rows.length === 0 ? null : sum / rows.length;
    case 'ones':
      return rows.length === 0 ? null : rows.length;
    case 'labels':
      return new Set(rows.map((row) => row.kind ?? 'none')).size;
    case 'share':
      return rows.length === 0 ? null : (100 * big) / rows.length;
    case 'perUser': {
      const users = measured('Users', 'count', group);
      return amounts.length === 0 || !users ? null : sum / users;
    }
    default:
      throw new Error(measure);
  }
}

const measureNames = [
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'kinds',
  'big',
  'filled',
  'ones',
  'labels',
  'share',
  'perUser',
] as const;

interface Question {
  readonly root: CubeName;
  readonly measures: readonly (readonly [CubeName, string])[];
  readonly dimensions: readonly CubeName[];
  /** Rows of this cube must have this kind. Null: must have none, which includes missing rows. */
  readonly where: readonly (readonly [CubeName, string | null])[];
  readonly rich: boolean;
  /** Groups must have more than this value. */
  readonly having: readonly (readonly [CubeName, string, number])[];
}

function toQuery({ measures, dimensions, where, rich, having }: Question): Query {
  const filters: Filter[] = [
    ...where.map(
      ([cube, kind]): Filter =>
        kind === null
          ? { member: `${cube}.kind`, operator: 'notSet' }
          : { member: `${cube}.kind`, operator: 'equals', values: [kind] },
    ),
    ...having.map(
      ([cube, measure, bound]): Filter => ({ member: `${cube}.${measure}`, operator: 'gt', values: [bound] }),
    ),
  ];
  return {
    measures: measures.map(([cube, measure]) => `${cube}.${measure}`),
    dimensions: dimensions.map((cube) => `${cube}.kind`),
    filters,
    segments: rich ? ['Users.rich'] : [],
    order: [],
  };
}

function oracle(data: Data, question: Question, wanted: readonly CubeName[]): readonly Row[] {
  const { root, measures, dimensions, where, rich, having } = question;
  const rows = joinRows(data, root, wanted).filter(
    (row) =>
      where.every(([cube, kind]) => (row[cube]?.kind ?? null) === kind) && (!rich || (row.Users?.amount ?? 0) > 1),
  );
  const groups =
    dimensions.length === 0
      ? [rows]
      : [...Map.groupBy(rows, (row) => JSON.stringify(dimensions.map((cube) => row[cube]?.kind ?? null))).values()];
  return groups
    .filter((group) => having.every(([cube, measure, bound]) => (measured(cube, measure, group) ?? -1) > bound))
    .map((group) =>
      Object.fromEntries([
        ...dimensions.map((cube) => [`${cube}.kind`, group[0]?.[cube]?.kind ?? null] as const),
        ...measures.map(([cube, measure]) => [`${cube}.${measure}`, measured(cube, measure, group)] as const),
      ]),
    )
    .toSorted((left, right) =>
      compareRows(
        left,
        right,
        dimensions.map((cube) => `${cube}.kind`),
      ),
    );
}

function compareRows(left: Row, right: Row, keys: readonly string[]): number {
  for (const key of keys) {
    const [one, other] = [left[key] ?? '~', right[key] ?? '~'];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

function questionsFrom(root: CubeName, cubes: readonly CubeName[]): fc.Arbitrary<Question> {
  const cube = fc.constantFrom(...cubes);
  return fc
    .record({
      // A measure of the root comes first, so that the join tree starts there.
      measures: fc
        .uniqueArray(fc.tuple(cube, fc.constantFrom(...measureNames)), {
          selector: (each) => each.join('.'),
          maxLength: 5,
        })
        .map((more) => [[root, 'count'] as const, ...more.filter((each) => each.join('.') !== `${root}.count`)]),
      dimensions: fc.uniqueArray(cube, { maxLength: 2 }),
      where: fc.array(fc.tuple(cube, fc.constantFrom('x', 'y', null)), { maxLength: 1 }),
      having: fc.array(
        fc.tuple(
          cube,
          fc.constantFrom('count', 'sum', 'big', 'max', 'share', 'perUser'),
          fc.integer({ min: -1, max: 2 }),
        ),
        { maxLength: 2 },
      ),
      rich: cubes.includes('Users') ? fc.boolean() : fc.constant(false),
    })
    .map((rest) => ({ root, ...rest }));
}

function cubesNamed({ measures, dimensions, where, rich, having }: Question): readonly CubeName[] {
  return [
    ...new Set([
      ...measures.map(([cube]) => cube),
      ...dimensions,
      ...where.map(([cube]) => cube),
      ...having.map(([cube]) => cube),
      ...(rich || [...measures, ...having].some(([, measure]) => measure === 'perUser') ? ['Users' as const] : []),
    ]),
  ];
}

describe("each row of a measure's cube counts once in a group", () => {
  it.each<{ readonly shape: string; readonly root: CubeName; readonly cubes: readonly CubeName[] }>([
    { shape: 'many to one', root: 'Orders', cubes: ['Orders', 'Users'] },
    { shape: 'a chain of three', root: 'Lines', cubes: ['Lines', 'Orders', 'Users', 'Countries'] },
    { shape: 'one to one', root: 'Users', cubes: ['Users', 'Profiles'] },
    { shape: 'one to many', root: 'Users', cubes: ['Users', 'Visits'] },
    { shape: 'a fan: many to one, then one to many', root: 'Orders', cubes: ['Orders', 'Users', 'Visits'] },
    { shape: 'everything', root: 'Lines', cubes: ['Lines', 'Orders', 'Users', 'Countries', 'Profiles', 'Visits'] },
  ])('over $shape', async ({ root, cubes }) => {
    await fc.assert(
      fc.asyncProperty(
        datasets,
        fc.array(questionsFrom(root, cubes), { minLength: 5, maxLength: 5 }),
        async (data, questions) => {
          await fill(data);
          for (const question of questions) {
            const answer = await ask(engine, toQuery(question), model);
            expect(answer, JSON.stringify(toQuery(question))).toEqual(oracle(data, question, cubesNamed(question)));
          }
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('a measure that aggregates by itself is the same beside measures that are counted apart', async () => {
    const questions = questionsFrom('Lines', ['Lines', 'Orders', 'Users']);
    await fc.assert(
      fc.asyncProperty(datasets, fc.array(questions, { minLength: 5, maxLength: 5 }), async (data, all) => {
        await fill(data);
        for (const question of all) {
          const query = toQuery(question);
          const measures = [...new Set([...query.measures!, 'Users.sum', 'Lines.avg', 'Lines.mean'])];
          for (const group of await ask(engine, { ...query, measures }, model))
            expect(group['Lines.mean'], JSON.stringify(query)).toBe(group['Lines.avg']);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('only values of groups without common rows add up to the total', async () => {
    const cubes: readonly CubeName[] = ['Orders', 'Users', 'Visits'];
    const questions = questionsFrom('Orders', cubes).map((question): Question => ({ ...question, having: [] }));
    await fc.assert(
      fc.asyncProperty(datasets, fc.array(questions, { minLength: 5, maxLength: 5 }), async (data, all) => {
        await fill(data);
        for (const question of all) {
          const query = toQuery(question);
          const groups = await ask(engine, query, model);
          const [whole] = oracle(data, { ...question, dimensions: [] }, cubesNamed(question));
          for (const { key, additive } of planOf(query, model).columns)
            if (additive) {
              const sum = groups.reduce((total, group) => total + Number(group[key] ?? 0), 0);
              expect(sum, `${key} of ${JSON.stringify(query)}`).toBe(Number(whole?.[key] ?? 0));
            }
        }
      }),
      { numRuns: runs(240) },
    );
  });

  it.each([
    ['Users.kind', true],
    ['Visits.kind', false],
  ])('users by %s add up: %s', (dimension, additive) => {
    const { columns } = planOf({ measures: ['Users.count'], dimensions: [dimension] }, model);
    expect(columns.find(({ kind }) => kind === 'measure')).toMatchObject({ additive });
  });
});

const row = (id: string, changes: Partial<Item> = {}): Item => ({
  id,
  kind: null,
  amount: 1,
  parent: null,
  number: '1',
  ...changes,
});
const nothing: Data = { lines: [], orders: [], users: [], countries: [], profiles: [], visits: [] };

describe('what is joined', () => {
  it('is led by the cube that declares the joins, so that rows without match stay', async () => {
    await fill({
      ...nothing,
      orders: [row('1', { parent: 'u' }), row('2'), row('3', { parent: 'gone' })],
      users: [row('u', { kind: 'x' }), row('v', { kind: 'y' })],
    });
    expect(await ask(engine, { measures: ['Users.count', 'Orders.count'], dimensions: ['Users.kind'] }, model)).toEqual(
      [
        { 'Users.kind': 'x', 'Users.count': 1, 'Orders.count': 1 },
        { 'Users.kind': null, 'Users.count': 0, 'Orders.count': 2 },
      ],
    );
  });

  it('is only what is asked for', async () => {
    await fill({
      ...nothing,
      users: [row('u'), row('v')],
      visits: [row('1', { parent: 'u' }), row('2', { parent: 'u' })],
    });
    expect(await ask(engine, { measures: ['Users.count', 'Users.sum'] }, model)).toEqual([
      { 'Users.count': 2, 'Users.sum': 2 },
    ]);
    expect(await ask(engine, { measures: ['Users.count', 'Users.sum', 'Visits.count'] }, model)).toEqual([
      { 'Users.count': 2, 'Users.sum': 2, 'Visits.count': 2 },
    ]);
  });

  it('is not mistaken for another grouping of the same rows', async () => {
    await fill({
      ...nothing,
      orders: [row('a', { kind: 'x' }), row('b', { kind: 'x', parent: 'u' }), row('c', { kind: 'x', parent: 'gone' })],
      users: [row('u')],
    });
    const filters: Filter[] = [{ member: 'Orders.kind', operator: 'equals', values: ['x'] }];
    expect(
      await ask(engine, { measures: ['Orders.count', 'Users.count'], dimensions: ['Visits.kind'], filters }, model),
    ).toEqual([{ 'Visits.kind': null, 'Orders.count': 3, 'Users.count': 1 }]);
  });

  it('tells keys of several parts apart', async () => {
    await fill({
      ...nothing,
      lines: [row('', { parent: 'a', number: '11' }), row('', { parent: 'a1', number: '1' })],
      orders: [row('a', { parent: 'u' }), row('a1', { parent: 'u' })],
      users: [row('u')],
      visits: [row('1', { parent: 'u' }), row('2', { parent: 'u' })],
    });
    expect(await ask(engine, { measures: ['Lines.count', 'Lines.sum', 'Visits.count'] }, model)).toEqual([
      { 'Lines.count': 2, 'Lines.sum': 2, 'Visits.count': 2 },
    ]);
  });

  it('does not turn a sum over nothing but missing values into 0', async () => {
    await fill({ ...nothing, users: [row('u', { amount: null })], visits: [row('1', { parent: 'u' })] });
    expect(await ask(engine, { measures: ['Visits.count', 'Users.sum', 'Users.avg'] }, model)).toEqual([
      { 'Visits.count': 1, 'Users.sum': null, 'Users.avg': null },
    ]);
  });

  it('is counted by groups in the total', async () => {
    await fill({
      ...nothing,
      users: [row('u', { kind: 'x' }), row('v', { kind: 'y' })],
      visits: [row('1', { parent: 'u' }), row('2', { parent: 'u' })],
    });
    expect(
      await askTotal(engine, { measures: ['Users.sum', 'Visits.count'], dimensions: ['Users.kind'], limit: 1 }, model),
    ).toBe(2);
  });
});
