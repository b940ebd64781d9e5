import { isPartial } from '../labels/mark-legend.ts';
import type { Chart, ChartAxis, ChartPanel, ChartSeries } from './chart.ts';
import { formatDrawn } from './names.ts';

/** The most series described one by one. */
const mostDescribed = 3;

/** A sentence about each panel, after its title if there are several. */
export function describePanels({ panels }: Chart, describe: (panel: ChartPanel) => string): readonly string[] {
  return panels.map((panel) => `${panels.length > 1 ? `${panel.title}: ` : ''}${describe(panel)}`);
}

/** The first series of each panel one by one, and the names of the others. */
export function describeSeriesOf(chart: Chart): readonly string[] {
  return describePanels(chart, ({ series, format }) => {
    const parts = series
      .slice(0, mostDescribed)
      .map((each) => describeSeries(each, chart.x, format, series.length > 1));
    const more = series.slice(mostDescribed).map(({ label }) => label);
    return [...parts, ...(more.length > 0 ? [`${more.length} more: ${more.join(', ')}.`] : [])].join(' ');
  });
}

/** Describes the extremes of a series and, on an ordered axis, its trend. Partial buckets are ignored. */
function describeSeries(
  { label, values, flags }: ChartSeries,
  x: ChartAxis,
  format: string | undefined,
  isNamed: boolean,
): string {
  const whole = values.flatMap((value, place) =>
    value === null || isPartial((x.flags[place] ?? 0) | (flags[place] ?? 0)) ? [] : [{ value, place }],
  );
  const before = isNamed ? `${label}: ` : '';
  const [first] = whole;
  if (!first) return `${before}no whole values.`;
  const least = whole.reduce((a, b) => (b.value < a.value ? b : a));
  const most = whole.reduce((a, b) => (b.value > a.value ? b : a));
  const say = ({ value, place }: typeof first) => `${formatDrawn(value, format)} (${x.labels[place] ?? ''})`;
  if (whole.length === 1) return `${before}${say(first)}.`;
  if (least.value === most.value) return `${before}${formatDrawn(first.value, format)} everywhere.`;
  const extremes = `${before}from ${say(least)} to ${say(most)}`;
  if (x.ordered)
    return `${extremes}, ${describeTrend(
      whole.map(({ value }) => value),
      format,
    )}.`;
  const own = whole.filter(({ place }) => place !== x.other).sort((a, b) => b.value - a.value);
  const [last] = own.slice(-1);
  const rest = x.other === undefined ? undefined : whole.find(({ place }) => place === x.other);
  const ends = own.length > mostDescribed && last ? `, the smallest ${say(last)}` : '';
  return (
    `${before}the largest ${own.slice(0, mostDescribed).map(say).join(', ')}${ends}` +
    `${rest ? `; ${say(rest)}` : ''}.`
  );
}

/** Compares the means of the first and the last third. Movement in between is not a trend. */
function describeTrend(values: readonly number[], format: string | undefined): string {
  const third = Math.max(1, Math.floor(values.length / 3));
  const mean = (part: readonly number[]) => part.reduce((sum, value) => sum + value, 0) / part.length;
  const [start, end] = [mean(values.slice(0, third)), mean(values.slice(-third))];
  const span = values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  const by =
    `on average ${formatDrawn(roundFor(start), format)}` +
    ` in the first third and ${formatDrawn(roundFor(end), format)} in the last`;
  if (Math.abs(end - start) <= span * 0.1) return `steady: ${by}`;
  return `${end > start ? 'rising' : 'falling'}: ${by}`;
}

/** Means of large amounts need no decimals. */
function roundFor(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : value;
}
