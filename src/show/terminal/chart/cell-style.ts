import { luminance, type Rgb } from './colour.ts';
import type { ColourDepth } from './draw-chart-options.ts';
import type { Paint, Paints } from './paints.ts';
import { dotBits, type Raster } from './raster.ts';
import type { Ink } from './screen.ts';

export interface CellStyle {
  readonly depth: ColourDepth;
  readonly ascii: boolean;
  /** Without colour: the chart has several series, which need different signs. */
  readonly apart: boolean;
}

/** One cell as written. */
export interface Cell {
  readonly text: string;
  readonly ink: Ink;
}

const lower = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const left = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'] as const;
/** For the upper and right edges, fonts reliably have only these characters. */
const upper = [' ', '▔', '▔', '▀', '▀', '▀', '█', '█', '█'] as const;
const right = [' ', '▕', '▕', '▐', '▐', '▐', '█', '█', '█'] as const;

const shades = ['░', '▒', '▓', '█'] as const;
const asciiShades = ['.', ':', '+', '#'] as const;
/** The lightest shade is for faint paints. */
const seriesShades = ['█', '▒', '▓'] as const;

/** The letter of a series without colour: A for the first. */
export function toLetter(series: number): string {
  return series < 26 ? String.fromCharCode(65 + series) : series < 52 ? String.fromCharCode(97 + series - 26) : '?';
}

/** The character that fills a cell of this paint if colours cannot distinguish it. */
export function toFilling({ series, faint, shade }: Paint, { depth, ascii, apart }: CellStyle): string {
  if (shade !== undefined && depth < 8)
    return (ascii ? asciiShades : shades)[Math.min(3, Math.floor(shade * 4))] as string;
  if (depth > 0) return ascii ? (faint ? ':' : '#') : faint && depth === 4 ? '▒' : '█';
  if (ascii && apart) return faint ? toLetter(series).toLowerCase() : toLetter(series);
  if (ascii) return faint ? ':' : '#';
  if (faint) return '░';
  return apart ? (seriesShades[series] ?? toLetter(series)) : '█';
}

/** The cell of a raster; undefined if it is empty. */
export function toCell(raster: Raster, cell: number, paints: Paints, look: CellStyle): Cell | undefined {
  const sign = raster.signs[cell] as string;
  const filled = toFilledCell(raster, cell, paints, look);
  const under = filled && isFull(filled) ? filled.ink.fg : undefined;
  if (sign !== '')
    return {
      text: sign,
      ink: { fg: onGround(inkOf(raster.signPaints[cell] as number, paints, look).fg, under), bg: under },
    };
  const dots = raster.dots[cell] as number;
  if (dots !== 0)
    return {
      text: look.ascii
        ? toAsciiDots(dots, paints.at(raster.dotPaints[cell] as number), look)
        : String.fromCharCode(0x2800 + dots),
      ink: { ...inkOf(raster.dotPaints[cell] as number, paints, look), bg: under },
    };
  const rule = raster.rules[cell] as string;
  if (filled && !(rule !== '' && under !== undefined)) return filled;
  return rule === ''
    ? undefined
    : { text: rule, ink: under === undefined ? { dim: look.depth > 0 } : { fg: textOn(under), bg: under } };
}

/** The background of a text on this cell: the colour of a cell that is filled from edge to edge. */
export function toGround(raster: Raster, cell: number, paints: Paints, look: CellStyle): Rgb | undefined {
  const filled = toFilledCell(raster, cell, paints, look);
  return filled && isFull(filled) ? filled.ink.fg : undefined;
}

function isFull({ text }: Cell): boolean {
  return text === '█';
}

/** Black or white, whichever is more readable on a colour. Both have the same contrast at this luminance. */
export function textOn(rgb: number): number {
  return luminance(rgb) > 0.179 ? 0x000000 : 0xffffff;
}

/** A sign in nearly the colour of its background would be invisible. */
function onGround(fg: number | undefined, under: number | undefined): number | undefined {
  return under === undefined || fg === undefined || Math.abs(luminance(fg) - luminance(under)) > 0.2
    ? fg
    : textOn(under);
}

function inkOf(id: number, paints: Paints, { depth }: CellStyle): Ink {
  return depth === 0 || id === 0 ? {} : { fg: paints.at(id).rgb };
}

/** The paint of all eight parts of a cell; −1 if they differ. */
function evenPaint(eighths: Int32Array, start: number): number {
  const first = eighths[start] as number;
  for (let eighth = start + 1; eighth < start + 8; eighth += 1) if (eighths[eighth] !== first) return -1;
  return first;
}

interface Run {
  id: number;
  length: number;
}

/** The fillings that a reader can recognize in a cell. */
interface SeenFilling {
  /** Recognizable by the sign or colour of the paint. */
  readonly paints: readonly number[];
  /** A mark of this paint, recognizable only by its position. */
  readonly mark?: number | undefined;
}

export function toSeen(raster: Raster, cell: number, paints: Paints, look: CellStyle): SeenFilling {
  const even = evenPaint(raster.eighths, cell * 8);
  if (even >= 0) return { paints: [even] };
  const [first, second] = toRuns(raster, cell);
  if (!first || !second) return { paints: [first?.id ?? 0] };
  if (!isCoarse([first, second], paints, look)) return { paints: [first.id, second.id] };
  const [most, least] = bySize([first, second]);
  return most.id === 0 ? { paints: [], mark: least.id } : { paints: [most.id] };
}

