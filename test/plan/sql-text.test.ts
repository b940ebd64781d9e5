import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../src/ask/query/query.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import type { Cube, Model } from '../../src/plan/model/model.ts';
import { duckDb, toDuckDbValue } from '../../src/plan/sql/duckdb.ts';
import { toStatement, toTotalStatement } from '../../src/plan/sql/to-statement.ts';
import { ask, modelOf, planOf, statementOf } from './ask.ts';
import { eventsTable, openTestEngine, type TestEngine } from './engine.ts';

const shop = modelOf(`
cubes:
  - name: Orders
    sql_table: shop.orders
    joins: [{name: Users, relationship: many_to_one, sql: "{CUBE}.user_id = {Users}.id"}]
    measures:
      - {name: count, type: count}
      - {name: amount, type: sum, sql: amount}
      - {name: week, type: sum, sql: amount, rolling_window: {trailing: 7 day}}
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true, public: true}
      - {name: at, type: time, sql: created_at}
      - {name: size, type: string, case: {when: [{sql: "{CUBE}.amount > 100", label: large}], else: {label: small}}}
  - name: Users
    sql: "SELECT * FROM users WHERE NOT deleted"
    measures: [{name: count, type: count}, {name: credit, type: sum, sql: "length({CUBE}.country)"}]
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true}
      - {name: country, type: string, sql: country}
`);

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine(`
    ${eventsTable};
    CREATE SCHEMA shop; CREATE TABLE shop.orders (id INTEGER, user_id INTEGER, amount INTEGER, created_at TIMESTAMP);
    CREATE TABLE users (id INTEGER, country VARCHAR, deleted BOOLEAN);`);
});
afterAll(() => engine[Symbol.asyncDispose]());

interface Example {
  readonly what: string;
  readonly query: Query;
  readonly model: Model;
  readonly text: string;
  readonly parameters?: readonly unknown[];
}

