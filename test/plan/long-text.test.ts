import { expect, it } from 'vitest';
import { toSafeCell } from '../../src/ask/safe-cell.ts';
import { toTestValues } from '../../src/plan/bind/bind-test.ts';
import { bound, joined } from '../../src/plan/sql/expression.ts';

// Quadratic time would exceed the time limit of these tests.
const digits = '9'.repeat(2 ** 18);

it('tells in one pass that a long text is no number', () => {
  const issues: { readonly code: string }[] = [];
  const binding = { issues } as unknown as Parameters<typeof toTestValues>[3];
  const texts = [`${digits}x`, `.${digits}x`, `${digits}.${digits}x`, `1e${digits}x`, digits.slice(0, 30)];
  expect(toTestValues(texts, 'number', [], binding).values).toEqual([BigInt(digits.slice(0, 30))]);
  expect(issues.map(({ code }) => code)).toEqual(['wrong-value', 'wrong-value', 'wrong-value', 'wrong-value']);
});

it('tells in one pass whether a long cell is a number', () => {
  expect(
    [toSafeCell(`-${digits}x`), toSafeCell(`-${digits}`), toSafeCell(`-${digits}.`)].map((cell) =>
      cell.startsWith("'"),
    ),
  ).toEqual([true, false, false]);
});

it('joins any number of values', () => {
  const values = Array.from({ length: 300_000 }, () => bound({ type: 'text', value: 'x' }));
  expect(joined([joined(values, ', ')], '').parts).toHaveLength(599_999);
});
