import { writeLocal } from '../../../ask/time/local-time.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import type { AggregateType, CubeSource, Dimension, DimensionType, Measure } from '../../model/model.ts';
import { type Dialect, eventNumber, listOf, lowerTable, readFrom } from '../dialect.ts';
import type { ListSource } from '../../list-conditions.ts';
import { propertyText } from '../../model/property-sql.ts';
import { allOf, boundText, type Expression, joined, name, type Parameter, sql, trusted } from '../expression.ts';
import { openBuckets, type TimeWords } from '../time-buckets.ts';
import { invariant } from '../../../ask/invariant.ts';
import { whereProject } from '../of-project.ts';
import { exactSum } from './exact-sum.ts';
import { lowerSessions, lowerUsers } from './sources.ts';

/** The type of all instants and wall times: microseconds, as in the embedded engine. */
export const instantType = "DateTime64(6, 'UTC')";

/** The range of times that ClickHouse supports. */
const [firstInstant, lastInstant] = [Date.UTC(1900, 0, 1), Date.UTC(2299, 11, 31, 23, 59, 59, 999)];

/** Writes an instant for ClickHouse. No event can lie outside its supported range, so instants are clamped to it. */
function writeClickHouseInstant(instant: number): string {
  return writeLocal(Math.min(Math.max(instant, firstInstant), lastInstant)).replace('T', ' ');
}

