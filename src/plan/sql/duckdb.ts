import { writeLocal } from '../../ask/time/local-time.ts';
import type { AggregateType, CubeSource, Dimension, Measure } from '../model/model.ts';
import { listRows, localTimePattern, timePattern } from '../model/property-sql.ts';
import { type Dialect, eventNumber, listOf, lowerTable, readFrom } from './dialect.ts';
import { firstEventColumns, firstSessionColumns, longestGapMinutes } from './derived-columns.ts';
import { localToUtc } from './local-to-utc.ts';
import { exactSumMacros } from './exact-sum.ts';
import { openBuckets, type TimeWords } from './time-buckets.ts';
import { visitMacros } from './visit-macros.ts';
import { allOf, boundText, type Expression, joined, name, type Parameter, sql, trusted } from './expression.ts';
import { whereProject } from './of-project.ts';

/** Adds up the sizes of cohorts, each once however many rows it has. */
const cohortSizesMacro =
  'CREATE MACRO cohort_sizes(c, v, s) AS list_sum(list_transform(list_distinct(list(struct_pack(cohort := c, value := v, size := s))), lambda one: one.size))';

/**
 * The instant of a time of any type. DuckDB's cast of a text to TIMESTAMP drops its offset. The type is known when
 * DuckDB plans the statement, so other times cost nothing.
 */
const instantMacro = `CREATE MACRO instant_of(t) AS CASE WHEN typeof(t) = 'VARCHAR' AND regexp_matches(CAST(t AS VARCHAR), ':[0-9.]+[+-][0-9]{2}(:?[0-9]{2}){0,2}$')
  THEN CAST(CAST(t AS TIMESTAMPTZ) AS TIMESTAMP) ELSE CAST(t AS TIMESTAMP) END`;

/**
 * The instant of a text, NULL if it is no time; its date is in UTC. DuckDB reads neither an offset after a blank nor
 * one without seconds before it.
 */
const timeOfTextMacro = `CREATE MACRO time_of_text(t) AS CASE WHEN regexp_full_match(t, '${timePattern()}') THEN CAST(TRY_CAST(regexp_replace(
  replace(replace(replace(replace(upper(t), ',', '.'), ' UTC', 'Z'), ' +', '+'), ' -', '-'), '^(.{16})([Z+-].*)$', '\\1:00\\2') AS TIMESTAMPTZ) AS TIMESTAMP) END`;

/** For `regexp_replace`. As people write numbers, and as answers show them: 5, not 5.0. */
const trailingZeros = String.raw`'(\.[0-9]*[1-9])0+$|\.0+$', '\1'`;

const textMacro = `CREATE MACRO text_of_any(t) AS CASE
  WHEN typeof(t) IN ('DOUBLE', 'FLOAT')
      THEN CASE CAST(t AS VARCHAR) WHEN 'nan' THEN 'NaN' WHEN 'inf' THEN 'Infinity' WHEN '-inf' THEN '-Infinity'
      ELSE regexp_replace(CAST(t AS VARCHAR), ${trailingZeros}) END
  WHEN starts_with(typeof(t), 'DECIMAL') THEN regexp_replace(CAST(t AS VARCHAR), ${trailingZeros})
  ELSE CAST(t AS VARCHAR) END`;

/** DuckDB takes NaN for greater than any number. The type is known when it plans the statement, as above. */
const sizeMacro = `CREATE MACRO is_size(t) AS CASE WHEN typeof(t) IN ('DOUBLE', 'FLOAT') THEN NOT isnan(TRY_CAST(t AS DOUBLE)) ELSE TRUE END`;

/**
 * An instant as `YYYY-MM-DD HH:mm:ss.SSS`, which DuckDB casts without loss. ISO 8601 writes years beyond 9999 with a
 * sign and leading zeros, which DuckDB rejects.
 */
export function writeTimestamp(instant: number): string {
  return writeLocal(instant).replace('T', ' ').replace(/^\+0*/, '');
}