function toFilledCell(raster: Raster, cell: number, paints: Paints, look: CellStyle): Cell | undefined {
  const even = evenPaint(raster.eighths, cell * 8);
  if (even === 0) return undefined;
  if (even > 0) return { text: toFilling(paints.at(even), look), ink: inkOf(even, paints, look) };
  const [first, second] = toRuns(raster, cell);
  if (!first || !second)
    return first && first.id !== 0
      ? { text: toFilling(paints.at(first.id), look), ink: inkOf(first.id, paints, look) }
      : undefined;
  const lying = raster.lying[cell] === 1;
  if (isCoarse([first, second], paints, look)) return toCoarseCell([first, second], lying, paints, look);
  return lying
    ? joinRuns(first, second, left, right, paints, look)
    : joinRuns(second, first, lower, upper, paints, look);
}

/** The runs of a cell from its upper or left edge. If there are more than two paints, the smallest are dropped. */
function toRuns(raster: Raster, cell: number): readonly Run[] {
  const runs: Run[] = [];
  for (let eighth = cell * 8; eighth < cell * 8 + 8; eighth += 1) {
    const id = raster.eighths[eighth] as number;
    const last = runs.at(-1);
    if (last?.id === id) last.length += 1;
    else runs.push({ id, length: 1 });
  }
  while (runs.length > 2) dropSmallest(runs);
  return runs;
}

/** True if block elements cannot show both fillings of a cell. */
function isCoarse(runs: readonly [Run, Run], paints: Paints, look: CellStyle): boolean {
  const solid = runs.every(({ id }) => id === 0 || toFilling(paints.at(id), look) === '█');
  return look.ascii || !solid || (look.depth === 0 && runs.every(({ id }) => id !== 0));
}

/**
 * Two fillings in one cell: block elements grow from the lower and left edges. Colours and reverse video cover the
 * other cases.
 */
function joinRuns(
  grown: Run,
  other: Run,
  blocks: readonly string[],
  opposite: readonly string[],
  paints: Paints,
  look: CellStyle,
): Cell {
  const block = blocks[grown.length] as string;
  if (other.id === 0) return { text: block, ink: inkOf(grown.id, paints, look) };
  if (grown.id !== 0) return { text: block, ink: { fg: paints.at(grown.id).rgb, bg: paints.at(other.id).rgb } };
  if (look.depth === 0) return { text: opposite[other.length] as string, ink: {} };
  return { text: block, ink: { ...inkOf(other.id, paints, look), reverse: true } };
}

/**
 * Without block elements, a cell shows the paint that fills most of it. Less than half a cell at a bar's end becomes a
 * low mark.
 */
function toCoarseCell(runs: readonly [Run, Run], lying: boolean, paints: Paints, look: CellStyle): Cell {
  const [first, second] = runs;
  const [most, least] = bySize(runs);
  if (most.id !== 0) return { text: toFilling(paints.at(most.id), look), ink: inkOf(most.id, paints, look) };
  const mark = lying
    ? least === first
      ? look.ascii
        ? '|'
        : '▏'
      : ' '
    : least === second
      ? look.ascii
        ? '_'
        : '▁'
      : look.ascii
        ? "'"
        : '▔';
  return { text: mark, ink: inkOf(least.id, paints, look) };
}

/** The run that the cell belongs to, then the other one. */
function bySize([first, second]: readonly [Run, Run]): readonly [most: Run, least: Run] {
  return first.length > second.length || (first.length === second.length && first.id !== 0)
    ? [first, second]
    : [second, first];
}

/** Gives the smallest run to a neighbour, preferably one that is not empty, so that the end of a bar stays in place. */
function dropSmallest(runs: Run[]): void {
  let smallest = 0;
  runs.forEach(({ length }, index) => {
    if (length < (runs[smallest] as Run).length) smallest = index;
  });
  const neighbours = [runs[smallest - 1], runs[smallest + 1]].filter((run) => run !== undefined);
  const heir = neighbours.find(({ id }) => id !== 0 || (runs[smallest] as Run).id === 0) ?? neighbours[0];
  if (heir) heir.length += (runs[smallest] as Run).length;
  runs.splice(smallest, 1);
  for (let index = runs.length - 1; index > 0; index -= 1) {
    const [before, run] = [runs[index - 1] as Run, runs[index] as Run];
    if (before.id !== run.id) continue;
    before.length += run.length;
    runs.splice(index, 1);
  }
}

/** ASCII offers three heights and two slopes. Several series are distinguished by their letters instead. */
function toAsciiDots(dots: number, paint: Paint, look: CellStyle): string {
  if (look.apart && look.depth === 0) return toLetter(paint.series);
  const rows = dotBits.map(([l, r]) => [(dots & l) !== 0, (dots & r) !== 0] as const);
  const used = rows.flatMap(([l, r], row) => (l || r ? [row] : []));
  const [top, bottom] = [used[0] as number, used.at(-1) as number];
  const count = rows.flat().filter(Boolean).length;
  if (count >= 6) return paint.faint ? ':' : '#';
  if (bottom - top >= 2) {
    const highLeft = rows.slice(0, 2).some(([l, r]) => l && !r) && rows.slice(2).some(([l, r]) => r && !l);
    const highRight = rows.slice(0, 2).some(([l, r]) => r && !l) && rows.slice(2).some(([l, r]) => l && !r);
    return highLeft && !highRight ? '\\' : highRight && !highLeft ? '/' : '|';
  }
  if (bottom <= 1 && top === 0) return "'";
  return top >= 2 && bottom === 3 ? '.' : '-';
}
