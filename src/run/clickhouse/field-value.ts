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
  if (values.length === 1) return values[0]!;
  const held = field.type === 'text' || field.type === 'json' ? values.map((value) => `nullIf(${value}, '')`) : values;
  return `coalesce(${[...held.slice(0, -1), values.at(-1)!].join(', ')})`;
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

/** JSON text, also for nested values of ClickHouse. */
export function jsonTextOf(value: RowValue): string {
  const hasParts = /^(?:JSON|Map|Tuple|Array|Object|Dynamic|Variant)\b/.test(value.type);
  return hasParts ? `toJSONString(${value.reference})` : textOf(value);
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
  if (format !== undefined && format in digitsOf) return ticks(textOf(value), digitsOf[format]!);
  if (format === undefined && /Int/.test(type)) return timeOfNumber(`toInt64(${reference})`);
  const parse = parsers[format ?? 'iso'];
  if (parse === undefined) throw unreadable(format!);
  return `toTimeZone(${parse}(${textOf(value)}, 6, ${quoted(timezone)}), 'UTC')`;
}

/** Decimal digits of each unit within a second. */
const digitsOf: Readonly<Record<string, number>> = { seconds: 0, milliseconds: 3, microseconds: 6, nanoseconds: 9 };

const parsers: Readonly<Partial<Record<TimeFormat, string>>> = {
  iso: 'parseDateTime64BestEffortOrNull',
  rfc2822: 'parseDateTime64BestEffortOrNull',
  'day-first': 'parseDateTime64BestEffortOrNull',
  'month-first': 'parseDateTime64BestEffortUSOrNull',
};

/** The instant of a number since 1970 in a text, possibly with a fraction. */
function ticks(text: string, digits: number): string {
  const micros = `toDecimal128OrNull(toString(${text}), 9) * ${digits > 6 ? 1 : 10 ** (6 - digits)}${digits > 6 ? ` / ${10 ** (digits - 6)}` : ''}`;
  return `fromUnixTimestamp64Micro(toInt64(floor(${micros})), 'UTC')`;
}

/** Whole numbers since 1970. Their size distinguishes seconds (from 1973 on) from smaller units. */
function timeOfNumber(number: string): string {
  const units = [
    [11, `${number} * 1000000`],
    [14, `${number} * 1000`],
    [17, number],
    [20, `intDiv(${number}, 1000)`],
  ] as const;
  const cases = units.map(([digits, micros]) => `length(toString(abs(${number}))) <= ${digits}, ${micros}`);
  return `fromUnixTimestamp64Micro(multiIf(abs(${number}) < 100000000, NULL, ${cases.join(', ')}, NULL), 'UTC')`;
}

function unreadable(format: TimeFormat): ConfigError {
  return new ConfigError(`ClickHouse cannot read times of the format ${quote(format)}.`, {
    code: 'not-on-clickhouse',
    hint: 'Use an expression of ClickHouse instead: `utcTime: {sql: "parseDateTime(at, \'%d/%m/%Y %H:%i\')"}`.',
  });
}
