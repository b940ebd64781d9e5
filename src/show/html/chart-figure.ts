import type { Chart } from '../chart/chart.ts';
import type { ThemeName } from '../chart/palette.ts';
import { toFooter, toVegaLite } from '../chart/vega-lite/to-vega-lite.ts';
import { toShownXml } from '../labels/escape-xml.ts';
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

/** One drawing that is light or dark as its page is. */
export interface AdaptiveSvg {
  /** Light where there is no style sheet. */
  readonly svg: string;
  /** CSS rules for where it is light, or printed. */
  readonly light: readonly string[];
  /** CSS rules for where it is dark. The same colours give the same rules, so that a page with many charts has few. */
  readonly dark: readonly string[];
}

const colour = / (fill|stroke|stop-color)="([^"]*)"/g;

/**
 * Two drawings of one chart, light and dark, as one: its colours are those of the light one, and a style sheet turns
 * them.
 * Drawings that differ in more than colours stand both in the page, one of them hidden.
 */
export function toAdaptiveSvg(light: string, dark: string): AdaptiveSvg {
  if (
    light.replace(colour, '') !== dark.replace(colour, '') ||
    light.match(colour)?.length !== dark.match(colour)?.length
  ) {
    return {
      svg: markRoot(light, 'when-light') + markRoot(dark, 'when-dark'),
      light: ['.when-dark{display:none}'],
      dark: ['.when-light{display:none}', '.when-dark{display:inline}'],
    };
  }
  const turned = Array.from(dark.matchAll(colour), ([, , value]) => value as string);
  const rules = new Map<string, string>();
  let at = 0;
  const svg = light.replace(/<\w+[^>]*>/g, (tag) => {
    const classes: string[] = [];
    for (const [, property, before] of tag.matchAll(colour)) {
      const after = turned[at] as string;
      at += 1;
      if (after === before) continue;
      const name = `${property === 'stop-color' ? 'stop' : property}-${toName(before as string)}-${toName(after)}`;
      classes.push(name);
      rules.set(name, `.${name}{${property}:${after}}`);
    }
    return classes.length === 0 ? tag : tag.replace(/\/?>$/, (end) => ` class="${classes.join(' ')}"${end}`);
  });
  return { svg, light: [], dark: [...rules.keys()].sort().map((name) => rules.get(name) as string) };
}

function markRoot(svg: string, name: string): string {
  return svg.replace('<svg ', `<svg class="${name}" `);
}

/** A colour as part of the name of a class. */
function toName(paint: string): string {
  return paint.toLowerCase().replace(/[^a-z0-9]+/g, '');
}
