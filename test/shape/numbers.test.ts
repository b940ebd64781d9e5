import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Value } from '../../src/plan/column.ts';
import { compareCodePoints, compareValues } from '../../src/shape/values/compare-values.ts';
import { subtractValues, sumValues, toDecimal, writeDecimal } from '../../src/shape/values/decimal.ts';

describe('sumValues', () => {
  it('keeps integers exact, as a number where that can hold them and as a bigint beyond', () => {
    expect(sumValues([1, 2n, null, 3])).toBe(6);
    expect(sumValues([Number.MAX_SAFE_INTEGER, 2])).toBe(9007199254740993n);
    expect(sumValues([9007199254740993n, -9007199254740992n])).toBe(1);
  });

  it('keeps decimal text exact', () => {
    expect(sumValues(['0.10', '0.20', 1])).toBe('1.30');
    expect(sumValues(['-12345678901234567890.5', 9007199254740993n])).toBe('-12336671701979826897.5');
    expect(sumValues(['1.5', 0.25])).toBe('1.75');
  });

  it('adds numbers with few decimals as these decimals, and rounds once', () => {
    expect(sumValues([1e16, 1.5, -1e16])).toBe(1.5);
    expect(sumValues(new Float64Array(10).fill(0.1))).toBe(1);
    expect(sumValues([0.1, 0.2])).toBe(0.3);
    expect(sumValues([0.9, 0.4, 1.1, 7])).toBe(9.4);
    expect(sumValues([1e300, 1e-300, 2.5, -1e300])).toBe(2.5);
    expect(sumValues([0.1, 9e15, 0.2, -9e15, 1n])).toBe(1.3);
    expect(sumValues([0.1, 0.25, '-0.30'])).toBe('0.05');
    expect(subtractValues(32197.6819, 25177.8412)).toBe(7019.8407);
    fc.assert(
      fc.property(
        fc.array(
          fc.maxSafeInteger().map((units) => Math.trunc(units / 1e6)),
          { minLength: 1 },
        ),
        (units) => {
          expect(sumValues(units.map((unit) => unit / 10_000))).toBe(
            Number(writeDecimal({ units: units.reduce((sum, unit) => sum + BigInt(unit), 0n), scale: 4 })),
          );
        },
      ),
    );
  });

  it('is NaN or infinite if a value is', () => {
    expect(sumValues([0.5, Number.NaN, '1.5'])).toBeNaN();
    expect(sumValues([0.5, Number.POSITIVE_INFINITY, 1n])).toBe(Number.POSITIVE_INFINITY);
    expect(sumValues([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])).toBeNaN();
    expect(sumValues([Number.MAX_VALUE, Number.MAX_VALUE])).toBe(Number.POSITIVE_INFINITY);
  });

  it('is null of nothing, of nulls, and of what is no number', () => {
    expect(sumValues([])).toBeNull();
    expect(sumValues([null, null])).toBeNull();
    expect(sumValues(['2024-01-01T00:00:00.000Z'])).toBeNull();
    expect(sumValues([true])).toBeNull();
  });

  it('agrees with bigints for any integers', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n })), { minLength: 1 }),
        (values) => {
          expect(BigInt(sumValues(values) as number | bigint)).toBe(
            values.reduce<bigint>((sum, value) => sum + BigInt(value), 0n),
          );
        },
      ),
    );
  });
});

describe('compareValues', () => {
  it('orders text by code point', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareCodePoints(a, b))).toBe(bytes);
      }),
    );
    expect(['😀', '～', 'a', 'Z'].toSorted(compareCodePoints)).toEqual(['Z', 'a', '～', '😀']);
  });

  it('orders numbers exactly, whatever form they come in', () => {
    const values: Value[] = [
      null,
      '9007199254740993.5',
      9007199254740993n,
      9007199254740992,
      '9007199254740992.5',
      -1,
      '-1.5',
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ];
    expect(values.toSorted((a, b) => compareValues(a, b, 'number'))).toEqual([
      '-1.5',
      -1,
      9007199254740992,
      '9007199254740992.5',
      9007199254740993n,
      '9007199254740993.5',
      Number.POSITIVE_INFINITY,
      Number.NaN,
      null,
    ]);
  });

  it('orders the hours of the long day as they pass', () => {
    const hours = [
      '2024-10-27T02:00:00.000+01:00',
      '2024-10-27T02:00:00.000+02:00',
      '2024-10-27T03:00:00.000+01:00',
      '2024-10-27T01:00:00.000+02:00',
    ];
    expect(hours.toSorted((a, b) => compareValues(a, b, 'time'))).toEqual([hours[3], hours[1], hours[0], hours[2]]);
  });
});

describe('decimals', () => {
  it('read what they write', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat({ max: 30 }), (units, scale) => {
        expect(toDecimal(writeDecimal({ units, scale }))).toEqual({ units, scale });
      }),
    );
  });

  it('take floats by their shortest text, exponents too', () => {
    expect(toDecimal(0.1)).toEqual({ units: 1n, scale: 1 });
    expect(toDecimal(1.5e-7)).toEqual({ units: 15n, scale: 8 });
    expect(toDecimal(1e21)).toEqual({ units: 10n ** 21n, scale: 0 });
    expect(toDecimal('')).toBeUndefined();
    expect(toDecimal('1,5')).toBeUndefined();
  });
});
