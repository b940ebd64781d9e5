import { compactTime, writtenZone } from '../../../ask/time/zone.ts';
import type { TimeFormat } from '../../../plan/mapping/mapping.ts';
import { localToUtc } from '../../../plan/sql/local-to-utc.ts';
import { quoteText } from '../engine/sql-text.ts';
import { instantOfText, rfcZones, withValue, withZoneNames } from '../engine/time-expression.ts';

/** How to read a time. */
interface TimeReading {
  readonly format: TimeFormat;
  /** The canonical zone for times without one. */
  readonly zone: string;
  /**
   * Whether the format was detected rather than declared. Detected numbers must be between 1973 and 2286, so that their
   * unit is unambiguous.
   */
  readonly isFound: boolean;
  /** ISO 8601 in its usual form alone: DuckDB takes long to plan the others, which the engine does not read itself. */
  readonly isUsual?: boolean;
  /** Whether numbers are wall time of the zone. */
  readonly localEpochs?: boolean;
}

/** For display, each with an example. */
export const acceptedTimes =
  'ISO 8601 (2024-03-08T10:00:00Z), 2024-03-08 10:00:00 UTC, 2024-03-08, seconds, milliseconds, microseconds or ' +
  'nanoseconds since 1970 (1709892000), RFC 2822 (Fri, 8 Mar 2024 10:00:00 +0000), 08/Mar/2024:10:00:00 +0000, ' +
  '31/12/2024 23:59, 2024.12.31 11:59 PM, Dec 31, 2024 11:59 PM, or a declared format such as "%d.%m.%Y %H:%M"';

/**
 * SQL for the instant (naive UTC TIMESTAMP) of a column's value; NULL if it is not a time. The format is ignored for
 * time columns.
 */
export function timeIn(
  value: string,
  type: string,
  { format, zone, isFound, isUsual, localEpochs = false }: TimeReading,
): string {
  if (/^TIMESTAMP WITH TIME ZONE|^TIMESTAMPTZ/.test(type)) return `CAST(${value} AS TIMESTAMP)`;
  if (/^TIMESTAMP|^DATE$/.test(type)) return localToUtc(`CAST(${value} AS TIMESTAMP)`, zone);
  const text = type === 'VARCHAR' ? value : `CAST(${value} AS VARCHAR)`;
  const power = powers[format];
  if (power !== undefined) {
    const instant = instantOfNumber(value, type, power, isFound);
    return localEpochs ? localToUtc(instant, zone) : instant;
  }
  if (format === 'iso') {
    const instant = instantOfText(text, isUsual ? undefined : extended);
    return zone === 'UTC' ? instant : zoned(instant, text, zone);
  }
  if (format === 'excel') return localToUtc(excelTime(text, isFound), zone);
  if (format === 'rfc2822') return rfc2822Time(text);
  if (format === 'apache')
    return `make_timestamp(epoch_us(try_strptime(trim(${text}, '[] '), '%d/%b/%Y:%H:%M:%S %z')))`;
  const plain = isoTexts[format]?.(text);
  if (plain !== undefined)
    return withValue(plain, 'dated', (dated) =>
      zone === 'UTC' ? clockTime(dated) : zoned(clockTime(dated), dated, zone),
    );
  const written = format.includes('%Z') ? withZoneNames(text) : text;
  const found = `make_timestamp(epoch_us(try_strptime(${written}, ${quoteText(format)})))`;
  return /%[zZ]/.test(format) ? found : localToUtc(found, zone);
}

/** The formats of texts that may be a property's times, in the order in which they are tried. */
export const textFormats = ['iso', 'year-first', 'month-name', 'day-first', 'month-first'] as const;

/**
 * SQL for a text with its time in ISO 8601, as properties have it: `9 Aug 2026 11:14 PM` as `2026-08-09 23:14:00`, dates
 * alone as dates, and times that name a zone in UTC. Other text is unchanged.
 */
export function isoTextIn(text: string, format: TimeFormat): string {
  const write = (at: string, form: string) => `strftime(${at}, ${quoteText(form)})`;
  const plain = (at: string) => `rtrim(rtrim(${write(at, '%Y-%m-%d %H:%M:%S.%f')}, '0'), '.')`;
  if (format.includes('%')) {
    const at = timeIn(text, 'VARCHAR', { format, zone: 'UTC', isFound: false });
    const written = !hasClock(format)
      ? write(at, '%Y-%m-%d')
      : /%[zZ]/.test(format)
        ? `${plain(at)} || 'Z'`
        : plain(at);
    return `coalesce(${written}, ${text})`;
  }
  const read = withValue(isoTexts[format]?.(text) ?? text, 'dated', (dated) =>
    withValue(
      clockTime(dated),
      'moment',
      (moment) => `CASE WHEN NOT contains(${dated}, ':') THEN ${write(moment, '%Y-%m-%d')}
        ELSE ${plain(moment)} || CASE WHEN regexp_matches(${dated}, ${quoteText(`(?i)${writtenZone}`)}) THEN 'Z' ELSE '' END END`,
    ),
  );
  return `coalesce(${read}, ${text})`;
}

