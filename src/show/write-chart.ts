import { invariant } from '../ask/invariant.ts';
import type { Result } from '../shape/result/result.ts';
import type { ThemeName } from './chart/palette.ts';
import { toChart, type ToChartOptions } from './to-chart.ts';
import type { VegaLiteSpec } from './chart/chart.ts';
import { toVegaLite, writeVegaLite } from './chart/vega-lite/to-vega-lite.ts';
import type { FontFiles } from './fonts/fonts.ts';
import type { ChartFormat } from './format-name.ts';
import type { DrawnImage } from './picture/to-png.ts';
import type { DrawChartOptions } from './terminal/chart/draw-chart-options.ts';
import type { PictureProtocol } from './terminal/chart/write-picture.ts';

export interface WriteChartOptions extends ToChartOptions {
  /** Theme of pictures (default: light). A page has both. */
  readonly theme?: ThemeName | undefined;
  /** Paths of the fonts; required for `png` and `picture`. */
  readonly fonts?: (() => FontFiles) | undefined;
  /** Called with the characters in none of the fonts, if any. A bitmap shows empty boxes instead. */
  readonly onMissing?: ((characters: readonly string[]) => void) | undefined;
  /** How to draw `chart` (default: 80 cells wide, without colour). */
  readonly terminal?: DrawChartOptions | undefined;
  /** Show `chart` as a picture, using this protocol. */
  readonly picture?: PictureProtocol | undefined;
}

const plain: DrawChartOptions = { width: 80, colours: 0 };

/**
 * Draws a result in any picture format. Throws as `toChart` does, and if the specification of a fragment cannot be
 * drawn.
 */
export async function* writeChart(
  result: Result<object>,
  format: ChartFormat,
  options: WriteChartOptions = {},
): AsyncGenerator<string | Uint8Array> {
  const { theme, terminal = plain, picture } = options;
  switch (format) {
    case 'chart': {
      const { drawResult, toFooterLines } = await import('./draw-result.ts');
      if (!picture) {
        const { lines, below } = await drawResult(result, options, terminal);
        yield `${lines.join('\n')}\n${below.length > 0 ? `\n${below.join('\n')}\n` : ''}`;
        return;
      }
      const chart = toChart(result, options);
      const spec = toVegaLite(chart, { theme: terminal.dark === false ? 'light' : 'dark', withNotes: false });
      yield await sendPicture(spec, picture, terminal.width, options);
      const below = toFooterLines(chart, terminal.width);
      if (below.length > 0) yield `\n${below.join('\n')}\n`;
      return;
    }
    case 'vega-lite':
      yield writeVegaLite(toVegaLite(toChart(result, options), { theme }));
      return;
    case 'svg':
    case 'png': {
      const spec = toVegaLite(toChart(result, options), { theme });
      yield format === 'svg' ? await drawSvg(spec) : (await drawDots(spec, options)).png();
      return;
    }
    case 'html': {
      const { toChartPage } = await import('./html/chart-page.ts');
      yield await toChartPage(toChart(result, options), result);
      return;
    }
  }
}

async function drawSvg(spec: VegaLiteSpec): Promise<string> {
  const { toSvg } = await import('./picture/to-svg.ts');
  return toSvg(spec);
}

async function drawDots(spec: VegaLiteSpec, { fonts, onMissing }: WriteChartOptions): Promise<DrawnImage> {
  invariant(fonts, 'whoever asks for a PNG knows where the fonts are');
  const [{ drawImage }, { toNeededFonts }] = await Promise.all([
    import('./picture/to-png.ts'),
    import('./fonts/font-runs.ts'),
  ]);
  const svg = await drawSvg(spec);
  const { missing } = toNeededFonts(svg);
  if (missing.length > 0) onMissing?.(missing);
  return drawImage(svg, { fonts: fonts() });
}

async function sendPicture(
  spec: VegaLiteSpec,
  protocol: PictureProtocol,
  columns: number,
  options: WriteChartOptions,
): Promise<string> {
  const { writePicture } = await import('./terminal/chart/write-picture.ts');
  return writePicture(await drawDots(spec, options), protocol, columns);
}
