import { describe, expect, it } from 'vitest';
import { formatNumber } from '../../src/shape/format/format-number.ts';
import { formatDuration, formatTime } from '../../src/shape/format/format-time.ts';
import { formatValue } from '../../src/shape/format/format.ts';

describe('formatNumber', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [7, '7'],
    [1234567, '1,234,567'],
    [-1234, '-1,234'],
    [999, '999'],
    [6.559064982966959, '6.56'],
    [2.5, '2.5'],
    [1234.5678, '1,234.57'],
    [-0.001, '-0.001'],
    [0.0123456, '0.0123'],
    [0.0999999, '0.1'],
    [1.5e-9, '1.5e-9'],
    [2n ** 64n, '18,446,744,073,709,551,616'],
    ['12345678901234567890.123456', '12,345,678,901,234,567,890.123456'],
    [1e21, '1,000,000,000,000,000,000,000'],
    [1.23456e300, '1.23e+300'],
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '−∞'],
    ['2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z'],
  ])('reads %s as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it('reads hours as those of a clock, and weekdays by their names', () => {
    const shown = (format: string, ...values: readonly (number | bigint | string)[]) =>
      values.map((value) => formatNumber(value, format));
    expect(shown('hour', 0, 9n, '23', 24, 3.5)).toEqual(['00:00', '09:00', '23:00', '24', '3.5']);
    expect(shown('weekday', 1, 7n, '3', 0, 8, 1.5)).toEqual(['Monday', 'Sunday', 'Wednesday', '0', '8', '1.5']);
  });

  it('reads seconds as durations, exact text and large integers too', () => {
    for (const [seconds, text] of [
      [125, '2 min 05 s'],
      [0.32, '320 ms'],
      ['62.38', '1 min 02 s'],
      [277_200n, '3 d 05 h'],
      [0, '0 ms'],
    ] as const)
      expect(formatNumber(seconds, 'seconds')).toBe(text);
    expect([formatNumber('soon', 'seconds'), formatNumber(Infinity, 'seconds')]).toEqual(['soon', '∞']);
  });

  it('knows percents, currencies and ids', () => {
    expect(formatNumber(6.559, 'percent')).toBe('6.56%');
    expect(formatNumber(100, 'percent')).toBe('100%');
    expect(formatNumber(1234.5, 'currency')).toBe('1,234.50');
    expect(formatNumber(-0.001, 'currency')).toBe('0.00');
    expect(formatNumber('1234.5', 'currency')).toBe('1,234.50');
    expect(formatNumber(1234567, 'id')).toBe('1234567');
  });
});

describe('numbers of dimensions', () => {
  it('keep every digit, so that two groups do not look the same', () => {
    const shown = (kind: 'dimension' | 'measure', value: number) => formatValue(value, { type: 'number', kind });
    expect([9.64, 9.643, 0.0123456, 1234.5678, 1e-7].map((value) => shown('dimension', value))).toEqual([
      '9.64',
      '9.643',
      '0.0123456',
      '1,234.5678',
      '0.0000001',
    ]);
    // Hundreds of digits would push all other columns off the screen.
    expect([1.5e300, -1.23456e-300].map((value) => shown('dimension', value))).toEqual(['1.5e+300', '-1.23456e-300']);
    expect(shown('dimension', Number.NaN)).toBe('NaN');
    expect(shown('measure', 9.643)).toBe('9.64');
    expect(formatValue(9.643, { type: 'number', kind: 'dimension', format: 'percent' })).toBe('9.64%');
  });
});

describe('formatTime', () => {
  it.each([
    ['2024-03-08T00:00:00.000', 'day', '2024-03-08'],
    ['2024-03-01T00:00:00.000', 'month', '2024-03'],
    ['2024-01-01T00:00:00.000', 'quarter', '2024-Q1'],
    ['2024-10-01T00:00:00.000', 'quarter', '2024-Q4'],
    ['2024-01-01T00:00:00.000', 'year', '2024'],
    ['2024-03-04T00:00:00.000', 'week', '2024-W10'],
    ['2024-12-30T00:00:00.000', 'week', '2025-W01'],
    ['2020-12-28T00:00:00.000', 'week', '2020-W53'],
    ['2024-03-03T00:00:00.000', 'week', 'week of 2024-03-03'],
    ['2024-03-08T10:00:00.000Z', 'hour', '2024-03-08 10:00'],
    ['2024-03-08T10:00:00.000+01:00', 'hour', '2024-03-08 10:00+01:00'],
    ['2024-03-08T10:05:00.000', 'minute', '2024-03-08 10:05'],
    ['2024-03-08T10:05:07.000Z', 'second', '2024-03-08 10:05:07'],
    ['2024-03-08T10:05:07.250', undefined, '2024-03-08 10:05:07.250'],
    ['2024-03-08T10:05:07.000Z', undefined, '2024-03-08 10:05:07Z'],
    ['soon', 'day', 'soon'],
  ] as const)('reads %s by %s as %s', (label, granularity, text) => {
    expect(formatTime(label, granularity)).toBe(text);
  });
});

describe('formatValue', () => {
  it('goes by the type of the column', () => {
    expect(formatValue(null, { type: 'number' })).toBe('–');
    expect(formatValue(1234, { type: 'number' })).toBe('1,234');
    expect(formatValue('1234', { type: 'string' })).toBe('1234');
    expect(formatValue(true, { type: 'boolean' })).toBe('true');
    expect(formatValue('2024-03-08T00:00:00.000', { type: 'time', granularity: 'day' })).toBe('2024-03-08');
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [320.4, '320 ms'],
    [999.6, '1 s'],
    [4240, '4.2 s'],
    [59_960, '1 min 00 s'],
    [125_000, '2 min 05 s'],
    [3_599_700, '1 h 00 min'],
    [3_780_000, '1 h 03 min'],
    [100 * 3_600_000, '4 d 04 h'],
    [-5, '-5 ms'],
    [Number.NaN, '–'],
  ])('reads %s ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});
