import type { Spec } from 'vega';
import { listParts, type Part, type PlainFrame, takeFrame } from './plain-frame.ts';
import { refuse } from './undrawable.ts';
import { readRectRole, type RectRole } from './draw-rects.ts';

type Way = 'x' | 'y';

/** Categories side by side: the name of the scale, and of the scale that divides each category, if any. */
export interface Bands {
  readonly scale: string;
  readonly within: string | undefined;
}

export interface FittedSpec {
  readonly spec: Spec;
  readonly bands: Readonly<Record<Way, Bands | undefined>>;
  /** The roles of rectangles, by mark name. */
  readonly rects: ReadonlyMap<string, RectRole>;
  /** Marks whose colour stands for a number: the colour's scale and the number's field, by mark name. */
  readonly shades: ReadonlyMap<string, { readonly scale: string; readonly field: string }>;
  /** If all marks are texts, the scale that stacks them; empty if there is only one place. */
  readonly textScale: string | undefined;
  /** Scales of categories whose labels may be omitted if they do not all fit. */
  readonly thinnable: ReadonlySet<string>;
  readonly frame: PlainFrame;
}

/** One label per this many cells across, or per this many lines down. */
const labelRoom = { x: 12, y: 4 } as const;

/** The signal for the gap between two bands, as a fraction of a step. */
export function gapSignal(way: Way): string {
  return `sluice_gap_${way}`;
}

/**
 * Prepares a compiled chart for cells: no grid, no measured texts, bands that start at cell borders, and as many ticks
 * as labels fit, including the ends of the scale.
 */
export function fitVegaSpec(spec: Spec, cells: Readonly<Record<'width' | 'height', number>>): FittedSpec {
  const ticks = {
    x: Math.max(2, Math.floor(cells.width / labelRoom.x)),
    y: Math.max(2, Math.round(cells.height / labelRoom.y)),
  };
  const { rest, frame } = takeFrame(spec as unknown as Part);
  const scales = listParts(spec.scales);
  const marks = listMarks(spec.marks);
  for (const { type, encode } of marks) checkScaled(type, asPart(asPart(encode)['update']));
  const bands = { x: findBands(scales, 'x'), y: findBands(scales, 'y') };
  const signals = [
    ...listParts(spec.signals),
    ...(['x', 'y'] as const).map((way) => ({ name: gapSignal(way), value: 0 })),
  ];
  const isText = marks.every(({ type }) => type === 'text');
  const downScales = scales.filter(({ range }) => acrossHeight(range));
  const textScale = isText ? downScales.find(({ type }) => type === 'point') : undefined;
  const fitted = {
    ...rest,
    signals,
    scales: scales.map((scale) =>
      scale === textScale
        ? { ...without(scale, ['paddingInner', 'paddingOuter']), padding: 0.5 }
        : fitScale(scale, bands, ticks),
    ),
    axes: listParts(rest['axes']).map((axis) => fitAxis(axis, ticks)),
  };
  return {
    spec: fitted as unknown as Spec,
    bands,
    rects: new Map(
      marks.filter(({ type }) => type === 'rect').map((mark) => [toText(mark['name']), readRectRole(updateOf(mark))]),
    ),
    shades: new Map(
      marks.flatMap((mark) => {
        const { fill } = updateOf(mark);
        const { scale, field } = lastOf(fill);
        const continuous = scales.some(({ name, type }) => name === scale && type !== 'ordinal');
        return typeof scale === 'string' && typeof field === 'string' && continuous
          ? [[toText(mark['name']), { scale, field }] as const]
          : [];
      }),
    ),
    textScale: textScale ? toText(textScale['name']) : isText && downScales.length === 0 ? '' : undefined,
    thinnable: new Set(
      listParts(spec.axes).flatMap(({ labelOverlap, scale }) =>
        labelOverlap === true || labelOverlap === 'greedy' || labelOverlap === 'parity' ? [toText(scale)] : [],
      ),
    ),
    frame,
  };
}

const scaledParts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  symbol: { size: 'the sizes of points', angle: 'the angles of points' },
  line: { strokeWidth: 'the widths of lines' },
  text: { angle: 'turned texts', size: 'the sizes of texts' },
};

/** Refuses sizes and angles that stand for numbers: cells cannot show them. */
function checkScaled(type: unknown, update: Part): void {
  for (const [part, name] of Object.entries(scaledParts[toText(type)] ?? {})) {
    if (lastOf(update[part])['scale'] !== undefined) throw refuse(name);
  }
}

function acrossHeight(range: unknown): boolean {
  return JSON.stringify(range ?? null).includes('"height"');
}

function acrossWidth(range: unknown): boolean {
  return JSON.stringify(range ?? null).includes('"width"');
}

function findBands(scales: readonly Part[], way: Way): Bands | undefined {
  const isAcross = way === 'x' ? acrossWidth : acrossHeight;
  const scale = scales.find(({ type, range }) => type === 'band' && isAcross(range));
  if (!scale) return undefined;
  const name = toText(scale['name']);
  const within = scales.find(
    ({ type, range: across }) => type === 'band' && JSON.stringify(across ?? null).includes(`bandwidth('${name}')`),
  );
  return { scale: name, within: within && toText(within['name']) };
}

function fitScale(scale: Part, bands: FittedSpec['bands'], ticks: Readonly<Record<Way, number>>): Part {
  for (const way of ['x', 'y'] as const) {
    if (scale['name'] === bands[way]?.scale)
      return { ...without(scale, ['padding', 'align']), paddingOuter: 0, paddingInner: { signal: gapSignal(way) } };
    if (scale['name'] === bands[way]?.within)
      return { ...without(scale, ['padding', 'align']), paddingOuter: 0, paddingInner: 0 };
  }
  if (scale['nice'] !== true) return scale;
  const { range } = scale;
  return { ...scale, ...(acrossWidth(range) && { nice: ticks.x }), ...(acrossHeight(range) && { nice: ticks.y }) };
}

function fitAxis(axis: Part, ticks: Readonly<Record<Way, number>>): Part {
  const way = axis['orient'] === 'left' || axis['orient'] === 'right' ? 'y' : 'x';
  const { tickCount } = axis;
  const own = typeof tickCount === 'object' && tickCount !== null && 'signal' in tickCount;
  // The layout in cells decides later which labels fit. No label is rotated.
  return {
    ...without(axis, ['labelFlush', 'labelAlign', 'labelBaseline', 'labelLimit', 'labelBound']),
    labelOverlap: false,
    labelAngle: 0,
    labelLimit: 0,
    ...(own && { tickCount: ticks[way] }),
  };
}

function listMarks(marks: unknown): readonly Part[] {
  return listParts(marks).flatMap((mark) => [mark, ...listMarks(mark['marks'])]);
}

function updateOf(mark: Part): Part {
  return asPart(asPart(mark['encode'])['update']);
}

/** The plain case of a definition: the last one, after any conditions. */
function lastOf(definition: unknown): Part {
  return asPart(Array.isArray(definition) ? definition.at(-1) : definition);
}

function asPart(value: unknown): Part {
  return typeof value === 'object' && value !== null ? (value as Part) : {};
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function without(part: Part, keys: readonly string[]): Part {
  return Object.fromEntries(Object.entries(part).filter(([key]) => !keys.includes(key)));
}
