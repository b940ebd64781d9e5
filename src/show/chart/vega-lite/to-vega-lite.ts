import { formatNumber } from '../../../shape/format/format-number.ts';
import { cellWidth, truncateApart } from '../../labels/cell-width.ts';
import { wrapWords } from '../../labels/wrap-words.ts';
import { toSafeJson } from '../../text/json-value.ts';
import { type Chart, type DrawOptions, isSpec, type Json, type VegaLiteSpec } from '../chart.ts';
import { chartTypes } from '../kinds/chart-kinds.ts';
import { leftEdge } from '../layers/vega-lite-axis.ts';
import { type Theme, type ThemeName, themes } from '../palette.ts';
import { describeChart } from './describe-chart.ts';

export interface VegaLiteOptions {
  /** Pixels, for the whole picture (default: 720). */
  readonly width?: number | undefined;
  /**
   * Pixels, for the plot of a chart whose height does not follow from its bars (default: 240, or 140 each if there are
   * several).
   */
  readonly height?: number | undefined;
  readonly theme?: ThemeName | undefined;
  /** Include the notes and the list of annotations below the picture (default: true). */
  readonly withNotes?: boolean | undefined;
  /** Explain shades even if cells show their numbers (default: false). */
  readonly explainsShades?: boolean | undefined;
}

/**
 * A self-contained Vega-Lite specification of the chart. Throws `InvalidInputError` if the chart's fragment does not
 * fit.
 */
export function toVegaLite(
  chart: Chart,
  { width = 720, height, theme: name = 'light', withNotes = true, explainsShades = false }: VegaLiteOptions = {},
): VegaLiteSpec {
  const theme = themes[name];
  const options: DrawOptions = {
    width,
    height: height ?? (chart.panels.length > 1 ? 140 : 240),
    theme,
    annotations: chart.annotations,
    explainsShades,
  };
  const top = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    description: describeChart(chart),
    background: theme.background,
    title: {
      text: wrapText(chart.title, width / 8.5, 4),
      ...(chart.subtitle !== '' && { subtitle: wrapText(chart.subtitle, width / 6.5, 3) }),
    },
    config: toConfig(theme, chart.annotations.length > 0),
  };
  const drawn = drawPanels(withFittingNames(chart, width), options);
  const footed = withNotes ? withFooter(drawn, toFooter(chart), width - toNamesRoom(chart, width), theme) : drawn;
  const [only] = footed;
  const fitted: VegaLiteSpec = { type: 'fit-x', contains: 'padding' };
  const spec: VegaLiteSpec =
    footed.length === 1 && only
      ? { ...top, autosize: fitted, ...only }
      : // Vega-Lite fits only single views, so leave room for the labels.
        {
          ...top,
          spacing: 16,
          vconcat: footed.map((panel, index) => ({
            ...panel,
            width: Math.max(width / 2, width - toLabelRoom(chart, width)),
            title: {
              text: wrapText(chart.panels[index]?.title ?? '', width / 6.5, 2),
              frame: 'group',
              fontSize: 12,
              offset: 6,
            },
          })),
        };
  return chart.fragment ? mergeFragment(spec, chart.fragment) : spec;
}

/** Wraps a text into lines of about this many letters. */
function wrapText(text: string, letters: number, mostLines: number): readonly string[] {
  return wrapWords(text, Math.max(8, Math.floor(letters)), { longWords: 'break', mostLines });
}

const letterWidth = 7;
const narrowLetter = 6.4;
/** The largest shares of the width for names beside the plot, and in the legend above it. */
const mostAside = 0.4;
const mostAbove = 0.8;
/** Space around a plot, without its labels. */
const margin = 48;

/** Approximate width of the labels at the side: names, or the values of an axis. */
function toLabelRoom(chart: Chart, width: number): number {
  const names = toNamesRoom(chart, width);
  if (names > 0) return margin + names;
  const longest = chart.panels
    .flatMap(({ series, format }) =>
      series.flatMap(({ values }) =>
        values.map((value) => (value === null ? 0 : formatNumber(Math.round(value), format).length)),
      ),
    )
    .reduce((most, length) => Math.max(most, length), 0);
  return margin + Math.min(width * mostAside, longest * letterWidth);
}