const examples: readonly Example[] = [
  {
    what: 'counts by a dimension, with conditions on rows and groups',
    model: builtInModel,
    query: {
      measures: ['TrackedEvents.pageViewsCount'],
      dimensions: ['TrackedEvents.docPath'],
      limit: 10,
      offset: 5,
      filters: [
        {
          or: [
            { member: 'TrackedEvents.docHost', operator: 'equals', values: ['example.com', null] },
            { member: 'TrackedEvents.docPath', operator: 'notStartsWith', values: ['/100%_'] },
          ],
        },
        { member: 'TrackedEvents.pageViewsCount', operator: 'gt', values: [10] },
      ],
    },
    text: `
SELECT "TrackedEvents".doc_path AS "TrackedEvents.docPath", count(*) FILTER (WHERE ("TrackedEvents".event_type = 'pageview')) AS "TrackedEvents.pageViewsCount"
FROM "events" AS "TrackedEvents"
WHERE (("TrackedEvents".doc_host = CAST($1 AS VARCHAR) OR "TrackedEvents".doc_host IS NULL) OR (NOT "TrackedEvents".doc_path ILIKE CAST($2 AS VARCHAR) ESCAPE '\\' OR "TrackedEvents".doc_path IS NULL))
GROUP BY 1
HAVING count(*) FILTER (WHERE ("TrackedEvents".event_type = 'pageview')) > $3
ORDER BY "TrackedEvents.pageViewsCount" DESC NULLS LAST, "TrackedEvents.docPath" ASC NULLS LAST
LIMIT 10
OFFSET 5`,
    parameters: ['example.com', '/100\\%\\_%', 10n],
  },
  {
    what: 'users a day in a zone whose clock changes, and who could not be counted',
    model: builtInModel,
    query: {
      measures: ['TrackedEvents.uniqueUsersCount'],
      timeDimensions: [
        { dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2024-03-08', '2024-03-12'] },
      ],
      timezone: 'America/New_York',
    },
    text: `
SELECT date_trunc('day', CASE WHEN CAST("TrackedEvents".utc_time AS TIMESTAMP) >= TIMESTAMP '2024-03-10 07:00:00.000' THEN (CAST("TrackedEvents".utc_time AS TIMESTAMP) + to_milliseconds(-14400000)) ELSE (CAST("TrackedEvents".utc_time AS TIMESTAMP) + to_milliseconds(-18000000)) END) AS "TrackedEvents.utcTime.day", count(DISTINCT "TrackedEvents".user_key) AS "TrackedEvents.uniqueUsersCount", count(*) FILTER (WHERE "TrackedEvents".user_key IS NULL) AS "uncounted: events without a user"
FROM "events" AS "TrackedEvents"
WHERE (CAST("TrackedEvents".utc_time AS TIMESTAMP) >= CAST($1 AS TIMESTAMP) AND CAST("TrackedEvents".utc_time AS TIMESTAMP) < CAST($2 AS TIMESTAMP))
GROUP BY 1
ORDER BY "TrackedEvents.utcTime.day" ASC NULLS LAST
LIMIT 10000`,
    parameters: ['2024-03-08 05:00:00.000', '2024-03-13 04:00:00.000'],
  },
  {
    what: 'weeks from Sunday, without a range, in a zone that changed its clock twice',
    model: builtInModel,
    query: {
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'week' }],
      timezone: 'America/Panama',
    },
    text: `
SELECT date_trunc('week', CASE WHEN CAST("TrackedEvents".utc_time AS TIMESTAMP) >= TIMESTAMP '1890-01-01 05:18:08.000' THEN CASE WHEN CAST("TrackedEvents".utc_time AS TIMESTAMP) >= TIMESTAMP '1908-04-22 05:19:36.000' THEN (CAST("TrackedEvents".utc_time AS TIMESTAMP) + to_milliseconds(-18000000)) ELSE (CAST("TrackedEvents".utc_time AS TIMESTAMP) + to_milliseconds(-19176000)) END ELSE (CAST("TrackedEvents".utc_time AS TIMESTAMP) + to_milliseconds(-19088000)) END + to_days(1)) - to_days(1) AS "TrackedEvents.utcTime.week", count(*) AS "TrackedEvents.count"
FROM "events" AS "TrackedEvents"
GROUP BY 1
ORDER BY "TrackedEvents.utcTime.week" ASC NULLS LAST
LIMIT 10000`,
  },
  {
    what: 'rows that a join repeats, each counted once',
    model: shop,
    query: { measures: ['Users.count', 'Orders.amount'], dimensions: ['Users.country'] },
    text: `
SELECT "Users".country AS "Users.country", count(DISTINCT "Users".id) AS "Users.count", sum("Orders".amount) AS "Orders.amount"
FROM "shop"."orders" AS "Orders"
LEFT JOIN (SELECT * FROM users WHERE NOT deleted) AS "Users" ON "Orders".user_id = "Users".id
GROUP BY 1
ORDER BY "Users.count" DESC NULLS LAST, "Users.country" ASC NULLS LAST
LIMIT 10000`,
  },
  {
    what: 'rows that a join repeats, each added once',
    model: shop,
    query: { measures: ['Users.credit', 'Orders.amount'], dimensions: ['Users.country'] },
    text: `
WITH "part_1" AS (
SELECT "Users".country AS "Users.country", sum("Orders".amount) AS "leaf: Orders.amount"
FROM "shop"."orders" AS "Orders"
LEFT JOIN (SELECT * FROM users WHERE NOT deleted) AS "Users" ON "Orders".user_id = "Users".id
GROUP BY 1
), "part_2" AS (
SELECT "once"."Users.country" AS "Users.country", sum("once"."value_0") FILTER (WHERE "once"."counted_0") AS "leaf: Users.credit"
FROM (SELECT DISTINCT "Users".country AS "Users.country", "Users".id AS "identity", (length("Users".country)) AS "value_0", "Users".id IS NOT NULL AS "counted_0"
FROM "shop"."orders" AS "Orders"
LEFT JOIN (SELECT * FROM users WHERE NOT deleted) AS "Users" ON "Orders".user_id = "Users".id) AS "once"
GROUP BY 1
)
SELECT coalesce("part_1"."Users.country", "part_2"."Users.country") AS "Users.country", "part_2"."leaf: Users.credit" AS "Users.credit", "part_1"."leaf: Orders.amount" AS "Orders.amount"
FROM "part_1" AS "part_1"
FULL JOIN "part_2" AS "part_2" ON "part_1"."Users.country" IS NOT DISTINCT FROM "part_2"."Users.country"
ORDER BY is_size("part_2"."leaf: Users.credit") DESC NULLS LAST, "Users.credit" DESC NULLS LAST, "Users.country" ASC NULLS LAST
LIMIT 10000`,
  },
  {
    what: 'a window that rolls beside a plain count',
    model: shop,
    query: {
      measures: ['Orders.week', 'Orders.count'],
      timeDimensions: [{ dimension: 'Orders.at', granularity: 'day', dateRange: ['2024-03-08', '2024-03-09'] }],
    },
    text: `
WITH "part_1" AS (
SELECT date_trunc('day', instant_of("Orders".created_at)) AS "Orders.at.day", count("Orders".id) AS "leaf: Orders.count", TRUE AS "present"
FROM "shop"."orders" AS "Orders"
WHERE (instant_of("Orders".created_at) >= CAST($1 AS TIMESTAMP) AND instant_of("Orders".created_at) < CAST($2 AS TIMESTAMP))
GROUP BY 1
), "part_2" AS (
SELECT "window"."bucket" AS "Orders.at.day", sum("rows"."value_0") FILTER (WHERE ("rows"."here" AND "rows"."counted_0")) AS "leaf: Orders.week", TRUE AS "present"
FROM (SELECT * FROM (VALUES (TIMESTAMP '2024-03-08 00:00:00.000', TIMESTAMP '2024-03-02 00:00:00.000', TIMESTAMP '2024-03-09 00:00:00.000'), (TIMESTAMP '2024-03-09 00:00:00.000', TIMESTAMP '2024-03-03 00:00:00.000', TIMESTAMP '2024-03-10 00:00:00.000')) AS spans(bucket, reach_from, reach_until)) AS "window"
LEFT JOIN (SELECT instant_of("Orders".created_at) AS "time", "Orders".amount AS "value_0", TRUE AS "counted_0", TRUE AS "here"
FROM "shop"."orders" AS "Orders") AS "rows" ON ("rows"."time" >= "window"."reach_from" AND "rows"."time" < "window"."reach_until")
GROUP BY 1
)
SELECT coalesce("part_1"."Orders.at.day", "part_2"."Orders.at.day") AS "Orders.at.day", "part_2"."leaf: Orders.week" AS "Orders.week", CASE WHEN "part_1"."present" THEN "part_1"."leaf: Orders.count" ELSE 0 END AS "Orders.count"
FROM "part_1" AS "part_1"
FULL JOIN "part_2" AS "part_2" ON "part_1"."Orders.at.day" IS NOT DISTINCT FROM "part_2"."Orders.at.day"
ORDER BY "Orders.at.day" ASC NULLS LAST
LIMIT 10000`,
    parameters: ['2024-03-08 00:00:00.000', '2024-03-10 00:00:00.000'],
  },
  {
    what: 'rows as they are',
    model: shop,
    query: {
      dimensions: ['Orders.id', 'Orders.size'],
      measures: ['Orders.count', 'Orders.amount'],
      ungrouped: true,
      limit: 3,
    },
    text: `
SELECT "Orders".id AS "Orders.id", CASE WHEN "Orders".amount > 100 THEN CAST($1 AS VARCHAR) ELSE CAST($2 AS VARCHAR) END AS "Orders.size", CASE WHEN "Orders".id IS NOT NULL THEN 1 END AS "Orders.count", "Orders".amount AS "Orders.amount"
FROM "shop"."orders" AS "Orders"
ORDER BY "Orders.count" DESC NULLS LAST, is_size("Orders".id) DESC NULLS LAST, "Orders.id" ASC NULLS LAST, "Orders.size" ASC NULLS LAST, is_size("Orders".amount) DESC NULLS LAST, "Orders.amount" ASC NULLS LAST
LIMIT 3`,
    parameters: ['large', 'small'],
  },
];

