/** The kinds of chart that users can ask for. */
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
 * How to draw a result: a kind, `none` for no chart, or a fragment of Vega-Lite that is merged over the generated
 * chart.
 */
export type ChartPreference = ChartKind | 'none' | Readonly<Record<string, unknown>>;
