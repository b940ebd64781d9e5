import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column, Value } from '../../src/plan/column.ts';
import { decodeDecimal, decodeNumericText } from '../../src/run/decode-value.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { runStatement } from '../../src/run/duckdb/engine/run-statement.ts';
import { numberColumn, textColumn, timeColumn } from './ask-sql.ts';

async function values(expression: string, column: Column, zone = 'UTC'): Promise<readonly Value[]> {
  await using engine = await openEngine({});
  const { batches } = await runStatement(engine, {
    text: `SELECT ${expression}`,
    parameters: [],
    columns: [column],
    counters: 0,
    zone,
  });
  const all: Value[] = [];
  for await (const batch of batches) all.push(...batch.columns[0]!);
  return all;
}

const booleanColumn: Column = { ...textColumn, type: 'boolean' };

describe('a value of DuckDB', () => {
  it.each<readonly [string, Column, Value]>([
    ['9007199254740991::BIGINT', numberColumn, 9007199254740991],
    ['9007199254740993::BIGINT', numberColumn, 9007199254740993n],
    ['-9007199254740993::HUGEINT', numberColumn, -9007199254740993n],
    ['170141183460469231731687303715884105727::HUGEINT', numberColumn, 170141183460469231731687303715884105727n],
    ['18446744073709551615::UBIGINT', numberColumn, 18446744073709551615n],
    ['5::UTINYINT', numberColumn, 5],
    ['sum(x) FROM (VALUES (1), (2)) t(x)', numberColumn, 3],
    ['12.30::DECIMAL(10,2)', numberColumn, 12.3],
    ['-0.05::DECIMAL(4,2)', numberColumn, -0.05],
    ["'1234567890123456.78'::DECIMAL(30,2)", numberColumn, '1234567890123456.78'],
    ["'100000000000000000000.00'::DECIMAL(30,2)", numberColumn, 100000000000000000000],
    ["'0.1000000000000000055511151231257827'::DECIMAL(38,34)", numberColumn, '0.1000000000000000055511151231257827'],
    ['0.1::DOUBLE', numberColumn, 0.1],
    ["'nan'::DOUBLE", numberColumn, NaN],
    ["'-infinity'::DOUBLE", numberColumn, -Infinity],
    ['NULL::BIGINT', numberColumn, null],
    ['NULL::DOUBLE', numberColumn, null],
    ['0::DOUBLE', numberColumn, 0],
    ["'12.50'", numberColumn, 12.5],
    ["'9007199254740993'", numberColumn, 9007199254740993n],
    ["'twelve'", numberColumn, 'twelve'],
    ['true', booleanColumn, true],
    ['NULL::BOOLEAN', booleanColumn, null],
    ["'a' || chr(0) || 'b'", textColumn, 'a\u0000b'],
    ['chr(27)', textColumn, '\u001B'],
    ["''", textColumn, ''],
    ['9007199254740993::BIGINT', textColumn, '9007199254740993'],
    ['1.5::DOUBLE', textColumn, '1.5'],
    ["DATE '2024-02-29'", textColumn, '2024-02-29'],
    ["DATE '2024-02-29'", timeColumn(), '2024-02-29T00:00:00.000'],
    ["'6f1e0b0a-0000-4000-8000-0123456789ab'::UUID", textColumn, '6f1e0b0a-0000-4000-8000-0123456789ab'],
    ["'b'::ENUM('a', 'b')", textColumn, 'b'],
    ["TIMESTAMP '2024-03-10 01:02:03.4567'", timeColumn(), '2024-03-10T01:02:03.456'],
    ["TIMESTAMP '200000-01-01 00:00:00.000999'", timeColumn(), '+200000-01-01T00:00:00.000'],
    ["TIMESTAMP '290000-01-01 00:00:00.000999'", timeColumn(), '290000-01-01 00:00:00.000999'],
    ["TIMESTAMP '0001-01-01 00:00:00.000001'", timeColumn(), '0001-01-01T00:00:00.000'],
    ["'infinity'::TIMESTAMP", timeColumn(), 'infinity'],
    ['NULL::TIMESTAMP', timeColumn(), null],
    ["TIMESTAMPTZ '2024-03-10 01:02:03.4567+02'", timeColumn(), '2024-03-09T23:02:03.456'],
    ["TIMESTAMP_NS '1969-12-31 23:59:59.999999999'", timeColumn(), '1969-12-31T23:59:59.999'],
    ["TIMESTAMP '1969-12-31 23:59:59.9999'", timeColumn(), '1969-12-31T23:59:59.999'],
    ["TIMESTAMP_S '2024-03-10 01:02:03'", timeColumn('day'), '2024-03-10T01:02:03.000'],
    ["TIMESTAMP_NS '2024-03-10 01:02:03.123456789'", timeColumn(), '2024-03-10T01:02:03.123'],
    ["TIMESTAMP_MS '2024-03-10 01:02:03.123'", { ...numberColumn, type: 'time' }, '2024-03-10T01:02:03.123Z'],
    ["TIMESTAMP '2024-03-10 01:02:03'", numberColumn, '2024-03-10T01:02:03.000Z'],
    ["TIMESTAMPTZ '2024-03-10 01:02:03+02:00'", timeColumn(), '2024-03-09T23:02:03.000'],
    ['NULL::TIMESTAMP', timeColumn('day'), null],
  ])('%s reads as it is', async (expression, column, value) => {
    expect(await values(expression, column)).toEqual([value]);
  });

  it('keeps its zone’s offset in a bucket shorter than a day, and has none from a day on', async () => {
    expect(await values("TIMESTAMP '2024-11-03 05:00:00'", timeColumn('hour'), 'America/New_York')).toEqual([
      '2024-11-03T01:00:00.000-04:00',
    ]);
    expect(await values("TIMESTAMP '2024-11-03 06:00:00'", timeColumn('hour'), 'America/New_York')).toEqual([
      '2024-11-03T01:00:00.000-05:00',
    ]);
    expect(await values("TIMESTAMP '2024-11-03 06:00:00'", timeColumn('hour'))).toEqual(['2024-11-03T06:00:00.000Z']);
    expect(await values("TIMESTAMP '2024-11-03 00:00:00'", timeColumn('day'), 'America/New_York')).toEqual([
      '2024-11-03T00:00:00.000',
    ]);
  });

  it('comes in typed arrays where all of a batch are plain numbers', async () => {
    await using engine = await openEngine({});
    const statement = {
      text: 'SELECT i, i / 2, CASE WHEN i <> 3000 THEN i END FROM range(5000) r(i)',
      parameters: [],
      columns: [numberColumn, numberColumn, numberColumn],
      counters: 0,
      zone: 'UTC',
    };
    let next = 0;
    for await (const { rowCount, columns } of (await runStatement(engine, statement)).batches) {
      expect(columns.map((column) => column.length)).toEqual([rowCount, rowCount, rowCount]);
      expect(columns[0]).toBeInstanceOf(Float64Array);
      expect(columns[1]).toBeInstanceOf(Float64Array);
      for (let row = 0; row < rowCount; row++, next++) {
        expect(columns.map((column) => column[row])).toEqual([next, next / 2, next === 3000 ? null : next]);
      }
    }
    expect(next).toBe(5000);
  });
});

describe('a decimal', () => {
  it('is a number exactly where the number is written as the same decimal', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 25n), 10n ** 25n), fc.integer({ min: 0, max: 20 }), (unscaled, scale) => {
        const value = decodeDecimal(unscaled, scale);
        const text = typeof value === 'number' ? value.toFixed(20) : value;
        const number = typeof value === 'number';
        // The value that a reader gets from the number's shortest text.
        const read = number ? fromShortest(String(value)) : fromShortest(text);
        expect(read.digits * 10n ** BigInt(40 - read.places)).toBe(unscaled * 10n ** BigInt(40 - scale));
      }),
      { seed: 3, numRuns: 2000 },
    );
  });

  it('in text is a number only where nothing is lost', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 20n), 10n ** 20n), (whole) => {
        const value = decodeNumericText(String(whole));
        expect(BigInt(value)).toBe(whole);
      }),
      { seed: 3 },
    );
  });
});

function fromShortest(text: string): { readonly digits: bigint; readonly places: number } {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) };
}