export function quoteClickHouseText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** ClickHouse reads a dot in a column name as access to a part of the column, so dots are replaced. */
function quoteClickHouseName(text: string): string {
  return `"${text.replaceAll('.', '·').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

const microsecond = 1000;

/** Integers of microseconds, so that buckets depend neither on server settings nor on the year. */
const timeWords: TimeWords = {
  timestamp: (instant) => trusted(`toDateTime64('${writeClickHouseInstant(instant)}', 6, 'UTC')`),
  later: (time, length) => (length === 0 ? time : sql`(${time} + toIntervalMillisecond(${trusted(`${length}`)}))`),
  laterByDays: (time, days) => sql`addDays(${time}, ${trusted(`${days}`)})`,
  trunc(unit, time) {
    const months = monthsOf[unit];
    if (months !== undefined) return timeWords.everyMonths(months, time, 0);
    const length = lengthsOf[unit];
    invariant(length, `${unit} has a length`);
    return timeWords.everyLength(length, time, unit === 'week' ? monday : 0);
  },
  // A large literal is unsigned and would make times before 1970 unsigned too, so cast it.
  everyLength: (length, time, origin) =>
    sql`(${time} - toIntervalMicrosecond(positiveModulo(${micros(time)} - ${trusted(`${origin}000`)}, ${trusted(`toInt64(${length * microsecond})`)})))`,
  everyMonths(months, time, origin) {
    // The local time may be a long expression, so use it only once.
    if (months === 1) return startOfMonth(time);
    const first = new Date(origin);
    const place = sql`positiveModulo(${monthNumber(time)} - ${trusted(`${first.getUTCFullYear() * 12 + first.getUTCMonth()}`)}, ${trusted(`${months}`)})`;
    return sql`addMonths(${startOfMonth(time)}, -(${place}))`;
  },
  lengthsSince: (origin, time, length) =>
    sql`toInt64(floor((intDiv(${micros(time)} - positiveModulo(${micros(time)}, 1000), 1000) - ${trusted(`${origin}`)}) / ${trusted(`toFloat64(${length})`)}))`,
  stepsAfter: (origin, places, { months, length }) =>
    sql`(addMonths(${timeWords.timestamp(origin)}, ${places} * ${trusted(`${months}`)}) + toIntervalMillisecond(${trusted(`${length}`)} * ${places}))`,
  plusPlaces: (places, count) => sql`(${places} + ${trusted(`(${count})`)})`,
  once: (value, use) => sql`arrayMap(bound -> ${use(trusted('bound'))}, [${value}])[1]`,
  latest: (one, other) => sql`greatest(${one}, ${other})`,
};

const monday = Date.UTC(1970, 0, 5);
const lengthsOf: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const monthsOf: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

function micros(time: Expression): Expression {
  return sql`toUnixTimestamp64Micro(${time})`;
}

function monthNumber(time: Expression): Expression {
  return sql`(toInt32(toYear(${time})) * 12 + toMonth(${time}) - 1)`;
}

function startOfMonth(time: Expression): Expression {
  return sql`toDateTime64(makeDate32(toYear(${time}), toMonth(${time}), 1), 6, 'UTC')`;
}

const { toBucket, toLocalTime } = openBuckets(timeWords);

const aggregateNames: Readonly<Record<AggregateType, string>> = {
  count: 'count',
  count_distinct: 'uniqExact',
  count_distinct_approx: 'uniq',
  // A sum over no rows must be null.
  sum: 'sumOrNull',
  avg: 'avgOrNull',
  min: 'minOrNull',
  max: 'maxOrNull',
};

/**
 * ClickHouse's SQL over the relation `events`. The sender adds that relation and the functions it calls; see
 * `withClickHouseFunctions`.
 */
export const clickHouse: Dialect = {
  name: 'clickhouse',
  quoteName: quoteClickHouseName,
  placeholder: (position, parameter) => `{p${position}:${typeOf(parameter)}}`,
  toInstant(time, zone = 'UTC') {
    if (zone === 'UTC' && isInstant(time)) return time;
    const instant = sql`toDateTime64(${time}, 6, 'UTC')`;
    if (zone === 'UTC') return instant;
    // The type is known when ClickHouse plans the statement.
    return sql`if(match(toTypeName(${time}), '^(Nullable.)?Date(32)?.?$'), ${dayIn(time, zone)}, ${instant})`;
  },
  openTimeOfText: (zone) => trusted(`time_of_text(${quoteClickHouseText(zone)}, `),
  toBucket,
  toLocalTime,
  partOf: (local, part) => sql`toInt64(${trusted(part === 'hour' ? 'toHour' : 'toDayOfWeek')}(${local}))`,
  addUnits: (day, { months, days }) => sql`addDays(addMonths(${day}, ${trusted(`${months}`)}), ${trusted(`${days}`)})`,
  toText,
  textOfAny: (value) =>
    sql`if(match(toTypeName(${value}), 'Float'), transform(toString(${value}), ['nan', 'inf', '-inf'], ['NaN', 'Infinity', '-Infinity'], toString(${value})), toString(${value}))`,
  // ClickHouse's own ILIKE sometimes ignores case only for ASCII letters. The text may be an Enum.
  like: (text, pattern) => sql`lowerUTF8(toString(${text})) LIKE lowerUTF8(${pattern})`,
  // Without flags, a dot is also a line break here.
  matches: (text, pattern) => sql`match(toString(${text}), concat('(?i-s)', ${pattern}))`,
  aggregate: ({ type }, value, conditions) => {
    const call = sql`${trusted(aggregateNames[type])}(${value ?? trusted('*')})`;
    return conditions.length === 0 ? call : sql`${call} FILTER (WHERE ${allOf(conditions)})`;
  },
  countRows: (conditions) => sql`count() FILTER (WHERE ${allOf(conditions)})`,
  isSize: undefined,
  same: (left, right) => sql`${left} IS NOT DISTINCT FROM ${right}`,
  joinsRanges: false,
  timestamp: timeWords.timestamp,
  numbers: (first, end, alias, column) =>
    trusted(`(SELECT toInt64(number) AS ${column} FROM numbers(${first}, ${end - first})) AS ${alias}`),
  list: (values) => (values.length > mostParameters ? oneParameter(values) : listOf(values)),
  texts: (values, column) =>
    sql`SELECT arrayJoin(JSONExtract(${trusted(quoteClickHouseText(JSON.stringify(values)))}, 'Array(String)')) AS ${name(column)}`,
  leastRow: (values) => sql`min(tuple(${joined(values, ', ')}))`,
  leastValue: (row, index) => sql`${row}.${trusted(String(index + 1))}`,
  lowerSource: lowerClickHouseSource,
  eachOf: (list, source, alias) =>
    sql`(SELECT *, ${name(alias)} FROM ${source} AS ${name(list.of)} LEFT ARRAY JOIN ${valuesOf(list)} AS ${name(alias)})`,
  someValue: (list, alias, condition) => {
    const rows = sql`arrayMap(l -> if(empty(l), [${asRow('NULL')}], l), [${valuesOf(list)}])[1]`;
    return sql`arrayExists(${name(alias)} -> ifNull(${condition}, 0), ${rows})`;
  },
};

/** Whether a value is a list is decided as in `listValues`. */
function valuesOf({ of, keys }: ListSource): Expression {
  const json = "ifNull(v, '')";
  const isJson = (begin: string) => `startsWith(${json}, '${begin}') AND isValidJSON(${json})`;
  const list = `multiIf(v IS NULL, emptyArrayString(), ${isJson('[')}, JSONExtractArrayRaw(${json}), [if(${isJson('{')}, ${json}, toJSONString(${json}))])`;
  const values = sql`arrayMap(v -> ${trusted(list)}, [${readFrom(of, propertyText(keys))}])[1]`;
  return sql`arrayMap(v -> ${asRow('v')}, ${values})`;
}

function asRow(value: string): Expression {
  return trusted(`CAST(tuple(${value}), 'Tuple(value Nullable(String))')`);
}

/** With more parameters the server is slow, and it rejects very many. */
const mostParameters = 100;

/** Puts all values, which have one type, into one parameter: a JSON list in which numbers are text. */
function oneParameter(values: readonly Parameter[]): Expression {
  const json = boundText(JSON.stringify(values.map(({ value }) => String(value))));
  const texts = sql`arrayJoin(JSONExtract(${json}, 'Array(String)'))`;
  const types = new Set(values.map(typeOf));
  if (types.has('String')) return sql`(SELECT ${texts})`;
  const type = types.size > 1 ? 'Int256' : [...types][0]!;
  return sql`(SELECT CAST(${texts} AS ${trusted(type)}))`;
}

/** Writes text like the embedded engine: `2`, `true`, times without trailing zeros. */
function toText(value: Expression, type?: DimensionType): Expression {
  const text = sql`toString(${value})`;
  if (type === 'number') return sql`replaceRegexpOne(${text}, '([.][0-9]*[1-9])0+$|[.]0+$', '\\1')`;
  if (type === 'boolean') return sql`CASE WHEN ${value} THEN 'true' WHEN NOT ${value} THEN 'false' END`;
  if (type === 'time')
    return sql`replaceRegexpOne(replaceRegexpOne(toString(toDateTime64(${value}, 6, 'UTC')), '([.][0-9]*?)0+$', '\\1'), '[.]$', '')`;
  return text;
}

/** The instant at which a day of a zone begins. */
function dayIn(date: Expression, zone: string): Expression {
  return sql`toTimeZone(toDateTime64(${date}, 6, ${trusted(quoteClickHouseText(zone))}), 'UTC')`;
}

/**
 * A dialect that uses an extent as the range of times in the built-in relations if a question sets no range for them.
 * The zone's whole history would take the server seconds to plan, and slow down each row.
 */
export function clickHouseWithin(dialect: Dialect, extent: () => TimeRange): Dialect {
  const bounded = (instant: Expression, zone: string, range: TimeRange | undefined) =>
    range ?? (zone !== 'UTC' && isInstant(instant) ? extent() : undefined);
  return {
    ...dialect,
    toBucket: (instant, cut) => dialect.toBucket(instant, { ...cut, range: bounded(instant, cut.zone, cut.range) }),
    toLocalTime: (instant, zone, range) => dialect.toLocalTime(instant, zone, bounded(instant, zone, range)),
  };
}

/**
 * True if an expression is a time of a built-in relation, which is an instant already. Converting it would hide the
 * primary key behind a function.
 */
function isInstant({ parts }: Expression): boolean {
  const [last] = parts.slice(-1);
  return last?.kind === 'text' && /^\.(?:utc_time|start_at|end_at|first_timestamp)$/.test(last.text);
}

function typeOf(parameter: Parameter): string {
  switch (parameter.type) {
    case 'text':
      return 'String';
    case 'integer':
      return BigInt.asIntN(64, parameter.value) === parameter.value ? 'Int64' : 'Int256';
    case 'decimal':
      return 'Float64';
    case 'boolean':
      return 'Bool';
    case 'instant':
      return instantType;
  }
}

/** The value of a parameter as sent to the server. */
export function toClickHouseValue(parameter: Parameter): string | bigint | number | boolean {
  return parameter.type === 'instant' ? writeClickHouseInstant(parameter.value) : parameter.value;
}

function lowerClickHouseSource(source: CubeSource, columns: ReadonlySet<string>, project: string | undefined) {
  switch (source.kind) {
    case 'events': {
      const number = columns.has(eventNumber);
      if (project === undefined && !number) return name('events');
      return sql`(SELECT *${trusted(number ? `, generateUUIDv4() AS ${eventNumber}` : '')} FROM "events"${whereProject(project)})`;
    }
    case 'sessions':
      return sql`(${lowerSessions(columns, project)})`;
    case 'users':
      return sql`(${lowerUsers(columns, project)})`;
    default:
      return lowerTable(source);
  }
}

/** The kind of numbers that a measure sums. */
export type Addends = 'floats' | 'integers' | { readonly decimals: number };

/** What the server tells about the values of members. */
export interface MemberTypes {
  readonly addends: ReadonlyMap<Measure, Addends>;
  /** Times of a model's tables. */
  readonly times: ReadonlyMap<Dimension, 'day' | 'instant'>;
}

/**
 * The dialect for members whose types are known. Sums of floats do not depend on the order of rows, and sums of
 * integers do not overflow 64 bits. A condition on a time compares the column, so that the server reads only the range.
 */
export function clickHouseFor({ addends, times }: MemberTypes): Dialect {
  return {
    ...clickHouse,
    toInstant(time, zone, dimension) {
      const kind = dimension && times.get(dimension);
      if (zone === undefined || kind === undefined) return clickHouse.toInstant(time, zone);
      const instant = sql`toDateTime64(${time}, 6, 'UTC')`;
      if (kind === 'instant') return { ...instant, stored: time };
      const ofZone = zone === 'UTC' ? instant : dayIn(time, zone);
      return { ...ofZone, stored: time, day: { midnight: instant, zone } };
    },
    aggregate(measure, value, conditions) {
      const kind = addends.get(measure as Measure);
      if (!value || !kind || (measure.type !== 'sum' && measure.type !== 'avg'))
        return clickHouse.aggregate(measure, value, conditions);
      const counted = conditions.length === 0 ? value : sql`CASE WHEN ${allOf(conditions)} THEN ${value} END`;
      const sum =
        kind === 'floats'
          ? exactSum(counted)
          : kind === 'integers'
            ? sql`sumOrNull(toInt256(${counted}))`
            : sql`sumOrNull(${counted})`;
      // Divide integers, so that only the division rounds.
      if (typeof kind === 'object' && measure.type === 'avg') {
        const unit = `1${'0'.repeat(kind.decimals)}`;
        const whole = sql`toInt256(toDecimal256(${sum}, ${trusted(String(kind.decimals))}) * ${trusted(unit)})`;
        return sql`(toFloat64(${whole}) / nullIf(count(${counted}) * toFloat64(${trusted(unit)}), 0))`;
      }
      return measure.type === 'sum' ? sum : sql`(${sum} / nullIf(count(${counted}), 0))`;
    },
  };
}
