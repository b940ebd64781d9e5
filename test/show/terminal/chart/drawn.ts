import { toChart } from '../../../../src/show/to-chart.ts';
import type { VegaLiteSpec } from '../../../../src/show/chart/chart.ts';
import { toVegaLite } from '../../../../src/show/chart/vega-lite/to-vega-lite.ts';
import type { DrawChartOptions } from '../../../../src/show/terminal/chart/draw-chart-options.ts';
import { drawChart } from '../../../../src/show/terminal/chart/draw-chart.ts';
import type { Specimen } from '../../chart/specimens.ts';

/** The specification of a specimen as a terminal gets it. Text below a picture is written below the drawing. */
export function specOf({ result, ...options }: Specimen): VegaLiteSpec {
  return toVegaLite(toChart(result, options), { theme: 'dark', withNotes: false, explainsShades: true });
}

/** Draws without colour and 80 cells wide by default. */
export function draw(spec: object, options: Partial<DrawChartOptions> = {}): Promise<readonly string[]> {
  return drawChart(spec as VegaLiteSpec, { width: 80, colours: 0, ...options });
}

/** The lines of the plot: the part to the right of the axis, down to the line below the plot. */
export function plotOf(lines: readonly string[]): readonly string[] {
  const bottom = lines.findIndex((line) => /└/.test(line));
  const column = (lines[bottom] ?? '').indexOf('└');
  const inPlot = lines.slice(0, bottom).filter((line) => line[column] === '│' || line[column] === '┤');
  return inPlot.map((line) => line.slice(column + 1));
}

/** Rows of the dots that are set in a plot, by column of dots, from the top. */
export function readDots(plot: readonly string[]): ReadonlyMap<number, readonly number[]> {
  const bits = [
    [0x01, 0x08],
    [0x02, 0x10],
    [0x04, 0x20],
    [0x40, 0x80],
  ];
  const dots = new Map<number, number[]>();
  plot.forEach((line, row) =>
    [...line].forEach((character, cell) => {
      const code = character.codePointAt(0)! - 0x2800;
      if (code <= 0 || code > 0xff) return;
      bits.forEach((pair, down) =>
        pair.forEach((bit, across) => {
          if (code & bit) dots.set(cell * 2 + across, [...(dots.get(cell * 2 + across) ?? []), row * 4 + down]);
        }),
      );
    }),
  );
  return dots;
}
