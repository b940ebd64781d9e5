import { describe, expect, it } from 'vitest';
import { formatComparison, unequalLengths } from '../../src/shape/format/format-time.ts';

describe('the label of a compared range', () => {
  it.each([
    ['2024-02-01T00:00:00.000 - 2024-02-29T23:59:59.999', '2024-02'],
    ['2024-02-01T00:00:00.000 - 2024-02-28T23:59:59.999', '2024-02-01 to 2024-02-28'],
    ['2024-03-08T00:00:00.000 - 2024-03-08T23:59:59.999', '2024-03-08'],
    ['2024-01-01T00:00:00.000 - 2024-02-29T23:59:59.999', '2024-01-01 to 2024-02-29'],
    ['2024-03-08T10:00:00.000 - 2024-03-08T11:00:00.000', '2024-03-08 10:00:00.000 to 2024-03-08 11:00:00.000'],
  ])('of %s is %s', (label, read) => {
    expect(formatComparison(label)).toBe(read);
  });
});

describe('the lengths of compared ranges', () => {
  const range = (first: string, last = first) => `${first}T00:00:00.000 - ${last}T23:59:59.999`;
  it.each([
    [[range('2024-03-28', '2024-03-31'), range('2024-02-28', '2024-02-29')], '4 and 2 days'],
    [[range('2024-03-08'), range('2024-03-07'), range('2024-03-01', '2024-03-06')], '1, 1 and 6 days'],
    [[range('2024-01-01', '2024-03-31'), range('2024-02-01', '2024-02-29')], '91 and 29 days'],
    [[range('2024-03-01', '2024-03-31'), range('2024-02-01', '2024-02-29')], undefined],
    [[range('2023-12-01', '2024-01-31'), range('2023-02-01', '2023-03-31')], undefined],
    [[range('2024-03-30', '2024-03-31'), range('2024-02-28', '2024-02-29')], undefined],
    [[range('2024-03-08'), '2024-03-07T00:00:00.000 - 2024-03-07T11:00:00.000'], undefined],
    [[''], undefined],
  ])('of %s are %s', (labels, lengths) => {
    expect(unequalLengths(labels)).toBe(lengths);
  });
});
