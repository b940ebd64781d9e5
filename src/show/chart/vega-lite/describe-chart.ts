import { plural } from '../../../ask/text.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { isPartial } from '../../labels/mark-legend.ts';
import type { Chart, ChartAxis, ChartPanel, ChartSeries } from '../chart.ts';
import { describeChange } from '../layers/stat-layers.ts';

const names: Readonly<Record<Chart['kind'], string>> = {
  line: 'Line chart', area: 'Area chart', column: 'Column chart', bar: 'Bar chart', grouped: 'Grouped bar chart', stacked: 'Stacked bar chart',
  stat: 'Figures', funnel: 'Funnel', heatmap: 'Heat map', scatter: 'Scatter chart', histogram: 'Histogram',
};

/** More series than these are not described one by one. */
const mostDescribed = 3;

/** What the chart shows, in words: for those who do not see it. */
export function describeChart(chart: Chart): string {
  const { kind, title, subtitle, panels, annotations, x } = chart;
  const head = `${names[kind]}: ${title}.${subtitle === '' ? '' : ` ${subtitle}.`}`;
  const said = kind === 'stat' ? panels.map(describeStat) : kind === 'funnel' ? [describeFunnel(chart)] : panels.map((panel) => describePanel(chart, panel));
  const dated = annotations.length === 0 ? [] : [`Marked: ${annotations.map(({ date, title: what }) => `${date} ${what}`).join('; ')}.`];
  const empty = x.positions.length === 0 || panels.every(({ series }) => series.every(({ values }) => values.every((value) => value === null)));
  return [head, ...(empty && kind !== 'stat' ? ['There is nothing to show.'] : said.map(capitalize)), ...dated].join(' ');
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function describeStat(panel: ChartPanel): string {
  const value = panel.series[0]?.values[0] ?? null;
  const change = describeChange(panel);
  return `${panel.title}: ${value === null ? 'no value' : formatNumber(value, panel.format)}${change === undefined ? '' : `, ${change}`}.`;
}

function describeFunnel({ x, panels }: Chart): string {
  const counts = panels[0]?.series[0]?.values ?? [];
  return x.labels.map((label, place) => `${label}: ${counts[place] === null || counts[place] === undefined ? 'no value' : formatNumber(counts[place])}${x.asides?.[place] ? ` (${x.asides[place]})` : ''}.`).join(' ');
}

function describePanel({ kind, x, panels }: Chart, panel: ChartPanel): string {
  const { series, format, title } = panel;
  const named = panels.length > 1 ? `${title}: ` : '';
  if (kind === 'scatter') return `${series[0]?.values.length ?? 0} points: ${x.title} to the right, ${title} upwards.`;
  if (kind === 'histogram') return describeBins(panel, x);
  if (kind === 'heatmap') return named + describeCells(series, x, format);
  const parts = series.slice(0, mostDescribed).map((each) => describeSeries(each, x, format, series.length > 1));
  const more = series.length > mostDescribed ? [`${series.length - mostDescribed} more: ${series.slice(mostDescribed).map(({ label }) => label).join(', ')}.`] : [];
  return named + [...parts, ...more].join(' ');
}

/** Where most are. */
function describeBins({ series }: ChartPanel, x: ChartAxis): string {
  const counts = series[0]?.values ?? [];
  const most = counts.reduce<number>((best, count, bin) => ((count ?? 0) > (counts[best] ?? 0) ? bin : best), 0);
  return `${x.title}: ${formatNumber(counts.length)} ${plural(counts.length, 'bin')} from ${x.labels[0] ?? ''} to ${x.labels.at(-1) ?? ''}, most groups in ${x.labels[most] ?? ''} (${formatNumber(counts[most] ?? 0)}).`;
}

/** Its extremes and, along an axis, how it goes, of the whole buckets. */
function describeSeries({ label, values, flags }: ChartSeries, x: ChartAxis, format: string | undefined, isNamed: boolean): string {
  const whole = values.flatMap((value, place) => (value === null || isPartial((x.flags[place] ?? 0) | (flags[place] ?? 0)) ? [] : [{ value, place }]));
  const before = isNamed ? `${label}: ` : '';
  const [first] = whole;
  if (!first) return `${before}no whole values.`;
  const least = whole.reduce((a, b) => (b.value < a.value ? b : a));
  const most = whole.reduce((a, b) => (b.value > a.value ? b : a));
  const say = ({ value, place }: typeof first) => `${formatNumber(value, format)} (${x.labels[place] ?? ''})`;
  if (whole.length === 1) return `${before}${say(first)}.`;
  if (least.value === most.value) return `${before}${formatNumber(first.value, format)} everywhere.`;
  const extremes = `${before}from ${say(least)} to ${say(most)}`;
  if (x.ordered) return `${extremes}, ${describeTrend(whole.map(({ value }) => value), format)}.`;
  const own = whole.filter(({ place }) => place !== x.other).sort((a, b) => b.value - a.value);
  const [last] = own.slice(-1);
  const rest = x.other === undefined ? undefined : whole.find(({ place }) => place === x.other);
  const ends = own.length > mostDescribed && last ? `, the smallest ${say(last)}` : '';
  return `${before}the largest ${own.slice(0, mostDescribed).map(say).join(', ')}${ends}${rest ? `; ${say(rest)}` : ''}.`;
}

/** The extremes of all cells. */
function describeCells(series: readonly ChartSeries[], x: ChartAxis, format: string | undefined): string {
  const cells = series.flatMap(({ label, values }) => values.flatMap((value, place) => (value === null ? [] : [{ value, where: `${label}, ${x.labels[place] ?? ''}` }])));
  const [first] = cells;
  if (!first) return 'no values.';
  const least = cells.reduce((a, b) => (b.value < a.value ? b : a));
  const most = cells.reduce((a, b) => (b.value > a.value ? b : a));
  return `${formatNumber(cells.length)} cells, from ${formatNumber(least.value, format)} (${least.where}) to ${formatNumber(most.value, format)} (${most.where}).`;
}

/** The mean of the last third beside that of the first: what goes up and down in between is not a trend. */
function describeTrend(values: readonly number[], format?: string): string {
  const third = Math.max(1, Math.floor(values.length / 3));
  const mean = (part: readonly number[]) => part.reduce((sum, value) => sum + value, 0) / part.length;
  const [start, end] = [mean(values.slice(0, third)), mean(values.slice(-third))];
  const span = values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  const by = `on average ${formatNumber(roundFor(start), format)} in the first third and ${formatNumber(roundFor(end), format)} in the last`;
  if (Math.abs(end - start) <= span * 0.1) return `steady: ${by}`;
  return `${end > start ? 'rising' : 'falling'}: ${by}`;
}

/** Means of large amounts need no decimals. */
function roundFor(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : value;
}