/** Whether a pattern of strftime has a time of day. */
export function hasClock(pattern: string): boolean {
  return /%[HIMSfnpcXTsg]/.test(pattern);
}

/** Text with its date in ISO 8601, by formats that write dates otherwise. */
const isoTexts: Partial<Readonly<Record<string, (text: string) => string>>> = {
  'year-first': yearFirstText,
  'day-first': (text) => calendarText(text, '\\3-\\2-\\1'),
  'month-first': (text) => calendarText(text, '\\3-\\1-\\2'),
  'month-name': monthNameText,
};

/** Decimal digits of each unit within a second. */
const powers: Partial<Readonly<Record<string, number>>> = {
  seconds: 0,
  milliseconds: 3,
  microseconds: 6,
  nanoseconds: 9,
};

/** 1973 and 2286 in seconds. Between them, the unit of a number is unambiguous. */
const [least, most] = [1e8, 1e10];

/** `1.71045E+12`: spreadsheets write so few digits of a large number that its seconds are lost. */
export const rounded = '(?i)^\\d(\\.\\d{0,8})?e';

/** Reads whole numbers as integers. Decimals of 38 digits are exact too, but several hundred times slower. */
function instantOfNumber(value: string, type: string, power: number, isFound: boolean): string {
  const bounds = (isFound ? [least, most] : [-62_135_596_800, 253_402_300_800]).map(
    (bound) => `${bound}${'0'.repeat(power)}`,
  );
  const instant = (number: string, micros: string) =>
    `CASE WHEN ${number} >= ${bounds[0]!} AND ${number} < ${bounds[1]!} THEN make_timestamp(CAST(${micros} AS BIGINT)) END`;
  const microsOf = (number: string) => {
    if (power === 6) return number;
    return power < 6 ? `${number} * ${10 ** (6 - power)}` : `${number} / 1000`;
  };
  if (/^(DOUBLE|FLOAT|REAL)$/.test(type)) return instant(value, `round(${microsOf(value)})`);
  const ofWhole = (number: string) => instant(number, power === 9 ? `${number} // 1000` : microsOf(number));
  const ofExact = (text: string) => {
    const number = `TRY_CAST(${text} AS DECIMAL(38, 9))`;
    return instant(number, power === 9 ? `TRY_CAST(${text} AS HUGEINT) // 1000` : `floor(${microsOf(number)})`);
  };
  if (/^U?(TINYINT|SMALLINT|INTEGER|BIGINT)$/.test(type))
    return ofWhole(type === 'BIGINT' ? value : `TRY_CAST(${value} AS BIGINT)`);
  if (type !== 'VARCHAR') return ofExact(value);
  const whole = `TRY_CAST(${value} AS BIGINT)`;
  const isWhole = `CAST(${whole} AS VARCHAR) = ${value}`;
  const isRounded = isFound ? `regexp_matches(${value}, ${quoteText(rounded)})` : 'false';
  // Keep the guards inside: DuckDB extracts repeated expressions from the branch.
  if (power >= 6)
    return `CASE WHEN ${isWhole} THEN ${ofWhole(whole)} ELSE ${ofExact(`CASE WHEN ${isWhole} THEN NULL WHEN ${isRounded} THEN NULL ELSE ${value} END`)} END`;
  const isShort = `regexp_full_match(${value}, '-?\\d{1,${12 + power}}\\.\\d{1,${6 - power}}')`;
  const short = `TRY_CAST(CASE WHEN ${isWhole} THEN NULL WHEN ${isShort} THEN ${value} END AS DECIMAL(18, ${6 - power}))`;
  // Split the number, because the product does not fit in 18 digits.
  const shortMicros = `${microsOf(`CAST(floor(${short}) AS BIGINT)`)} + CAST(${microsOf(`(${short} - floor(${short}))`)} AS BIGINT)`;
  const long = `CASE WHEN ${isWhole} THEN NULL WHEN ${isShort} THEN NULL WHEN ${isRounded} THEN NULL ELSE ${value} END`;
  return `CASE WHEN ${isWhole} THEN ${ofWhole(whole)} WHEN ${isShort} THEN ${instant(short, shortMicros)} ELSE ${ofExact(long)} END`;
}

