import { sanitize } from '../../labels/sanitize.ts';
import type { PlotView, Scale } from './open-plot-view.ts';
import type { PlainAxis, PlainLegend } from './plain-frame.ts';
import { groupsOf, type SceneGroup, type SceneItem } from './scene.ts';

export interface FrameAxis {
  readonly side: 'left' | 'right' | 'top' | 'bottom';
  readonly title: readonly string[];
  /** Pixels from the plot's left or upper edge. */
  readonly labels: readonly { readonly at: number; readonly text: string }[];
  /** The chart requests a line between the axis and the plot. */
  readonly line: boolean;
}

export interface LegendEntry {
  readonly label: string;
  readonly symbol: SceneItem;
}

export interface FrameLegend {
  readonly title: string;
  readonly entries: readonly LegendEntry[];
  /** The ends of a scale of shades; undefined if the legend has separate entries. */
  readonly ramp: { readonly from: string; readonly to: string } | undefined;
  /** The colour scale that it explains. */
  readonly scale: string | undefined;
}

/** The texts around a plot, sanitized. */
export interface Frame {
  readonly title: readonly string[];
  readonly subtitle: readonly string[];
  readonly axes: readonly FrameAxis[];
  readonly legends: readonly FrameLegend[];
}

/**
 * Reads the parts around the plot of a view: declared parts from the chart, the others from groups of its scene with
 * these roles.
 */
export function readFrame({ root, frame, scale }: Pick<PlotView, 'root' | 'frame' | 'scale'>): Frame {
  const { items } = root();
  const having = (role: string) => items.filter((mark) => mark.role === role).flatMap(groupsOf);
  const titles = having('title');
  const axes = having('axis').values();
  const legends = having('legend').values();
  return {
    title: frame.titles ? frame.titles.title.map(sanitize) : titles.flatMap((group) => textsOf(group, 'title-text')),
    subtitle: frame.titles
      ? frame.titles.subtitle.map(sanitize)
      : titles.flatMap((group) => textsOf(group, 'title-subtitle')),
    axes: frame.axes.map((axis) => readAxis(axis, axis.drawn ? axes.next().value : undefined)),
    legends: frame.legends.map((legend, index) =>
      legend ? toLegend(legend, scale(legend.scale)) : readLegend(legends.next().value, frame.legendScales[index]),
    ),
  };
}

/** The lines of a text in Vega's form: one, or a list. */
export function readText(text: unknown): readonly string[] {
  if (text === undefined || text === null) return [];
  return (Array.isArray(text) ? text : [text]).map((line: unknown) => sanitize(String(line)));
}

function readAxis({ side, title, line }: PlainAxis, group: SceneGroup | undefined): FrameAxis {
  const along = side === 'left' || side === 'right' ? 'y' : 'x';
  // On a scale without values, labels have no position.
  const labels = group
    ? itemsOf(group, 'axis-label').filter((item) => isSeen(item) && Number.isFinite(item[along]))
    : [];
  return {
    side,
    line,
    title: title?.map(sanitize) ?? (group ? textsOf(group, 'axis-title') : []),
    labels: labels.map((item) => ({ at: item[along] ?? 0, text: readText(item.text).join(' ') })),
  };
}

function toLegend(
  { title, scale: name, filled, shape }: NonNullable<PlainLegend>,
  scale: Scale | undefined,
): FrameLegend {
  const entries = (scale?.domain() ?? []).map((value) => {
    const colour = scale?.(value);
    return {
      label: sanitize(String(value)),
      symbol: filled ? { shape, fill: colour } : { shape, fill: 'transparent', stroke: colour },
    };
  });
  return { title: title.map(sanitize).join(' '), entries, ramp: undefined, scale: name };
}

function readLegend(legend: SceneGroup | undefined, scale: string | undefined): FrameLegend {
  const symbols = legend ? itemsOf(legend, 'legend-symbol') : [];
  const labels = (legend ? itemsOf(legend, 'legend-label') : []).map(({ text }) => readText(text).join(' '));
  return {
    title: legend ? textsOf(legend, 'legend-title').join(' ') : '',
    scale,
    entries: symbols.map((symbol, index) => ({ symbol, label: labels[index] ?? '' })),
    ramp: symbols.length > 0 ? undefined : { from: labels[0] ?? '', to: labels.at(-1) ?? '' },
  };
}

function textsOf(group: SceneGroup, role: string): readonly string[] {
  return itemsOf(group, role)
    .filter(isSeen)
    .flatMap(({ text }) => readText(text))
    .filter((text) => text !== '');
}

/** The items of all marks with a role, at any depth. */
function itemsOf({ items }: SceneGroup, role: string): readonly SceneItem[] {
  return items.flatMap((mark) =>
    mark.role === role ? mark.items : groupsOf(mark).flatMap((group) => itemsOf(group, role)),
  );
}

function isSeen({ opacity }: SceneItem): boolean {
  return opacity !== 0;
}
