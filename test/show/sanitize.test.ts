import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitize } from '../../src/show/labels/sanitize.ts';
import { anyText } from './arbitrary-result.ts';

describe('sanitize', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
    ['a\tb\nc\r\nd\re', 'a⇥b↵c↵d↵e'],
    ['\0\u0007\u007f', '␀␇␡'],
    ['\u0085\u009b2J', '\ufffd\ufffd2J'],
    ['a\u2028b', 'a↵b'],
    ['\u202eabc\u202c\u2066d\u2069', 'abcd'],
    ['a\u200bb\u200dc\ufeffd\u00ade', 'abcde'],
    ['a\ud800b\udc00c', 'a\ufffdb\ufffdc'],
    ['\u0301a', '◌\u0301a'],
    ['a\u0301\u0302\u0303\u0304\u0305\u0306', 'a\u0301\u0302\u0303\u0304'],
  ])('turns %j into %j', (text, clean) => {
    expect(sanitize(text)).toBe(clean);
  });

  it.each(['plain', 'Ünïcödé', '価格と料金', 'مرحبا', '👩‍👩‍👧‍👦', '❤️', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🇩🇪', '© 2024', 'é'])(
    'keeps %s unchanged',
    (text) => {
      expect(sanitize(text)).toBe(text);
    },
  );

  it('removes every control character from any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(sanitize(text)).not.toMatch(/[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u);
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(sanitize(sanitize(text))).toBe(sanitize(text));
      }),
    );
  });
});
