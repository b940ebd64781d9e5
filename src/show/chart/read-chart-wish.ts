import { type ChartKind, chartKinds, type ChartWish } from '../../ask/chart/chart-wish.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';

/** A wish, taken apart. */
export interface ReadWish {
  readonly kind: ChartKind | undefined;
  readonly fragment: Readonly<Record<string, unknown>> | undefined;
}

const kindOfMark: Readonly<Record<string, ChartKind>> = { line: 'line', area: 'area', bar: 'bar', point: 'scatter', circle: 'scatter', rect: 'heatmap' };

/**
 * The kind that is wished for, and what is merged over its drawing. A fragment's `mark` names the kind; the rest of it is
 * for the first layer. `none` is no wish: whoever asks for a chart gets one. Throws `InvalidInputError` for what a fragment
 * may not hold.
 */
export function readChartWish(wish: ChartWish | undefined): ReadWish {
  if (wish === undefined || wish === 'none') return { kind: undefined, fragment: undefined };
  if (typeof wish === 'string') {
    // A program may say anything.
    if (!chartKinds.includes(wish)) throw refuse('unknown-chart', `There is no chart ${quote(wish)}.`, didYouMean(wish, chartKinds) ?? `The charts are ${chartKinds.join(', ')}.`);
    return { kind: wish, fragment: undefined };
  }
  refuseForeign(wish, []);
  const { mark } = wish;
  const name = typeof mark === 'string' ? mark : isObject(mark) ? mark['type'] : undefined;
  if (name === undefined) return { kind: undefined, fragment: wish };
  const kind = typeof name === 'string' ? chartKinds.find((each) => each === name) ?? (Object.hasOwn(kindOfMark, name) ? kindOfMark[name] : undefined) : undefined;
  if (!kind) throw refuse('unknown-mark', `A chart has no mark ${quote(String(name))}.`, `The marks are ${[...new Set([...Object.keys(kindOfMark), ...chartKinds])].join(', ')}.`);
  return { kind, fragment: wish };
}

/** A drawing holds its own data under names of its own, and leads nowhere. */
const foreign: Readonly<Record<string, string>> = {
  data: 'the data is the answer itself', datasets: 'the data is the answer itself', transform: 'the data is the answer itself',
  field: 'what is drawn stands under names of its own', url: 'a chart refers to nothing outside', href: 'a chart leads nowhere',
  layer: 'the layers are decided', concat: 'the layers are decided', hconcat: 'the layers are decided', vconcat: 'the layers are decided', spec: 'the layers are decided', facet: 'the layers are decided', repeat: 'the layers are decided',
  params: 'a chart stands still',
};

/** What takes memory with its size. No screen or sheet of paper is larger. */
const sizes = new Set(['width', 'height', 'step', 'padding', 'offset', 'size', 'fontSize', 'strokeWidth', 'tickCount', 'columns', 'maxbins']);
const maxSize = 10_000;

function refuseHuge(key: string, value: unknown, path: readonly (string | number)[]): void {
  const numbers = typeof value === 'number' ? [value] : isObject(value) ? Object.values(value).filter((each) => typeof each === 'number') : [];
  if (numbers.some((number) => !(Math.abs(number) <= maxSize))) {
    throw refuse('chart-too-large', `${quote(path.join('.'))} is larger than ${maxSize.toLocaleString('en-US')}.`, `Specify at most ${maxSize.toLocaleString('en-US')}.`);
  }
  const interval = isObject(value) ? value['interval'] : value;
  if (key === 'tickCount' && typeof interval === 'string' && /second|minute/.test(interval)) {
    throw refuse('chart-too-large', `${quote(path.join('.'))} draws a tick every ${interval}.`, 'Specify a number of ticks.');
  }
}

function refuseForeign(part: unknown, path: readonly (string | number)[]): void {
  if (Array.isArray(part)) part.forEach((each, index) => refuseForeign(each, [...path, index]));
  if (!isObject(part)) return;
  for (const [key, value] of Object.entries(part)) {
    const why = Object.hasOwn(foreign, key) ? foreign[key] : undefined;
    if (why !== undefined) throw refuse('foreign-chart-part', `The fragment of a chart may not hold ${quote([...path, key].join('.'))}: ${why}.`, 'Leave it out, or write the whole specification: sluice query … -f vega-lite');
    if (sizes.has(key)) refuseHuge(key, value, [...path, key]);
    if (key === '__proto__') throw refuse('foreign-chart-part', 'The fragment of a chart may not hold "__proto__".', 'Leave it out.');
    refuseForeign(value, [...path, key]);
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(code: string, message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [errorIssue(code, message, { path: ['chart'], hint })], { hint });
}
