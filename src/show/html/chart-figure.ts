import type { Chart } from '../chart/chart.ts';
import type { ThemeName } from '../chart/palette.ts';
import { toFooter, toVegaLite } from '../chart/vega-lite/to-vega-lite.ts';
import { toShownXml } from '../labels/escape-xml.ts';
import { type AdaptiveSvg, toAdaptiveSvg } from '../picture/adaptive-svg.ts';
import { toSvg } from '../picture/to-svg.ts';

export interface ChartFigure {
  /** A `figure` of HTML: the drawing, and what is to be known about it. */
  readonly html: string;
  /** What turns it light and dark, for `toPageStyle`. */
  readonly rules: Pick<AdaptiveSvg, 'light' | 'dark'>;
}

export interface ChartFigureOptions {
  /** Pixels; see `toVegaLite`. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** The title and subtitle of the chart stand in the drawing too, not only in the page around it. */
  readonly titled?: boolean | undefined;
  /** What the ids of the drawing's parts begin with; of several charts in one page each needs its own. */
  readonly id?: string | undefined;
}

/**
 * Pixels that a telephone has for a picture: there the chart is drawn once more, for its labels would become too small.
 */
const narrow = 350;

/** A chart as a part of a page: drawn without a ground of its own, its notes and annotations below as text. */
export async function toChartFigure(
  chart: Chart,
  { width, height, titled = true, id = 'chart' }: ChartFigureOptions = {},
): Promise<ChartFigure> {
  const draw = async (theme: ThemeName, pixels: number | undefined): Promise<string> => {
    const { title, ...untitled } = toVegaLite(chart, { width: pixels, height, theme, withNotes: false });
    return toSvg(titled && title !== undefined ? { ...untitled, title } : untitled, {
      title: chart.title,
      transparent: true,
      id: `${id}-${pixels ?? 'wide'}`,
    });
  };
  const adapt = async (pixels: number | undefined) =>
    toAdaptiveSvg(await draw('light', pixels), await draw('dark', pixels));
  const [wide, small] = [await adapt(width), await adapt(narrow)];
  const said = toFooter(chart).map((line) => `<p>${toShownXml(line)}</p>`);
  const caption = said.length === 0 ? '' : `<figcaption>\n${said.join('\n')}\n</figcaption>\n`;
  return {
    html: `<figure>\n<div class="wide">${wide.svg}</div><div class="narrow">${small.svg}</div>${caption}</figure>\n`,
    rules: { light: [...new Set([...wide.light, ...small.light])], dark: [...new Set([...wide.dark, ...small.dark])] },
  };
}
