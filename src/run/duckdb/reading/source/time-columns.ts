import type { Mapping, TimeFormat } from '../../../../plan/mapping/mapping.ts';
import { months, nullTexts, standsForNull } from '../../../../plan/mapping/to-shape.ts';
import { timePattern } from '../../../../plan/model/property-sql.ts';
import { textOf } from '../../engine/column-text.ts';
import type { Engine } from '../../engine/engine.ts';
import { quoteName, quoteText } from '../../engine/sql-text.ts';
import { formatOf } from '../../mapping/compile-mapping.ts';
import { dottedDate } from '../../mapping/decide-time.ts';
import { textFormats, timeIn } from '../../mapping/time-formats.ts';
import type { SourceColumn } from '../columns/event-columns.ts';
import type { NumberMarks, TimeColumn } from '../columns/recognition.ts';
import type { EventSource } from './event-source.ts';

interface TimedTable {
  readonly columns: readonly SourceColumn[];
  /** The relation with these columns. */
  readonly reader: string;
  readonly source: EventSource;
  /** Columns whose values fields take unchanged. */
  readonly consumed: readonly string[];
}

/** What times other than those of `timePattern` begin with. */
const begins = [
  String.raw`\s*\d{1,2}[./-]\d{1,2}[./-](19|20)\d\d\b`,
  String.raw`\s*(19|20)\d\d[./\x{5e74}-] ?\d{1,2}[./\x{6708}-] ?\d{1,2}`,
  String.raw`([a-z]{3,9}[.,]* )?\s*\d{1,2}(st|nd|rd|th)?[ /-](${months})[a-z]*\.?[ ,/-]`,
  String.raw`([a-z]{3,9}[.,]* )?\s*(${months})[a-z]*\.? +\d{1,2}(st|nd|rd|th)?,? `,
].join('|');

/** Dates that are not in ISO 8601, or a 12-hour clock. Japan's year is in UTF-8. */
const traces = new RegExp(
  String.raw`\d[./-]\d{1,2}[./-](?:19|20)\d\d|(?:19|20)\d\d[./] ?\d|\d(?:st|nd|rd|th)?[ /-](?:${months})|(?:${months})[a-z]*\.? +\d|` +
    String.raw`\d\xe5\xb9\xb4|:\d\d[^\d,;\t]{0,4}[ap]\.?m|:\d\d ?[a-z]{3,4}\b`,
  'i',
);

/** Whether a file may have times that are not in ISO 8601. `content`: its bytes, if they are known. */
export function mayHaveTimes(content: Uint8Array | undefined): boolean {
  // Without the zero bytes of UTF-16.
  return content === undefined || traces.test(Buffer.from(content).toString('latin1').replaceAll('\0', ''));
}

const headRows = 1000;

/**
 * The columns of a CSV file with times in a declared format, and those whose values are times in one format other than
 * ISO 8601. If dates can have the day or the month first, the order is that of the other times of the file; without
 * any, they stay text. Errors: DuckDB's own if the file cannot be read.
 */
export async function findTimes(
  engine: Engine,
  { reader, columns, consumed, source }: TimedTable,
  declared: Mapping['timeFormat'],
): Promise<{ readonly columns: readonly TimeColumn[]; readonly doubtful: NumberMarks['doubtful'] }> {
  const taken = new Set(consumed.map((name) => name.toLowerCase()));
  const all = columns
    .filter(({ name, mapped }) => mapped !== true && !taken.has(name.toLowerCase()))
    .map(({ name, reference = name, type }) => ({ name, text: textOf(quoteName(reference), type) }));
  const formatIn = (name: string) => (typeof declared === 'object' ? formatOf(declared, name) : undefined);
  const own = all.flatMap(({ name }) => {
    const format = formatIn(name);
    return format === undefined ? [] : [{ name, format }];
  });
  const open = all.filter(({ name }) => formatIn(name) === undefined);
  const ofEvents = formatsOfEvents(source);
  const formats = [...textFormats, ...ofEvents.filter((format) => format.includes('%'))];
  const judged = await judge(engine, reader, await withLikelyHead(engine, reader, open, formats));
  const orders = new Set([...ofEvents, ...[...own, ...judged].map(({ format }) => format)].flatMap(orderOf));
  const order = orders.size === 1 ? [...orders][0] : undefined;
  return {
    columns: [
      ...own,
      ...judged.flatMap(({ name, format, either }) => {
        const found = format ?? either.find((one) => orderOf(one)[0] === order);
        return found === undefined ? [] : [{ name, format: found }];
      }),
    ],
    doubtful: judged.flatMap(({ name, format, either, example }) =>
      either.length > 0 && format === undefined && order === undefined ? [{ column: name, example }] : [],
    ),
  };
}

