import { expect, it } from 'vitest';
import { compareInColumn } from '../../src/shape/values/compare-values.ts';

it('orders the values of a column as it says, then others by their letters, and missing ones last', () => {
  const sorted = (values?: readonly string[]) =>
    ['b', null, 'new', 'dormant', 'a', 'returning'].toSorted((one, other) =>
      compareInColumn(one, other, { type: 'string', values }),
    );
  expect(sorted(['new', 'returning', 'dormant'])).toEqual(['new', 'returning', 'dormant', 'a', 'b', null]);
  expect(sorted()).toEqual(['a', 'b', 'dormant', 'new', 'returning', null]);
});
