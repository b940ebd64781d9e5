import { describe, expect, it } from 'vitest';
import { formatComparison } from '../../src/shape/format/format-time.ts';

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