/** The order of day and month of a format, if it has one. */
export function orderOf(format: TimeFormat | undefined): readonly ('day-first' | 'month-first')[] {
  if (format === 'day-first' || /^%d[./-]%m/.test(format ?? '')) return ['day-first'];
  return format === 'month-first' || /^%m[./-]%d/.test(format ?? '') ? ['month-first'] : [];
}

/** The formats in which the file has the time of its events. */
function formatsOfEvents({ mapped }: EventSource): readonly TimeFormat[] {
  const times = mapped?.fields.filter(({ type }) => type === 'time') ?? [];
  return times.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'value' ? [] : (part.format ?? []))));
}

interface Text {
  readonly name: string;
  readonly text: string;
}

const isValue = (text: string) =>
  `${text} <> '' AND NOT regexp_full_match(${text}, ${quoteText(`(?i)\\s*(${nullTexts})\\s*`)})`;
const isLikely = (text: string) => `regexp_matches(${text}, ${quoteText(`(?i)^(${begins})`)})`;

const likely = new RegExp(`^(?:${begins.replaceAll('\\x{', '\\u{')})`, 'iu');

/** Whether a text is no value, or a likely one. */
function mayBegin(text: string): boolean {
  return text.trim() === '' || standsForNull(text.trim()) || likely.test(text);
}

/** A column with the formats that its first values have. */
interface LikelyColumn extends Text {
  readonly example: string;
  readonly formats: readonly TimeFormat[];
}

/** The columns of which the first values are times, but not those that properties have anyway. */
async function withLikelyHead(
  engine: Engine,
  reader: string,
  columns: readonly Text[],
  formats: readonly TimeFormat[],
): Promise<readonly LikelyColumn[]> {
  if (columns.length === 0) return [];
  const head = `(SELECT * FROM ${reader} LIMIT ${headRows})`;
  // The least and the greatest value exclude most columns. Without this, the patterns of all columns of a wide file take
  // seconds.
  const ends = columns.map(({ text }) => `min(${text}), max(${text})`);
  const [values = []] = await engine.rows(`SELECT ${ends.join(', ')} FROM ${head}`);
  const possible = columns.filter((_, index) => {
    const [least, greatest] = values.slice(index * 2, index * 2 + 2).map(String);
    return values[index * 2] !== null && mayBegin(least!) && mayBegin(greatest!);
  });
  if (possible.length === 0) return [];
  const tests = possible.map(({ text }) => {
    const isUsual = `regexp_full_match(${text}, ${quoteText(timePattern())})`;
    return `bool_and(${isLikely(text)}) FILTER (${isValue(text)}) AND NOT bool_and(${isUsual}) FILTER (${isValue(text)})`;
  });
  const [are = []] = await engine.rows(`SELECT ${tests.join(', ')} FROM ${head}`);
  const timed = possible.filter((_, index) => are[index] === true);
  if (timed.length === 0) return [];
  const found = timed.map(({ text }) => {
    const all = formats.map((format) => `bool_and(${fits(text, format)}) FILTER (${isValue(text)})`);
    return `min(${text}) FILTER (${isValue(text)}), [${all.join(', ')}]`;
  });
  const [row = []] = await engine.rows(`SELECT ${found.join(', ')} FROM ${head}`);
  return timed.map((column, index) => {
    const fitting = toValues(row[index * 2 + 1]);
    return { ...column, example: String(row[index * 2]), formats: formats.filter((_, at) => fitting[at] === true) };
  });
}

function toValues(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : ((list as { readonly items?: readonly unknown[] } | null)?.items ?? []);
}

