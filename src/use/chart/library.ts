import type { Result } from '../../shape/result/result.ts';
import type { Chart } from '../../show/chart/chart.ts';
import type { ToChartOptions } from '../../show/to-chart.ts';
import type { VegaLiteSpec } from '../../show/chart/vega-lite-spec.ts';
import type { VegaLiteOptions } from '../../show/chart/vega-lite/to-vega-lite.ts';
import type { DrawChartOptions } from '../../show/terminal/chart/draw-chart-options.ts';
import type { CheckedFunction } from '../workspace/check-options.ts';

/** What can be drawn: a result, the chart that was made of one, or a specification of Vega-Lite. */
export type Drawable = Result<object> | Chart | VegaLiteSpec;

export type PictureOptions = ToChartOptions & VegaLiteOptions;

/**
 * What is drawn of a result, decided from its columns and values; `preference` overrules it. (A promise, as of all
 * that draws,
 * because that is loaded only now.) Throws `InvalidInputError`: `nothing-to-draw`, `unfit-chart`.
 */
export async function toChart(result: Result<object>, options: ToChartOptions = {}): Promise<Chart> {
  await check('toChart', result, options);
  return (await import('../../show/to-chart.ts')).toChart(result, options);
}

/** The same as a specification of Vega-Lite, which holds all that it shows. A specification stays as it is. */
export async function toVegaLite(drawable: Drawable, options: PictureOptions = {}): Promise<VegaLiteSpec> {
  await check('toVegaLite', drawable, options);
  return draw(drawable, options);
}

async function draw(drawable: Drawable, options: PictureOptions): Promise<VegaLiteSpec> {
  if (isSpec(drawable)) return drawable;
  const chart = isResult(drawable) ? (await import('../../show/to-chart.ts')).toChart(drawable, options) : drawable;
  return (await import('../../show/chart/vega-lite/to-vega-lite.ts')).toVegaLite(chart, options);
}

/**
 * A picture as an SVG document, the same to the byte on every machine. Throws `InvalidInputError` where it cannot be
 * drawn.
 */
export async function toSvg(drawable: Drawable, options: PictureOptions = {}): Promise<string> {
  await check('toSvg', drawable, options);
  const spec = await draw(drawable, options);
  return (await import('../../show/picture/to-svg.ts')).toSvg(spec);
}

/** The same as a PNG, two dots a pixel unless `scale` says otherwise. */
export async function toPng(
  drawable: Drawable,
  given: PictureOptions & { readonly scale?: number | undefined } = {},
): Promise<Uint8Array> {
  await check('toPng', drawable, given);
  const { scale, ...options } = given;
  const svg = await toSvg(drawable, options);
  const [{ toPng: paint }, { findFonts }] = await Promise.all([
    import('../../show/picture/to-png.ts'),
    import('../output/fonts.ts'),
  ]);
  return paint(svg, { fonts: findFonts(), scale });
}

export type TextOptions = Omit<PictureOptions, 'width' | 'height'> & Partial<DrawChartOptions>;

/**
 * The same drawn with characters, 80 cells wide and without colour unless set otherwise, with what is to be known of
 * the answer below it (`withNotes: false` leaves that out). Each line ends with a line feed.
 */
export async function toText(drawable: Drawable, options: TextOptions = {}): Promise<string> {
  await check('toText', drawable, options);
  const { width = 80, height, colours = 0, dark, ascii, withNotes = true, ...rest } = options;
  const [{ drawChart }, { toFooterLines }] = await Promise.all([
    import('../../show/terminal/chart/draw-chart.ts'),
    import('../../show/write-chart.ts'),
  ]);
  const chart = isResult(drawable) ? (await import('../../show/to-chart.ts')).toChart(drawable, rest) : drawable;
  const lines = await drawChart(await draw(chart, { ...rest, withNotes: false }), {
    width,
    height,
    colours,
    dark,
    ascii,
  });
  const below = withNotes && !isSpec(chart) ? toFooterLines(chart as Chart, width) : [];
  return [...lines, ...(below.length > 0 ? ['', ...below] : [])].map((line) => `${line}\n`).join('');
}

async function check(name: CheckedFunction, drawable: unknown, options: unknown): Promise<void> {
  const { checkOptions, checkResult } = await import('../workspace/check-options.ts');
  checkOptions(name, options);
  // A specification or a chart is an object, too; what is in it is checked when it is drawn.
  if (name === 'toChart' || typeof drawable !== 'object' || drawable === null || 'then' in drawable)
    checkResult(name, drawable);
}

function isResult(drawable: Drawable): drawable is Result<object> {
  return typeof drawable['rowCount' as keyof Drawable] === 'number' && 'provenance' in drawable;
}

function isSpec(drawable: Drawable): drawable is VegaLiteSpec {
  return !isResult(drawable) && !('panels' in drawable && 'x' in drawable);
}
