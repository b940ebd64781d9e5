import { describe, expect, it } from 'vitest';
import { drawResult } from '../../src/show/draw-result.ts';
import { toVegaLite } from '../../src/show/chart/vega-lite/to-vega-lite.ts';
import { toChart } from '../../src/show/to-chart.ts';
import { days, timeColumn } from './chart/specimens.ts';
import { exampleResult, numberColumn } from './example-result.ts';

const room = { width: 40, colours: 0 } as const;

describe('a chart that a terminal has no room for', () => {
  const period = numberColumn('period', 'Period', { kind: 'dimension' });
  const cells = days(40).flatMap((cohort) => Array.from({ length: 120 }, (_, at) => [cohort, at] as const));
  const result = exampleResult([
    [timeColumn('day'), cells.map(([cohort]) => cohort)],
    [period, cells.map(([, at]) => at)],
    [numberColumn('count', 'Count'), cells.map(([, at]) => at)],
  ]);

  it('becomes a simpler one', async () => {
    const { chart, lines } = await drawResult(result, {}, room);
    expect(chart.kind).toBe('line');
    expect(lines.length).toBeGreaterThan(5);
  });

  it('is refused if it was asked for', async () => {
    await expect(drawResult(result, { preference: 'heatmap' }, room)).rejects.toMatchObject({
      message: 'A terminal cannot draw so many columns in 40 cells.',
      hint: 'Ask for fewer, allow more width, or choose another kind of chart, such as a line.',
    });
  });
});

it('draws a few days that lie far apart', async () => {
  const dates = ['2024-01-01', '2024-01-02', '2024-03-20', '2024-04-21'].map((date) => `${date}T00:00:00.000`);
  const result = exampleResult([
    [timeColumn('day'), dates],
    [numberColumn('count', 'Count'), [2, 1, 1, 1]],
  ]);
  const { chart, lines } = await drawResult(result, {}, { ...room, width: 80 });
  expect(chart.kind).toBe('area');
  expect(lines.at(-1)).toMatch(/Jan 07 .* Apr 14$/);
});

describe('a heat map of rates', () => {
  const cohorts = days(12 * 7).filter((_, at) => at % 7 === 0);
  const cells = cohorts.flatMap((cohort, row) =>
    Array.from({ length: Math.min(11, 12 - row) }, (_, at) => [cohort, at] as const),
  );
  const result = exampleResult([
    [timeColumn('week'), cells.map(([cohort]) => cohort)],
    [numberColumn('period', 'Period', { kind: 'dimension' }), cells.map(([, at]) => at)],
    [numberColumn('rate', 'Rate', { format: 'percent' }), cells.map(([, at]) => (at === 0 ? 100 : 17.7))],
  ]);

  it('finds a size for cells whose figures do not fit into them', async () => {
    for (let width = 40; width <= 60; width += 1)
      expect((await drawResult(result, {}, { ...room, width })).chart.kind).toBe('heatmap');
  });

  it('explains its shades, and says that the scale ends below the wholes', async () => {
    expect((await drawResult(result, {}, { ...room, width: 60 })).lines).toContain('0% ░░▒▒▓▓██ 17.7% or more');
    const spec = JSON.stringify(toVegaLite(toChart(result), { width: 300 }));
    expect(spec).toContain(String.raw`{\"0\":\"0%\",\"17.7\":\"17.7% or more\"}`);
  });
});