/** A time without a zone is wall time in `zone`. */
function zoned(instant: string, text: string, zone: string): string {
  const isBare = `regexp_full_match(${text}, '\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?')`;
  const isZoned = `CASE WHEN ${isBare} THEN false ELSE regexp_matches(${text}, ${quoteText(`(?i)${writtenZone}`)}) END`;
  return withValue(
    instant,
    'instant',
    (read) => `CASE WHEN ${isZoned} THEN ${read} ELSE ${localToUtc(read, zone)} END`,
  );
}

/** `20240308t1000z`, `2024-03-08 10:00:00 +0000`, `2024-W10-5`, `2024-068T10` as `2024-03-08 10:00:00Z`. */
function extended(text: string): string {
  const upper = `replace(upper(trim(${text})), ',', '.')`;
  const day = withValue(`regexp_extract(${upper}, '^([0-9W-]+)', 1)`, 'date', dayOf);
  const clock = `regexp_replace(regexp_extract(${upper}, '^[0-9W-]+[T ](.*)$', 1), ' +([+-]\\d)', '\\1')`;
  // Go writes the offset and the name of the zone, which is an offset by now.
  const single = `regexp_replace(${clock}, '([+-]\\d\\d:?\\d\\d)[+-]\\d\\d$', '\\1')`;
  const colons = `regexp_replace(regexp_replace(regexp_replace(regexp_replace(${single},
    '^(\\d\\d)(\\d\\d)(\\d\\d)', '\\1:\\2:\\3'), '^(\\d\\d)(\\d\\d)', '\\1:\\2'),
    '^(\\d\\d)($|[^0-9:])', '\\1:00\\2'),
    '^(\\d\\d:\\d\\d)($|[^0-9:])', '\\1:00\\2')`;
  return `rtrim(strftime(${day}, '%Y-%m-%d') || ' ' || ${colons})`;
}

/** The day of an ISO date: of a month, a week or a year. */
function dayOf(date: string): string {
  const digits = `replace(${date}, '-', '')`;
  return `CASE WHEN regexp_full_match(${date}, '\\d{4}-\\d\\d-\\d\\d|\\d{8}') THEN try_strptime(${digits}, '%Y%m%d')
    WHEN regexp_full_match(${date}, '\\d{4}-W\\d\\d-[1-7]|\\d{4}W\\d\\d[1-7]') THEN try_strptime(${digits}, '%GW%V%u')
    WHEN regexp_full_match(${date}, '\\d{4}-?W\\d\\d') THEN try_strptime(${digits} || '1', '%GW%V%u')
    WHEN regexp_full_match(${date}, '\\d{4}-?\\d{3}') THEN try_strptime(${digits}, '%Y%j') END`;
}

/** `Fri, 08 Mar 2024 10:00:00 +0100`: weekday, seconds and a trailing comment are optional. */
function rfc2822Time(text: string): string {
  const bare = `regexp_replace(regexp_replace(trim(${text}), '\\s*\\([^)]*\\)$', ''), '^[A-Za-z]{3},\\s*', '')`;
  const utc = `regexp_replace(${bare}, '(?i)\\s(UTC|UT|GMT|Z)$', ' +0000')`;
  const offset = Object.entries(rfcZones).reduce(
    (so, [zone, hours]) => `regexp_replace(${so}, '(?i)\\s${zone}$', ' -0${-hours}00')`,
    utc,
  );
  const usual = `try_strptime(${text}, ['%a, %d %b %Y %H:%M:%S %z', '%a, %d %b %Y %H:%M:%S GMT'])`;
  return `make_timestamp(epoch_us(coalesce(${usual}, try_strptime(${offset}, ['%d %b %Y %H:%M:%S %z', '%d %b %Y %H:%M %z']))))`;
}

/** `8/3/2024 10:00` with the date parts in the given order; NULL for anything else. */
function calendarText(text: string, order: string): string {
  const pattern = `^\\s*(\\d{1,2})[./-](\\d{1,2})[./-](\\d{4})(?:[T ,]+(\\d.*))?$`;
  return `CASE WHEN regexp_matches(${text}, '${pattern}') THEN rtrim(regexp_replace(${text}, '${pattern}', '${order} \\4')) END`;
}