/** Cuts names to their room beside and above the plot. Vega would cut their ends, where they may differ. */
function withFittingNames(chart: Chart, width: number): Chart {
  const { x, panels } = chart;
  const places = listPlacesAside(chart);
  const isAside = chartTypes[chart.kind].namesAside === 'series';
  const besides = Math.floor((width * mostAside) / narrowLetter);
  const above = Math.floor(((width - toNamesRoom(chart, width)) * mostAbove) / narrowLetter);
  return {
    ...chart,
    ...(places.length > 0 && { x: { ...x, labels: truncateApart(places, besides, '…') } }),
    panels: panels.map((panel) => {
      const names = panel.series.map(({ label }) => label);
      const labels = truncateApart(names, isAside ? besides : above, '…');
      return { ...panel, series: panel.series.map((each, index) => ({ ...each, label: labels[index] as string })) };
    }),
  };
}

function listPlacesAside({ kind, x }: Chart): readonly string[] {
  return chartTypes[kind].namesAside === 'places' && !x.ordered ? x.labels : [];
}

/** Approximate width of the names at the side; 0 if there are none. */
function toNamesRoom(chart: Chart, width: number): number {
  const names =
    chartTypes[chart.kind].namesAside === 'series'
      ? chart.panels.flatMap(({ series }) => series.map(({ label }) => label))
      : listPlacesAside(chart);
  const longest = names.reduce((most, name) => Math.max(most, cellWidth(name)), 0);
  return Math.min(width * mostAside, longest * letterWidth);
}

function drawPanels(chart: Chart, options: DrawOptions): readonly VegaLiteSpec[] {
  const { draw, showsNoValues } = chartTypes[chart.kind];
  const isEmpty = chart.panels.every(({ series }) =>
    series.every(({ values }) => values.every((value) => value === null)),
  );
  return isEmpty && !showsNoValues ? [drawNothing(options)] : draw(chart, options);
}

function drawNothing({ width, theme }: DrawOptions): VegaLiteSpec {
  return {
    width,
    height: 60,
    data: { values: [{ label: 'There is no data to show.' }] },
    mark: { type: 'text', align: 'left', baseline: 'middle', fontSize: 13, color: theme.quiet },
    encoding: { x: leftEdge, text: { field: 'label', type: 'nominal' } },
  };
}

/** The lines below a picture: the numbered annotations, then the notes. */
export function toFooter({ annotations, notes }: Pick<Chart, 'annotations' | 'notes'>): readonly string[] {
  return [
    ...annotations.map(
      ({ date, title, kind }, index) => `${index + 1}  ${date}  ${title}${kind === undefined ? '' : ` (${kind})`}`,
    ),
    ...notes,
  ];
}

/** Adds the lines as the title of the last panel's horizontal axis, the only text that Vega places below a plot. */
function withFooter(
  panels: readonly VegaLiteSpec[],
  footer: readonly string[],
  width: number,
  theme: Theme,
): readonly VegaLiteSpec[] {
  const last = panels.at(-1);
  if (!last || footer.length === 0) return panels;
  const lines = footer.flatMap((line) => wrapText(line, width / 6.5, 8));
  const encoding = asSpec(last['encoding']);
  const inLayers = encoding['x'] === undefined;
  const titled = (x: VegaLiteSpec): VegaLiteSpec => {
    const axis = asSpec(x['axis']);
    const own = typeof axis['title'] === 'string' ? [axis['title']] : [];
    return {
      ...x,
      axis: {
        ...axis,
        title: [...own, ...lines],
        titleAnchor: 'start',
        titleAlign: 'left',
        titleFontWeight: 400,
        titleFontSize: 11,
        titleColor: theme.quiet,
        titlePadding: 10,
        titleLineHeight: 15,
      },
    };
  };
  return [
    ...panels.slice(0, -1),
    inLayers
      ? {
          ...last,
          layer: (last['layer'] as readonly VegaLiteSpec[] | undefined)?.map((layer) => withX(layer, titled)) ?? [],
        }
      : withX(last, titled),
  ];
}

function withX(part: VegaLiteSpec, change: (x: VegaLiteSpec) => VegaLiteSpec): VegaLiteSpec {
  const encoding = asSpec(part['encoding']);
  const x = asSpec(encoding['x']);
  return x['axis'] === undefined ? part : { ...part, encoding: { ...encoding, x: change(x) } };
}

function asSpec(value: Json | undefined): VegaLiteSpec {
  return isSpec(value) ? value : {};
}

/**
 * The style of everything but the marks: little ink except for the data. Marks are hidden from screen readers; the
 * description covers them.
 */
