import { cellWidth, truncateApart, truncateToCells } from '../../labels/cell-width.ts';
import { type CellStyle, toFilling, toLetter } from './cell-style.ts';
import { textures } from './draw-marks.ts';
import { toSign } from './draw-symbol.ts';
import type { PlotView, Scale } from './open-plot-view.ts';
import type { Paints } from './paints.ts';
import { dotBits } from './raster.ts';
import type { FrameLegend, LegendEntry } from './read-frame.ts';
import type { SceneItem } from './scene.ts';
import type { Ink } from './screen.ts';
import type { Piece } from './write-titles.ts';

/** The mark that a legend uses to explain series without colours. */
export type SeriesMark = 'line' | 'area' | 'rect' | 'symbol';

const rampCells = 12;

/** Writes a legend as lines of pieces, none wider than `width`. */
export function writeLegend(
  { title, entries, ramp, scale }: FrameLegend,
  {
    width,
    look,
    paints,
    view,
    by,
  }: {
    readonly width: number;
    readonly look: CellStyle;
    readonly paints: Paints;
    readonly view: PlotView;
    readonly by: SeriesMark;
  },
): readonly (readonly Piece[])[] {
  const ellipsis = look.ascii ? '...' : '…';
  const head: Piece[] =
    title === '' ? [] : [{ text: truncateToCells(title, width, ellipsis), ink: { dim: look.depth > 0 } }];
  if (ramp) {
    const sample = sampleRamp(scale === undefined ? undefined : view.scale(scale), view, paints, look);
    const ends = Math.max(1, Math.floor((width - sample.length - 2) / 2));
    return flow(
      [
        ...head.map((piece) => [piece]),
        [
          { text: `${truncateToCells(ramp.from, ends, ellipsis)} `, ink: {} },
          ...sample,
          { text: ` ${truncateToCells(ramp.to, ends, ellipsis)}`, ink: {} },
        ],
      ],
      width,
    );
  }
  const swatches = entries.map((entry) => toSwatch(entry, paints, look, by));
  const widest = swatches.reduce((most, { text }) => Math.max(most, cellWidth(text)), 0);
  const labels = truncateApart(
    entries.map(({ label }) => label),
    Math.max(1, width - widest - 1),
    ellipsis,
  );
  return flow(
    [
      ...head.map((piece) => [piece]),
      ...swatches.map((swatch, index) => [swatch, { text: ` ${labels[index] ?? ''}`, ink: {} }]),
    ],
    width,
  );
}

/** Places items side by side, two spaces apart, on as many lines as needed. */
function flow(items: readonly (readonly Piece[])[], width: number): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [];
  let used = 0;
  for (const item of items) {
    const cells = item.reduce((sum, { text }) => sum + cellWidth(text), 0);
    const line = lines.at(-1);
    if (line && used + 2 + cells <= width) {
      line.push({ text: '  ', ink: {} }, ...item);
      used += 2 + cells;
    } else {
      lines.push([...item]);
      used = cells;
    }
  }
  return lines;
}

function toSwatch({ symbol }: LegendEntry, paints: Paints, look: CellStyle, by: SeriesMark): Piece {
  const id = symbolPaint(symbol, paints);
  const dashed = (symbol.strokeDash?.length ?? 0) > 0;
  if (id !== 0 && look.apart && look.depth === 0) {
    const { series } = paints.at(id);
    if (look.ascii || by === 'line' || by === 'symbol') return { text: toLetter(series), ink: {} };
    const text = by === 'area' ? toTexture(series) : toFilling(paints.at(id), look);
    return { text: text.repeat(2), ink: {} };
  }
  const ink: Ink = id === 0 || look.depth === 0 ? {} : { fg: paints.at(id).rgb };
  if (symbol.shape === 'stroke')
    return { text: (dashed ? (look.ascii ? '-' : '╌') : look.ascii ? '=' : '━').repeat(2), ink };
  if (by === 'line') return { text: look.ascii ? '==' : '━━', ink };
  return { text: by === 'symbol' ? toSign(symbol, look.ascii) : look.ascii ? '#' : '■', ink };
}

/** The paint of a legend's sign. */
export function symbolPaint({ fill, stroke }: SceneItem, paints: Paints): number {
  return paints.of(fill) || paints.of(stroke);
}

/** A sample of an area with its edge. */
function toTexture(series: number): string {
  const texture = textures[series % textures.length];
  let dots = 0;
  dotBits.forEach((row, line) =>
    row.forEach((bit, column) => {
      if (line === 0 || texture?.(column, line)) dots |= bit;
    }),
  );
  return String.fromCharCode(0x2800 + dots);
}

function sampleRamp(
  scale: Scale | undefined,
  { readColour }: PlotView,
  paints: Paints,
  look: CellStyle,
): readonly Piece[] {
  if (look.depth < 8) {
    const sample = Array.from({ length: 4 }, (_, part) =>
      toFilling({ rgb: 0, series: 0, faint: false, shade: part / 4 }, look).repeat(2),
    );
    return sample.map((text) => ({ text, ink: {} }));
  }
  const domain = (scale?.domain() ?? []).map(Number);
  const [from = 0, to = 1] = [domain[0], domain.at(-1)];
  return Array.from({ length: rampCells }, (_, part) => {
    const colour = scale?.(from + ((to - from) * part) / (rampCells - 1));
    const id = typeof colour === 'string' ? paints.of(readColour(colour), 1, 0) : 0;
    return { text: look.ascii ? '#' : '█', ink: id === 0 ? {} : { fg: paints.at(id).rgb } };
  });
}
