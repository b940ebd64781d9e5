import { type Expression, sql, trusted, boundText } from '../../../plan/sql/expression.ts';

/** Numbers of users who started in each cohort, and who returned in each of its periods, by group. */
export interface FollowedReturns {
  /** By cohort. */
  readonly sizes: Float64Array;
  /** By cohort, `periods` entries each. The first entry is 0. */
  readonly cells: Float64Array;
  /** The names of the groups, in order; undefined without a breakdown, for a single group. */
  readonly values?: readonly (string | null)[] | undefined;
}

/** The results as tables, in the shape that SQL over the events has. */
export function followedTables(
  { sizes, cells, values }: FollowedReturns,
  cohorts: number,
): readonly (readonly [string, Expression])[] {
  const periods = cells.length / Math.max(1, sizes.length);
  const listed = (numbers: Float64Array) =>
    sql`(SELECT unnest(range(${trusted(String(numbers.length))})) AS place,
      unnest(from_json(${boundText(JSON.stringify([...numbers]))}, '["BIGINT"]')) AS users) AS listed`;
  const [length, all] = [trusted(String(periods)), trusted(String(cohorts))];
  const valueOf = (group: string) => (values ? sql`, texts[1 + ${trusted(group)}] AS value` : trusted(''));
  const texts = values
    ? sql`, (SELECT from_json(${boundText(JSON.stringify(values))}, '["VARCHAR"]') AS texts) AS called`
    : trusted('');
  return [
    [
      'sizes',
      sql`SELECT place % ${all} AS n, users AS size${valueOf(`place // ${cohorts}`)} FROM ${listed(sizes)}${texts} WHERE users > 0`,
    ],
    [
      'cells',
      sql`SELECT place // ${length} % ${all} AS n, place % ${length} AS k,
        users${valueOf(`place // ${cohorts * periods}`)} FROM ${listed(cells)}${texts} WHERE users > 0`,
    ],
  ];
}
