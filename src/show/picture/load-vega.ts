import { errorIssue, type IssuePath } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { measuredFamily } from '../fonts/fonts.ts';
import { textWidth } from '../fonts/text-width.ts';

type Vega = Omit<typeof import('vega'), 'sceneVisit'> & VegaDrawing;
type VegaLite = typeof import('vega-lite');

/** Parts of Vega's module without declarations. */
export interface VegaDrawing {
  /** Turns each kind of mark into the attributes of an SVG element. */
  readonly Marks: Readonly<Record<string, MarkDrawing>>;
  readonly textMetrics: { width: MeasureWidth };
  setRandom(random: () => number): void;
  randomLCG(seed: number): () => number;
  /** Visits the children in drawing order. */
  sceneVisit<Child>(parent: { readonly items?: readonly Child[] }, visitor: (child: Child) => void): void;
}

interface MarkDrawing {
  readonly tag: string;
  /** All items form one element. */
  readonly nested: boolean;
  attr(emit: EmitAttribute, item: object): void;
  /** Only for groups. */
  background?(emit: EmitAttribute, item: object): void;
}

type EmitAttribute = (name: string, value: unknown) => void;

type MeasureWidth = (item: MeasuredItem, text: unknown) => number;

interface MeasuredItem {
  readonly font?: unknown;
  readonly fontSize?: unknown;
  readonly fontWeight?: string | number | undefined;
  readonly limit?: number | undefined;
}

interface LoadedVega {
  readonly vega: Vega;
  readonly vegaLite: VegaLite;
}

let loading: Promise<LoadedVega> | undefined;

/**
 * Loads Vega and Vega-Lite when a chart is first drawn. Texts in the bundled font are measured in it; Vega itself would
 * guess, or use the machine's fonts if it finds a canvas. (The package bundles its own Vega, so this affects no other
 * code.)
 */
export async function loadVega(): Promise<LoadedVega> {
  return (loading ??= load());
}

async function load(): Promise<LoadedVega> {
  const [module, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  const vega = module as unknown as Vega;
  const guess = vega.textMetrics.width;
  vega.textMetrics.width = (item, text) => {
    const { font, limit = 0 } = item;
    // If a text has a limit, Vega cuts it to fit, and calls this function to measure the cut text.
    const width = isMeasured(font) ? measure(item, text) : guess({ ...item, limit: 0 }, text);
    return limit > 0 ? Math.min(width, limit) : width;
  };
  return { vega, vegaLite };
}

export function isMeasured(font: unknown): boolean {
  return typeof font === 'string' && (font === measuredFamily || font.startsWith(`${measuredFamily},`));
}

function measure({ fontSize, fontWeight }: MeasuredItem, text: unknown): number {
  return text === null || text === undefined
    ? 0
    : textWidth(String(text).trim(), { size: toFontSize(fontSize), weight: fontWeight });
}

/** Pixels (default: Vega's own). */
export function toFontSize(size: unknown): number {
  return size === undefined || size === null ? 11 : Number(size) || 0;
}

type Part = { readonly [key: string]: unknown };

// The keys of a Vega specification that contain expressions.
const expressionKeys = new Set(['signal', 'expr', 'test', 'init', 'update', 'react']);

const utcNames: Readonly<Record<string, string>> = {
  year: 'utcyear',
  quarter: 'utcquarter',
  month: 'utcmonth',
  date: 'utcdate',
  day: 'utcday',
  dayofyear: 'utcdayofyear',
  week: 'utcweek',
  hours: 'utchours',
  minutes: 'utcminutes',
  seconds: 'utcseconds',
  milliseconds: 'utcmilliseconds',
  datetime: 'utc',
  timeFormat: 'utcFormat',
  timeParse: 'utcParse',
  timeOffset: 'utcOffset',
  timeSequence: 'utcSequence',
};

// Skip quoted texts. A name after a dot is a field.
const quotedOrCall = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![.\w$])([A-Za-z]+)(?=\s*\()/g;

/**
 * A Vega specification in UTC, so that the machine's time zone never affects a picture. The caller shifts times of
 * other zones by their offset. The given specification and its rows are not changed.
 */
export function toUtcTime(spec: object): object {
  return convert(spec, undefined) as object;
}

function convert(value: unknown, key: string | undefined): unknown {
  // Rows contain no times, only numbers and texts that a transform reads. Vega writes into rows, so it gets a copy.
  if (key === 'values') return copyRows(value);
  if (typeof value === 'string') return key !== undefined && expressionKeys.has(key) ? toUtcExpression(value) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => convert(item, undefined));
  if (typeof value !== 'object' || value === null) return value;
  const part: Record<string, unknown> = { ...value };
  for (const name of Object.keys(part)) {
    const child = part[name];
    // Numbers and booleans stay. `__proto__` has no meaning in Vega.
    if ((typeof child === 'object' || typeof child === 'string') && name !== '__proto__')
      part[name] = convert(child, name);
  }
  return mend(part);
}

