/** The entry point `sluice/chart`: draws results. The drawing code loads on first use. */
export { toChart, toPng, toSvg, toText, toVegaLite } from './chart/library.ts';
export type { Drawable, PictureOptions, TextOptions } from './chart/library.ts';
export type { Annotation } from '../ask/chart/annotation.ts';
export type { ChartKind, ChartPreference } from '../ask/chart/chart-preference.ts';
export type { Chart } from '../show/chart/chart.ts';
export type { VegaLiteSpec } from '../show/chart/chart.ts';
export type { ToChartOptions } from '../show/to-chart.ts';
