import { expect, it } from 'vitest';
import { readQuery } from '../../src/ask/query/query-schema.ts';
import { didYouMean } from '../../src/ask/suggest.ts';
import { quote } from '../../src/ask/text.ts';

it('cuts long text, and shows control characters instead of writing them', () => {
  expect(quote('a\u001b[31m\nb')).toBe('"a␛[31m␊b"');
  expect(quote('x'.repeat(61))).toBe(`"${'x'.repeat(60)}…"`);
  expect(quote(`${'x'.repeat(59)}😀`).isWellFormed()).toBe(true);
});

it('keeps a message on one line, whatever it quotes', () => {
  const [issue] = readQuery({ measures: ['Orders\n.count'] }).issues;
  expect(issue).toMatchObject({
    message: '"Orders␊.count" is not a valid member name.',
    hint: 'Write `Cube.member`, such as `TrackedEvents.count`.',
  });
});

it('suggests the nearest name in quotes, and nothing if no name is near', () => {
  expect(didYouMean('wek', ['day', 'week'])).toBe('Did you mean "week"?');
  expect(didYouMean('fortnight', ['day', 'week'])).toBeUndefined();
});