function copyRows(rows: unknown): unknown {
  return Array.isArray(rows)
    ? rows.map((row: unknown) => (typeof row === 'object' && row !== null && !Array.isArray(row) ? { ...row } : row))
    : rows;
}

function mend(part: Record<string, unknown>): Part {
  if (part['type'] === 'time' && 'domain' in part) part['type'] = 'utc';
  if (part['type'] === 'timeunit') part['timezone'] = 'utc';
  if (part['formatType'] === 'time') part['formatType'] = 'utc';
  return part;
}

function toUtcExpression(expression: string): string {
  return expression.replace(quotedOrCall, (all, name: string | undefined) =>
    name !== undefined && Object.hasOwn(utcNames, name) ? (utcNames[name] ?? all) : all,
  );
}

/** The error for a chart with external references. */
export function outsideError(what: string, hint: string, path: IssuePath = []): InvalidInputError {
  const message = `A chart cannot contain ${what}.`;
  return new InvalidInputError(message, [errorIssue('chart-reaches-outside', message, { path, hint })], {
    code: 'chart-reaches-outside',
    hint,
  });
}

/** Throws if a Vega specification has the URL of data, an image or a link. A chart never fetches anything. */
export function refuseOutside(spec: object): void {
  visit(spec, []);
}

function visit(value: unknown, path: IssuePath): void {
  if (Array.isArray(value)) return value.forEach((item, index) => visit(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return;
  const part = value as { readonly [key: string]: unknown };
  if (typeof part['url'] === 'string' || (path.at(-2) === 'data' && part['url'] !== undefined)) {
    throw outsideError('data from a URL', 'Put the rows into the chart: data.values.', path);
  }
  if (part['type'] === 'image' && (path.at(-2) === 'marks' || part['encode'] !== undefined))
    throw outsideError('pictures', 'Leave out the marks of type image.', path);
  if (path.includes('encode') && part['href'] !== undefined)
    throw outsideError('links', 'Leave out the channel href.', path);
  for (const [key, child] of Object.entries(part)) if (key !== 'values') visit(child, [...path, key]);
}

// Vega's expression parser looks up words in a plain object, so it takes these for names, even in quotes.
const words = new Set(Object.getOwnPropertyNames(Object.prototype));

/** The keys of a Vega specification whose texts become parts of expressions. */
const textKeys = new Set(['text', 'title', 'subtitle', 'value', 'description']);

// Invisible, ignored when measured, and removed when the text is drawn.
const unseen = '\u200b';

/** A Vega specification in which a title such as `constructor` is an ordinary text. */
export function guardWords(spec: object): object {
  return guard(spec, false) as object;
}

function guard(value: unknown, isText: boolean): unknown {
  if (typeof value === 'string') return isText && words.has(value) ? value + unseen : value;
  if (Array.isArray(value)) return value.map((item: unknown) => guard(item, isText));
  if (typeof value !== 'object' || value === null) return value;
  const part: Record<string, unknown> = { ...value };
  for (const key of Object.keys(part)) {
    const child = part[key];
    if ((typeof child === 'object' || typeof child === 'string') && key !== 'values' && key !== '__proto__')
      part[key] = guard(child, textKeys.has(key));
  }
  return part;
}
