import type { Result } from '../../shape/result/result.ts';
import type { Chart, VegaLiteSpec } from '../../show/chart/chart.ts';
import type { ToChartOptions } from '../../show/to-chart.ts';
import type { VegaLiteOptions } from '../../show/chart/vega-lite/to-vega-lite.ts';
import type { DrawChartOptions } from '../../show/terminal/chart/draw-chart-options.ts';
import type { CheckedFunction } from '../workspace/check-options.ts';

/** A result, a chart made from a result, or a Vega-Lite specification. */
export type Drawable = Result<object> | Chart | VegaLiteSpec;

/** Options for pictures: which chart, its title, its size in pixels, its theme. */
export type PictureOptions = ToChartOptions & VegaLiteOptions;

/**
 * Chooses a chart for a result from its columns and values; `preference` overrides the choice. Returns a promise
 * because the drawing code loads on demand. Throws `InvalidInputError`: `nothing-to-draw` if no column is numeric,
 * `unfit-chart` if the preference does not fit.
 */
export async function toChart(result: Result<object>, options: ToChartOptions = {}): Promise<Chart> {
  await check('toChart', result, options);
  return (await import('../../show/to-chart.ts')).toChart(result, options);
}

/**
 * Converts a result or chart to a self-contained Vega-Lite specification. Returns a specification unchanged. Throws as
 * `toChart`.
 */
export async function toVegaLite(drawable: Drawable, options: PictureOptions = {}): Promise<VegaLiteSpec> {
  await check('toVegaLite', drawable, options);
  return draw(drawable, options);
}

async function draw(drawable: Drawable, options: PictureOptions): Promise<VegaLiteSpec> {
  if (isSpec(drawable)) return drawable;
  const chart = isResult(drawable) ? (await import('../../show/to-chart.ts')).toChart(drawable, options) : drawable;
  return (await import('../../show/chart/vega-lite/to-vega-lite.ts')).toVegaLite(chart, options);
}

/** Draws an SVG document. The bytes are the same on every machine. Throws `InvalidInputError` if it cannot be drawn. */
export async function toSvg(drawable: Drawable, options: PictureOptions = {}): Promise<string> {
  await check('toSvg', drawable, options);
  const spec = await draw(drawable, options);
  return (await import('../../show/picture/to-svg.ts')).toSvg(spec);
}

/** Draws a PNG image. `scale` is the number of dots per pixel in each direction (default: 2). Throws as `toSvg`. */
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

/** Options for text charts: which chart, its title, its size in cells, its colours. */
export type TextOptions = Omit<PictureOptions, 'width' | 'height'> & Partial<DrawChartOptions>;

/**
 * Draws a text chart, by default 80 columns wide and without colour, with notes about the result below
 * (`withNotes: false` omits them). Each line ends with a line feed. Throws as `toSvg`.
 */
export async function toText(drawable: Drawable, options: TextOptions = {}): Promise<string> {
  await check('toText', drawable, options);
  const { width = 80, height, colours = 0, dark, ascii, withNotes = true, ...rest } = options;
  const room = { width, height, colours, dark, ascii };
  const { lines, below } = isResult(drawable)
    ? await (await import('../../show/draw-result.ts')).drawResult(drawable, rest, room)
    : await drawAsText(drawable, rest, room);
  if (!withNotes) return `${lines.join('\n')}\n`;
  return [...lines, ...(below.length > 0 ? ['', ...below] : [])].map((line) => `${line}\n`).join('');
}

async function drawAsText(drawable: Chart | VegaLiteSpec, options: PictureOptions, room: DrawChartOptions) {
  const [{ drawChart }, { toFooterLines }] = await Promise.all([
    import('../../show/terminal/chart/draw-chart.ts'),
    import('../../show/draw-result.ts'),
  ]);
  return {
    lines: await drawChart(await draw(drawable, { ...options, withNotes: false }), room),
    below: isSpec(drawable) ? [] : toFooterLines(drawable as Chart, room.width),
  };
}

async function check(name: CheckedFunction, drawable: unknown, options: unknown): Promise<void> {
  const [{ checkOptions }, { checkResult }, { isPlainObject, wrongArgument }] = await Promise.all([
    import('../workspace/check-options.ts'),
    import('../../shape/result/result.ts'),
    import('../../ask/document/check-argument.ts'),
  ]);
  checkOptions(name, options);
  if (name === 'toChart' || !isPlainObject(drawable) || isResult(drawable as Drawable))
    return checkResult(name, drawable);
  // The content of a specification or chart is checked when it is drawn.
  if (isChart(drawable) || specParts.some((part) => part in drawable)) return;
  const hint = 'Pass the result of `await query(…)`, a chart, or a Vega-Lite specification.';
  throw wrongArgument(name, 'Expected a result, not an object of another kind.', hint);
}

/** A specification has at least one of these keys. */
const specParts = ['$schema', 'mark', 'layer', 'facet', 'hconcat', 'vconcat', 'concat', 'repeat', 'spec'];

function isChart(drawable: object): boolean {
  return 'panels' in drawable && 'x' in drawable;
}

function isResult(drawable: Drawable): drawable is Result<object> {
  return typeof drawable['rowCount' as keyof Drawable] === 'number' && 'provenance' in drawable;
}

function isSpec(drawable: Drawable): drawable is VegaLiteSpec {
  return !isResult(drawable) && !isChart(drawable);
}
