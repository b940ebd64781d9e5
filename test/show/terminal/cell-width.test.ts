import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cellWidth, padToCells, truncateApart, truncateToCells } from '../../../src/show/labels/cell-width.ts';
import { sanitize } from '../../../src/show/labels/sanitize.ts';
import { anyText } from '../arbitrary-result.ts';

describe('cellWidth', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['価格', 4],
    ['한국어', 6],
    ['ﾊﾟ', 2],
    ['👍', 2],
    ['👍🏽', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['1️⃣', 2],
    ['नमस्ते', 4],
    ['مرحبا', 5],
    ['…–·─', 4],
  ])('counts %j as %i cells', (text, cells) => {
    expect(cellWidth(text)).toBe(cells);
  });
});

it('measures every letter and sign as terminals do', () => {
  const joiners = ['\u094d', '\u09cd', '\u0acd', '\u0b4d', '\u0c4d', '\u0d4d'];
  const letters = Array.from({ length: 0x3100 - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
  const plain = letters.filter((letter) => !/\p{Cc}/u.test(letter) && !joiners.includes(letter));
  expect(plain.filter((letter) => cellWidth(letter) !== stringWidth(letter))).toEqual([]);
});

describe('truncateToCells', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['abc def', 5, 'abc…'],
    ['価格と料金', 5, '価格…'],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, '👩‍👩‍👧‍👦…'],
    ['ab', 1, '…'],
    ['ab', 0, ''],
  ])('cuts %j to %i cells as %j', (text, cells, cut) => {
    expect(truncateToCells(text, cells, '…')).toBe(cut);
  });

  it('never exceeds the given cells, and keeps text that fits', () => {
    fc.assert(
      fc.property(anyText, fc.nat(40), (text, cells) => {
        const clean = sanitize(text);
        const cut = truncateToCells(clean, cells, '…');
        expect(cellWidth(cut)).toBeLessThanOrEqual(cells);
        if (cellWidth(clean) <= cells) expect(cut).toBe(clean);
      }),
    );
  });
});

describe('padToCells', () => {
  it('pads with spaces on the other side', () => {
    expect(padToCells('価', 4, 'left')).toBe('価  ');
    expect(padToCells('価', 4, 'right')).toBe('  価');
    expect(padToCells('long', 2, 'left')).toBe('long');
  });
});

describe('truncateApart', () => {
  it('cuts ends, unless the texts would look alike', () => {
    expect(truncateApart(['one long text', 'another', 'short'], 8, '…')).toEqual(['one lon…', 'another', 'short']);
    expect(truncateApart(['/shop/item/1', '/shop/item/2', '/cart/of/you'], 8, '…')).toEqual([
      '/sh…em/1',
      '/sh…em/2',
      '/cart/o…',
    ]);
    expect(truncateApart(['same text', 'same text'], 6, '…')).toEqual(['same…', 'same…']);
  });

  it('numbers texts that differ only in the middle', () => {
    const [head, tail] = ['a'.repeat(20), 'z'.repeat(20)];
    expect(truncateApart([`${head}1${tail}`, `${head}2${tail}`], 8, '…')).toEqual(['aaaaaa…1', 'aaaaaa…2']);
  });

  it('never exceeds the cells, and keeps different texts different', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyText.map(sanitize), { maxLength: 9 }),
        fc.integer({ min: 4, max: 30 }),
        (texts, cells) => {
          const cut = truncateApart(texts, cells, '…');
          for (const text of cut) expect(cellWidth(text)).toBeLessThanOrEqual(cells);
          expect(new Set(cut).size).toBe(new Set(texts).size);
        },
      ),
    );
  });
});
