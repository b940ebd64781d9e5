import { sanitize } from '../../sanitize.ts';
import { groupsOf, type SceneGroup, type SceneItem } from './scene.ts';

export interface FrameAxis {
  readonly side: 'left' | 'right' | 'top' | 'bottom';
  readonly title: readonly string[];
  /** Pixels from the plot's left or upper edge. */
  readonly labels: readonly { readonly at: number; readonly text: string }[];
  /** Whether the chart asks for a line between the axis and the plot. */
  readonly line: boolean;
  /** Places where the scale has a mark of its own, as the labels' places. */
  readonly ticks: readonly number[];
}

export interface LegendEntry {
  readonly label: string;
  readonly symbol: SceneItem;
}

export interface FrameLegend {
  readonly title: string;
  readonly entries: readonly LegendEntry[];
  /** Ends of a scale of shades. Undefined where the entries are one by one. */
  readonly ramp: { readonly from: string; readonly to: string } | undefined;
}

/** What stands around a plot. All texts are sanitized. */
export interface Frame {
  readonly title: readonly string[];
  readonly subtitle: readonly string[];
  readonly axes: readonly FrameAxis[];
  readonly legends: readonly FrameLegend[];
}

/** Reads titles, axes and legends from the groups of a scene that bear these roles. */
export function readFrame({ items }: SceneGroup): Frame {
  const having = (role: string) => items.filter((mark) => mark.role === role).flatMap(groupsOf);
  const titles = having('title');
  return {
    title: titles.flatMap((group) => textsOf(group, 'title-text')),
    subtitle: titles.flatMap((group) => textsOf(group, 'title-subtitle')),
    axes: having('axis').map(readAxis),
    legends: having('legend').map(readLegend),
  };
}

/** The roles of what stands around the plot; all other marks are in it. */
export const frameRoles: ReadonlySet<string | undefined> = new Set(['axis', 'legend', 'title']);

/** The lines of a text as Vega keeps it: one, or a list. */
export function readText(text: unknown): readonly string[] {
  if (text === undefined || text === null) return [];
  return (Array.isArray(text) ? text : [text]).map((line: unknown) => sanitize(String(line)));
}

function readAxis(axis: SceneGroup): FrameAxis {
  const { orient } = axis;
  const side = orient === 'right' || orient === 'top' || orient === 'bottom' ? orient : 'left';
  const along = side === 'left' || side === 'right' ? 'y' : 'x';
  return {
    side,
    title: textsOf(axis, 'axis-title'),
    labels: itemsOf(axis, 'axis-label').filter(isSeen).map((item) => ({ at: item[along] ?? 0, text: readText(item.text).join(' ') })),
    line: itemsOf(axis, 'axis-domain').some(isSeen),
    ticks: itemsOf(axis, 'axis-tick').filter(isSeen).map((item) => item[along] ?? 0),
  };
}

function readLegend(legend: SceneGroup): FrameLegend {
  const title = textsOf(legend, 'legend-title').join(' ');
  const symbols = itemsOf(legend, 'legend-symbol');
  const labels = itemsOf(legend, 'legend-label').map(({ text }) => readText(text).join(' '));
  if (symbols.length > 0) return { title, ramp: undefined, entries: symbols.map((symbol, index) => ({ symbol, label: labels[index] ?? '' })) };
  return { title, entries: [], ramp: { from: labels[0] ?? '', to: labels.at(-1) ?? '' } };
}

function textsOf(group: SceneGroup, role: string): readonly string[] {
  return itemsOf(group, role).filter(isSeen).flatMap(({ text }) => readText(text)).filter((text) => text !== '');
}

/** The items of all marks of a role, however deep. */
function itemsOf({ items }: SceneGroup, role: string): readonly SceneItem[] {
  return items.flatMap((mark) => (mark.role === role ? mark.items : groupsOf(mark).flatMap((group) => itemsOf(group, role))));
}

function isSeen({ opacity }: SceneItem): boolean {
  return opacity !== 0;
}
