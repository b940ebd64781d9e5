import { invariant } from '../ask/invariant.ts';
import type { Result } from '../shape/result.ts';
import type { ThemeName } from './chart/palette.ts';
import { toChart, type ToChartOptions } from './chart/to-chart.ts';
import { toFooter, toVegaLite } from './chart/to-vega-lite.ts';
import { wrapText } from './chart/wrap-text.ts';
import { writeVegaLite } from './chart/write-vega-lite.ts';
import type { ChartFormat } from './format-name.ts';
import { toNotes } from './notes.ts';
import type { FontFiles } from './picture/fonts.ts';
import { sanitize } from './sanitize.ts';
import type { DrawChartOptions } from './terminal/chart/draw-chart-options.ts';

export interface WriteChartOptions extends ToChartOptions {
  /** Pictures for a light background unless set otherwise; a page has both. */
  readonly theme?: ThemeName | undefined;
  /** Where the fonts lie; `png` only, which takes them. */
  readonly fonts?: (() => FontFiles) | undefined;
  /** How `chart` is drawn; without it 80 cells wide and without colour. */
  readonly terminal?: DrawChartOptions | undefined;
}

const plain: DrawChartOptions = { width: 80, colours: 0 };

/** A result as a picture, in any of its formats. Throws as `toChart`, and where the specification of a fragment cannot be drawn. */
export async function* writeChart(result: Result<object>, format: ChartFormat, options: WriteChartOptions = {}): AsyncGenerator<string | Uint8Array> {
  const { theme, fonts, terminal = plain } = options;
  const chart = toChart(result, options);
  switch (format) {
    case 'chart': {
      const { drawChart } = await import('./terminal/chart/draw-chart.ts');
      const lines = await drawChart(toVegaLite(chart, { theme: terminal.dark === false ? 'light' : 'dark', withNotes: false }), terminal);
      // What is to be known of the answer stands below it, as it does below a table.
      const notes = toNotes(result.provenance).filter(({ alert }) => !alert).map(({ text }) => sanitize(text));
      const below = [...toFooter(chart), ...notes].flatMap((line) => wrapText(line, terminal.width, Infinity));
      yield `${[...lines, ...(below.length > 0 ? ['', ...below] : [])].join('\n')}\n`;
      return;
    }
    case 'vega-lite':
      yield writeVegaLite(toVegaLite(chart, { theme }));
      return;
    case 'svg':
    case 'png': {
      const { toSvg } = await import('./picture/to-svg.ts');
      const svg = await toSvg(toVegaLite(chart, { theme }));
      if (format === 'svg') {
        yield svg;
        return;
      }
      invariant(fonts, 'whoever asks for a PNG knows where the fonts are');
      const { toPng } = await import('./picture/to-png.ts');
      yield await toPng(svg, { fonts: fonts() });
      return;
    }
    case 'html': {
      yield '';
      return;
    }
  }
}