function toConfig({ text, quiet, grid, series }: Theme, isAnnotated: boolean): VegaLiteSpec {
  return {
    aria: false,
    view: { stroke: null },
    padding: 12,
    title: {
      anchor: 'start',
      frame: 'bounds',
      color: text,
      fontSize: 15,
      fontWeight: 600,
      subtitleColor: quiet,
      subtitleFontSize: 12,
      subtitlePadding: 5,
      offset: 14,
      lineHeight: 19,
      subtitleLineHeight: 16,
    },
    axis: {
      labelColor: quiet,
      titleColor: quiet,
      labelFontSize: 11,
      titleFontSize: 11,
      titleFontWeight: 400,
      gridColor: grid,
      domainColor: quiet,
      tickColor: quiet,
      tickSize: 4,
      labelPadding: 4,
      labelSeparation: 3,
    },
    axisY: { domain: false, ticks: false },
    legend: {
      labelColor: text,
      labelFontSize: 11,
      titleColor: quiet,
      symbolSize: 80,
      symbolStrokeWidth: 2.5,
      // The numbers of annotations stand between the plot and the legend.
      offset: isAnnotated ? 16 : 8,
      rowPadding: 4,
      columnPadding: 14,
    },
    text: { color: text },
    range: { category: series },
  };
}

/**
 * Merges a Vega-Lite fragment over a drawing: objects are merged, other values replaced. `mark` applies to the marks of
 * the drawing (its `type` chose the kind), `encoding` to their shared and own encodings.
 */
function mergeFragment(
  spec: VegaLiteSpec,
  { mark, encoding, ...rest }: Readonly<Record<string, unknown>>,
): VegaLiteSpec {
  const merged = merge(spec, rest as VegaLiteSpec);
  const { type: _, ...properties } = isSpec(mark) ? mark : {};
  return mergeIntoViews(merged, properties as VegaLiteSpec, isSpec(encoding) ? (encoding as VegaLiteSpec) : {});
}

function mergeIntoViews(view: VegaLiteSpec, mark: VegaLiteSpec, encoding: VegaLiteSpec): VegaLiteSpec {
  const { vconcat, layer } = view;
  if (Array.isArray(vconcat))
    return { ...view, vconcat: vconcat.map((part) => mergeIntoViews(part as VegaLiteSpec, mark, encoding)) };
  const inLayers: VegaLiteSpec = Array.isArray(layer)
    ? { layer: layer.map((part) => mergeIntoMark(part as VegaLiteSpec, mark, encoding)) }
    : {};
  return { ...mergeIntoMark(view, mark, encoding), ...inLayers };
}

/** Changes only existing channels: a new channel would draw something else. */
function mergeIntoMark(view: VegaLiteSpec, mark: VegaLiteSpec, encoding: VegaLiteSpec): VegaLiteSpec {
  const own = isSpec(view['encoding']) ? (view['encoding'] as VegaLiteSpec) : {};
  const changed = Object.fromEntries(
    Object.entries(encoding).filter(([channel]) => isSpec(own[channel]) && 'field' in own[channel]),
  );
  const isAside =
    view['data'] !== undefined && view['layer'] === undefined && isSpec(view['mark']) && view['autosize'] === undefined;
  return {
    ...view,
    ...(view['encoding'] !== undefined && !isAside && { encoding: withLogScales(merge(own, changed)) }),
    ...(isSpec(view['mark']) && !isAside && { mark: merge(view['mark'] as VegaLiteSpec, mark) }),
  };
}

/** A logarithmic scale has no 0. Its domain is that of the values. */
function withLogScales(encoding: VegaLiteSpec): VegaLiteSpec {
  return Object.fromEntries(
    Object.entries(encoding).map(([channel, value]) => {
      if (!isSpec(value) || !isSpec(value['scale']) || value['scale']['type'] !== 'log') return [channel, value];
      const { domain, ...scale } = value['scale'];
      return Array.isArray(domain) && domain.includes(0)
        ? [channel, { ...value, scale: { ...scale, nice: true } }]
        : [channel, value];
    }),
  );
}

function merge(under: VegaLiteSpec, over: VegaLiteSpec): VegaLiteSpec {
  const merged: Record<string, Json> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const there = merged[key];
    merged[key] = isSpec(there) && isSpec(value) ? merge(there as VegaLiteSpec, value as VegaLiteSpec) : value;
  }
  return merged;
}

/** Writes a specification as JSON, one line per top-level key. No text in it can end a `<script>` element around it. */
export function writeVegaLite(spec: VegaLiteSpec): string {
  const parts = Object.entries(spec).map(([key, value]) => `  ${toSafeJson(key)}: ${toSafeJson(value)}`);
  return `{\n${parts.join(',\n')}\n}\n`.replaceAll('<', '\\u003c');
}
