import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column, Value } from '../../src/plan/column.ts';
import { type Engine, openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { jsonExpression } from '../../src/run/duckdb/engine/json-expression.ts';
import { runStatement } from '../../src/run/duckdb/engine/run-statement.ts';
import { runs } from '../runs.ts';

const about = { key: 'c', member: 'E.c', title: 'C', shortTitle: 'C', additive: false, whenAbsent: null } as const;
const dimension = (type: Column['type']): Column => ({ ...about, kind: 'dimension', type });
const measure = (type: Column['type']): Column => ({ ...about, kind: 'measure', type });
const bucket = (granularity: Column['granularity']): Column => ({ ...about, kind: 'time', type: 'time', granularity });

const double = fc.oneof(
  fc.double(),
  fc.double({ min: -1e-3, max: 1e-3 }),
  fc.double({ min: 1e14, max: 1e23 }),
  fc.double({ min: 1e15, max: 1e17 }),
  fc.integer().map((number) => number / 100),
  fc.constantFrom(
    0,
    -0,
    1e15,
    1e16,
    123456789012345680000,
    1e20,
    1e21,
    1e22,
    1.5e300,
    5e-324,
    1e-4,
    1e-5,
    0.000012345,
    1e-6,
    9.99e-7,
    1e-7,
    -1.5e-7,
    2 ** 53,
    2 ** 53 + 2,
    0.1,
    1 / 3,
    999999999999999.9,
    NaN,
    Infinity,
    -Infinity,
  ),
);

/** Everything that a DuckDB type may hold, as SQL. */
const literals: Readonly<Record<string, fc.Arbitrary<string>>> = {
  VARCHAR: fc
    .string({ unit: 'binary', maxLength: 30 })
    .map((text) => `'${text.toWellFormed().replaceAll("'", "''").replaceAll('\0', '')}'`),
  BIGINT: fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map(String),
  HUGEINT: fc.bigInt({ min: -(2n ** 126n), max: 2n ** 126n }).map(String),
  INTEGER: fc.integer().map(String),
  UBIGINT: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  BOOLEAN: fc.boolean().map(String),
  DOUBLE: double.map((number) => `'${Object.is(number, -0) ? '-0.0' : String(number).replace('Infinity', 'inf')}'`),
  TIMESTAMP: fc.oneof(
    fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n }).map((micros) => `make_timestamp(${micros})`),
    fc
      .bigInt({ min: -9_000_000_000_000_000_000n, max: 9_000_000_000_000_000_000n })
      .map((micros) => `make_timestamp(${micros})`),
    fc.constantFrom(
      "'infinity'",
      "'-infinity'",
      "'0001-01-01'",
      "'0999-12-31 23:59:59.999999'",
      "'1969-12-31 23:59:59.9995'",
      "'9999-12-31 23:59:59.999999'",
      "'10000-01-01'",
      "'0001-06-01 (BC)'",
      "'2024-03-08 10:00:00.1239'",
    ),
  ),
};

const readings: readonly (readonly [type: string, column: Column, zone: string])[] = [
  ['VARCHAR', dimension('string'), 'UTC'],
  ['VARCHAR', dimension('time'), 'UTC'],
  ['VARCHAR', measure('string'), 'UTC'],
  ...['BIGINT', 'HUGEINT', 'INTEGER', 'UBIGINT'].flatMap(
    (type) =>
      [
        [type, measure('number'), 'UTC'],
        [type, dimension('string'), 'UTC'],
      ] as const,
  ),
  ['BOOLEAN', dimension('boolean'), 'UTC'],
  ['BOOLEAN', dimension('string'), 'UTC'],
  ['DOUBLE', measure('number'), 'UTC'],
  ['DOUBLE', dimension('number'), 'UTC'],
  ['TIMESTAMP', dimension('time'), 'America/New_York'],
  ['TIMESTAMP', measure('time'), 'UTC'],
  ['TIMESTAMP', measure('number'), 'UTC'],
  ['TIMESTAMP', bucket('day'), 'Asia/Tokyo'],
  ['TIMESTAMP', bucket('hour'), 'UTC'],
];

describe('jsonExpression', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine({ threads: 1 });
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it.each(readings)('writes %s in %o as the wire has what is read one by one (%s)', async (type, column, zone) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(literals[type]!, { nil: 'NULL' }), { minLength: 1, maxLength: 200 }),
        async (values) => {
          const from = `FROM (VALUES ${values.map((value, index) => `(${index}, TRY_CAST(${value} AS ${type}))`).join(', ')}) AS v(n, c) ORDER BY n`;
          const { batches } = await runStatement(engine, {
            text: `SELECT c ${from}`,
            parameters: [],
            columns: [column],
            counters: 0,
            zone,
          });
          const read: Value[] = [];
          for await (const batch of batches) read.push(...(batch.columns[0] as Value[]));
          const types = await engine.work(async (connection) =>
            (await connection.run(`SELECT c ${from}`)).columnTypes(),
          );
          const expression = jsonExpression(types[0]!, column, zone, 'c');
          const written = await engine.rows(`SELECT ${expression} ${from}`);
          expect(written.map(([json]) => JSON.parse(json as string) as unknown)).toEqual(
            read.map((value) => toWire(value, column)),
          );
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it.each([
    ['DECIMAL(9,2)', measure('number')],
    ['VARCHAR', measure('number')],
    ['DOUBLE', dimension('string')],
    ['DATE', bucket('day')],
    ['TIMESTAMP_NS', bucket('day')],
  ])('leaves %s in %o to who reads values one by one', async (type, column) => {
    const types = await engine.work(async (connection) => (await connection.run(`SELECT NULL::${type}`)).columnTypes());
    expect(jsonExpression(types[0]!, column, 'UTC', 'c')).toBeUndefined();
  });

  it('leaves buckets that are labelled in a zone', async () => {
    const types = await engine.work(async (connection) =>
      (await connection.run('SELECT NULL::TIMESTAMP')).columnTypes(),
    );
    expect(jsonExpression(types[0]!, bucket('hour'), 'America/New_York', 'c')).toBeUndefined();
  });
});

function toWire(value: Value, column: Column): Value {
  if (value === null || typeof value === 'boolean') return value;
  return column.kind === 'time' ? String(value).replace(/Z$/, '') : String(value);
}
