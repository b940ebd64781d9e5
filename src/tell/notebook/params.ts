import { UTCDateMini } from '@date-fns/utc/date/mini';
import { format } from 'date-fns/format';
import { describeValue } from '../../ask/document/describe-value.ts';
import { bad, badWith, errorIssue, good, type Issue, type IssuePath, type Outcome, settle } from '../../ask/outcome.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { addUnits, startOf } from '../../ask/time/calendar.ts';
import { writeLocal } from '../../ask/time/local-time.ts';
import { previousRange, writeDay, writeRange } from '../../ask/time/previous-range.ts';
import type { TimeContext, TimeRange } from '../../ask/time/range.ts';
import { readDateRange } from '../../ask/time/read-date-range.ts';
import { toInstant, toLocal, toLocalEdge } from '../../ask/time/zone.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatComparison, formatTime } from '../../shape/format/format-time.ts';

export const paramTypes = ['month', 'week', 'date', 'range', 'text', 'number', 'choice'] as const;

export type ParamType = (typeof paramTypes)[number];

/** A parameter of a notebook, as its front matter declares it. */
export interface Param {
  readonly name: string;
  readonly type: ParamType;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** As a person would write it: `last closed month`. Without a default, the parameter is required. */
  readonly default?: string | number | undefined;
  /** `choice` only: the options. */
  readonly options?: readonly string[] | undefined;
}

/** A parameter with its current value. */
export interface ParamValue {
  readonly param: Param;
  /** The value if it is the whole text in a cell: `2026-10`, `['2026-10-05', '2026-10-11']`, a number, a text. */
  readonly value: string | number | readonly string[];
  /** The value inside longer texts, as a person would write it: `2026-10`, `2026-10-05 to 2026-10-11`. */
  readonly text: string;
  /** The value in prose and titles, if people write it differently: `October 2026`. */
  readonly words?: string | undefined;
  /**
   * Parts of a time: `{{ month.start }}`, `{{ month.end }}` (first and last day), `{{ month.previous }}`, and its
   * `text` in any place: `{{ month.iso }}`.
   */
  readonly parts: Readonly<Record<string, Filled>>;
}

export type ParamValues = ReadonlyMap<string, ParamValue>;

/** The replacement for a parameter. */
type Filled = Pick<ParamValue, 'value' | 'text' | 'words'>;

/**
 * Reads the value of a parameter from the command line or its default. Times are the usual phrases, relative to the
 * context's clock and zone; *last closed month* means *last month*. Issues: `invalid-param`, and those of
 * `readDateRange`.
 */
export function readParamValue(param: Param, given: string | number, context: TimeContext): Outcome<ParamValue> {
  switch (param.type) {
    case 'text':
      return plain(param, String(given), String(given));
    case 'number':
      return readNumber(param, given);
    case 'choice':
      return readChoice(param, String(given));
    case 'month':
    case 'week':
    case 'date':
    case 'range':
      return readTime(param, String(given), context);
  }
}

function plain(param: Param, value: ParamValue['value'], text: string): Outcome<ParamValue> {
  return good({ param, value, text, parts: {} });
}

function readNumber(param: Param, given: string | number): Outcome<ParamValue> {
  const text = String(given).trim();
  const number = Number(text);
  if (text === '' || !Number.isFinite(number))
    return invalid(`${quote(param.name)} must be a number, not ${describeValue(given)}.`, 'Write digits, such as 100.');
  return plain(param, number, formatNumber(number));
}

function readChoice(param: Param, given: string): Outcome<ParamValue> {
  const { options = [] } = param;
  if (options.includes(given)) return plain(param, given, given);
  return invalid(
    `${quote(param.name)} cannot be ${quote(given)}.`,
    didYouMean(given, options) ?? `It can be ${options.join(', ')}.`,
  );
}

const units = { month: 'month', week: 'week', date: 'day' } as const;

