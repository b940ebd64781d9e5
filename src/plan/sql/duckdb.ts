import type { AggregateType } from '../model/measure-kind.ts';
import type { Measure } from '../model/model.ts';
import { allOf, sql, trusted, type Parameter } from './expression.ts';
import type { Dialect } from './dialect.ts';
import { exactSum, exactSumMacro } from './duckdb-exact-sum.ts';
import { toDuckDbBucket } from './duckdb-bucket.ts';
import { lowerDuckDbSource } from './duckdb-source.ts';
import { writeTimestamp } from './duckdb-timestamp.ts';

const aggregateNames: Readonly<Record<AggregateType, string>> = {
  count: 'count',
  count_distinct: 'count',
  count_distinct_approx: 'approx_count_distinct',
  sum: 'sum',
  avg: 'avg',
  min: 'min',
  max: 'max',
};

/** What DuckDB must be set to before it runs any of these statements. */
export const duckDbSettings = [
  // Casts between times with and without zone mean UTC.
  "SET GLOBAL TimeZone = 'UTC'",
  // It takes groupings of the same joined rows for one and the same, so that counts come out wrong, from 1.5.1 to 1.5.5 at
  // least. Source: duckdb/duckdb#25819.
  "SET GLOBAL disabled_optimizers = 'common_subplan'",
  exactSumMacro,
] as const;

/** DuckDB's SQL, for sessions with `duckDbSettings`. */
export const duckDb: Dialect = {
  name: 'duckdb',
  quoteName: (name) => `"${name.replaceAll('"', '""')}"`,
  placeholder: (position, parameter) => placeholders[parameter.type](`$${position}`),
  toInstant: (time) => sql`CAST(${time} AS TIMESTAMP)`,
  toBucket: toDuckDbBucket,
  toText: (value) => sql`CAST(${value} AS VARCHAR)`,
  like: (text, pattern) => sql`${text} ILIKE ${pattern} ESCAPE '\\'`,
  aggregate: ({ type }, value, conditions) => {
    const call = sql`${trusted(aggregateNames[type])}(${trusted(type === 'count_distinct' ? 'DISTINCT ' : '')}${value ?? trusted('*')})`;
    return conditions.length === 0 ? call : sql`${call} FILTER (WHERE ${allOf(conditions)})`;
  },
  same: (left, right) => sql`${left} IS NOT DISTINCT FROM ${right}`,
  lowerSource: lowerDuckDbSource,
};

/**
 * The dialect for measures of which some add up floats. A sum of floats depends on the order of its rows, which differs
 * from run to run where several threads read them; these sums do not.
 */
export function duckDbWithFloats(floats: ReadonlySet<Measure>): Dialect {
  return {
    ...duckDb,
    aggregate(measure, value, conditions) {
      if (!value || !floats.has(measure) || !addsUpValues(measure)) return duckDb.aggregate(measure, value, conditions);
      const counted = conditions.length === 0 ? value : sql`CASE WHEN ${allOf(conditions)} THEN ${value} END`;
      const sum = sql`${trusted(exactSum)}(${counted})`;
      return measure.type === 'sum' ? sum : sql`(${sum} / count(${counted}))`;
    },
  };
}

/** Asks for the values that measures add up, to learn their types from the statement; it is not to be run. */
export const duckDbForTypes: Dialect = {
  ...duckDb,
  aggregate: (measure, value, conditions) => (value && addsUpValues(measure) ? sql`any_value(${value})` : duckDb.aggregate(measure, value, conditions)),
};

export function addsUpValues({ type }: Measure): boolean {
  return type === 'sum' || type === 'avg';
}

/** An untyped placeholder takes the type of what it is compared with, which would change the comparison. */
const placeholders: Readonly<Record<Parameter['type'], (mark: string) => string>> = {
  text: (mark) => `CAST(${mark} AS VARCHAR)`,
  integer: (mark) => mark,
  decimal: (mark) => `CAST(${mark} AS DOUBLE)`,
  boolean: (mark) => `CAST(${mark} AS BOOLEAN)`,
  instant: (mark) => `CAST(${mark} AS TIMESTAMP)`,
};

/** What a parameter is bound as: instants as text. */
export function toDuckDbValue(parameter: Parameter): string | bigint | number | boolean {
  return parameter.type === 'instant' ? writeTimestamp(parameter.value) : parameter.value;
}
