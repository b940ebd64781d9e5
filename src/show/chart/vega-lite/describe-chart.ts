import type { Chart } from '../chart.ts';
import { chartTypes } from '../kinds/chart-kinds.ts';
import { capitalize } from '../../../ask/text.ts';

/** Describes the chart in words for people who do not see it. */
export function describeChart(chart: Chart): string {
  const type = chartTypes[chart.kind];
  const { title, subtitle, panels, annotations, x } = chart;
  const head = `${type.name}: ${title}.${subtitle === '' ? '' : ` ${subtitle}.`}`;
  const dated =
    annotations.length === 0
      ? []
      : [`Marked: ${annotations.map(({ date, title: what }) => `${date} ${what}`).join('; ')}.`];
  const empty =
    x.positions.length === 0 ||
    panels.every(({ series }) => series.every(({ values }) => values.every((value) => value === null)));
  return [
    head,
    ...(empty && !type.showsNoValues ? ['There is no data to show.'] : type.describe(chart).map(capitalize)),
    ...dated,
  ].join(' ');
}