function readTime(param: Param, given: string, context: TimeContext): Outcome<ParamValue> {
  const read = readDateRange(given, context);
  if (!read.ok) return bad(read.issues);
  const range = read.value;
  if (range.end <= range.start) return invalid(`${quote(given)} is an empty time range.`, 'Put the earlier end first.');
  if (param.type !== 'month' && param.type !== 'week' && param.type !== 'date')
    return good(toTime(param, range, context));
  const unit = units[param.type];
  const local = toLocalEdge(range.start, context.zone);
  if (
    startOf(local, unit, context.weekStart) !== local ||
    toInstant(addUnits(local, unit, 1), context.zone, 'first') !== range.end
  ) {
    return invalid(`${quote(given)} is not one ${unit}.`, `Write ${examples[param.type]}.`);
  }
  return good(toTime(param, range, context));
}

const examples = {
  month: '2026-10, or last month',
  week: '2026-W41, or last week',
  date: '2026-10-05, or yesterday',
} as const;

function toTime(param: Param, range: TimeRange, context: TimeContext): ParamValue {
  const [start, end] = writeRange(range, context.zone);
  const day = (text: string) => ({ value: text, text });
  const shown = show(param, range, context);
  const previous = show(param, previousRange(range, context.zone), context);
  return {
    param,
    ...shown,
    parts: { start: day(start), end: day(end), previous, iso: { value: shown.value, text: shown.text } },
  };
}

function show({ type }: Param, range: TimeRange, { zone, weekStart = 'monday' }: TimeContext): Filled {
  const local = toLocalEdge(range.start, zone);
  if (type === 'month')
    return { ...same(writeLocal(local).slice(0, 7)), words: format(new UTCDateMini(local), 'MMMM yyyy') };
  if (type === 'date') return same(writeDay(local));
  // Only weeks that start on Monday have a number.
  if (type === 'week' && weekStart === 'monday') return same(formatTime(writeLocal(local), 'week'));
  const text = formatComparison(`${writeLocal(local)} - ${writeLocal(toLocal(range.end - 1, zone))}`);
  return { value: writeRange(range, zone), text };
}

function same(text: string): Filled {
  return { value: text, text };
}

function invalid(message: string, hint: string): Outcome<never> {
  return badWith('invalid-param', message, { hint });
}

/**
 * The values of a notebook's parameters by name: the given ones, else the defaults. Returns all issues:
 * `unknown-param`, `missing-param`, and those of `readParamValue`. Issues of given values have the path `['--param',
 * name]`.
 */
export function readParamValues(
  params: readonly Param[],
  given: ReadonlyMap<string, string>,
  context: TimeContext,
): Outcome<ParamValues> {
  const issues: Issue[] = [];
  const names = params.map(({ name }) => name);
  for (const name of given.keys()) if (!names.includes(name)) issues.push(unknown(name, names));
  const values = new Map<string, ParamValue>();
  for (const param of params) {
    const named = given.get(param.name);
    const text = named ?? param.default;
    if (text === undefined) {
      issues.push(
        errorIssue('missing-param', `The parameter ${quote(param.name)} is missing.`, {
          path: ['params', param.name],
          hint: `Set it: --param ${param.name}=…`,
        }),
      );
      continue;
    }
    const read = readParamValue(param, text, context);
    const path = named === undefined ? ['params', param.name, 'default'] : ['--param', param.name];
    issues.push(...read.issues.map((issue) => ({ ...issue, path })));
    if (read.ok) values.set(param.name, read.value);
  }
  return settle(values, issues);
}

function unknown(name: string, names: readonly string[]): Issue {
  const all = names.length === 0 ? 'The report takes none.' : `Use one of ${names.join(', ')}.`;
  return errorIssue('unknown-param', `The report has no parameter ${quote(name)}.`, {
    path: ['--param', name],
    hint: didYouMean(name, names) ?? all,
  });
}

/** An arbitrary time: only the form of examples matters. */
const anyTime: TimeContext = { now: Date.UTC(2000, 0, 15, 12), zone: 'UTC' };

/**
 * Example values for every parameter, so that cells can be read before values are given. Issues are those of the
 * defaults.
 */
export function exampleParams(params: readonly Param[]): {
  readonly values: ParamValues;
  readonly issues: readonly Issue[];
} {
  const values = new Map<string, ParamValue>();
  const issues: Issue[] = [];
  for (const param of params) {
    const read = param.default === undefined ? undefined : readParamValue(param, param.default, anyTime);
    if (read) issues.push(...read.issues.map((issue) => ({ ...issue, path: ['params', param.name, 'default'] })));
    const example = read?.ok ? read : readParamValue(param, exampleOf(param), anyTime);
    if (example.ok) values.set(param.name, example.value);
  }
  return { values, issues };
}

