import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { type FontFiles, measuredFamily } from '../fonts/fonts.ts';
import { toNeededFonts } from '../fonts/font-runs.ts';
import { splitTexts } from './split-texts.ts';

interface ToPngOptions {
  readonly fonts: FontFiles;
  /** Dots per pixel (default: 2, for high-density screens). */
  readonly scale?: number | undefined;
}

/** More dots need gigabytes. */
const mostDots = 100_000_000;

/** A picture as a bitmap. */
export interface DrawnImage {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity of each dot, one byte each. Colours are premultiplied by the opacity. */
  readonly pixels: Uint8Array;
  readonly png: () => Uint8Array;
}

/** Draws a picture of `toSvg` as a PNG, see `drawImage`. */
export async function toPng(svg: string, options: ToPngOptions): Promise<Uint8Array> {
  return (await drawImage(svg, options)).png();
}

/**
 * Draws a picture of `toSvg` as a bitmap, using only the bundled fonts: the bytes are the same on every machine. A
 * character in none of them is an empty box; `toNeededFonts` lists these. Throws `InvalidInputError` if the picture is
 * too large.
 */
export async function drawImage(svg: string, { fonts, scale = 2 }: ToPngOptions): Promise<DrawnImage> {
  refuseTooLarge(svg, scale);
  const { renderAsync } = await import('@resvg/resvg-js');
  const image = await renderAsync(splitTexts(svg), {
    fitTo: { mode: 'zoom', value: scale },
    font: {
      loadSystemFonts: false,
      fontFiles: toNeededFonts(svg).fonts.map((name) => fonts[name]),
      defaultFontFamily: measuredFamily,
      sansSerifFamily: measuredFamily,
      serifFamily: measuredFamily,
      monospaceFamily: measuredFamily,
      cursiveFamily: measuredFamily,
      fantasyFamily: measuredFamily,
    },
    logLevel: 'off',
  });
  return {
    width: image.width,
    height: image.height,
    get pixels() {
      return image.pixels;
    },
    png: () => new Uint8Array(image.asPng()),
  };
}

function refuseTooLarge(svg: string, scale: number): void {
  const [, width = 0, height = 0] = (/^<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? []).map(Number);
  if (Number.isFinite(scale) && scale > 0 && width * height * scale * scale <= mostDots) return;
  const message = `A picture of ${width} × ${height} pixels, ${scale} dots each way, is too large to draw.`;
  throw new InvalidInputError(message, [errorIssue('picture-too-large', message)], {
    code: 'picture-too-large',
    hint: 'Draw it smaller, or as SVG.',
  });
}
