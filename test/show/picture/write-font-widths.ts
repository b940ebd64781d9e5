import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-js';
import type { FontFiles } from '../../../src/show/fonts/fonts.ts';

interface Font {
  readonly unitsPerEm: number;
  readonly tables: { readonly cmap: { readonly glyphIndexMap: Readonly<Record<string, number>> } };
  readonly glyphs: { get(index: number): { readonly advanceWidth?: number } };
}

const { parse } = createRequire(import.meta.url)('opentype.js') as { parse(bytes: ArrayBuffer): Font };

/** Widths of glyphs in thousandths of an em, by code point. */
type Widths = ReadonlyMap<number, number>;

/** The source of `font-widths.ts`, generated from the fonts. */
export function writeFontWidths(fonts: FontFiles): string {
  const sans = readWidths(fonts['noto-sans']);
  const arabic = without(readWidths(fonts['noto-sans-arabic']), sans);
  const chinese = without(readWidths(fonts['noto-sans-sc']), sans);
  const emoji = without(readWidths(fonts['noto-emoji']), sans);
  const letters = new Map([...arabic].filter(([code]) => code < 0xfb00 && /\p{L}/u.test(String.fromCodePoint(code))));
  const tables: readonly (readonly [name: string, of: string, text: string])[] = [
    ['sansWidths', 'Noto Sans', writeRuns(sans)],
    ['heavyWidths', 'Noto Sans SemiBold', writeRuns(readWidths(fonts['noto-sans-semibold']))],
    [
      'arabicWidths',
      'Noto Sans Arabic, where Noto Sans has no glyph and there is but one form',
      writeRuns(without(arabic, letters)),
    ],
    [
      'arabicForms',
      'the letters of Noto Sans Arabic: code, then alone, at the end, at the start, in the middle',
      writeForms(letters, fonts),
    ],
    ['chineseWidths', 'Noto Sans SC, where Noto Sans has no glyph', writeRuns(chinese)],
    ['emojiWidths', 'Noto Emoji, where Noto Sans has no glyph', writeRuns(emoji)],
  ];
  const head =
    '// Made from the files of the fonts by test/show/picture/text-width.test.ts (`vitest --update`), which also says when\n' +
    '// they no longer agree.\n' +
    '// Widths in thousandths of an em, `gap+count*width` by code point, in base 36; see `text-width.ts`.\n';
  return (
    head +
    tables
      .map(
        ([name, of, text]) =>
          `\n/** ${of[0]?.toUpperCase()}${of.slice(1)}. */\nexport const ${name} = \`\n${breakLines(text)}\`;\n`,
      )
      .join('')
  );
}

function readWidths(file: string): Widths {
  const bytes = readFileSync(file);
  const {
    unitsPerEm,
    tables: { cmap },
    glyphs,
  } = parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer);
  const codes = Object.entries(cmap.glyphIndexMap)
    .filter(([, glyph]) => glyph > 0)
    .map(([code]) => Number(code))
    .sort((a, b) => a - b);
  return new Map(
    codes.map((code) => [
      code,
      Math.ceil(((glyphs.get(cmap.glyphIndexMap[code]!).advanceWidth ?? 0) * 1000) / unitsPerEm),
    ]),
  );
}

function without(widths: Widths, others: Widths): Widths {
  return new Map([...widths].filter(([code]) => !others.has(code)));
}

function writeRuns(widths: Widths): string {
  const runs: { gap: number; count: number; width: number }[] = [];
  let next = 0;
  for (const [code, width] of widths) {
    const last = runs.at(-1);
    if (last && code === next && last.width === width) last.count += 1;
    else runs.push({ gap: code - next, count: 1, width });
    next = code + 1;
  }
  return runs
    .map(
      ({ gap, count, width }) =>
        (gap ? `${gap.toString(36)}+` : '') + (count > 1 ? `${count.toString(36)}*` : '') + width.toString(36),
    )
    .join(' ');
}

/** A shaper chooses the form of a letter, so measure how much wider a text becomes. */
function writeForms(letters: Widths, fonts: FontFiles): string {
  const fontFiles = [fonts['noto-sans'], fonts['noto-sans-arabic']];
  const drawn = (text: string): number => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text font-family="Noto Sans" font-size="100">|${text}|</text></svg>`;
    return (
      new Resvg(svg, { font: { loadSystemFonts: false, fontFiles, defaultFontFamily: 'Noto Sans' } }).getBBox()!.width *
      10
    );
  };
  const bars = drawn('');
  const widen = (text: string) => drawn(text) - bars;
  // A letter that joins on both sides; the others are placed between two of it.
  const beh = 'ب';
  const behAtStart = widen(`${beh}\u200d`);
  const behAtEnd = widen(beh + beh) - behAtStart;
  return [...letters.keys()]
    .map((code) => {
      const letter = String.fromCodePoint(code);
      const alone = widen(letter);
      const atStart = widen(`${letter}\u200d`);
      const afterBeh = widen(beh + letter);
      const atEnd = Math.abs(afterBeh - widen(beh) - alone) < 1 ? alone : afterBeh - behAtStart;
      const inside = Math.abs(atStart - alone) < 1 ? atEnd : widen(beh + letter + beh) - behAtStart - behAtEnd;
      return [code, ...[alone, atEnd, atStart, inside].map((width) => Math.ceil(width - 0.5))]
        .map((number) => number.toString(36))
        .join('.');
    })
    .join(' ');
}

function breakLines(text: string): string {
  return text.replace(/(.{1,118})(?: |$)/g, '$1\n');
}
