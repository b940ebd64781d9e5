import { describe, expect, it } from 'vitest';
import { drawResult } from '../../src/show/draw-result.ts';
import { toVegaLite } from '../../src/show/chart/vega-lite/to-vega-lite.ts';
import { toChart } from '../../src/show/to-chart.ts';
import { days, timeColumn } from './chart/specimens.ts';
import { exampleResult, numberColumn, textColumn } from './example-result.ts';

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
    expect((await drawResult(result, {}, { ...room, width: 60 })).lines).toContain('0% ░░▒▒▓▓██ 18% or more');
    const spec = JSON.stringify(toVegaLite(toChart(result), { width: 300 }));
    expect(spec).toContain(`"labelExpr":"datum.label + (datum.value == 18 ? '% or more' : '%')"`);
  });
});

it.each([40, 60, 80])('labels bars at both sides of 0 in %i columns', async (width) => {
  const result = exampleResult([
    [textColumn('docPath', 'Page'), ['a', 'b', 'c']],
    [numberColumn('change', 'Change'), [9, 2, -17]],
  ]);
  const { lines } = await drawResult(result, {}, { ...room, width });
  expect(lines.map((line) => line.match(/^[abc]|-?\d+/g)?.join(' '))).toEqual([undefined, 'a 9', 'b 2', 'c -17']);
});

it('cuts long names so that they stay different', async () => {
  const long = [1, 2, 3].map((number) => `https://www.example.com/a/b/c/d/e/f?utm_source=news&x=${number}`);
  const result = exampleResult([
    [textColumn('docPath', 'Page'), long],
    [textColumn('city', 'City'), [1, 2, 3].map((number) => `Another quite long name of a city, number ${number}`)],
    [numberColumn('count', 'Count'), [3, 2, 1]],
  ]);
  const { lines } = await drawResult(result, { preference: 'heatmap' }, room);
  expect(lines.slice(2).map((line) => line.replace(/ [█▓▒].*/, '').trim())).toEqual([
    'Another q…, number 1',
    'Another q…, number 2',
    'Another q…, number 3',
    'ht…=1 ht…=2 ht…=3',
  ]);
});

it('has no minus sign beyond ASCII if only ASCII is allowed', async () => {
  const balance = numberColumn('balance', 'Balance', { additive: false });
  const result = exampleResult([
    [timeColumn('day'), days(20)],
    [balance, days(20).map((_, at) => at - 10)],
  ]);
  const drawn = await drawResult(result, { preference: 'line' }, { ...room, ascii: true });
  expect(drawn.lines.join('')).toMatch(/^[\x20-\x7e]*$/);
  expect(drawn.lines.join('')).toContain('-10');
});

it('says how to widen a chart', async () => {
  const result = exampleResult([[numberColumn('count', 'Count'), [3]]]);
  await expect(drawResult(result, {}, { ...room, width: 30 })).rejects.toMatchObject({
    message: 'A chart needs at least 40 columns, and there are 30.',
    hint: 'Set --width to 40 or more, or widen the terminal.',
  });
});
