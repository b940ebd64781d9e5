import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { VegaLiteSpec } from '../../../src/show/chart/chart.ts';
import { toNeededFonts } from '../../../src/show/fonts/font-runs.ts';
import { splitTexts } from '../../../src/show/picture/split-texts.ts';
import { drawImage, toPng } from '../../../src/show/picture/to-png.ts';
import { toSvg } from '../../../src/show/picture/to-svg.ts';
import { findFonts } from '../../../src/use/output/fonts.ts';
import { toSpecimenSpec } from './pictures.ts';
import { readSvg, toTextBoxes } from './read-svg.ts';

const fonts = findFonts();
const nowhere = Object.fromEntries(
  Object.keys(fonts).map((name) => [name, `/nowhere/${name}.ttf`]),
) as unknown as typeof fonts;

function label(text: string): VegaLiteSpec {
  return {
    data: { values: [{ text }] },
    width: 240,
    height: 30,
    mark: { type: 'text', fontSize: 20, align: 'center' },
    encoding: { text: { field: 'text', type: 'nominal' } },
    config: { view: { stroke: null } },
  };
}

const draw = async (text: string, with_ = fonts) => toPng(await toSvg(label(text)), { fonts: with_ });

describe('toPng', () => {
  it('draws two dots per pixel, or as many as requested', async () => {
    const svg = await toSvg(toSpecimenSpec('bar'));
    const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg)!.map(Number);
    expect(sizeOf(await toPng(svg, { fonts }))).toEqual([2 * width!, 2 * height!]);
    expect(sizeOf(await toPng(svg, { fonts, scale: 1 }))).toEqual([width, height]);
  });

  it.each(['Views', 'مرحبا بالعالم', '价格与套餐', '👩‍👩‍👧', 'Ümläut', 'हिन्दी'])('draws %s', async (text) => {
    expect(await inkOf(text)).toBeGreaterThan(100);
    // Without its fonts it would be missing.
    expect(countInk(await draw(text, nowhere))).toBe(0);
  });

  it('draws texts of several scripts like their parts', async () => {
    const parts = ['views ', 'مرحبا', ' 价格', '👩‍👩‍👧', '🚀'];
    const whole = await inkOf(parts.join(''));
    const summed = (await Promise.all(parts.map((part) => inkOf(part.trim())))).reduce((sum, ink) => sum + ink, 0);
    expect(whole).toBeGreaterThan(summed * 0.97);
    expect(whole).toBeLessThan(summed * 1.03);
  });

  it('draws a box for characters without a glyph, and lists them', async () => {
    expect(toNeededFonts(await toSvg(label('한국 中 a\u200d'))).missing).toEqual(['국', '한']);
    expect(toNeededFonts(await toSvg(label('中文'))).missing).toEqual([]);
    expect(await inkOf('한국')).toBeGreaterThan(100);
    expect(await inkOf('한국 a')).toBeGreaterThan((await inkOf('a')) + 100);
  });

  it('opens only the fonts that the texts need', async () => {
    const others = { ...nowhere, 'noto-sans': fonts['noto-sans'], 'noto-sans-semibold': fonts['noto-sans-semibold'] };
    expect(await draw('Views – 12%', others)).toEqual(await draw('Views – 12%'));
    expect(toNeededFonts(await toSvg(label('Views')))).toEqual({
      fonts: ['noto-sans', 'noto-sans-semibold'],
      missing: [],
    });
    // Text for screen readers needs no font.
    expect(toNeededFonts(await toSvg({ ...label('Views'), description: '中文' })).fonts).not.toContain('noto-sans-sc');
  });

  it.each([
    [1_000_000, 2],
    [100, 0],
    [100, Number.NaN],
    [100, Infinity],
  ])('refuses a picture of %i pixels width with %d dots each way', async (width, scale) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="100"></svg>`;
    await expect(toPng(svg, { fonts, scale })).rejects.toMatchObject({ code: 'picture-too-large' });
  });
});

describe('drawImage', () => {
  it.each(['line-of-series', 'heatmap-cohorts', 'labels-of-the-world'])(
    'returns the same pixels as the PNG: %s',
    async (name) => {
      const { width, height, pixels, png } = await drawImage(await toSvg(toSpecimenSpec(name)), { fonts, scale: 1 });
      expect(sizeOf(png())).toEqual([width, height]);
      expect(Buffer.compare(readDots(png()), pixels)).toBe(0);
      expect(new Set(pixels).size).toBeGreaterThan(50);
    },
  );
});

describe('splitTexts', () => {
  it('keeps text that one font can draw', async () => {
    const svg = await toSvg(toSpecimenSpec('line-of-series'));
    expect(splitTexts(svg)).toBe(svg);
  });

  it('keeps the position of each text, whatever its anchor and its lines', async () => {
    for (const align of ['left', 'center', 'right']) {
      const svg = await toSvg({
        data: { values: [{ text: ['plain', 'مرحبا 中文 <&>', '中'] }] },
        width: 300,
        height: 90,
        mark: { type: 'text', align, fontSize: 14, angle: 10, lineHeight: 20 },
        encoding: { text: { field: 'text', type: 'nominal' } },
      });
      const spans = (boxes: ReturnType<typeof toTextBoxes>) => Array.from(boxes, ({ corners }) => corners);
      const [before, after] = [toTextBoxes(readSvg(svg)), toTextBoxes(readSvg(splitTexts(svg)))];
      expect(after.map(({ text }) => text).join('')).toBe(before.map(({ text }) => text).join(''));
      const [first, last] = [spans(after)[1]!, spans(after).at(-2)!];
      for (const axis of [0, 1] as const) {
        expect(first[0]![axis]).toBeCloseTo(spans(before)[1]![0]![axis], 1);
        expect(last[1]![axis]).toBeCloseTo(spans(before)[1]![1]![axis], 1);
      }
    }
  });
});

async function inkOf(text: string): Promise<number> {
  return countInk(await draw(text));
}

function sizeOf(png: Uint8Array): readonly [number, number] {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

/** Darkness, in dots. */
function countInk(png: Uint8Array): number {
  const dots = readDots(png);
  let ink = 0;
  for (let at = 0; at < dots.length; at += 4) ink += (255 - (dots[at]! + dots[at + 1]! + dots[at + 2]!) / 3) / 255;
  return ink;
}

/**
 * Red, green, blue and opacity of each dot of a PNG with eight bits per channel, with filters undone. Source: Portable
 * Network Graphics, Third Edition, 9.
 */
function readDots(png: Uint8Array): Uint8Array {
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  const [width, height] = sizeOf(png);
  const parts: Uint8Array[] = [];
  for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
    if (String.fromCharCode(...png.slice(at + 4, at + 8)) === 'IDAT')
      parts.push(png.slice(at + 8, at + 8 + view.getUint32(at)));
  }
  const data = inflateSync(Buffer.concat(parts));
  const row = width * 4;
  const dots = new Uint8Array(row * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (row + 1)]!;
    for (let x = 0; x < row; x += 1) {
      const [left, up, corner] = [
        x < 4 ? 0 : dots[y * row + x - 4]!,
        y === 0 ? 0 : dots[(y - 1) * row + x]!,
        x < 4 || y === 0 ? 0 : dots[(y - 1) * row + x - 4]!,
      ];
      dots[y * row + x] =
        data[y * (row + 1) + 1 + x]! + [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
    }
  }
  return dots;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
