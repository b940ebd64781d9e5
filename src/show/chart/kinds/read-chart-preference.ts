import { type ChartKind, chartKinds, type ChartPreference } from '../../../ask/chart/chart-preference.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { oneOfHint } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';
import { isSpec } from '../chart.ts';
import { chartTypes } from './chart-kinds.ts';

/** A preference, split into its parts. */
interface ReadChartPreference {
  readonly kind: ChartKind | undefined;
  readonly fragment: Readonly<Record<string, unknown>> | undefined;
}

/** Kinds by the names that a fragment may use: their own names and Vega-Lite marks. */
const kindOfMark: ReadonlyMap<string, ChartKind> = new Map([
  ...chartKinds.map((kind) => [kind, kind] as const),
  ...chartKinds.flatMap((kind) => (chartTypes[kind].marks ?? []).map((mark) => [mark, kind] as const)),
]);

/**
 * The requested kind, and the fragment to merge into its drawing. A fragment's `mark` names the kind; the rest applies
 * to the first layer. `none` counts as no preference: the caller asked for a chart. Throws `InvalidInputError` if a
 * fragment holds something it must not.
 */
export function readChartPreference(preference: ChartPreference | undefined): ReadChartPreference {
  if (preference === undefined || preference === 'none') return { kind: undefined, fragment: undefined };
  if (typeof preference === 'string') {
    // Untyped callers may pass anything.
    if (!chartKinds.includes(preference))
      throw refuse('unknown-chart', `There is no chart ${quote(preference)}.`, oneOfHint(preference, chartKinds));
    return { kind: preference, fragment: undefined };
  }
  refuseForeign(preference, []);
  const { mark } = preference;
  const name = typeof mark === 'string' ? mark : isSpec(mark) ? mark['type'] : undefined;
  if (name === undefined) return { kind: undefined, fragment: preference };
  const kind = typeof name === 'string' ? kindOfMark.get(name) : undefined;
  if (!kind)
    throw refuse(
      'unknown-mark',
      `A chart has no mark ${quote(String(name))}.`,
      `Use one of ${[...kindOfMark.keys()].join(', ')}.`,
    );
  return { kind, fragment: preference };
}

/** A drawing has its own data and field names, and no external references. */
const foreign: Readonly<Record<string, string>> = {
  data: 'the data comes from the query',
  datasets: 'the data comes from the query',
  transform: 'the data comes from the query',
  field: 'sluice names the fields itself',
  url: 'a chart cannot load external resources',
  href: 'a chart cannot contain links',
  layer: 'sluice decides the layers',
  concat: 'sluice decides the layers',
  hconcat: 'sluice decides the layers',
  vconcat: 'sluice decides the layers',
  spec: 'sluice decides the layers',
  facet: 'sluice decides the layers',
  repeat: 'sluice decides the layers',
  params: 'a chart cannot be interactive',
};

/** Settings that cost memory. No screen or sheet of paper is larger than `maxSize`. */
const sizes = new Set([
  'width',
  'height',
  'step',
  'padding',
  'offset',
  'size',
  'fontSize',
  'strokeWidth',
  'tickCount',
  'columns',
  'maxbins',
]);
const maxSize = 10_000;

function refuseHuge(key: string, value: unknown, path: readonly (string | number)[]): void {
  const numbers =
    typeof value === 'number'
      ? [value]
      : isSpec(value)
        ? Object.values(value).filter((each) => typeof each === 'number')
        : [];
  if (numbers.some((number) => !(Math.abs(number) <= maxSize))) {
    throw refuse(
      'chart-too-large',
      `${quote(path.join('.'))} is larger than ${maxSize.toLocaleString('en-US')}.`,
      `Specify at most ${maxSize.toLocaleString('en-US')}.`,
    );
  }
  const interval = isSpec(value) ? value['interval'] : value;
  if (key === 'tickCount' && typeof interval === 'string' && /second|minute/.test(interval)) {
    throw refuse(
      'chart-too-large',
      `${quote(path.join('.'))} draws a tick every ${interval}.`,
      'Specify a number of ticks.',
    );
  }
}

function refuseForeign(part: unknown, path: readonly (string | number)[]): void {
  if (Array.isArray(part)) part.forEach((each, index) => refuseForeign(each, [...path, index]));
  if (!isSpec(part)) return;
  for (const [key, value] of Object.entries(part)) {
    const why = Object.hasOwn(foreign, key) ? foreign[key] : undefined;
    if (why !== undefined)
      throw refuse(
        'foreign-chart-part',
        `The fragment of a chart must not contain ${quote([...path, key].join('.'))}: ${why}.`,
        'Leave it out, or write the whole specification: sluice query … -f vega-lite',
      );
    if (sizes.has(key)) refuseHuge(key, value, [...path, key]);
    if (key === '__proto__')
      throw refuse('foreign-chart-part', 'The fragment of a chart must not contain "__proto__".', 'Leave it out.');
    refuseForeign(value, [...path, key]);
  }
}

function refuse(code: string, message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [errorIssue(code, message, { path: ['chart'], hint })], { hint });
}