/** The same parameters, each with a default. */
export function withExamples(params: readonly Param[]): readonly Param[] {
  return params.map((param) => (param.default === undefined ? { ...param, default: exampleOf(param) } : param));
}

function exampleOf({ type, options }: Param): string | number {
  return {
    month: '2000-01',
    week: '2000-W01',
    date: '2000-01-01',
    range: '2000-01',
    text: 'text',
    number: 1,
    choice: options?.[0] ?? '',
  }[type];
}

const whole = /^\s*\{\{([^{}]*)\}\}\s*$/;
const inside = /\\\{\{|\{\{([^{}]*)\}\}/g;

/**
 * Fills parameters into a cell's data. They replace texts of the parsed YAML, never its source, so a value cannot
 * become anything else. A text that is only a parameter becomes its value with its type; in longer texts the value is
 * text. `\{{` stays `{{`. Keys are unchanged. Issue: `unknown-param`, by path.
 */
export function fillParams(
  data: unknown,
  values: ParamValues,
): { readonly data: unknown; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const fill = (part: unknown, path: IssuePath): unknown => {
    if (typeof part === 'string') {
      const report = (issue: Issue) => issues.push({ ...issue, path });
      return path.length === 1 && forPeople.has(path[0])
        ? fillWords(part, values, report)
        : fillText(part, values, report);
    }
    if (Array.isArray(part)) return part.map((item: unknown, index) => fill(item, [...path, index]));
    if (part !== null && typeof part === 'object')
      return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fill(value, [...path, key])]));
    return part;
  };
  return { data: fill(data, []), issues };
}

/** Keys of cells whose texts only people read. */
const forPeople = new Set<unknown>(['title', 'description']);

/** Escapes data so that filling in parameters gives it back unchanged. */
export function escapeParams(data: unknown): unknown {
  if (typeof data === 'string') return data.replaceAll('{{', '\\{{');
  if (Array.isArray(data)) return data.map(escapeParams);
  if (data !== null && typeof data === 'object')
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, escapeParams(value)]));
  return data;
}

/** Fills the parameters of a text for people, such as a title. */
export function fillTitle(text: string, values: ParamValues): string {
  return fillWords(text, values, () => undefined);
}

/** Finds a parameter, or one of its parts: `month`, `month.start`. */
export function findParam(path: string, values: ParamValues): Filled | undefined {
  const [name = '', part, ...more] = path.trim().split('.');
  const found = values.get(name);
  if (!found || more.length > 0) return undefined;
  if (part === undefined) return found;
  return Object.hasOwn(found.parts, part) ? found.parts[part] : undefined;
}

/** Names of all parameters and their parts. */
function paramNames(values: ParamValues): readonly string[] {
  return [...values].flatMap(([name, { parts }]) => [name, ...Object.keys(parts).map((part) => `${name}.${part}`)]);
}

export function unknownParam(path: string, values: ParamValues): Issue {
  const names = paramNames(values);
  const all =
    names.length === 0 ? 'Add `params` to the front matter: it declares none.' : `Use one of ${names.join(', ')}.`;
  return errorIssue('unknown-param', `There is no parameter ${quote(path.trim())}.`, {
    hint: didYouMean(path.trim(), names) ?? all,
  });
}

function fillText(text: string, values: ParamValues, report: (issue: Issue) => void): unknown {
  const alone = whole.exec(text)?.[1];
  if (alone !== undefined) return find(alone, values, report)?.value ?? text;
  return fillInside(text, (path) => find(path, values, report)?.text);
}

function fillWords(text: string, values: ParamValues, report: (issue: Issue) => void): string {
  return fillInside(text, (path) => {
    const found = find(path, values, report);
    return found?.words ?? found?.text;
  });
}

function fillInside(text: string, textOf: (path: string) => string | undefined): string {
  return text.replace(inside, (written, path: string | undefined) =>
    path === undefined ? '{{' : (textOf(path) ?? written),
  );
}

function find(path: string, values: ParamValues, report: (issue: Issue) => void): Filled | undefined {
  const found = findParam(path, values);
  if (!found) report(unknownParam(path, values));
  return found;
}
