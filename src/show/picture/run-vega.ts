import type { View } from 'vega';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { VegaLiteSpec } from '../chart/vega-lite-spec.ts';
import { fontFamilies, heavyWeight } from '../fonts/fonts.ts';
import { guardWords, loadVega, outsideError, refuseOutside, toUtcTime } from './load-vega.ts';

/**
 * What holds where a specification says nothing else. Marks say nothing of their own to screen readers: the whole
 * picture does.
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
 * The chart laid out, its scene graph ready to be drawn: `view.scenegraph().root`. The same for the same specification
 * on every machine: texts are measured in the font that is brought along, local time is UTC, chance always falls the
 * same way, and nothing is fetched. Throws `InvalidInputError` where the specification cannot be drawn.
 */
export async function runVega(spec: VegaLiteSpec): Promise<View> {
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
    // What Vega says against a specification is meant for the one who wrote it.
    throw error instanceof InvalidInputError
      ? error
      : unreadable(error instanceof Error ? error.message : String(error), error);
  }
}

function unreadable(reason: string, cause?: unknown): InvalidInputError {
  const message = `The chart cannot be drawn: ${reason}`;
  return new InvalidInputError(message, [errorIssue('chart-invalid', message)], { code: 'chart-invalid', cause });
}

/** Keeps what goes wrong; warnings are not for the reader of a picture. */
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
