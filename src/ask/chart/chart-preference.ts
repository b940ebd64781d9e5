/** The kinds of chart that can be asked for. */
export const chartKinds = [
  'line',
  'area',
  'column',
  'bar',
  'grouped',
  'stacked',
  'stat',
  'funnel',
  'heatmap',
  'scatter',
  'histogram',
  'sankey',
] as const;

/** A kind of chart. */
export type ChartKind = (typeof chartKinds)[number];

/**
 * How a result is to be drawn: a kind, `none` for not at all, or a fragment of Vega-Lite that is merged over what is
 * decided.
 */
export type ChartPreference = ChartKind | 'none' | Readonly<Record<string, unknown>>;
