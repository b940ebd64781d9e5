import type { ChartSeries } from './chart.ts';

/** Where each part begins and ends, by series and place, the first series at 0. What is not there takes up nothing. */
export function stackValues(series: readonly Pick<ChartSeries, 'values'>[]): readonly (readonly (readonly [start: number, end: number])[])[] {
  const tops = (series[0]?.values ?? []).map(() => 0);
  return series.map(({ values }) => values.map((value, place) => {
    const start = tops[place] ?? 0;
    const end = start + (value ?? 0);
    tops[place] = end;
    return [start, end] as const;
  }));
}
