import { ConfigError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { type TimeFormat, timeFormats } from '../../../plan/mapping/mapping.ts';
import { bareDate } from '../../../plan/mapping/to-shape.ts';
import type { Engine } from '../engine/engine.ts';
import { quoteText } from '../engine/sql-text.ts';
import { acceptedTimes, hasClock, rounded, timeIn } from './time-formats.ts';

/** The values of one column as a SELECT of a column `value`. */
export interface TimeValues {
  /** Selects the values of the whole file. */
  readonly select: string;
  /** DuckDB's name of the type. */
  readonly type: string;
  readonly zone: string;
  /** For messages: `shop.csv: created_at`. */
  readonly place: string;
  /**
   * `head`: the first rows decide if they are unambiguous. The caller must then check that all rows fit, and otherwise
   * decide again with `whole`. `whole`: all formats are tried on every row.
   */
  readonly care: 'head' | 'whole';
}

/** The format of a column's times. */
interface DecidedTime {
  readonly format: TimeFormat;
  /** Whether none of the inspected values has a time of day. */
  readonly isDate: boolean;
}

const headRows = 1000;

const numberFormats: readonly TimeFormat[] = ['seconds', 'milliseconds', 'microseconds', 'nanoseconds'];

/** What numbers can be, in the order in which they are tried. */
const ofNumbers: readonly TimeFormat[] = ['iso', 'year-first', ...numberFormats, 'excel'];

/**
 * The time format of a column: the one that fits most of its values. undefined if it has no values. Errors:
 * `time-unreadable`, `time-order-ambiguous`; DuckDB's own if the file cannot be read.
 */
export async function decideTime(engine: Engine, values: TimeValues): Promise<DecidedTime | undefined> {
  if (/^TIMESTAMP|^DATE$/.test(values.type)) return { format: 'iso', isDate: values.type === 'DATE' };
  if (values.care === 'head') {
    const head = await count(engine, `${values.select} LIMIT ${headRows}`, values);
    const [only, ...others] = head.formats.filter(({ fitting }) => head.total > 0 && fitting === head.total);
    if (only && others.length === 0) return { format: only.format, isDate: head.dates === head.total };
  }
  const counts = await count(engine, values.select, values);
  const format = choose(counts, values);
  return format && { format, isDate: counts.dates === counts.total };
}

/** Whether none of these values has a time of day, in a declared format. */
export function holdsDates(format: TimeFormat, texts: readonly string[]): boolean {
  if (format.includes('%')) return !hasClock(format);
  if (numberFormats.includes(format)) return false;
  return texts.length > 0 && texts.every((text) => new RegExp(`^(${bareDate})$`).test(text));
}

const isThere = `CAST(value AS VARCHAR) <> ''`;

export const dottedDate = '^\\s*\\d{1,2}\\.\\d{1,2}\\.\\d{4}\\b';

function isCalendar(format: TimeFormat): boolean {
  return format === 'day-first' || format === 'month-first';
}

function readIn(format: TimeFormat, { type, zone }: TimeValues): string {
  return timeIn('value', type, { format, zone, isFound: true });
}

interface Counts {
  readonly total: number;
  readonly formats: readonly { readonly format: TimeFormat; readonly fitting: number }[];
  /**
   * Values that are dates only with the day first, only with the month first, and either way with different results.
   */
  readonly dayOnly: number;
  readonly monthOnly: number;
  readonly either: number;
  /** Values such as `1.3.2024`. */
  readonly dotted: number;
  /** Values without a time of day. */
  readonly dates: number;
  readonly example: string | undefined;
}

async function count(engine: Engine, select: string, values: TimeValues): Promise<Counts> {
  const isNumber = /INT|DOUBLE|FLOAT|DECIMAL/.test(values.type);
  const candidates = isNumber ? ofNumbers : timeFormats;
  const read = candidates.map((format, index) => `${readIn(format, { ...values, zone: 'UTC' })} AS f${index}`);
  const [day, month] = (['day-first', 'month-first'] as const).map((format) => {
    const index = (candidates as readonly TimeFormat[]).indexOf(format);
    return index < 0 ? 'NULL' : `f${index}`;
  });
  const [row] = await engine.rows(
    `SELECT count(*), ${candidates.map((_, index) => `count(f${index})`).join(', ')},
      count(*) FILTER (${day} IS NOT NULL AND ${month} IS NULL), count(*) FILTER (${day} IS NULL AND ${month} IS NOT NULL), count(*) FILTER (${day} <> ${month}),
      count(*) FILTER (regexp_matches(CAST(value AS VARCHAR), ${quoteText(dottedDate)})),
      count(*) FILTER (regexp_full_match(CAST(value AS VARCHAR), ${quoteText(bareDate)})),
      coalesce(min(CAST(value AS VARCHAR)) FILTER (${candidates.map((_, index) => `f${index} IS NULL`).join(' AND ')}), min(CAST(value AS VARCHAR)))
    FROM (SELECT value, ${read.join(', ')} FROM (${select}) WHERE ${isThere})`,
  );
  const [total, ...rest] = row!;
  const [dayOnly, monthOnly, either, dotted, dates, example] = rest.slice(candidates.length);
  return {
    total: Number(total),
    formats: candidates.map((format, index) => ({ format, fitting: Number(rest[index]) })),
    dayOnly: Number(dayOnly),
    monthOnly: Number(monthOnly),
    either: Number(either),
    dotted: Number(dotted),
    dates: Number(dates),
    example: example === null || example === undefined ? undefined : String(example),
  };
}

function choose(
  { total, formats, dayOnly, monthOnly, either, dotted, example }: Counts,
  { place }: TimeValues,
): TimeFormat | undefined {
  if (total === 0) return undefined;
  const best = formats.reduce((most, one) => (one.fitting > most.fitting ? one : most));
  if (best.fitting === 0)
    throw new ConfigError(`${place}: ${quote(example ?? '')} is not a valid time.`, {
      code: 'time-unreadable',
      hint: /^\s*\d{1,2}([./-])\d{1,2}\1\d\d\b/.test(example ?? '')
        ? 'Years of two digits do not tell the order of day, month and year. Declare it in sluice.yaml: ' +
          "`columns: {utcTime: {column: …, format: '%m/%d/%y %H:%M'}}`, or how your times are written."
        : new RegExp(rounded.replace('(?i)', ''), 'i').test(example ?? '')
          ? 'A program has rounded these numbers, such as a spreadsheet that opened the file. Export the file again.'
          : `Use one of ${acceptedTimes}. Declare another format as \`format:\` beside the column.`,
    });
  if (!isCalendar(best.format)) return best.format;
  if (dayOnly > 0 && monthOnly === 0) return 'day-first';
  if (monthOnly > 0 && dayOnly === 0) return 'month-first';
  if (either === 0 && dayOnly === 0) return best.format;
  // No country writes dates with dots and the month first.
  if (dotted === total && dayOnly === 0) return 'day-first';
  throw new ConfigError(
    dayOnly === 0
      ? `${place}: the order of day and month is ambiguous, because no day is above 12.`
      : `${place}: some dates have the day first and others the month.`,
    {
      code: 'time-order-ambiguous',
      hint: 'Declare it in sluice.yaml: `columns: {utcTime: {column: …, format: day-first}}`, or month-first.',
    },
  );
}
