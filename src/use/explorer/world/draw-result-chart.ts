import type { ChartPreference } from '../../../ask/chart/chart-preference.ts';
import type { Result } from '../../../shape/result/result.ts';
import { type TextLook, paint } from '../../../show/terminal/paint.ts';

/** A result as a chart of so many cells, its notes below it. Throws `InvalidInputError` naming what cannot be drawn. */
export async function drawResultChart(
  result: Result,
  preference: ChartPreference | undefined,
  { width, height }: { readonly width: number; readonly height: number },
  look: TextLook,
): Promise<readonly string[]> {
  const [{ toChart }, { toVegaLite }, { drawChart }, { toFooterLines }] = await Promise.all([
    import('../../../show/to-chart.ts'),
    import('../../../show/chart/vega-lite/to-vega-lite.ts'),
    import('../../../show/terminal/chart/draw-chart.ts'),
    import('../../../show/write-chart.ts'),
  ]);
  const chart = toChart(result, preference === undefined ? {} : { preference });
  const below = toFooterLines(chart, width).map((line) => paint(line, 'quiet', look));
  // Many notes take at most half of the room from the chart; the rest of them follows below.
  const room = Math.max(Math.ceil(height / 2), height - below.length);
  const options = { width, height: room, colours: look.depth === 'colour' ? 4 : 0, ascii: !look.unicode } as const;
  return [...(await drawChart(toVegaLite(chart, { withNotes: false }), options)), ...below];
}
