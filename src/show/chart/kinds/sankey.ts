import { invariant } from '../../../ask/invariant.ts';
import { dropOff, readStepKey } from '../../../ask/paths/paths.ts';
import type { Column } from '../../../plan/column.ts';
import { formatNumber, formatCount } from '../../../shape/format/format-number.ts';
import type { Result } from '../../../shape/result/result.ts';
import { textWidth } from '../../fonts/text-width.ts';
import { truncateToCells } from '../../labels/cell-width.ts';
import { toNamedAxis } from '../axis-places.ts';
import type { ChartInput } from '../build-panels.ts';
import type { Chart, ChartBody, ChartFlow, DrawOptions, Json, VegaLiteSpec } from '../chart.ts';
import { type MeasureColumns, type PathColumns, toDrawable } from '../column-roles.ts';
import { type FlowBand, layOutFlows, type SizedFlow } from '../flow-layout.ts';
import { toDistinct, toName, toShownText } from '../names.ts';
import { type ChartType, figureSigns } from './chart-type.ts';

/** Bands from step to step. A terminal draws a tree instead, see `terminal/chart/flow-tree.ts`. */
export const sankey: ChartType = {
  name: 'Sankey diagram',
  signs: figureSigns,
  fits: ({ paths }) => paths,
  needs: 'the source and the target of paths, and nothing else to tell rows apart',
  build,
  title: ({ input: { roles, headings } }) => {
    const member = roles.paths?.source.member ?? '';
    const { key } = mainMeasure(roles.measures);
    return `${member.slice(0, member.lastIndexOf('.'))}: ${(headings.get(key) ?? key).toLowerCase()} from step to step`;
  },
  keepsTitle: () => false,
  draw: (chart, options) => [draw(chart, options)],
  describe,
};

function build({ result, roles: { paths, measures }, headings }: ChartInput): ChartBody {
  invariant(paths, 'the chart of paths has some');
  const rows = Array.from({ length: result.rowCount }, (_, row) => row);
  const numbersOf = ({ key }: Column) => rows.map((row) => toDrawable(result.values(key)[row] ?? null));
  const total = measures.find(({ column }) => column.key.endsWith('.total'))?.column;
  const main = mainMeasure(measures);
  const others = measures.map(({ column }) => column).filter((column) => column !== main && column !== total);
  const edges = readEdges(result, paths);
  const labels = edges.map(({ step, source, target }) => `${step} ${source} → ${target ?? dropOff}`);
  return {
    x: toNamedAxis('', toDistinct(labels)),
    panels: [main, ...others].map((column) => {
      const title = toShownText(headings.get(column.key) ?? column.key);
      const flags = rows.map((row) => result.marks.of(column.key, row));
      return {
        title,
        format: column.format,
        additive: false,
        series: [{ label: title, role: 'plain', values: numbersOf(column), flags }],
      };
    }),
    flows: { edges, total: total ? (numbersOf(total)[0] ?? null) : null },
    annotations: [],
    notes: pictureNotes(toSized(edges, numbersOf(main))),
  };
}

/** The measure that determines the width of the bands. */
function mainMeasure(measures: readonly MeasureColumns[]): Column {
  return (measures.find(({ column }) => column.key.endsWith('.sessions')) ?? measures[0]!).column;
}

/** Reads the ends of the edges. The names of steps are unique. */
function readEdges(result: Result<object>, { source, target }: PathColumns): readonly ChartFlow[] {
  const read = Array.from({ length: result.rowCount }, (_, row) => ({
    from: readStepKey(String(result.values(source.key)[row])),
    to: readStepKey(String(result.values(target.key)[row])),
  }));
  const names = [...new Set(read.flatMap(({ from, to }) => [from?.name ?? [], to?.name ?? []].flat()))];
  const shown = toDistinct(names.map((name) => toName(name, source)));
  const shownOf = new Map(names.map((name, index) => [name, shown[index]!]));
  return read.map(({ from, to }) => ({
    step: from?.step ?? 0,
    source: shownOf.get(from?.name ?? '') ?? '',
    target: to ? (shownOf.get(to.name) ?? '') : null,
  }));
}

function toSized(edges: readonly ChartFlow[], values: readonly (number | null)[]): readonly SizedFlow[] {
  return edges.flatMap((edge, row): SizedFlow[] => {
    const value = values[row] ?? 0;
    return value > 0 ? [{ ...edge, value, row }] : [];
  });
}

function sizedFlows({ flows, panels }: Pick<Chart, 'flows' | 'panels'>): readonly SizedFlow[] {
  return toSized(flows?.edges ?? [], panels[0]?.series[0]?.values ?? []);
}

function pictureNotes(flows: readonly SizedFlow[]): readonly string[] {
  const leftOut = flows.length === 0 ? 0 : layOutFlows(flows).leftOut.length;
  return [
    ...(flows.some(({ target }) => target === null)
      ? ['In pictures, the lower part of a bar is those who end there.']
      : []),
    ...(leftOut === 0 ? [] : [`Pictures leave out ${formatCount(leftOut, 'edge')} of smaller steps.`]),
  ];
}

const barWidth = 10;
const fontSize = 11;
const [top, pictureEdge] = [24, 4];
/** The curve of each band has this many points. */
const points = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1];
const smooth = (share: number) => share * share * (3 - 2 * share);

