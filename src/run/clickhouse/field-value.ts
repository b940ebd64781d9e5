import { ConfigError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { readJsonPath } from '../../plan/mapping/json-path.ts';
import type { Reading, SimpleSource, TimeFormat } from '../../plan/mapping/mapping.ts';
import type { EventField } from '../../plan/model/event-fields.ts';
import { instantType, quoteClickHouseText as quoted } from '../../plan/sql/clickhouse/dialect.ts';
import { clickHouseJsonText } from '../../plan/sql/clickhouse/property.ts';

/** A value of a row, by its SQL name. */
export interface RowValue {
  readonly reference: string;
  /** ClickHouse's name of the type. */
  readonly type: string;
}

/** A field's value from a column with one of the field's names. */
export function valueOfSpelling(field: EventField, spelling: string, value: RowValue): string {
  if (field.type === 'time') return timeOf(value, {});
  if (field.type === 'number') return numberOf(value);
  const text = renamed(textOf(value), namesOf(field));
  const bare = spelling.slice(spelling.lastIndexOf('.') + 1);
  if (field.values?.kind !== 'prepend' || !field.values.names.includes(bare)) return text;
  const front = quoted(field.values.text);
  return `if(${text} = '' OR startsWith(${text}, ${front}), ${text}, concat(${front}, ${text}))`;
}

/**
 * A field's value from its mapping; the first source with a value counts. `columnOf` returns a column by name, and
 * `expressionOf` an expression of the mapping. Error: `not-on-clickhouse` for a time format that ClickHouse cannot
 * read.
 */
export function valueOfSources(
  field: EventField,
  sources: readonly SimpleSource[],
  {
    columnOf,
    expressionOf,
  }: { readonly columnOf: (name: string) => RowValue; readonly expressionOf: (sql: string) => RowValue },
): string {
  const valueOf = (source: SimpleSource): string => {
    if (typeof source === 'string') return valueOf(source.startsWith('$.') ? { path: source } : { column: source });
    if ('value' in source) return asField(field, constant(source.value), {});
    if ('column' in source) return asField(field, columnOf(source.column), source);
    if ('sql' in source) return asField(field, expressionOf(source.sql), source);
    const { root, steps } = readJsonPath(source.path)!;
    const column = columnOf(root);
    return asField(field, steps.length === 0 ? column : { reference: pathIn(column, steps), type: textType }, source);
  };
  const values = sources.map(valueOf);
  const isText = field.type === 'text' || field.type === 'json';
  const held = values.map((value, at) => (isText && at < values.length - 1 ? `nullIf(${value}, '')` : value));
  return held.length === 1 ? held[0]! : `coalesce(${held.join(', ')})`;
}

const textType = 'Nullable(String)';

function asField(field: EventField, value: RowValue, reading: Reading): string {
  const read = reading.values ? { reference: renamed(textOf(value), reading.values), type: textType } : value;
  if (field.type === 'time') return timeOf(read, reading);
  return field.type === 'number' ? numberOf(read) : renamed(textOf(read), namesOf(field));
}

function constant(value: string | number | boolean | null): RowValue {
  return { reference: value === null ? `CAST(NULL AS ${textType})` : quoted(String(value)), type: textType };
}

/** Replacements for a field's values in another vocabulary. */
function namesOf({ values }: EventField): Readonly<Record<string, string>> {
  return values?.kind === 'rename' ? Object.fromEntries(values.pairs.map(({ from, to }) => [from, to])) : {};
}

function renamed(text: string, names: Readonly<Record<string, string | null>>): string {
  const cases = Object.entries(names).map(
    ([from, to]) => `WHEN ${text} = ${quoted(from)} THEN ${to === null ? 'NULL' : quoted(to)}`,
  );
  return cases.length === 0 ? text : `CASE ${cases.join(' ')} ELSE ${text} END`;
}

export function textOf({ reference, type }: RowValue): string {
  if (/^(?:LowCardinality\()?(?:Nullable\()?String\)*$/.test(type)) return reference;
  return `toString(${reference})`;
}

/** Types whose values have parts. */
export const nestedType = /^(?:JSON|Map|Tuple|Nested|Array|Object|Dynamic|Variant)\b/;

/** JSON text, also for nested values of ClickHouse. */
export function jsonTextOf(value: RowValue): string {
  return nestedType.test(value.type) ? `toJSONString(${value.reference})` : textOf(value);
}

function pathIn(value: RowValue, steps: readonly (string | number)[]): string {
  return clickHouseJsonText(`ifNull(${jsonTextOf(value)}, '')`, steps);
}

function numberOf({ reference, type }: RowValue): string {
  return /String/.test(type) ? `toFloat64OrNull(${reference})` : `toFloat64(${reference})`;
}

/** An instant. ClickHouse's own times are instants already; the zone only applies to times without one. */
function timeOf(value: RowValue, { format, timezone = 'UTC' }: Reading): string {
  const { reference, type } = value;
  if (type === instantType) return reference;
  if (/DateTime/.test(type)) return `toDateTime64(${reference}, 6, 'UTC')`;
  if (/Date/.test(type)) return `toTimeZone(toDateTime64(${reference}, 6, ${quoted(timezone)}), 'UTC')`;
  const number = numberIn(value);
  if (format !== undefined && format in digitsOf) return instantOfNumber(number, digitsOf[format]!, years);
  if (format !== undefined || /String/.test(type)) {
    const written = instantOfText(textOf(value), format ?? 'iso', timezone);
    return format === undefined
      ? `if(match(${reference}, '^[0-9]{9,19}([.][0-9]+)?$'), ${instantOfAny(number)}, ${written})`
      : written;
  }
  return instantOfAny(number);
}

const yearPattern = String.raw`(?:19|2[0-2])\d\d`;
const zonePattern = String.raw`(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)`;
const clockPattern = String.raw`(?:(?:[01]?\d|2[0-3]):?[0-5]\d(?::?[0-5]\d(?:\.\d+)?)?\s*${zonePattern}?|(?:0?[1-9]|1[0-2]):[0-5]\d(?::[0-5]\d)?\s*[AP]M)`;

/** Texts that ClickHouse's parser may read. It guesses at others, such as `03/01/2024`, `12:30` and `24-03-01`. */
const isoPattern = String.raw`(?i)^\s*${yearPattern}(?:[-/]\d\d?[-/]\d\d?|\d{4})(?:[T ]\s*${clockPattern})?\s*$`;
const rfc2822Pattern = String.raw`(?i)^\s*(?:[a-z]{3},\s*)?\d\d? [a-z]{3} ${yearPattern} \d\d:\d\d(?::\d\d)?\s*${zonePattern}\s*$`;

/** Each format's pattern, and the ISO date in the parts of its own. */
const textFormats: Readonly<Partial<Record<TimeFormat, { readonly pattern: string; readonly iso?: string }>>> = {
  iso: { pattern: isoPattern },
  rfc2822: { pattern: rfc2822Pattern },
  'day-first': { pattern: isoPattern, iso: String.raw`\3-\2-\1 ` },
  'month-first': { pattern: isoPattern, iso: String.raw`\3-\1-\2 ` },
};

function instantOfText(given: string, format: TimeFormat, timezone: string): string {
  const found = textFormats[format];
  if (found === undefined) throw unreadable(format);
  const date = quoted(String.raw`^\s*(\d\d?)[./-](\d\d?)[./-](\d{4})[T ,]*`);
  const text = found.iso === undefined ? given : `replaceRegexpOne(${given}, ${date}, ${quoted(found.iso)})`;
  return `if(match(${text}, ${quoted(found.pattern)}), toTimeZone(parseDateTime64BestEffortOrNull(trim(${text}), 6, ${quoted(timezone)}), 'UTC'), NULL)`;
}

interface SqlNumber {
  readonly number: string;
  readonly isWhole: boolean;
}

function numberIn(value: RowValue): SqlNumber {
  if (/Int\d/.test(value.type)) return { number: `accurateCastOrNull(${value.reference}, 'Int64')`, isWhole: true };
  const text = textOf(value);
  // The server computes excluded values as well. Longer numbers would overflow, and fail the statement.
  const isFitting = `match(${text}, '^-?[0-9]{1,20}([.][0-9]+)?$')`;
  return { number: `toDecimal128OrNull(if(${isFitting}, ${text}, ''), 9)`, isWhole: false };
}

/** Decimal digits of each unit within a second. */
const digitsOf: Readonly<Record<string, number>> = { seconds: 0, milliseconds: 3, microseconds: 6, nanoseconds: 9 };

/** Seconds from the first to the end of the last year of ClickHouse. */
const years = [Date.UTC(1900, 0, 1) / 1000, Date.UTC(2300, 0, 1) / 1000] as const;

/** The instant of a number of units since 1970; NULL outside of these seconds. */
function instantOfNumber(
  { number, isWhole }: SqlNumber,
  digits: number,
  [first, end]: readonly [number, number],
): string {
  const zeros = '0'.repeat(digits);
  const fitting = `if(${number} >= ${first}${zeros} AND ${number} < ${end}${zeros}, ${number}, NULL)`;
  const finer = isWhole ? `intDiv(${fitting}, 1000)` : `${fitting} / 1000`;
  const micros = digits > 6 ? finer : `${fitting} * ${10 ** (6 - digits)}`;
  return `fromUnixTimestamp64Micro(toInt64(toInt128(floor(${micros}))), 'UTC')`;
}

/** Between 1973 and 2286, the size of a number tells its unit. The embedded engine has the same rule. */
function instantOfAny(number: SqlNumber): string {
  return `coalesce(${Object.values(digitsOf)
    .map((digits) => instantOfNumber(number, digits, [1e8, 1e10]))
    .join(', ')})`;
}

function unreadable(format: TimeFormat): ConfigError {
  return new ConfigError(`ClickHouse cannot read times of the format ${quote(format)}.`, {
    code: 'not-on-clickhouse',
    hint: 'Use an expression of ClickHouse instead: `utcTime: {sql: "parseDateTime(at, \'%d/%m/%Y %H:%i\')"}`.',
  });
}
