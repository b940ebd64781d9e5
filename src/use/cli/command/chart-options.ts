import type { ChartPreference } from '../../../ask/chart/chart-preference.ts';
import { type InvalidInputError, usageError } from '../../../ask/sluice-error.ts';
import { pictureProtocols } from '../../../show/terminal/chart/write-picture.ts';
import type { WriteChartOptions } from '../../../show/write-chart.ts';
import { findAnnotations } from '../../chart/annotations-file.ts';
import { findFonts } from '../../output/fonts.ts';
import { readTerminalAbilities } from '../../output/terminal-abilities.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { lineWidth } from '../../process/line-width.ts';
import type { ChartFlags } from './answer-flags.ts';

/** How to draw an answer, apart from flags. */
export interface ChartFlagValues {
  readonly preference?: ChartPreference | undefined;
  readonly title?: string | undefined;
  /** The folder to search for annotations. */
  readonly reports?: string | undefined;
}

/**
 * How an answer is drawn: flags override the query's preference. Throws `InvalidInputError` for invalid annotations.
 */
export async function toChartOptions(
  { preference, title, reports }: ChartFlagValues = {},
  { chart, theme }: ChartFlags,
  { cwd }: Pick<Effects, 'cwd'>,
): Promise<WriteChartOptions> {
  const annotations = reports === undefined ? [] : await findAnnotations(reports, cwd);
  return { preference: chart ?? preference, title, annotations, theme, fonts: findFonts };
}

/** Columns if the width of the screen is unknown. */
const usualWidth = 80;
/** Lines of a chart with its notes, where no screen limits it. A large screen gives it more. */
const usualHeight = 25;
/** Lines for the prompt. */
const promptLines = 2;

/**
 * How to draw a chart on the output. Throws `InvalidInputError` if a picture is requested and the terminal's protocol
 * is unknown.
 */
export function toDrawing(
  { theme, ascii, color, picture, width }: ChartFlags & GlobalFlags,
  { stdout, env }: Pick<Effects, 'stdout' | 'env'>,
): Pick<WriteChartOptions, 'terminal' | 'picture'> {
  const { isTerminal } = stdout;
  const cells = width ?? lineWidth({}, { stdout, env }) ?? usualWidth;
  const rows = isTerminal ? stdout.rows : undefined;
  const large = rows === undefined ? 0 : Math.floor(Math.min(rows * 0.7, cells / 4));
  const least = rows === undefined ? usualHeight : Math.min(usualHeight, rows - promptLines);
  const height = Math.max(large, least);
  const abilities = readTerminalAbilities({ isTerminal, env, color });
  if (picture === 'auto' && isTerminal && !abilities.pictures) throw noPictures();
  return {
    terminal: {
      width: cells,
      height: height === usualHeight ? undefined : height,
      colours: abilities.colours,
      ascii: ascii ?? abilities.ascii,
      dark: theme === undefined ? abilities.dark : theme === 'dark',
    },
    picture: picture === 'auto' ? abilities.pictures : picture,
  };
}

function noPictures(): InvalidInputError {
  const message = 'This terminal does not report support for images.';
  const hint =
    `If it supports them, specify the protocol: --picture ${pictureProtocols.join(', or ')}. ` +
    'Otherwise remove --picture, or write a file: -o chart.png.';
  return usageError(message, hint);
}
