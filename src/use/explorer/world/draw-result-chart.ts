import type { ChartWish } from '../../../ask/query/chart-wish.ts';
import type { Result } from '../../../shape/result.ts';
import type { Look } from '../paint.ts';

/** A result as a chart of so many cells. Throws `InvalidInputError` naming what cannot be drawn. */
export async function drawResultChart(result: Result, wish: ChartWish | undefined, room: { readonly width: number; readonly height: number }, look: Look): Promise<readonly string[]> {
  const [{ toChart }, { toVegaLite }, { drawChart }] = await Promise.all([
    import('../../../show/chart/to-chart.ts'), import('../../../show/chart/vega-lite/to-vega-lite.ts'), import('../../../show/terminal/chart/draw-chart.ts'),
  ]);
  const spec = toVegaLite(toChart(result, wish === undefined ? {} : { wish }), { withNotes: false });
  return drawChart(spec, { ...room, colours: look.depth === 'colour' ? 4 : 0, ascii: !look.unicode });
}
