import { formatNumber } from '../../../shape/format/format-number.ts';
import { toPercent } from '../../../shape/funnel-result.ts';
import { isSpec, type VegaLiteSpec } from '../../chart/chart.ts';
import { themes } from '../../chart/palette.ts';
import { cellWidth, padToCells, truncateToCells } from '../../labels/cell-width.ts';
import { formatShare } from '../../labels/step-conversion.ts';
import { sanitize } from '../../labels/sanitize.ts';
import { wrapWords } from '../../labels/wrap-words.ts';
import { drawBar, asciiGlyphs, unicodeGlyphs } from '../glyphs.ts';
import { toRgb } from './colour.ts';
import type { DrawChartOptions } from './draw-chart-options.ts';
import { type Ink, openScreen } from './screen.ts';
import { type Piece, writePieces } from './write-titles.ts';

interface TreeFlow {
  readonly step: number;
  readonly source: string;
  readonly target: string | null;
  readonly value: number;
  readonly figures: readonly string[];
}

/** The data that a picture of paths carries for terminals, see `chart/kinds/sankey.ts`. */
export interface FlowTree {
  readonly total: number | null;
  /** Headings of the figures. */
  readonly headings: readonly string[];
  readonly flows: readonly TreeFlow[];
}

/** The paths that a specification carries; undefined if none. */
export function readFlowTree({ usermeta }: VegaLiteSpec): FlowTree | undefined {
  const carried = isSpec(usermeta) ? usermeta['paths'] : undefined;
  if (!isSpec(carried)) return undefined;
  const { total, headings, flows } = carried;
  const isFlow = (flow: unknown): boolean =>
    isSpec(flow) &&
    typeof flow['step'] === 'number' &&
    typeof flow['source'] === 'string' &&
    (flow['target'] === null || typeof flow['target'] === 'string') &&
    typeof flow['value'] === 'number' &&
    isTexts(flow['figures']);
  if (!isTexts(headings) || !Array.isArray(flows) || !flows.every(isFlow)) return undefined;
  return {
    total: typeof total === 'number' ? total : null,
    headings: headings as string[],
    flows: flows as TreeFlow[],
  };
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** A line of the tree. */
interface Branch {
  readonly guide: string;
  readonly label: string;
  readonly value: number;
  readonly figures: readonly string[];
  readonly isEnd: boolean;
}

/** The fewest cells of a bar, the fewest cells of a name, and the most cells of a bar. */
const [leastBar, leastName, mostBar] = [6, 22, 24];

/**
 * Draws paths as an indented tree. Below each step are the next steps, the most frequent first, and how many ended
 * there. A step with several sources has its branches below its most frequent source. No line is wider than `width`.
 */
export function drawFlowTree(
  tree: FlowTree,
  { width, colours, dark = true, ascii = false }: DrawChartOptions,
): readonly string[] {
  const glyphs = ascii ? asciiGlyphs : unicodeGlyphs;
  const { branches, isJoined, isMore } = toBranches(tree, ascii);
  const total = tree.total ?? fullest(tree.flows);
  const shares = branches.map(({ value }) => formatShare(toPercent(value, total), glyphs.nothing));
  const columns = [
    {
      heading: sanitize(tree.headings[0] ?? ''),
      texts: branches.map(({ figures, value }) => sanitize(figures[0] ?? formatNumber(value))),
    },
    { heading: 'Share', texts: shares },
    ...tree.headings.slice(1).map((heading, index) => ({
      heading: sanitize(heading),
      texts: branches.map(({ figures }) => sanitize(figures[index + 1] ?? '')),
    })),
  ].map((column) => ({ ...column, cells: widest([column.heading, ...column.texts]) }));
  const names = branches.map(({ guide, label }) => `${guide}${sanitize(label)}`);
  // Figures that do not fit are omitted from the right, with a note.
  let kept = columns.length;
  const figureCells = () => columns.slice(0, kept).reduce((sum, { cells }) => sum + cells + 2, 0);
  while (kept > 1 && width - figureCells() < leastName) kept -= 1;
  const left = Math.max(1, width - figureCells());
  const nameCells = Math.min(widest(names), left - leastBar - 2 >= leastName ? left - leastBar - 2 : left);
  const barCells = Math.min(mostBar, left - nameCells - 2);
  const hasBars = barCells >= leastBar;
  const theme = themes[dark ? 'dark' : 'light'];
  const ink = (colour: string | undefined): Ink => (colours > 0 && colour ? { fg: toInkColour(colour) } : {});
  const quiet: Ink = colours > 0 ? { dim: true } : {};
  const bars: readonly Ink[] = [ink(theme.series[0]), ink(theme.below)];
  const figuresOf = (row: number | 'heading'): string =>
    columns
      .slice(0, kept)
      .map(
        ({ heading, texts, cells }) =>
          `  ${padToCells(row === 'heading' ? heading : (texts[row] ?? ''), cells, 'right')}`,
      )
      .join('');
  const lines: Piece[][] = [
    [{ text: `${' '.repeat(nameCells + (hasBars ? barCells + 2 : 0))}${figuresOf('heading')}`, ink: quiet }],
    ...branches.map(({ guide, label, value, isEnd }, row): Piece[] => {
      const room = Math.max(0, nameCells - cellWidth(guide));
      const name = padToCells(truncateToCells(sanitize(label), room, glyphs.ellipsis), room, 'left');
      const bar = padToCells(drawBar(value, total, barCells, !ascii), barCells, 'left');
      return [
        { text: truncateToCells(guide, nameCells, ''), ink: quiet },
        { text: name, ink: isEnd ? quiet : {} },
        ...(hasBars ? [{ text: `  ${bar}`, ink: bars[isEnd ? 1 : 0]! }] : []),
        { text: figuresOf(row), ink: isEnd ? quiet : {} },
      ];
    }),
  ];
  const notes = [
    ...(isJoined ? [`${ascii ? '^' : '↑'} goes on where most came from.`] : []),
    ...(isMore ? ['The branches of a step are of all who were there, wherever they came from.'] : []),
    ...(kept < columns.length
      ? [
          `Too narrow for: ${columns
            .slice(kept)
            .map(({ heading }) => heading)
            .join(', ')}.`,
        ]
      : []),
  ].flatMap((note) => wrapWords(note, width, { longWords: 'break' }));
  lines.push(...notes.map((text) => [{ text, ink: quiet }]));
  const screen = openScreen(width, lines.length);
  lines.forEach((pieces, row) => {
    writePieces(screen, row, pieces);
  });
  return screen.lines(colours);
}

function toInkColour(hex: string): number {
  return toRgb(...([1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as [number, number, number]));
}

/** The count at the fullest step: each one there continues or ends exactly once. */
function fullest(flows: readonly TreeFlow[]): number {
  const sums = new Map<number, number>();
  for (const { step, value } of flows) sums.set(step, (sums.get(step) ?? 0) + value);
  return Math.max(0, ...sums.values());
}

function toBranches({ flows, headings }: FlowTree, ascii: boolean) {
  const keyOf = (step: number, name: string) => `${step} ${name}`;
  const below = Map.groupBy(flows, ({ step, source }) => keyOf(step, source));
  const into = new Map<string, TreeFlow>();
  const joined = new Set<string>();
  for (const flow of flows) {
    if (flow.target === null) continue;
    const key = keyOf(flow.step + 1, flow.target);
    const known = into.get(key);
    if (known) joined.add(key);
    if (!known || flow.value > known.value) into.set(key, flow);
  }
  const [fork, end, line, blank, again, dropped] = ascii
    ? ['|- ', '`- ', '|  ', '   ', ' ^', '(drop-off)']
    : ['├─ ', '└─ ', '│  ', '   ', ' ↑', '(drop-off)'];
  const branches: Branch[] = [];
  let [isJoined, isMore] = [false, false];
  const visit = (key: string, indent: string, came: number) => {
    const children = (below.get(key) ?? []).toSorted(
      (a, b) => Number(a.target === null) - Number(b.target === null) || b.value - a.value,
    );
    isMore ||= children.reduce((sum, { value }) => sum + value, 0) > came;
    children.forEach((flow, index) => {
      const isLast = index === children.length - 1;
      const next = flow.target === null ? undefined : keyOf(flow.step + 1, flow.target);
      const isElsewhere = next !== undefined && below.has(next) && into.get(next) !== flow;
      isJoined ||= isElsewhere;
      branches.push({
        guide: `${indent}${isLast ? end : fork}`,
        label: flow.target === null ? dropped! : `${flow.step + 1} ${flow.target}${isElsewhere ? again! : ''}`,
        value: flow.value,
        figures: flow.figures,
        isEnd: flow.target === null,
      });
      if (next !== undefined && !isElsewhere) visit(next, `${indent}${isLast ? blank : line}`, flow.value);
    });
  };
  const roots = [...below]
    .filter(([key]) => !into.has(key))
    .map(([key, going]) => ({ key, first: going[0]!, value: going.reduce((sum, { value }) => sum + value, 0) }))
    .toSorted((a, b) => a.first.step - b.first.step || b.value - a.value);
  for (const { key, first, value } of roots) {
    const figures = [formatNumber(value), ...headings.slice(1).map(() => '')];
    branches.push({ guide: '', label: `${first.step} ${first.source}`, value, figures, isEnd: false });
    visit(key, '', value);
  }
  return { branches, isJoined, isMore };
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, cellWidth(text)), 0);
}
