import type { Chart } from '../chart/chart.ts';
import type { ThemeName } from '../chart/palette.ts';
import { toFooter, toVegaLite } from '../chart/vega-lite/to-vega-lite.ts';
import { toShownXml } from '../labels/escape-xml.ts';
import { toSvg } from '../picture/to-svg.ts';

export interface ChartFigure {
  /** An HTML `figure`: the drawing, with its notes. */
  readonly html: string;
  /** CSS rules that make it light or dark, for `toPageStyle`. */
  readonly rules: Pick<AdaptiveSvg, 'light' | 'dark'>;
}

interface ChartFigureOptions {
  /** Pixels; see `toVegaLite`. */
  readonly width?: number | undefined;
  /** Draw the title and subtitle of the chart, even if the page shows them too. */
  readonly titled?: boolean | undefined;
  /** Prefix of the IDs in the drawing. Each chart of a page needs its own. */
  readonly id?: string | undefined;
}

/** Pixels for a picture on a phone. The chart is drawn a second time, because its labels would become too small. */
const narrow = 350;

/** A chart as part of a page: on a transparent background, with notes and annotations below as text. */
export async function toChartFigure(
  chart: Chart,
  { width, titled = true, id = 'chart' }: ChartFigureOptions,
): Promise<ChartFigure> {
  const draw = async (theme: ThemeName, pixels: number | undefined): Promise<string> => {
    const { title, ...untitled } = toVegaLite(chart, { width: pixels, theme, withNotes: false });
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
interface AdaptiveSvg {
  /** Light if there is no style sheet. */
  readonly svg: string;
  /** CSS rules for light pages and print. */
  readonly light: readonly string[];
  /** CSS rules for dark pages. Equal colours give equal rules, so a page with many charts has few. */
  readonly dark: readonly string[];
}

const colour = / (fill|stroke|stop-color)="([^"]*)"/g;

/**
 * Merges a light and a dark drawing of one chart. The colours are light, and a style sheet changes them. Drawings that
 * differ in more than colours are both included, one of them hidden.
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

/** Turns a colour into part of a class name. */
function toName(paint: string): string {
  return paint.toLowerCase().replace(/[^a-z0-9]+/g, '');
}
