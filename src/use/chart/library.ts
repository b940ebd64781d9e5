import type { Result } from '../../shape/result.ts';
import type { Chart } from '../../show/chart/chart.ts';
import type { ToChartOptions } from '../../show/chart/to-chart.ts';
import type { VegaLiteOptions } from '../../show/chart/vega-lite/to-vega-lite.ts';
import type { VegaLiteSpec } from '../../show/chart/vega-lite/vega-lite-spec.ts';
import type { DrawChartOptions } from '../../show/terminal/chart/draw-chart-options.ts';

/** What can be drawn: a result, the chart that was made of one, or a specification of Vega-Lite. */
export type Drawable = Result<object> | Chart | VegaLiteSpec;

export type PictureOptions = ToChartOptions & VegaLiteOptions;

/**
 * What is drawn of a result, decided from its columns and values; `wish` overrules it. (A promise, as of all that draws,
 * because that is loaded only now.) Throws `InvalidInputError`: `nothing-to-draw`, `unfit-chart`.
 */
export async function toChart(result: Result<object>, options: ToChartOptions = {}): Promise<Chart> {
  return (await import('../../show/chart/to-chart.ts')).toChart(result, options);
}

/** The same as a specification of Vega-Lite, which holds all that it shows. A specification stays as it is. */
export async function toVegaLite(drawable: Drawable, options: PictureOptions = {}): Promise<VegaLiteSpec> {
  if (isSpec(drawable)) return drawable;
  const chart = isResult(drawable) ? await toChart(drawable, options) : drawable;
  return (await import('../../show/chart/vega-lite/to-vega-lite.ts')).toVegaLite(chart, options);
}

/** A picture as an SVG document, the same to the byte on every machine. Throws `InvalidInputError` where it cannot be drawn. */
export async function toSvg(drawable: Drawable, options: PictureOptions = {}): Promise<string> {
  const spec = await toVegaLite(drawable, options);
  return (await import('../../show/picture/to-svg.ts')).toSvg(spec);
}

/** The same as a PNG, two dots a pixel unless `scale` says otherwise. */
export async function toPng(drawable: Drawable, { scale, ...options }: PictureOptions & { readonly scale?: number | undefined } = {}): Promise<Uint8Array> {
  const svg = await toSvg(drawable, options);
  const [{ toPng: draw }, { findFonts }] = await Promise.all([import('../../show/picture/to-png.ts'), import('../output/fonts.ts')]);
  return draw(svg, { fonts: findFonts(), scale });
}

export type TextOptions = Omit<PictureOptions, 'width' | 'height'> & Partial<DrawChartOptions>;

/** The same drawn with characters, 80 cells wide and without colour unless set otherwise. Each line ends with a line feed. */
export async function toText(drawable: Drawable, { width = 80, height, colours = 0, dark, ascii, ...options }: TextOptions = {}): Promise<string> {
  const spec = await toVegaLite(drawable, { withNotes: false, ...options });
  const { drawChart } = await import('../../show/terminal/chart/draw-chart.ts');
  return (await drawChart(spec, { width, height, colours, dark, ascii })).map((line) => `${line}\n`).join('');
}

function isResult(drawable: Drawable): drawable is Result<object> {
  return typeof drawable['rowCount' as keyof Drawable] === 'number' && 'provenance' in drawable;
}

function isSpec(drawable: Drawable): drawable is VegaLiteSpec {
  return !isResult(drawable) && !('panels' in drawable && 'x' in drawable);
}