describe('what is sent to DuckDB', () => {
  it.each(examples)('for $what', async ({ query, model, text, parameters = [] }) => {
    const statement = statementOf(query, model, { weekStart: 'sunday' });
    expect(statement.text).toBe(text.trimStart());
    expect(statement.parameters.map(toDuckDbValue)).toEqual(parameters);
    expect(await engine.explain(statement)).not.toBe('');
  });

  it('for the number of rows of an answer', async () => {
    const statement = toTotalStatement(planOf({ dimensions: ['Users.country'], limit: 5 }, shop), duckDb);
    expect(statement.text).toBe(
      `
SELECT count(*) AS "total"
FROM (SELECT "Users".country AS "Users.country"
FROM (SELECT * FROM users WHERE NOT deleted) AS "Users"
GROUP BY 1) AS "answer"`.trimStart(),
    );
    expect(await engine.explain(statement)).not.toBe('');
  });
});

const hostile = [
  "'; DROP TABLE events; --",
  '"',
  '$1',
  '\\',
  '%_\\%',
  "''",
  '?',
  '{CUBE}',
  '\u0001\u001b[31m',
  '\n',
  '/*',
  '☃',
  "\\'",
  '$$',
  'NULL',
];

describe('values', () => {
  it.each(hostile.map((value) => ({ value })))(
    'never stand in the text, and are found as they are: $value',
    async ({ value }) => {
      await engine.setup('DELETE FROM events');
      await engine.run({
        text: "INSERT INTO events (event_id, doc_path, utc_time) VALUES ('1', CAST($1 AS VARCHAR), now()::TIMESTAMP), ('2', 'other', now()::TIMESTAMP)",
        parameters: [{ type: 'text', value }],
      });
      const plain = statementOf(
        {
          dimensions: ['TrackedEvents.eventId'],
          filters: [{ member: 'TrackedEvents.docPath', operator: 'equals', values: ['x'] }],
        },
        builtInModel,
      ).text;
      for (const operator of ['equals', 'contains', 'startsWith', 'endsWith'] as const) {
        const query: Query = {
          dimensions: ['TrackedEvents.eventId'],
          filters: [{ member: 'TrackedEvents.docPath', operator, values: [value] }],
        };
        if (operator === 'equals') expect(statementOf(query, builtInModel).text).toBe(plain);
        expect(await ask(engine, query, builtInModel)).toEqual([{ 'TrackedEvents.eventId': '1' }]);
      }
      const without: Query = {
        dimensions: ['TrackedEvents.eventId'],
        filters: [{ member: 'TrackedEvents.docPath', operator: 'notContains', values: [value] }],
      };
      expect(await ask(engine, without, builtInModel)).toEqual([{ 'TrackedEvents.eventId': '2' }]);
    },
  );
});

