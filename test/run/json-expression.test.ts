import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column, Value } from '../../src/plan/column.ts';
import { type Engine, openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { jsonExpression } from '../../src/run/duckdb/engine/json-expression.ts';
import { copyToBytes } from '../../src/run/duckdb/parquet/copy-to-parquet.ts';
import { copyOptions, selectText } from '../../src/run/duckdb/stored/row-text.ts';
import { streamChunks } from '../../src/show/text/chunks.ts';
import { toCsvForm } from '../../src/show/text/write-csv.ts';
import { toNdjsonForm } from '../../src/show/text/write-json.ts';
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

/** Every value that a DuckDB type may hold, as SQL. */
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

/** Texts that a spreadsheet, a terminal or a CSV reader would misread. */
const hostile = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc
      .array(
        fc.constantFrom(
          ...[
            '=',
            '+',
            '-',
            '@',
            '＝',
            '＠',
            '#',
            '"',
            "'",
            ',',
            ';',
            '\t',
            '\r',
            '\n',
            '\r\n',
            ' ',
            '\\',
            '\0',
            '\u0007',
          ],
          ...[
            '\u001b[31m',
            '\u007f',
            '\u0085',
            '\u009f',
            '\u061c',
            '\u200b',
            '\u2028',
            '\u202e',
            '\u2060',
            '\ufeff',
            '\ud83d\ude00',
          ],
          ...['a', 'é', '1', '.5', '1e5', '12.', '/page', 'NULL', 'null', 'nan', '{}', '$1'],
        ),
        { maxLength: 4 },
      )
      .map((parts) => parts.join('')),
  )
  // DuckDB's client drops a leading byte order mark.
  .map(
    (text) =>
      `('${text
        .toWellFormed()
        .replace(/^\ufeff+/, '')
        .replaceAll("'", "''")
        .split('\0')
        .join("' || chr(0) || '")}')`,
  );

const decimals = (digits: number, scale: number) =>
  fc
    .bigInt({ min: -(10n ** BigInt(digits)) + 1n, max: 10n ** BigInt(digits) - 1n })
    .map((whole) => `${whole}e-${scale}`);

describe('selectText', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine({ threads: 1 });
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const written: readonly (readonly [type: string, column: Column])[] = [
    ['VARCHAR', dimension('string')],
    ['VARCHAR', dimension('time')],
    ['BIGINT', measure('number')],
    ['BIGINT', dimension('string')],
    ['HUGEINT', measure('number')],
    ['UBIGINT', dimension('number')],
    ['BOOLEAN', dimension('boolean')],
    ['BOOLEAN', dimension('string')],
    ['DOUBLE', measure('number')],
    ['DECIMAL(9,2)', measure('number')],
    ['DECIMAL(15,12)', measure('number')],
    ['DECIMAL(15,3)', dimension('string')],
    ['TIMESTAMP', dimension('time')],
    ['TIMESTAMP', measure('time')],
    ['TIMESTAMP', bucket('day')],
  ];
  const ofType: Readonly<Record<string, fc.Arbitrary<string>>> = {
    ...literals,
    VARCHAR: hostile,
    'DECIMAL(9,2)': decimals(9, 2),
    'DECIMAL(15,12)': decimals(15, 12),
    'DECIMAL(15,3)': decimals(15, 3),
  };
  const keys = ['plain', 'with "quotes", a comma', '=1+1', "it's"];

  it.each(['csv', 'ndjson'] as const)('makes the bytes of %s that the rows one by one make', async (form) => {
    const some = fc
      .array(fc.tuple(fc.constantFrom(...written), fc.constantFrom(...keys)), { minLength: 1, maxLength: 4 })
      .chain((columns) =>
        fc.tuple(
          fc.constant(columns.map(([[type, column], key]) => ({ type, column: { ...column, key } }))),
          fc.array(fc.tuple(...columns.map(([[type]]) => fc.option(ofType[type]!, { nil: 'NULL', freq: 6 }))), {
            maxLength: 40,
          }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(some, async ([columns, rows]) => {
        const nothing = columns.map(() => 'NULL');
        const values = [nothing, ...rows]
          .map(
            (row, at) =>
              `(${[at, ...row.map((value, index) => `TRY_CAST(${value} AS ${columns[index]!.type})`)].join(', ')})`,
          )
          .join(', ');
        const names = columns.map((_, index) => `c${index}`);
        await engine.rows(
          `CREATE OR REPLACE TABLE asked AS SELECT ${names.join(', ')} FROM (VALUES ${values}) AS v(n, ${names.join(', ')}) WHERE n > 0 ORDER BY n`,
        );
        const select = selectText(
          form,
          columns.map(({ type, column }, index) => ({ type, column, value: `c${index}` })),
          'asked',
        );
        const bytes: Uint8Array[] = [];
        for await (const chunk of copyToBytes(engine, select!, copyOptions)) bytes.push(chunk);
        const { batches } = await runStatement(engine, {
          text: 'FROM asked',
          parameters: [],
          columns: columns.map(({ column }) => column),
          counters: 0,
          zone: 'UTC',
        });
        const own = (form === 'csv' ? toCsvForm : toNdjsonForm)(columns.map(({ column }) => column));
        let text = '';
        for await (const chunk of streamChunks({ ...own, head: '' }, batches)) text += chunk;
        expect(Buffer.concat(bytes).toString()).toBe(text);
      }),
      { numRuns: runs(40) },
    );
  });

  it.each([
    ['DECIMAL(18,2)', measure('number')],
    ['VARCHAR', measure('number')],
    ['DOUBLE', dimension('string')],
    ['FLOAT', measure('number')],
    ['TIMESTAMP', bucket('hour')],
  ])('leaves %s in %o to who writes rows one by one', (type, column) => {
    const columns = [column, dimension('string')].map((one) => ({ type, column: one, value: 'c' }));
    expect(selectText('csv', columns, 'asked')).toBeUndefined();
    expect(selectText('ndjson', columns, 'asked')).toBeUndefined();
  });
});

function toWire(value: Value, column: Column): Value {
  if (value === null || typeof value === 'boolean') return value;
  return column.kind === 'time' ? String(value).replace(/Z$/, '') : String(value);
}
