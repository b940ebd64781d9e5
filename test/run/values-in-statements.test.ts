import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { bindParameters, runBound } from '../../src/run/duckdb/engine/run-bound.ts';
import { type ParameterValue, withValues } from '../../src/run/duckdb/engine/sql-text.ts';
import { runs } from '../runs.ts';

const engine = await openEngine({ threads: 1 });
afterAll(() => engine[Symbol.asyncDispose]());

/** What the statement returns if its values are bound, and not part of its text. */
const bound = (text: string, values: readonly ParameterValue[]) =>
  engine.work(async (connection) => {
    const prepared = await connection.prepare(text);
    bindParameters(prepared, values);
    const result = await prepared.run();
    return { types: result.columnTypes().map(String), rows: await result.getRows() };
  });
const whole = (text: string, values: readonly ParameterValue[]) =>
  engine.work(async (connection) => {
    const result = await runBound(connection, text, values);
    return { types: result.columnTypes().map(String), rows: await result.getRows() };
  });

const hostile = [
  "it's",
  "'; DROP TABLE t; --",
  '$1',
  '$2$',
  '\\',
  "\\'",
  '-- x',
  '/* x',
  '\u00a0',
  "'\u00a0''",
  '\0',
  '\ud800',
  '\u202e',
  '',
  'NULL',
  '😀',
];
const value: fc.Arbitrary<ParameterValue> = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...hostile),
  fc.double(),
  fc.constantFrom(-0, 0, Infinity, -Infinity, Number.NaN, 5e-324, 1.7976931348623157e308, 0.1 + 0.2),
  fc.bigInt({ min: -(2n ** 127n) + 1n, max: 2n ** 127n - 1n }),
  fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 63n, 0n),
  fc.boolean(),
  fc.constant(null),
);
const castOf = (one: ParameterValue) => (typeof one === 'string' ? 'CAST(? AS VARCHAR)' : '?');

describe('a statement with the values of its parameters', () => {
  it('returns the same types and rows as with bound values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 5 }), async (values) => {
        let position = 0;
        const mark = (one: ParameterValue) => castOf(one).replace('?', () => `$${(position += 1)}`);
        const columns = values.map((one, index) => `${mark(one)} AS c${index}`).join(', ');
        const text = `SELECT ${columns}, 'it''s $' AS "a $ b" FROM range(2)`;
        expect(await whole(text, values)).toEqual(await bound(text, values));
      }),
      { numRuns: runs(500) },
    );
  });

  it('compares and filters alike', async () => {
    const texts = ['a', 'A', "a'b", '10', '9', ' ', ''];
    const table = `(VALUES ${texts.map((text) => `('${text.replaceAll("'", "''")}')`).join(', ')}) AS t(x)`;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), fc.constantFrom(...texts), async (one, other) => {
        for (const condition of [
          'x = CAST($1 AS VARCHAR) OR x > CAST($2 AS VARCHAR)',
          'x IN (CAST($1 AS VARCHAR), CAST($2 AS VARCHAR))',
          "x ILIKE CAST($1 AS VARCHAR) ESCAPE '\\' OR x LIKE '%' || CAST($2 AS VARCHAR)",
        ]) {
          const text = `SELECT x FROM ${table} WHERE ${condition} ORDER BY x`;
          expect(withValues(text, [one, other])).toBeDefined();
          expect(await whole(text, [one, other])).toEqual(await bound(text, [one, other]));
        }
      }),
      { numRuns: runs(30) },
    );
    const dated = "SELECT CAST($1 AS TIMESTAMP) + to_days(1), date_trunc('day', CAST($2 AS TIMESTAMP))";
    const instants = ['2024-02-29 23:59:59.999', '1969-12-31 00:00:00.000'];
    expect(await whole(dated, instants)).toEqual(await bound(dated, instants));
  });

  it.each([
    ["SELECT '$1', $1", ['a']],
    ['SELECT $1 AS "$2", $2', ['a', 'b']],
    ['SELECT $1 -- $1', ['a']],
    ['SELECT ?', ['a']],
    ['SELECT $1, $1', ['a']],
    ['SELECT $2', ['a']],
    ['SELECT $1; SELECT 2', ['a']],
    ['SELECT $1', ['a; b']],
    ['SELECT $1', ['\0']],
    ['SELECT $1', ['\u00a0']],
    ["SELECT '$1'", []],
  ] as const)('is not written if its meaning could change: %s', (text, values) => {
    expect(withValues(text, values)).toBeUndefined();
  });

  it('runs no second statement', async () => {
    await expect(whole('SELECT 1; CREATE TABLE made (x INTEGER)', [])).rejects.toThrow();
    await expect(engine.rows('FROM made')).rejects.toThrow();
  });
});