/** Patterns are read many times faster than named formats. */
function fits(text: string, format: TimeFormat): string {
  const reading = { format, zone: 'UTC', isFound: true, isUsual: true };
  return `${isLikely(text)} AND ${timeIn(text, 'VARCHAR', reading)} IS NOT NULL`;
}

interface Judged {
  readonly name: string;
  readonly example: string;
  /** The format that all values have; undefined if there is none, or two orders of day and month. */
  readonly format: TimeFormat | undefined;
  readonly either: readonly TimeFormat[];
}

async function judge(engine: Engine, reader: string, columns: readonly LikelyColumn[]): Promise<readonly Judged[]> {
  const count = async (formatsOf: (column: LikelyColumn) => readonly TimeFormat[]) => {
    const tests = columns.map((column) => {
      const { text } = column;
      const fitting = formatsOf(column).map((format) => `count(*) FILTER (${isValue(text)} AND ${fits(text, format)})`);
      const dotted = `count(*) FILTER (regexp_matches(${text}, ${quoteText(dottedDate)}))`;
      return `[${[`count(*) FILTER (${isValue(text)})`, dotted, ...fitting].join(', ')}]`;
    });
    const [row = []] = await engine.rows(`SELECT ${tests.join(', ')} FROM ${reader}`);
    return columns.map((column, index) => {
      const [filled = 0, dotted = 0, ...numbers] = toValues(row[index]).map(Number);
      const whole = formatsOf(column).filter((_, at) => filled > 0 && numbers[at] === filled);
      return { whole, isDotted: dotted === filled };
    });
  };
  const patternsOf = ({ example, formats }: LikelyColumn) => formats.flatMap((format) => patternLike(example, format));
  if (columns.length === 0) return [];
  const quick = await count(patternsOf);
  const isSlow = columns.map(({ formats }, index) => quick[index]!.whole.length < Math.min(formats.length, 1));
  const slow = isSlow.includes(true)
    ? await count((column) => (isSlow[columns.indexOf(column)] ? column.formats : []))
    : [];
  return columns.map(({ name, example }, index) => {
    const { whole, isDotted } = isSlow[index] ? slow[index]! : quick[index]!;
    const either = whole.flatMap(orderOf).length > 1 ? whole : [];
    // No country writes dates with dots and the month first.
    const dayFirst = isDotted ? either.find((format) => orderOf(format)[0] === 'day-first') : undefined;
    return { name, example, either, format: either.length > 0 ? dayFirst : whole[0] };
  });
}

/** The pattern of a text, if it is written in this format in one of the usual forms. */
function patternLike(example: string, format: TimeFormat): readonly TimeFormat[] {
  const [, date = '', clock = ''] = /^(.*?)((?:[ ,T]+\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?)?)$/i.exec(example) ?? [];
  const day = patternOfDate[format]?.(date);
  const isHalf = /m$/i.test(clock);
  const time = clock
    .replace(/\d{1,2}:\d\d/, isHalf ? '%I:%M' : '%H:%M')
    .replace(/:\d\d/, ':%S')
    .replace(/[ap]m$/i, '%p');
  const pattern = `${day}${time}`;
  return day !== undefined && /^[^\p{L}\p{N}]*(?:%\p{L}[^\p{L}\p{N}]*|T(?=%))+$/u.test(pattern)
    ? [pattern as TimeFormat]
    : [];
}

const inOrder = (order: string) => (date: string) => date.replace(/^\d{1,2}([./-])\d{1,2}\1\d{4}$/, order);

const patternOfDate: Partial<Readonly<Record<string, (date: string) => string>>> = {
  iso: (date) => date.replace(/^\d{4}([./-])\d{1,2}\1\d{1,2}$/, '%Y$1%m$1%d'),
  'year-first': (date) => date.replace(/^\d{4}([./-])\d{1,2}\1\d{1,2}$/, '%Y$1%m$1%d'),
  'day-first': inOrder('%d$1%m$1%Y'),
  'month-first': inOrder('%m$1%d$1%Y'),
  'month-name': (date) =>
    date
      .replace(/\d{4}/, '%Y')
      .replace(/(\d{1,2}.*\D)\d\d$/, '$1%y')
      .replace(/[a-z]{3,}/i, (name) => (name.length > 3 ? '%B' : '%b'))
      .replace(/\d{1,2}/, '%d'),
};
