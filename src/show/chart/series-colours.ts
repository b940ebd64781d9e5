import type { ChartSeries } from './chart.ts';
import type { Theme } from './palette.ts';
import type { VegaLiteSpec } from './vega-lite-spec.ts';

/** The colour of each series: in the palette's order, but for the ones that stand for something else. */
export function toSeriesColours(series: readonly ChartSeries[], theme: Theme): readonly string[] {
  const plain = series.filter(({ role }) => role === 'plain');
  return series.map((each) => {
    if (each.role !== 'plain') return each.role === 'other' ? theme.other : theme.previous;
    return theme.series[plain.indexOf(each) % theme.series.length] ?? theme.text;
  });
}

/** Series told apart by colour, with a legend where there are several. */
export function toColour(series: readonly ChartSeries[], theme: Theme, width: number): VegaLiteSpec {
  const labels = series.map(({ label }) => label);
  const colours = toSeriesColours(series, theme);
  if (series.length < 2) return { value: colours[0] ?? theme.text };
  const longest = Math.max(...labels.map((label) => label.length));
  const columns = Math.max(1, Math.min(labels.length, Math.floor(width / (longest * 7 + 36))));
  return {
    field: 'series',
    type: 'nominal',
    sort: null,
    scale: { domain: labels, range: colours },
    legend: {
      title: null,
      orient: 'top',
      direction: 'horizontal',
      columns,
      labelLimit: Math.round(width * 0.8),
      symbolOpacity: 1,
    },
  };
}
