import { Resvg } from '@resvg/resvg-js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, textWidth } from '../../../src/show/fonts/text-width.ts';
import { toFontRuns } from '../../../src/show/fonts/font-runs.ts';
import { findFonts } from '../../../src/use/output/fonts.ts';
import { writeFontWidths } from './write-font-widths.ts';

const fonts = findFonts();

const filesOf: Readonly<Record<string, readonly string[]>> = {
  'Noto Sans': [fonts['noto-sans'], fonts['noto-sans-semibold']],
  'Noto Sans Arabic': [fonts['noto-sans-arabic']],
  'Noto Sans SC': [fonts['noto-sans-sc']],
  'Noto Emoji': [fonts['noto-emoji']],
};

/** The width of a text of one font as a shaper sets it, from the left bar to the right one. */
function drawnWidth(text: string, family: string, weight: number): number {
  const escaped = text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text font-family="${family}" font-weight="${weight}" font-size="100" xml:space="preserve">${escaped}</text></svg>`;
  const box = new Resvg(svg, {
    font: { loadSystemFonts: false, fontFiles: [...(filesOf[family] ?? [])], defaultFontFamily: family },
  }).getBBox();
  return box?.width ?? 0;
}

describe('glyph widths', () => {
  it('match the bundled fonts', async () => {
    await expect(writeFontWidths(fonts)).toMatchFileSnapshot('../../../src/show/fonts/font-widths.ts');
  });
});

describe('textWidth', () => {
  const latin = fc.string({
    unit: fc.constantFrom(
      ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;/-_()[]{}<>&%$#@!?+*=äöüßéèñçøåæœŁžΩψЖя',
    ),
    minLength: 1,
    maxLength: 40,
  });

  it.each([400, 600])('matches a shaper for Latin, Greek and Cyrillic, except kerning, at weight %i', (weight) => {
    const bars = drawnWidth('||', 'Noto Sans', weight);
    fc.assert(
      fc.property(latin, (text) => {
        const drawn = drawnWidth(`|${text}|`, 'Noto Sans', weight) - bars;
        const measured = textWidth(text, { size: 100, weight });
        // Kerning moves letters together; it moves apart only a J that would reach below the letter before it, and a
        // few signs.
        const apart = 9.5 * (text.match(/J/g) ?? []).length + 4 * (text.match(/[j?T)\]}]/g) ?? []).length;
        expect(drawn).toBeLessThan(measured + 1 + apart);
        expect(drawn).toBeGreaterThan(measured - 8 * text.length);
      }),
      { numRuns: 100 },
    );
  });

  it('matches a shaper for digits to a hundredth', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 30 }), (digits) => {
        const one = drawnWidth('|1|', 'Noto Sans', 400);
        const measured = textWidth(digits, { size: 100 }) - textWidth('1', { size: 100 });
        expect(drawnWidth(`|${digits}|`, 'Noto Sans', 400) - one).toBeCloseTo(measured, 1);
      }),
      { numRuns: 50 },
    );
  });

  it('knows the forms of Arabic letters', () => {
    const arabic = fc
      .string({ unit: fc.constantFrom(...'ابتثجحخدذرزسشصضطظعغفقكلمنهويء '), minLength: 1, maxLength: 20 })
      .filter((text) => text.trim() === text);
    fc.assert(
      fc.property(arabic, (text) => {
        const drawn = drawnWidth(text, 'Noto Sans Arabic', 400);
        const measured = textWidth(text, { size: 100 });
        expect(drawn).toBeLessThan(measured + 12);
        // Lam and alef form one glyph, and last letters reach below the ones before.
        expect(drawn).toBeGreaterThan(measured * 0.6 - 25);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['Noto Sans SC', '中文标签的例子'],
    ['Noto Sans SC', '日本語テスト'],
    ['Noto Emoji', '😀🚀❤️'],
    ['Noto Emoji', '👩‍👩‍👧👍🏽🇩🇪'],
    ['Noto Sans', 'नमस्ते दुनिया'],
    ['Noto Sans', 'e\u0301a\u0308o\u0302'],
  ])('leaves enough room, and not much more, for text in %s: %s', (family, text) => {
    const drawn = drawnWidth(text, family, 400);
    const measured = textWidth(text, { size: 100 });
    expect(measured).toBeGreaterThan(drawn - 1);
    expect(measured).toBeLessThan(drawn * 1.3 + 30);
  });

  it('grows with the size, and is 0 for invisible text', () => {
    expect(textWidth('width', { size: 20 })).toBeCloseTo(2 * textWidth('width', { size: 10 }), 9);
    expect(textWidth('\u200b\u202e\u0000\ufeff', { size: 10 })).toBe(0);
    expect(textWidth('', { size: 10 })).toBe(0);
    expect(textWidth('title', { size: 10, weight: 'bold' })).toBe(textWidth('title', { size: 10, weight: 600 }));
    expect(textWidth('title', { size: 10, weight: 'bold' })).toBeGreaterThan(textWidth('title', { size: 10 }));
  });
});

describe('cutText', () => {
  it('keeps text that fits, else the longest part that fits, never half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 20, max: 300 }), (text, pixels) => {
        const style = { size: 11 };
        const cut = cutText(text, pixels, style);
        expect(textWidth(cut, style)).toBeLessThan(pixels);
        expect(cut.isWellFormed()).toBe(true);
        if (textWidth(text, style) < pixels) expect(cut).toBe(text);
        else expect(text.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true);
      }),
    );
  });
});

it('cuts a text that was cut before with one ellipsis', () => {
  const cut = cutText('a long name … its end', textWidth('a long name … i', { size: 11 }), { size: 11 });
  expect(cut).toBe('a long name…');
});

describe('toFontRuns', () => {
  it.each<[string, readonly string[]]>([
    ['Pages by views', ['noto-sans: Pages by views']],
    [
      'views — مرحبا (12) بالعالم 中文',
      ['noto-sans: views — ', 'noto-sans-arabic: مرحبا (12) بالعالم ', 'noto-sans-sc: 中文'],
    ],
    ['👩‍👩‍👧 family ❤️', ['noto-emoji: 👩‍👩‍👧', 'noto-sans:  family ', 'noto-emoji: ❤️']],
    ['한국', ['noto-sans: 한국']],
    ['', []],
  ])('splits %j by the fonts that draw it', (text, runs) => {
    expect(toFontRuns(text).map((run) => `${run.font}: ${run.text}`)).toEqual(runs);
  });

  it('loses no text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        expect(
          toFontRuns(text)
            .map((run) => run.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});
