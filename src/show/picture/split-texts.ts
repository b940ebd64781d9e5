import { toFontRuns } from '../fonts/font-runs.ts';
import { type FontName, measuredFamily } from '../fonts/fonts.ts';
import { type TextStyle, textWidth } from '../fonts/text-width.ts';
import { escapeXml } from '../labels/escape-xml.ts';

const families: Readonly<Record<FontName, string>> = {
  'noto-sans': measuredFamily,
  'noto-sans-semibold': measuredFamily,
  'noto-sans-arabic': 'Noto Sans Arabic',
  'noto-sans-sc': 'Noto Sans SC',
  'noto-emoji': 'Noto Emoji',
};

const latin = /^[\x20-\x7e\u00a0-\u024f\u2013-\u2026]*$/;
const tag = /<(\/?)(\w+)([^>]*?)(\/?)>([^<]*)/g;

type Attributes = ReadonlyMap<string, string>;

/**
 * Splits the texts of a picture of `toSvg` into pieces that one font can draw. A renderer with font fallback assumes
 * that a text has the same number of glyphs in each font. If the numbers differ, it draws boxes.
 */
export function splitTexts(svg: string): string {
  if (latin.test(svg)) return svg;
  const outer: Attributes[] = [new Map()];
  let text: { readonly attributes: string; readonly lines: { text: string; step: number }[] } | undefined;
  return svg.replace(tag, (all, closing: string, name: string, attributes: string, empty: string, content: string) => {
    if (text) {
      if (!closing) text.lines.push({ text: content, step: Number(readAttributes(attributes).get('dy') ?? 0) });
      else if (name === 'text') {
        const written = writePieces(text.attributes, text.lines, outer.at(-1) as Attributes) + content;
        text = undefined;
        return written;
      }
      return '';
    }
    if (name === 'text' && !closing) {
      text = { attributes, lines: content === '' ? [] : [{ text: content, step: 0 }] };
      return '';
    }
    if (closing) outer.pop();
    else if (!empty) outer.push(new Map([...(outer.at(-1) as Attributes), ...readAttributes(attributes)]));
    return all;
  });
}

function readAttributes(text: string): Attributes {
  return new Map(
    Array.from(text.matchAll(/ ([\w-]+)="([^"]*)"/g), ([, name, value]) => [name as string, value as string]),
  );
}

function writePieces(
  attributes: string,
  lines: readonly { readonly text: string; readonly step: number }[],
  outer: Attributes,
): string {
  if (lines.every(({ text }) => latin.test(text))) {
    const content =
      lines.length === 1
        ? lines[0]?.text
        : lines
            .map(({ text, step }, index) => `<tspan${index === 0 ? '' : ` x="0" dy="${step}"`}>${text}</tspan>`)
            .join('');
    return `<text${attributes}>${content}</text>`;
  }
  const all = new Map([...outer, ...readAttributes(attributes)]);
  const style: TextStyle = { size: Number(all.get('font-size') ?? 0), weight: all.get('font-weight') };
  let y = 0;
  const pieces = lines.flatMap(({ text, step }) => {
    y += step;
    return toPieces(unescape(text), style, all.get('text-anchor') ?? 'start').map(
      ({ text: piece, x, anchor, family }) =>
        `<text x="${x.toFixed(2)}" y="${y}" text-anchor="${anchor}" font-family="${family}" xml:space="preserve">${escapeXml(piece)}</text>`,
    );
  });
  return `<g${attributes}>${pieces.join('')}</g>`;
}

interface Piece {
  readonly text: string;
  readonly x: number;
  readonly anchor: string;
  readonly family: string;
}

function toPieces(text: string, style: TextStyle, anchor: string): readonly Piece[] {
  const runs = toFontRuns(text);
  const [only] = runs;
  if (only && runs.length === 1) return [{ text, x: 0, anchor, family: families[only.font] }];
  const widths = runs.map((run) =>
    textWidth(run.text, { ...style, weight: run.font === 'noto-sans' ? style.weight : 'normal' }),
  );
  const width = widths.reduce((sum, each) => sum + each, 0);
  let x = anchor === 'end' ? -width : anchor === 'middle' ? -width / 2 : 0;
  return runs.map((run, index) => {
    const at = x;
    x += widths[index] ?? 0;
    return { text: run.text, x: at, anchor: 'start', family: families[run.font] };
  });
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#9': '\t',
  '#10': '\n',
  '#13': '\r',
};

function unescape(text: string): string {
  return text.replace(/&(#?\w+);/g, (all, name: string) => entities[name] ?? all);
}
