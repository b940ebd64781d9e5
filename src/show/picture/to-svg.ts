import type { View } from 'vega';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { VegaLiteSpec } from '../chart/chart.ts';
import { fontFamilies, heavyWeight } from '../fonts/fonts.ts';
import { toShownXml } from '../labels/escape-xml.ts';
import { loadVega, guardWords, outsideError, refuseOutside, toUtcTime } from './load-vega.ts';
import type { SceneMark } from './scene.ts';
import { writeScene } from './write-scene.ts';

interface ToSvgOptions {
  /** Accessible name of the picture (default: the title of the chart). */
  readonly title?: string | undefined;
  /** Accessible description of the picture (default: the description of the chart). */
  readonly description?: string | undefined;
  /** Omit the background, for a page that has one. */
  readonly transparent?: boolean | undefined;
  /** Prefix of the IDs in the picture (default: a hash of the chart). */
  readonly id?: string | undefined;
}

/**
 * Draws a chart as an SVG document: well-formed XML, the same bytes on every machine, without external references, and
 * with all text escaped. Throws `InvalidInputError` if the specification cannot be drawn.
 */
export async function toSvg(
  spec: VegaLiteSpec,
  { title = titleOf(spec), description, transparent = false, id }: ToSvgOptions = {},
): Promise<string> {
  const [{ vega }, view] = [await loadVega(), await runVega(spec)];
  const { width, height, origin } = measure(view);
  const said = description ?? (typeof spec['description'] === 'string' ? spec['description'] : '');
  const background = transparent ? undefined : view.background();
  const { root } = view.scenegraph() as unknown as { readonly root: SceneMark };
  const content = writeScene(
    root,
    { width, height, origin, background, id: () => id ?? `c${hash(JSON.stringify(spec))}` },
    vega,
  );
  view.finalize();
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="${fontFamilies}">` +
    `<title>${toShownXml(title) || 'Chart'}</title>${said === '' ? '' : `<desc>${toShownXml(said)}</desc>`}${content}</svg>\n`
  );
}

/** Reads the total size, axes included, which Vega keeps private. */
function measure(view: View) {
  const { _viewWidth, _viewHeight, _origin } = view as View & {
    readonly _viewWidth: number;
    readonly _viewHeight: number;
    readonly _origin: readonly [number, number];
  };
  const padding = view.padding();
  const {
    left = 0,
    right = 0,
    top = 0,
    bottom = 0,
  } = typeof padding === 'number' ? { left: padding, right: padding, top: padding, bottom: padding } : padding;
  return {
    width: Math.max(0, Math.ceil(_viewWidth + left + right)),
    height: Math.max(0, Math.ceil(_viewHeight + top + bottom)),
    origin: [left + _origin[0], top + _origin[1]] as const,
  };
}

function titleOf({ title }: VegaLiteSpec): string {
  const text =
    typeof title === 'object' && title !== null && !Array.isArray(title) ? (title as VegaLiteSpec)['text'] : title;
  if (Array.isArray(text)) return text.join(' ');
  return typeof text === 'string' ? text : '';
}

/** 32-bit FNV-1a. It distinguishes charts and is not for security. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(36);
}

/**
 * Defaults for settings that a specification omits. Marks are hidden from screen readers; the picture as a whole has a
 * description.
 */
const defaults = {
  font: fontFamilies,
  aria: false,
  title: { fontWeight: heavyWeight },
  axis: { titleFontWeight: heavyWeight, aria: false },
  legend: { titleFontWeight: heavyWeight, aria: false },
  header: { titleFontWeight: heavyWeight },
};

/**
 * Lays out a chart; its scene graph is `view.scenegraph().root`. The result is the same on every machine: texts are
 * measured in the bundled font, local time is UTC, random numbers have a fixed seed, and nothing is fetched. Throws
 * `InvalidInputError` if the specification cannot be drawn.
 */
async function runVega(spec: VegaLiteSpec): Promise<View> {
  const { vega, vegaLite } = await loadVega();
  const troubles: string[] = [];
  const logger = toLogger(troubles);
  try {
    const compiled = vegaLite.compile(spec as never, { config: defaults as never, logger }).spec;
    refuseOutside(compiled);
    const runtime = vega.parse(guardWords(toUtcTime(compiled)) as never);
    vega.setRandom(vega.randomLCG(1));
    const view = new vega.View(runtime, { renderer: 'none', loader: closedLoader, logger });
    await view.runAsync();
    const [first] = troubles;
    if (first === undefined) return view;
    throw unreadable(first);
  } catch (error) {
    // Vega's complaints about a specification are for its author.
    throw error instanceof InvalidInputError
      ? error
      : unreadable(error instanceof Error ? error.message : String(error), error);
  }
}

function unreadable(reason: string, cause?: unknown): InvalidInputError {
  const message = `The chart cannot be drawn: ${reason}`;
  return new InvalidInputError(message, [errorIssue('chart-invalid', message)], { code: 'chart-invalid', cause });
}

/** Collects errors. Warnings are not for readers of a picture. */
function toLogger(troubles: string[]) {
  const logger = {
    level: () => logger as never,
    error: (...said: readonly unknown[]) => (
      troubles.push(said.map((one) => (one instanceof Error ? one.message : String(one))).join(' ')), logger
    ),
    warn: () => logger,
    info: () => logger,
    debug: () => logger,
  };
  return logger;
}

function refuse(): Promise<never> {
  return Promise.reject(outsideError('external data', 'Put the rows into the chart: data.values.'));
}

const closedLoader = { load: refuse, sanitize: refuse, http: refuse, file: refuse } as never;
