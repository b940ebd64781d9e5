import { compactTime } from '../../ask/time/zone.ts';
import { readJsonPath } from './json-path.ts';
import type { FileShape, ShapeColumn, ShapeType } from './preset.ts';
import { readJson } from '../../ask/document/parse-exactly.ts';

const mostExamples = 20;

/**
 * The shape of a file, from some of its rows with JSON values. `names`: further columns, which may be missing in all
 * rows.
 */
export function toShape(
  kind: FileShape['kind'],
  rows: readonly Readonly<Record<string, unknown>>[],
  names: readonly string[] = [],
): FileShape {
  const all = [...new Set([...names, ...rows.flatMap((row) => Object.keys(row))])];
  const textIn = (columnOrPath: string) => {
    const path = columnOrPath.startsWith('$.') ? readJsonPath(columnOrPath) : undefined;
    return (row: Readonly<Record<string, unknown>>) => {
      const value = path ? valueAt(row[path.root], path.steps) : row[columnOrPath];
      return isThere(value) && !standsForNull(toText(value)) ? toText(value) : undefined;
    };
  };
  return {
    kind,
    columns: all.map((name) =>
      toColumn(
        name,
        rows.map((row) => row[name]),
      ),
    ),
    has: (columnOrPath) => {
      const path = columnOrPath.startsWith('$.') ? readJsonPath(columnOrPath) : undefined;
      return path ? rows.some((row) => isThere(valueAt(row[path.root], path.steps))) : all.includes(columnOrPath);
    },
    countsBeside: (columnOrPath, others) => {
      const valueOf = textIn(columnOrPath);
      const othersOf = others.map(textIn);
      const beside = new Map<string, Set<string>>();
      for (const row of rows) {
        const value = valueOf(row);
        const other = othersOf.map((of) => of(row)).find((text) => text !== undefined);
        if (value === undefined || other === undefined) continue;
        beside.set(value, (beside.get(value) ?? new Set()).add(other));
      }
      return [...beside.values()].map(({ size }) => size);
    },
  };
}

/** A column's shape from its values; null and empty text do not count as values. */
export function toColumn(name: string, all: readonly unknown[]): ShapeColumn {
  const values = all.filter(isThere);
  const texts = new Set(values.map(toText));
  const types = new Set(values.map(typeOf));
  const areTexts = values.every((value) => typeof value === 'string') && !types.has('time');
  return {
    name,
    type: types.size === 0 ? 'empty' : types.size === 1 ? [...types][0]! : areTexts ? 'text' : 'mixed',
    filled: all.length === 0 ? 0 : values.length / all.length,
    distinct: texts.size,
    isUnique: values.length > 0 && texts.size === values.length,
    repeated: values.length === 0 ? 0 : 1 - texts.size / values.length,
    examples: [...texts].filter((text, index) => index < mostExamples || standsForNull(text)),
  };
}

/** The value at the end of the steps. Text that contains JSON is parsed. */
function valueAt(start: unknown, steps: readonly (string | number)[]): unknown {
  let value = start;
  for (const step of steps) {
    if (typeof value === 'string') value = readJson(value);
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[step];
  }
  return value;
}

/** A pattern of texts that stand for a missing value, as programs write them by mistake. */
export const nullTexts = String.raw`-|null|none|nil|undefined|nan|n/a|\(null\)|\(none\)|\(not set\)|<null>`;

const nullText = new RegExp(`^(${nullTexts})$`, 'i');

export function standsForNull(text: string): boolean {
  return nullText.test(text);
}

function isThere(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function typeOf(value: unknown): ShapeType {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  const text = String(value);
  // `007` is an ID.
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return 'number';
  if (/^(true|false)$/i.test(text)) return 'boolean';
  return looksLikeTime(text) ? 'time' : 'text';
}

/** A pattern of dates without a time of day. */
export const bareDate = [
  '\\d{4}[-/]\\d{1,2}[-/]\\d{1,2}',
  '\\d{4}\\. ?\\d{1,2}\\. ?\\d{1,2}\\.?',
  '\\d{4}年 ?\\d{1,2}月 ?\\d{1,2}日',
  '\\d{5}',
  '\\d{8}',
  '\\d{4}-?W\\d\\d(-?\\d)?',
  '\\d{4}-\\d{3}',
  '\\d{1,2}[./-]\\d{1,2}[./-]\\d{4}',
  '[A-Za-z]{3,9}\\.? \\d{1,2},? \\d{4}',
  '\\d{1,2}[ /-][A-Za-z]{3,9}[ /-](\\d{4}|\\d\\d)',
].join('|');

/** A pattern of how the names of months begin. */
export const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';

const month = `(?:${months})[a-z]*\\.?`;
const weekday = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]* +)?';

const times = [
  /^\d{4}-\d\d-\d\d([T ]\d\d(:?\d\d|Z|[+-]|$)|$)/i,
  /^\d{4}-?W\d\d-?[1-7]([T ]\d\d|$)/i,
  /^\d{4}-?\d{3}T\d\d/i,
  /^\d{1,2}\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d/,
  new RegExp(`^${weekday}\\d{1,2}(?:st|nd|rd|th)?[ /-]${month}[ /-](?:\\d{4}|\\d\\d)\\b`, 'i'),
  new RegExp(`^${weekday}${month} +\\d{1,2}(?:st|nd|rd|th)?,? (?:\\d{4}\\b|\\d{1,2}:\\d\\d)`, 'i'),
  /^\d{1,2}[./-]\d{1,2}[./-]\d{4}\b/,
  /^\d{4}\/\d\d\/\d\d\b/,
  /^(?:19|20)\d\d(?:\. ?\d{1,2}\. ?|年 ?\d{1,2}月 ?)\d{1,2}(?![\d])/,
  new RegExp(`^${compactTime}$`),
  /^\d{8}T\d{4}/i,
];

/** True if a text matches a time format, or a number counts seconds to nanoseconds since 1970 until a recent time. */
export function looksLikeTime(text: string): boolean {
  const number = /^(?<seconds>\d{9,10}?)(?:\d{3}){0,3}(?:\.\d+)?$/.exec(text);
  if (number) return isRecent(Number(number.groups!['seconds']));
  return times.some((form) => form.test(text));
}

/** Whether a text is a recent date as spreadsheets count it, in days. Its fraction is the time of day. */
export function looksLikeSerial(text: string): boolean {
  return /^\d{5}(?:[.,]\d+)?$/.test(text) && isRecent((Number(text.slice(0, 5)) - serialOf1970) * 86_400);
}

/** 1 January 1970 in the days of spreadsheets. */
const serialOf1970 = 25_569;

/** Smaller and larger numbers are more likely numbers of users, orders or goods. */
function isRecent(seconds: number): boolean {
  return seconds >= Date.UTC(1990, 0) / 1000 && seconds < Date.UTC(2040, 0) / 1000;
}