/** Instants and wall times as naive TIMESTAMPs. */
const timeWords: TimeWords = {
  timestamp: (instant) => trusted(`TIMESTAMP '${writeTimestamp(instant)}'`),
  later: (time, length) => (length === 0 ? time : sql`(${time} + ${milliseconds(length)})`),
  laterByDays: (time, days) => sql`${time} ${trusted(`${days < 0 ? '-' : '+'} to_days(${Math.abs(days)})`)}`,
  trunc: (unit, time) => sql`date_trunc(${trusted(`'${unit}'`)}, ${time})`,
  everyLength: (length, time, origin) =>
    sql`time_bucket(${milliseconds(length)}, ${time}, ${timeWords.timestamp(origin)})`,
  everyMonths: (months, time, origin) =>
    sql`time_bucket(${trusted(`to_months(${months})`)}, ${time}, ${timeWords.timestamp(origin)})`,
  lengthsSince: (origin, time, length) =>
    sql`CAST(floor((epoch_ms(${time}) - epoch_ms(${timeWords.timestamp(origin)})) / ${trusted(`${length}::DOUBLE`)}) AS INTEGER)`,
  stepsAfter: (origin, places, { months, length }) =>
    sql`(${timeWords.timestamp(origin)} + to_months(${places} * ${trusted(String(months))}) + ${milliseconds(length)} * ${places})`,
  plusPlaces: (places, count) => sql`(${places} + ${trusted(`(${count})`)})`,
  once: (value, use) => sql`list_transform([${value}], lambda bound: ${use(trusted('bound'))})[1]`,
  latest: (one, other) => sql`greatest(${one}, ${other})`,
};

function milliseconds(length: number): Expression {
  return trusted(`to_milliseconds(${length})`);
}

const { toBucket: toDuckDbBucket, toLocalTime: toDuckDbLocalTime } = openBuckets(timeWords);

export { toDuckDbLocalTime };

/**
 * The first and last page of a session, from the page views that `pageViewsCount` counts. They are ordered by time,
 * event ID (missing IDs last) and page.
 */
const endPages = { landing_page: 'min', exit_page: 'max' } as const;
const placedPage = `struct_pack(t := utc_time, i := event_id, p := doc_path)) FILTER (WHERE doc_path <> '' AND event_type = 'pageview')`;

/** A relation for FROM. Derived sources compute expensive columns only if they are in `columns`. */
function lowerDuckDbSource(source: CubeSource, columns: ReadonlySet<string>, project: string | undefined): Expression {
  switch (source.kind) {
    case 'events': {
      const number = columns.has(eventNumber);
      if (project === undefined && !number) return name('events');
      return sql`(SELECT *${trusted(number ? `, uuid() AS ${eventNumber}` : '')} FROM "events"${whereProject(project)})`;
    }
    case 'sessions':
      return sql`(${lowerSessions(columns, project)})`;
    case 'users':
      return sql`(${lowerUsers(columns, lowerSessions(sessionColumnsOf(columns), project))})`;
    default:
      return lowerTable(source);
  }
}

/**
 * One row per session: the tracker's session if an event has one, otherwise one user's events with gaps of at most
 * 30:00 minutes. Events with neither session nor user belong to no session. A session's user is the first one among its
 * events. Its other attributes come from its first event; equal times are decided by event ID, then by content, so that
 * the result does not depend on file order.
 */