/** Names that model readers reject: the last line of defence. */
function hostileModel(evil: string): Model {
  const named = { name: evil, title: '', shortTitle: '', public: true };
  const cube: Cube = {
    name: evil,
    title: '',
    source: { kind: 'table', table: evil },
    joins: [],
    public: true,
    segments: [],
    measures: [{ ...named, name: `${evil}n`, type: 'count', filters: [], drillMembers: [] }],
    dimensions: [
      {
        ...named,
        name: `${evil}d`,
        type: 'string',
        primaryKey: false,
        expression: { kind: 'sql', sql: [{ kind: 'cube' }, { kind: 'text', text: '.x' }] },
      },
    ],
  };
  return { cubes: [cube] };
}

describe('names', () => {
  it.each(['"', 'a"b', "'", '; DROP TABLE users', '$1', '--', 'select'].map((evil) => ({ evil })))(
    'of cubes, tables and members are quoted: $evil',
    async ({ evil }) => {
      await engine.setup(
        `CREATE OR REPLACE TABLE "${evil.replaceAll('"', '""')}" (x VARCHAR); INSERT INTO "${evil.replaceAll('"', '""')}" VALUES ('a'), ('a')`,
      );
      const model = hostileModel(evil);
      const rows = await engine.run(
        toStatement(planOf({ measures: [`${evil}.${evil}n`], dimensions: [`${evil}.${evil}d`] }, model), duckDb),
      );
      expect(rows).toEqual([{ [`${evil}.${evil}d`]: 'a', [`${evil}.${evil}n`]: 2 }]);
    },
  );

  it('of zones are canonical, or nothing is sent', () => {
    const plan = planOf({ timeDimensions: [{ dimension: 'Orders.at', granularity: 'day' }] }, shop);
    expect(() => toStatement({ ...plan, zone: "UTC'; DROP TABLE users; --" }, duckDb)).toThrow(RangeError);
  });

  it('of row counts are whole numbers, or nothing is sent', () => {
    const plan = planOf({ dimensions: ['Orders.id'] }, shop);
    for (const limit of [-1, 1.5, Number.NaN, 2 ** 60])
      expect(() => toStatement({ ...plan, limit }, duckDb)).toThrow(RangeError);
  });
});
