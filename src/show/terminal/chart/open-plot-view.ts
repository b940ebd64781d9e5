import type { Loader, LoggerInterface, Spec } from 'vega';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { isSpec, type VegaLiteSpec } from '../../chart/chart.ts';
import { guardWords, loadVega, refuseOutside, toUtcTime } from '../../picture/load-vega.ts';
import { cellSize } from './raster.ts';
import type { CurveMaker } from './draw-paths.ts';
import { type FittedSpec, fitVegaSpec, gapSignal } from './fit-vega-spec.ts';
import { listPlotMarks, type SceneGroup } from './scene.ts';
import { beyondNumbers, refuse } from './undrawable.ts';

/** The size of the plot within its axes, in cells, and the gaps between two categories as fractions of a step. */
export interface PlotSize {
  readonly width: number;
  readonly height: number;
  readonly gapX: number;
  readonly gapY: number;
}

export type Scale = ((value: unknown) => unknown) & {
  readonly domain: () => readonly unknown[];
  /** Pixels of a band; only for scales that have bands. */
  readonly bandwidth?: () => number;
};

/** Vega's layout of a chart, in pixels of `cellSize`. */
export interface PlotView extends Omit<FittedSpec, 'spec'> {
  readonly root: () => SceneGroup;
  /** Number of places for texts, if the chart contains only texts below each other. */
  readonly textPlaces: number | undefined;
  readonly scale: (name: string) => Scale | undefined;
  /** The curve of an `interpolate` name; undefined if it is unknown. */
  readonly curve: (name: string, lying: boolean, tension: number | undefined) => CurveMaker | undefined;
  /** Converts a CSS colour to `rgb(1, 2, 3)` or `rgba(1, 2, 3, 0.5)`. */
  readonly readColour: (colour: string) => string;
  readonly resize: (size: PlotSize) => Promise<void>;
  readonly close: () => void;
}

/** Parts of Vega without declarations. */
interface VegaParts {
  readonly interpolateColors: (colours: readonly string[]) => (share: number) => string;
  readonly pathCurves: (name: string, orient: string, tension: number | undefined) => CurveMaker | null;
}

/**
 * Opens one Vega-Lite view and lays it out at an initial size. Errors: `chart-invalid` if the specification is invalid,
 * `chart-undrawable`.
 */
export async function openPlotView(
  spec: VegaLiteSpec,
  cells: { readonly width: number; readonly height: number },
): Promise<PlotView> {
  const { vega, vegaLite } = await loadVega();
  const parts = vega as unknown as VegaParts;
  const config = { ...(isSpec(spec['config']) ? spec['config'] : {}), aria: false };
  const sized = {
    ...withOwnRows(spec),
    width: cells.width * cellSize.width,
    height: cells.height * cellSize.height,
    autosize: 'none',
    padding: 0,
    config,
  };
  const trouble: string[] = [];
  const logger = quiet((text) => trouble.push(text));
  try {
    const { spec: compiled } = vegaLite.compile(sized as never, { logger });
    if ('layout' in compiled) throw refuse('several views in one chart');
    refuseOutside(compiled);
    const { spec: fittedSpec, ...fitted } = fitVegaSpec(guardWords(toUtcTime(compiled)) as Spec, cells);
    vega.setRandom(vega.randomLCG(1));
    const view = new vega.View(vega.parse(fittedSpec), { renderer: 'none', logger, loader: noLoader });
    await view.runAsync();
    throwTrouble(trouble);
    const ends = (fittedSpec.scales ?? []).flatMap(
      ({ name }) => findScale(() => view.scale(name) as Scale)?.domain?.() ?? [],
    );
    const root = () =>
      (view.scenegraph() as unknown as { readonly root: { readonly items: readonly SceneGroup[] } }).root
        .items[0] as SceneGroup;
    const isEmpty = listPlotMarks(root()).every(({ mark }) => mark.items.length === 0);
    if (!isEmpty && ends.some((end) => typeof end === 'number' && !Number.isFinite(end))) throw beyondNumbers();
    return {
      ...fitted,
      textPlaces:
        fitted.textScale === undefined
          ? undefined
          : fitted.textScale === ''
            ? 1
            : findScale(() => view.scale(fitted.textScale ?? '') as Scale)?.domain().length,
      root,
      readColour: (colour) => parts.interpolateColors([colour, colour])(0),
      curve: (name, lying, tension) => parts.pathCurves(name, lying ? 'horizontal' : 'vertical', tension) ?? undefined,
      scale: (name) => findScale(() => view.scale(name) as Scale),
      resize: async ({ width, height, gapX, gapY }) => {
        view
          .width(width * cellSize.width)
          .height(height * cellSize.height)
          .signal(gapSignal('x'), gapX)
          .signal(gapSignal('y'), gapY);
        await view.runAsync();
        throwTrouble(trouble);
      },
      close: () => {
        view.finalize();
      },
    };
  } catch (cause) {
    throw cause instanceof InvalidInputError
      ? cause
      : invalid(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** Copies the rows, because Vega writes into them. */
function withOwnRows(spec: VegaLiteSpec): VegaLiteSpec {
  const own: Record<string, VegaLiteSpec[string]> = { ...spec };
  for (const [key, part] of Object.entries(spec)) {
    if (key === 'data' && isSpec(part) && Array.isArray(part['values']))
      own[key] = { ...part, values: part['values'].map(copyRow) };
    else if (key === 'datasets' && isSpec(part))
      own[key] = Object.fromEntries(
        Object.entries(part).map(([name, rows]) => [name, Array.isArray(rows) ? rows.map(copyRow) : rows]),
      );
    else if (key === 'layer' && Array.isArray(part)) own[key] = part.map((layer: VegaLiteSpec) => withOwnRows(layer));
  }
  return own;
}

function copyRow(row: VegaLiteSpec[string]): VegaLiteSpec[string] {
  return isSpec(row) ? { ...row } : row;
}

/** Vega reports errors instead of failing, and draws the chart without the failed part. */
function quiet(tell: (text: string) => void) {
  const logger = {
    level: () => logger,
    warn: () => logger,
    info: () => logger,
    debug: () => logger,
    error: (...texts: readonly unknown[]) => {
      tell(texts.map((text) => (text instanceof Error ? text.message : String(text))).join(' '));
      return logger;
    },
  };
  return logger as unknown as LoggerInterface;
}

function throwTrouble([first]: readonly string[]): void {
  if (first !== undefined) throw invalid(first);
}

const noLoader = {
  load: (address: string) => Promise.reject(refuse(`data from a URL (${address})`)),
  sanitize: () => Promise.reject(refuse('links')),
} as unknown as Loader;

function invalid(reason: string, cause?: unknown): InvalidInputError {
  const message = `The chart cannot be drawn: ${reason}.`;
  return new InvalidInputError(message, [errorIssue('chart-invalid', message)], { code: 'chart-invalid', cause });
}

function findScale(find: () => Scale): Scale | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