function draw(chart: Chart, { width, theme }: DrawOptions): VegaLiteSpec {
  const format = chart.panels[0]?.format;
  const shown = sizedFlows(chart);
  const { nodes, bands, steps, height } = layOutFlows(shown);
  const [first, last] = steps;
  // Names stand to the right of their bars, also in the last step.
  const gap = (width - pictureEdge) / (last - first + 1);
  const xOf = (step: number) => (step - first) * gap;
  const room = gap - barWidth - 10;
  const ribbonPoint = ({ from, to, height: thick, source }: FlowBand, band: number, share: number) => {
    const y = from + (to - from) * smooth(share) + top;
    return { band, x: xOf(source.step) + barWidth + (gap - barWidth) * share, y, y2: y + thick };
  };
  const ribbons = bands
    .filter(({ target }) => target)
    .flatMap((band, id) => points.map((share) => ribbonPoint(band, id, share)));
  const bars = [
    ...nodes.map(({ step, y, height: thick }) => toBar(xOf(step), y, thick, theme.series[0] ?? theme.text)),
    ...bands
      .filter(({ target }) => !target)
      .map(({ source, from, height: thick }) => toBar(xOf(source.step), from, thick, theme.below)),
  ];
  const place = (field: string) => ({ field, type: 'quantitative', axis: null });
  const across = { ...place('x'), scale: { domain: [0, width], nice: false, zero: false } };
  const down = { ...place('y'), scale: { domain: [height + top, 0], nice: false, zero: false } };
  const texts = nodes.flatMap(({ step, name, value, ended, y }) => {
    const dropped = ended > 0 ? ` · ${formatNumber(ended, format)} end` : '';
    const at = { x: xOf(step) + barWidth + 5 };
    return [
      { ...at, y: y + top + 7, label: fit(name, room), ink: theme.text },
      { ...at, y: y + top + 20, label: fit(`${formatNumber(value, format)}${dropped}`, room), ink: theme.quiet },
    ];
  });
  const plates = texts.map(({ x, y, label }) => ({
    x: x - 1,
    x2: x + textWidth(label, { size: fontSize }) + 1,
    y: y - 6,
    y2: y + 7,
  }));
  const heads = Array.from({ length: last - first + 1 }, (_, index) => ({
    x: xOf(first + index),
    y: 8,
    label: `Step ${first + index}`,
    ink: theme.quiet,
  }));
  return {
    width,
    height: height + top,
    usermeta: { paths: toTreeData(shown, chart) },
    encoding: {
      x: {
        ...across,
        axis: { labels: false, ticks: false, grid: false, domain: false, title: null },
      },
    },
    layer: [
      {
        data: { values: ribbons },
        mark: {
          type: 'area',
          interpolate: 'monotone',
          color: theme.series[0] ?? theme.text,
          opacity: 0.28,
          line: false,
        },
        encoding: { y: { ...down, stack: null }, y2: { field: 'y2' }, detail: { field: 'band', type: 'nominal' } },
      },
      {
        data: { values: bars },
        mark: { type: 'rect' },
        encoding: {
          x2: { field: 'x2' },
          y: down,
          y2: { field: 'y2' },
          color: { field: 'ink', type: 'nominal', scale: null, legend: null },
        },
      },
      // Plates in the background colour keep names readable on bands.
      {
        data: { values: plates },
        mark: { type: 'rect', color: theme.background, opacity: 0.6 },
        encoding: { x2: { field: 'x2' }, y: down, y2: { field: 'y2' } },
      },
      {
        data: { values: [...heads, ...texts] },
        mark: { type: 'text', align: 'left', baseline: 'middle', fontSize },
        encoding: {
          y: down,
          text: { field: 'label', type: 'nominal' },
          color: { field: 'ink', type: 'nominal', scale: null, legend: null },
        },
      },
    ],
  };
}

function toBar(x: number, y: number, height: number, ink: string) {
  return { x, x2: x + barWidth, y: y + top, y2: y + height + top, ink };
}

/** The data of the tree that a terminal draws. Figures are formatted; the first is the value. */
function toTreeData(shown: readonly SizedFlow[], { flows, panels }: Pick<Chart, 'flows' | 'panels'>): Json {
  return {
    total: flows?.total ?? null,
    headings: panels.map(({ title }) => title),
    flows: shown.map(({ row, ...flow }) => {
      const figures = panels.map(({ series, format }) => {
        const figure = series[0]?.values[row] ?? null;
        return figure === null ? '' : formatNumber(figure, format);
      });
      return { ...flow, figures };
    }),
  };
}

function fit(text: string, room: number): string {
  if (textWidth(text, { size: fontSize }) <= room) return text;
  let cells = text.length;
  while (cells > 1 && textWidth(truncateToCells(text, cells, '…'), { size: fontSize }) > room) cells -= 1;
  return truncateToCells(text, cells, '…');
}

function describe(chart: Chart): readonly string[] {
  const flows = sizedFlows(chart);
  const said = flows
    .toSorted((a, b) => b.value - a.value)
    .slice(0, 12)
    .map(
      ({ step, source, target, value }) =>
        `step ${step} ${source} ${target === null ? 'and no further' : `to ${target}`}` +
        `: ${formatNumber(value, chart.panels[0]?.format)}`,
    );
  return [`${formatCount(flows.length, 'edge')}; the heaviest: ${said.join('; ')}.`];
}