/** With the year first, but not in ISO 8601. Korea writes `2024. 3. 8.`, Japan `2024年3月8日`. */
function yearFirstText(text: string): string {
  const date = '^\\s*(\\d{4})(?:[./-]|年) ?(\\d{1,2})(?:[./-]|月) ?(\\d{1,2})[.日]?(?:[T ,]+(\\d.*))?$';
  const other = '(?i)^\\s*\\d{4}[.年]|[ap]\\.?[^a-z0-9]?m\\.?\\s*$';
  const digits = '(\\d{4})(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(\\d{3})';
  return `CASE WHEN regexp_full_match(${text}, '${compactTime}') THEN regexp_replace(rpad(${text}, 17, '0'), '${digits}', '\\1-\\2-\\3 \\4:\\5:\\6.\\7')
    WHEN regexp_matches(${text}, '${other}') AND regexp_matches(${text}, '${date}') THEN rtrim(regexp_replace(${text}, '${date}', '\\1-\\2-\\3 \\4')) END`;
}

/** Days since the end of 1899, the time of day as their fraction. */
function excelTime(text: string, isFound: boolean): string {
  const days = `TRY_CAST(replace(${text}, ',', '.') AS DOUBLE)`;
  const [from, to] = isFound ? recentSerials : [1, 2_958_466];
  return `CASE WHEN ${days} >= ${from} AND ${days} < ${to} THEN TIMESTAMP '1899-12-30' + to_milliseconds(round(${days} * 86400000)) END`;
}

/** 1990 and 2040. Other numbers are more likely numbers of something else. */
const recentSerials = [32_874, 51_136] as const;

/** What people and programs write around the parts of a date with a month's name, and what remains of it. */
const monthNameForms: readonly (readonly [pattern: string, replacement: string])[] = [
  ['[\\x{A0}\\x{202F}]', ' '],
  ['^\\s*(mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]*\\s+', ''],
  ['\\s*\\([^)]*\\)\\s*$', ''],
  ['[,@]|\\sat\\s', ' '],
  ['^\\s*(\\d{1,2})[-/]([a-z]{3,9})[-/](\\d{2,4})\\b', '\\1 \\2 \\3'],
  ['\\b(\\d{1,2})(st|nd|rd|th)\\b', '\\1'],
  ['\\b([a-z]{3,4})\\.', '\\1'],
  ['\\bsept\\b', 'sep'],
  ['\\s+', ' '],
  // `Fri Mar 8 10:00:00 UTC 2024`, as C and the command `date` write it, `+0000 2024` and, by git, `2024 +0000`.
  ['^ ?([a-z]+ \\d{1,2}) (\\d{1,2}:\\S+)( [a-z]{1,4}| [+-]\\d{4})? (\\d{4})( [+-]\\d{4})? ?$', '\\1 \\4 \\2\\3\\5'],
  [' ?(gmt|utc)?([+-]\\d\\d):?(\\d\\d) ?$', '\\2:\\3'],
  ['(\\d) ?([ap])\\.?m\\.? ?$', '\\1 \\2m'],
  // As Oracle writes the time of day.
  [' (\\d\\d)\\.(\\d\\d)\\.(\\d\\d)', ' \\1:\\2:\\3'],
];

/**
 * `Mar 8, 2024 @ 10:00`, `8-Mar-24 9:30 PM`, `08/Mar/24 9:30 PM` or `Fri Mar 08 2024 10:00:00 GMT+0100 (CET)` with an
 * ISO date; NULL for anything else.
 */
function monthNameText(text: string): string {
  const clean = monthNameForms.reduce(
    (so, [pattern, replacement]) => `regexp_replace(${so}, '${pattern}', '${replacement}', 'gi')`,
    text,
  );
  const parts = '^ ?([A-Za-z]+ \\d{1,2}|\\d{1,2} [A-Za-z]+) (\\d{4}|\\d\\d)( .*)?$';
  return withValue(clean, 'written', (written) => {
    const part = (index: number) => `regexp_extract(${written}, '${parts}', ${index})`;
    const day = `CASE WHEN length(${part(2)}) = 4
    THEN try_strptime(${part(1)} || ' ' || ${part(2)}, ['%b %d %Y', '%B %d %Y', '%d %b %Y', '%d %B %Y'])
    ELSE try_strptime(${part(1)} || ' ' || ${part(2)}, '%d %b %y') END`;
    return `strftime(${day}, '%Y-%m-%d') || rtrim(${part(3)})`;
  });
}

/** Calendar dates with a 24-hour or 12-hour clock. */
function clockTime(text: string): string {
  // `9:30 p. m.`, also with narrow spaces, as browsers write it.
  const half = `regexp_replace(upper(${text}), '[\\s\\x{A0}\\x{202F}]*([AP])\\.?[\\s\\x{A0}\\x{202F}]?M\\.?\\s*$', ' \\1M')`;
  const forms = ['%I:%M:%S %p', '%I:%M %p', '%I:%M:%S.%f %p'].map((form) => `'%Y-%m-%d ${form}'`);
  return `coalesce(${instantOfText(text)}, try_strptime(${half}, [${forms.join(', ')}]))`;
}
