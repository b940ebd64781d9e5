import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cellWidth, padToCells, truncateToCells } from '../../../src/show/labels/cell-width.ts';
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
