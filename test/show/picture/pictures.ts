import { toChart } from '../../../src/show/to-chart.ts';
import type { VegaLiteSpec } from '../../../src/show/chart/chart.ts';
import { toVegaLite, type VegaLiteOptions } from '../../../src/show/chart/vega-lite/to-vega-lite.ts';
import { specimens } from '../chart/specimens.ts';

/** A specimen as a specification. */
export function toSpecimenSpec(name: string, options?: VegaLiteOptions): VegaLiteSpec {
  const specimen = specimens[name];
  if (!specimen) throw new Error(`there is no specimen ${name}`);
  const { result, ...asked } = specimen;
  return toVegaLite(toChart(result, asked), options);
}

const days = Array.from({ length: 60 }, (_, index) => ({
  at: Date.UTC(2024, 2, 1) + index * 43_200_000,
  text: new Date(Date.UTC(2024, 2, 1) + index * 43_200_000).toISOString(),
  n: (index * 37) % 23,
}));

/** Specifications of others that use the machine's local time, random numbers, and no font. */
export const foreignSpecs: Readonly<Record<string, VegaLiteSpec>> = {
  'local-days': {
    data: { values: days },
    mark: 'bar',
    encoding: { x: { timeUnit: 'yearmonthdate', field: 'at', type: 'temporal' }, y: { aggregate: 'sum', field: 'n' } },
  },
  'local-hours': {
    data: { values: days },
    mark: 'point',
    encoding: {
      x: { timeUnit: 'hours', field: 'text', type: 'ordinal' },
      y: { timeUnit: 'day', field: 'at', type: 'ordinal' },
      size: { aggregate: 'count' },
    },
  },
  'local-axis': {
    data: { values: days },
    mark: { type: 'line', point: true },
    encoding: {
      x: { field: 'at', type: 'temporal', axis: { format: '%d %H:%M' } },
      y: { field: 'n', type: 'quantitative' },
    },
  },
  calculated: {
    data: { values: days },
    transform: [{ calculate: "hours(datum.at) + timeFormat(datum.at, '%A')", as: 'when' }, { sample: 9 }],
    mark: 'tick',
    encoding: { x: { field: 'n', type: 'quantitative' }, y: { field: 'when', type: 'nominal' } },
  },
};
