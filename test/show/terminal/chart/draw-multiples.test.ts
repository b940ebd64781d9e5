import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawResult } from '../../../../src/show/draw-result.ts';
import { cellWidth } from '../../../../src/show/labels/cell-width.ts';
import { fitGrid } from '../../../../src/show/terminal/chart/draw-multiples.ts';
import { days, timeColumn } from '../../chart/specimens.ts';
import { exampleResult, hostileTexts, numberColumn, textColumn } from '../../example-result.ts';
import { readDots } from './drawn.ts';

const places = 20;
const many = (names: readonly string[], value: (name: number, place: number) => number, additive = true) => {
  const rows = days(places).flatMap((day, place) => names.map((name, at) => [day, name, value(at, place)] as const));
  return exampleResult([
    [timeColumn('day'), rows.map(([day]) => day)],
    [textColumn('docPath', 'Page'), rows.map(([, name]) => name)],
    [numberColumn('count', 'Count', { additive, whenAbsent: additive ? 0 : null }), rows.map(([, , each]) => each)],
  ]);
};
const named = (count: number) => Array.from({ length: count }, (_, index) => `/page/${index}`);
/** Each series stays at its own height: a hundred, two hundred, … */
const steps = (count: number) => many(named(count), (name) => (name + 1) * 100);

describe('many series over time', () => {
  it('get one plot each on a common scale, largest first, so that heights can be compared', async () => {
    const { lines, plots, below } = await drawResult(steps(8), {}, { width: 100, height: 40, colours: 0 });
    expect(below).toContain('All plots have the same scale.');
    expect(plots).toHaveLength(8);
    const text = lines.join('\n');
    const order = [...text.matchAll(/\/page\/(\d)/g)].map(([, name]) => Number(name));
    expect(order).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    const highest = plots.map(({ top, height, columns }) => {
      const [first = 0, last = 0] = [columns[0], columns.at(-1)];
      const plot = lines.slice(top, top + height).map((line) => line.slice(first, last + 1).padEnd(1));
      return height * 4 - Math.min(...[...readDots(plot).values()].flat());
    });
    // In dots from the bottom: 800 is exactly eight times 100.
    const unit = (highest[0] ?? 0) / 8;
    for (const [index, dots] of highest.entries()) expect(Math.abs(dots - unit * (8 - index))).toBeLessThanOrEqual(1);
  });

  it('use the available space on every screen', async () => {
    for (const [width, height] of [
      [76, 16],
      [118, 28],
      [198, 35],
    ] as const) {
      const { lines, chart } = await drawResult(steps(6), {}, { width, height, colours: 0 });
      expect(chart.kind).toBe('line');
      expect(lines.length).toBeLessThanOrEqual(height);
      expect(lines.length).toBeGreaterThan(height * 0.6);
      expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(width * 0.85);
    }
  });

  it('become a heat map if plots would be too small, lines on request, and one plot up to five', async () => {
    const small = await drawResult(steps(11), {}, { width: 78, height: 14, colours: 0 });
    expect(small.chart.kind).toBe('heatmap');
    const narrow = await drawResult(steps(8), {}, { width: 45, height: 60, colours: 0 });
    expect(narrow.chart.kind).toBe('heatmap');
    const asked = await drawResult(steps(8), { preference: 'line' }, { width: 100, height: 40, colours: 0 });
    expect(asked.plots).toHaveLength(1);
    expect((await drawResult(steps(5), {}, { width: 100, height: 40, colours: 0 })).plots).toHaveLength(1);
  });

  it('leave a plot empty for an omitted series, and keep the common scale', async () => {
    const room = { width: 100, height: 40, colours: 0 } as const;
    const all = await drawResult(steps(7), {}, room);
    const some = await drawResult(steps(7), { hidden: new Set(['/page/3']) }, room);
    expect(some.plots).toHaveLength(6);
    expect(some.lines.join('\n')).toContain('/page/3');
    expect(some.lines.at(-1)).toBe(all.lines.at(-1));
  });

  it('do not start at 0 for measures that are not amounts and far from it', async () => {
    const result = many(named(6), (name, place) => 1000 + name + place, false);
    const { lines } = await drawResult(result, {}, { width: 100, colours: 0 });
    expect(lines.join('\n')).not.toMatch(/^ +0 /m);
  });

  it('never exceed the available space, whatever their names', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.constantFrom(...hostileTexts, '漢字漢字漢字漢字漢字漢字漢字漢字', 'x'.repeat(200), ...named(12)),
          {
            minLength: 6,
            maxLength: 12,
          },
        ),
        fc.integer({ min: 40, max: 130 }),
        fc.option(fc.integer({ min: 8, max: 40 }), { nil: undefined }),
        fc.constantFrom(0 as const, 24 as const),
        async (names, width, height, colours) => {
          const { lines } = await drawResult(
            many(names, (name, place) => name * place),
            {},
            { width, height, colours },
          );
          for (const line of lines) {
            const seen = line.replaceAll(/\u001B\[[\d;]*m/g, '');
            expect(cellWidth(seen)).toBeLessThanOrEqual(width);
            expect(seen).not.toMatch(/\p{Cc}/u);
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  it('are all laid out in the available space', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 6, max: 12 }),
        fc.integer({ min: 20, max: 220 }),
        fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
        (count, width, height) => {
          const grid = fitGrid(count, { width, height });
          if (!grid) return;
          expect(grid.columns * (grid.width + 2) - 2).toBeLessThanOrEqual(width);
          if (height !== undefined)
            expect(Math.ceil(count / grid.columns) * (grid.plotHeight + 2) + 1).toBeLessThanOrEqual(height);
        },
      ),
    );
  });
});

describe('hours of the day and weekdays', () => {
  it('are bars: 24 columns in order, each on the scale from 0; names below each other', async () => {
    const hour = { ...textColumn('hour', 'Hour of day'), type: 'number' as const };
    const count = numberColumn('count', 'Count', { whenAbsent: 0 });
    const hours = Array.from({ length: 24 }, (_, index) => index);
    const byHour = exampleResult([
      [hour, hours],
      [count, hours.map((index) => 10 + index)],
    ]);
    const { chart, lines } = await drawResult(byHour, {}, { width: 78, height: 16, colours: 0 });
    expect(chart.kind).toBe('column');
    expect(chart.x.labels).toEqual(hours.map(String));
    // The lowest line of the plot has a column for every hour, all of equal width.
    const lowest = lines[lines.findIndex((line) => line.includes('└')) - 1] ?? '';
    expect(lowest.match(/[█▇▆▅▄▃▂▁]+/g)?.join('').length).toBeGreaterThanOrEqual(24);
    const weekdays = ['Monday', 'Tuesday', 'Wednesday'];
    const byWeekday = exampleResult([
      [textColumn('weekday', 'Weekday'), weekdays],
      [count, [30, 20, 10]],
    ]);
    const drawn = await drawResult(byWeekday, {}, { width: 78, height: 16, colours: 0 });
    expect(drawn.chart.kind).toBe('bar');
    const bars = weekdays.map(
      (name) => (drawn.lines.find((line) => line.includes(name)) ?? '').match(/█/g)?.length ?? 0,
    );
    expect(bars[0]! > bars[1]! && bars[1]! > bars[2]! && bars[2]! > 0).toBe(true);
  });
});
