import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { type FontFiles, measuredFamily } from '../fonts/fonts.ts';
import { toNeededFonts } from '../fonts/font-runs.ts';
import { splitTexts } from './split-texts.ts';

export interface ToPngOptions {
  readonly fonts: FontFiles;
  /** Dots a pixel: 2 unless said otherwise, for screens that have as many. */
  readonly scale?: number | undefined;
}

/** More dots than these take gigabytes to draw. */
const mostDots = 100_000_000;

/** A picture as dots. */
export interface DrawnImage {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity of each dot, a byte each; colours are multiplied by the opacity. */
  readonly pixels: Uint8Array;
  readonly png: () => Uint8Array;
}

/** A picture of `toSvg` as a PNG, see `drawImage`. */
export async function toPng(svg: string, options: ToPngOptions): Promise<Uint8Array> {
  return (await drawImage(svg, options)).png();
}

/**
 * A picture of `toSvg` as dots, drawn with the fonts that are brought along and no others: the same to the byte
 * wherever it is drawn. A character that none of them has is an empty box; `toNeededFonts` tells which. Throws
 * `InvalidInputError` where the picture would be too large.
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