export function lowerSessions(columns: ReadonlySet<string>, project: string | undefined): Expression {
  const attributes = firstEventColumns.filter((column) => columns.has(column));
  const ends = Object.entries(endPages).filter(([column]) => columns.has(column));
  const shownEnds = ends.map(([column]) => `, ${column}`).join('');
  const shownAttributes = attributes.map((column) => `, first_event.${column} AS ${column}`).join('');
  const read = ends.length > 0 && !attributes.includes('doc_path') ? [...attributes, 'doc_path'] : attributes;
  const carried = read.map((column) => `, ${column}`).join('');
  const first =
    attributes.length === 0
      ? ''
      : `,
      min(struct_pack(t := utc_time, i := event_id${attributes.map((column) => `, ${column} := ${column}`).join('')})) AS first_event`;
  const summary = trusted(`min(utc_time) AS start_at, max(utc_time) AS end_at, count(*) AS event_count,
      count(*) FILTER (WHERE event_type = 'pageview') AS page_views${ends.map(([column, end]) => `, (${end}(${placedPage}).p AS ${column}`).join('')}${first}`);
  // True if the events of one session have several users.
  const [trackedShared, derivedShared, shared] = (
    columns.has('shared')
      ? ['min(user_key) <> max(user_key) AS shared, ', 'FALSE AS shared, ', 'coalesce(shared, FALSE) AS shared, ']
      : ['', '', '']
  ).map(trusted) as [Expression, Expression, Expression];
  // No column is called `events`, which `columnsNamed` takes for whole rows of the events.
  // The summary repeats in both halves, because the tracked half groups directly and only the derived half needs a
  // sort. Read the events twice instead of materializing them: each half then reads only its columns, and DuckDB shares
  // what it can.
  return sql`WITH visible AS NOT MATERIALIZED (
      SELECT project_id, user_key, session_id, utc_time, event_id, event_type${trusted(carried)} FROM "events"${whereProject(project)}
    ), gapped AS (
      SELECT *, utc_time - lag(utc_time) OVER by_user <= to_minutes(${trusted(String(longestGapMinutes))}) AS goes_on
      FROM visible WHERE coalesce(session_id, '') = '' AND user_key IS NOT NULL
      WINDOW by_user AS (PARTITION BY project_id, user_key ORDER BY utc_time)
    ), numbered AS (
      SELECT *, count(*) FILTER (WHERE goes_on IS NOT TRUE) OVER (PARTITION BY project_id, user_key ORDER BY utc_time RANGE UNBOUNDED PRECEDING) AS number
      FROM gapped
    ), grouped AS (
      SELECT project_id, 'tracked:' || session_id AS session_key, session_id, FALSE AS derived,
      arg_min(user_key, struct_pack(t := utc_time, i := event_id, u := user_key)) AS user_key, ${trackedShared}${summary}
      FROM visible WHERE session_id <> '' GROUP BY project_id, session_id
      UNION ALL
      SELECT project_id, 'derived:' || number || ':' || user_key AS session_key, NULL AS session_id, TRUE AS derived,
      user_key, ${derivedShared}${summary}
      FROM numbered GROUP BY project_id, user_key, number
    )
    SELECT project_id, coalesce(LENGTH(project_id) || ':' || project_id || '/', '') || session_key AS session_key, session_id, derived,
    user_key, ${shared}start_at, end_at, event_count AS events, page_views,
    epoch_ms(end_at - start_at) AS duration_ms${trusted(shownEnds)}${trusted(shownAttributes)}
    FROM grouped`;
}

/** The columns of sessions from which columns of users are computed. */
function sessionColumnsOf(columns: ReadonlySet<string>): ReadonlySet<string> {
  const attributes = firstSessionColumns.filter((column) => columns.has(column));
  return new Set([...(columns.has('shared_sessions') ? ['shared'] : []), ...attributes]);
}

/** One row per user with a session, computed from rows of sessions. */
export function lowerUsers(columns: ReadonlySet<string>, sessions: Expression): Expression {
  const isAsked = columns.has('shared_sessions');
  const attributes = firstSessionColumns.filter((column) => columns.has(column));
  const first =
    attributes.length === 0
      ? ''
      : `, min(struct_pack(t := start_at, k := session_key${attributes.map((column) => `, ${column} := ${column}`).join('')})) AS first_session`;
  const shared = isAsked ? ', count(*) FILTER (WHERE shared) AS shared_sessions' : '';
  const grouped = sql`SELECT user_key, min(start_at) AS first_timestamp, max(end_at) AS last_timestamp,
  count(*) AS sessions${trusted(shared)}${trusted(first)}
  FROM (${sessions}) AS sessions_of_users WHERE user_key IS NOT NULL GROUP BY user_key`;
  if (attributes.length === 0) return grouped;
  return sql`SELECT * EXCLUDE (first_session)${trusted(attributes.map((column) => `, first_session.${column} AS ${column}`).join(''))} FROM (${grouped}) AS users_grouped`;
}

const aggregateNames: Readonly<Record<AggregateType, string>> = {
  count: 'count',
  count_distinct: 'count',
  count_distinct_approx: 'approx_count_distinct',
  sum: 'sum',
  avg: 'avg',
  min: 'min',
  max: 'max',
};

/** DuckDB settings that these statements require. */
export const duckDbSettings = [
  // Casts between times with and without zone use UTC.
  "SET GLOBAL TimeZone = 'UTC'",
  // This optimizer confuses different groupings of the same joined rows and returns wrong counts, at least in 1.5.1 to
  // 1.5.5. Source: duckdb/duckdb#25819.
  "SET GLOBAL disabled_optimizers = 'common_subplan'",
  // Below this estimate, an ASOF join compares each row with each touch. For text files, estimates can be one row.
  'SET GLOBAL asof_loop_join_threshold = 0',
] as const;

/** The name of a macro that differs from `instant_of` in dates, which are days of the zone that follows. */
const instantIn = 'instant in ';

/** The name of a macro that differs from `time_of_text` in the same way. */
const timeOfTextIn = 'time of text in ';

/** Between the zone of dates and those of times without a zone, in the name of such a macro. */
const localIn = ', local in ';

/** Times without a zone are in that of the row, which the macro takes before the text. */
function timeOfTextInZone(written: string): string {
  const [zone = 'UTC', local] = written.split(localIn);
  const inZones = (local?.split(' ') ?? [])
    .map(
      (own) =>
        ` WHEN z = '${own}' AND regexp_full_match(t, '${localTimePattern}') THEN ${localToUtc('time_of_text(t)', own)}`,
    )
    .join('');
  return `CREATE MACRO "${timeOfTextIn}${written}"(${local === undefined ? '' : 'z, '}t) AS
    CASE WHEN length(t) = 10 THEN ${localToUtc('time_of_text(t)', zone)}${inZones}
    ELSE time_of_text(t) END`;
}

function instantInZone(zone: string): string {
  return `CREATE MACRO "${instantIn}${zone}"(t) AS CASE WHEN typeof(t) = 'DATE' THEN ${localToUtc('CAST(t AS TIMESTAMP)', zone)} ELSE instant_of(t) END`;
}

/** The definitions of functions that statements call, by name. Some call earlier ones. */
const duckDbFunctions: ReadonlyMap<string, string> = new Map(
  [instantMacro, timeOfTextMacro, textMacro, sizeMacro, ...exactSumMacros, cohortSizesMacro, ...visitMacros].map(
    (macro) => [/^CREATE MACRO (\w+)/.exec(macro)![1]!, macro],
  ),
);

/** Finds the calls of functions in a statement. */
const functionCall = new RegExp(
  `\\b(?:${[...duckDbFunctions.keys()].join('|')})(?=\\s*\\()|(?<=")(?:${instantIn}|${timeOfTextIn})[^"]+(?="\\()`,
  'gi',
);

/** The names of the functions that a statement calls. */
export function duckDbFunctionsIn(statement: string): ReadonlySet<string> {
  return new Set(
    Array.from(statement.matchAll(functionCall), ([call]) => (isOfZone(call) ? call : call.toLowerCase())),
  );
}

function isOfZone(call: string): boolean {
  return call.startsWith(instantIn) || call.startsWith(timeOfTextIn);
}

/** The definition of a function that a statement calls. It may call others. */
export function defineDuckDbFunction(name: string): string {
  if (name.startsWith(timeOfTextIn)) return timeOfTextInZone(name.slice(timeOfTextIn.length));
  return duckDbFunctions.get(name) ?? instantInZone(name.slice(instantIn.length));
}

/** DuckDB's SQL, for sessions with `duckDbSettings`. */
export const duckDb: Dialect = {
  name: 'duckdb',
  quoteName: (name) => `"${name.replaceAll('"', '""')}"`,
  placeholder: (position, parameter) => placeholders[parameter.type](`$${position}`),
  toInstant: (time, zone) =>
    zone === undefined
      ? sql`CAST(${time} AS TIMESTAMP)`
      : sql`${zone === 'UTC' ? trusted('instant_of') : name(instantIn + zone)}(${time})`,
  openTimeOfText(zone, local) {
    if (local) return sql`${name(`${timeOfTextIn}${zone}${localIn}${local.zones.join(' ')}`)}(${local.column}, `;
    return sql`${zone === 'UTC' ? trusted('time_of_text') : name(timeOfTextIn + zone)}(`;
  },
  toBucket: toDuckDbBucket,
  toLocalTime: toDuckDbLocalTime,
  partOf: (local, part) => sql`${trusted(part === 'hour' ? 'hour' : 'isodow')}(${local})`,
  addUnits: (day, { months, days }) => sql`(${day} + ${trusted(`to_months(${months}) + to_days(${days})`)})`,
  toText: (value, type) => {
    const text = sql`CAST(${value} AS VARCHAR)`;
    return type === 'number' ? sql`regexp_replace(${text}, ${trusted(trailingZeros)})` : text;
  },
  textOfAny: (value) => sql`text_of_any(${value})`,
  like: (text, pattern) => sql`${text} ILIKE ${pattern} ESCAPE '\\'`,
  matches: (text, pattern) => sql`regexp_matches(${text}, concat('(?i)', ${pattern}))`,
  aggregate: ({ type }, value, conditions) => {
    const call = sql`${trusted(aggregateNames[type])}(${trusted(type === 'count_distinct' ? 'DISTINCT ' : '')}${value ?? trusted('*')})`;
    return conditions.length === 0 ? call : sql`${call} FILTER (WHERE ${allOf(conditions)})`;
  },
  countRows: (conditions) => sql`count(*) FILTER (WHERE ${allOf(conditions)})`,
  isSize: (value) => sql`is_size(${value})`,
  same: (left, right) => sql`${left} IS NOT DISTINCT FROM ${right}`,
  joinsRanges: true,
  list: listOf,
  timestamp: timeWords.timestamp,
  numbers: (first, end, alias, column) => trusted(`range(${first}, ${end}) AS ${alias}(${column})`),
  texts: (values, column) =>
    sql`SELECT unnest(from_json(${boundText(JSON.stringify(values))}, '["VARCHAR"]')) AS ${name(column)}`,
  leastRow: (values) =>
    sql`min(struct_pack(${joined(
      values.map((value, index) => sql`${trusted(`v${index}`)} := ${value}`),
      ', ',
    )}))`,
  leastValue: (row, index) => sql`${row}.${trusted(`v${index}`)}`,
  lowerSource: lowerDuckDbSource,
  // DuckDB joins a lateral subquery by hashing the lists.
  eachOf: ({ of, keys }, source, alias) =>
    sql`(SELECT *, unnest(${readFrom(of, listRows(keys))}) AS ${name(alias)} FROM ${source} AS ${name(of)})`,
  someValue: ({ of, keys }, alias, condition) =>
    sql`len(list_filter(${readFrom(of, listRows(keys))}, lambda ${name(alias)}: ${condition})) > 0`,
};

/**
 * The dialect for members whose types are known. `floats`: the measures of floats: an ordinary sum of floats depends on
 * the order of rows, which varies between runs with several threads, and NaN is not the greatest number. `dates`:
 * whether a dimension is a date.
 */
export function duckDbFor(floats: ReadonlySet<Measure>, dates: ReadonlyMap<Dimension, boolean>): Dialect {
  return {
    ...duckDb,
    toInstant(time, zone, dimension) {
      const isDate = dimension && dates.get(dimension);
      if (zone === undefined || isDate === undefined) return duckDb.toInstant(time, zone);
      if (!isDate || zone === 'UTC') return duckDb.toInstant(time, 'UTC');
      return { ...duckDb.toInstant(time, zone), day: { midnight: sql`CAST(${time} AS TIMESTAMP)`, zone } };
    },
    aggregate(measure, value, conditions) {
      if (!value || !floats.has(measure)) return duckDb.aggregate(measure, value, conditions);
      if (measure.type === 'max') {
        const sizes = duckDb.aggregate(measure, value, [...conditions, sql`NOT isnan(${value})`]);
        return sql`coalesce(${sizes}, ${duckDb.aggregate(measure, value, conditions)})`;
      }
      if (!addsUpValues(measure)) return duckDb.aggregate(measure, value, conditions);
      const counted = conditions.length === 0 ? value : sql`CASE WHEN ${allOf(conditions)} THEN ${value} END`;
      const sum = sql`exact_sum(${counted})`;
      return measure.type === 'sum' ? sum : sql`(${sum} / count(${counted}))`;
    },
  };
}

/** Selects the values that measures add up, only to learn their types. The statement is prepared and never run. */
export const duckDbForTypes: Dialect = {
  ...duckDb,
  toInstant: (time, zone) => duckDb.toInstant(time, zone && 'UTC'),
  aggregate: (measure, value, conditions) =>
    value && addsUpValues(measure) ? sql`any_value(${value})` : duckDb.aggregate(measure, value, conditions),
};

export function addsUpValues({ type }: Measure): boolean {
  return type === 'sum' || type === 'avg';
}

/** An untyped placeholder would take the type of the other operand, which would change the comparison. */
const placeholders: Readonly<Record<Parameter['type'], (mark: string) => string>> = {
  text: (mark) => `CAST(${mark} AS VARCHAR)`,
  integer: (mark) => mark,
  decimal: (mark) => `CAST(${mark} AS DOUBLE)`,
  boolean: (mark) => `CAST(${mark} AS BOOLEAN)`,
  instant: (mark) => `CAST(${mark} AS TIMESTAMP)`,
};

/** The value bound to a parameter; instants are bound as text. */
export function toDuckDbValue(parameter: Parameter): string | bigint | number | boolean {
  return parameter.type === 'instant' ? writeTimestamp(parameter.value) : parameter.value;
}
