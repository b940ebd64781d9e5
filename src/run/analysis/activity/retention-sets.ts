import { otherValues } from '../../../ask/activity/retention.ts';
import { toRetentionFrame } from '../../../plan/analysis/retention/retention-frame.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import type { Plan } from '../../../plan/plan.ts';
import { within } from '../../../plan/sql/condition-expression.ts';
import { anyOf, boundText, type Expression, joined, sql, trusted } from '../../../plan/sql/expression.ts';
import { gathered, type PeriodSets, periodSets } from './period-sets.ts';
import { eventColumns, looked, type Lowered } from './retention-words.ts';

/**
 * Period sets for a retention: each user's starts and returns. undefined if returns are counted or summed, if periods
 * depend on the user's start, for breakdowns by first starts, and for lists of users.
 */
export function setsFor(plan: Plan, { retention, value, amount, dialect }: Lowered): PeriodSets | undefined {
  const { window, least, cohorts } = retention;
  if (window !== 'calendar' || least > 1 || amount || (value && cohorts !== 'recurring') || listsUsers(plan))
    return undefined;
  return periodSets(toRetentionFrame(plan, retention).cohorts.length, dialect);
}

/** Tables that end with `sizes` and `cells`, in the shape that joins of users with their returns have. */
export function retentionBySets(lowered: Lowered, sets: PeriodSets): readonly (readonly [string, Expression])[] {
  const { retention, value } = lowered;
  const key = trusted(value ? 'value, ' : '');
  const people = value ? 'keyed' : 'people';
  const started = trusted(`${people} JOIN frame ON begun & bit <> 0`);
  return [
    ['people', retention.cohorts === 'recurring' ? recurring(lowered, sets) : byFirst(lowered, sets)],
    ...(value ? ([['kept', kept(lowered)] as const, ['keyed', keyed(lowered)] as const] as const) : []),
    ['sizes', sql`SELECT n, ${key}count(*) AS size FROM ${started} GROUP BY ALL`],
    ['cells', cells(lowered, sets, started)],
  ];
}

/** The returns: their periods, or only the last one for cumulative retention. */
const backColumn = ({ retention }: Lowered, sets: PeriodSets): Expression =>
  retention.cumulative
    ? sql`coalesce(max(n) FILTER (WHERE comes), -1) AS back`
    : sql`${gathered(trusted('comes'), sets)} AS back`;

function recurring(lowered: Lowered, sets: PeriodSets): Expression {
  const { start, comeBack, value } = lowered;
  const columns = [...eventColumns(lowered), sql`${start} AS begins`, sql`${comeBack} AS comes`];
  return sql`SELECT who, ${trusted(value ? 'value, ' : '')}${gathered(trusted('begins'), sets)} AS begun, ${backColumn(lowered, sets)}
FROM (SELECT ${joined(columns, ', ')} ${looked(lowered, anyOf([start, comeBack]))}) AS done JOIN frame USING (label) GROUP BY ALL`;
}

/** Among simultaneous events, one that meets the conditions of starts counts first. */
function byFirst(lowered: Lowered, sets: PeriodSets): Expression {
  const { retention, who, start, anyStart, comeBack, window, bucketOf } = lowered;
  const ever = retention.cohorts === 'first_ever';
  const time = trusted('utc_time');
  const columns = [
    sql`${who} AS who, utc_time`,
    sql`CASE WHEN ${within(time, window)} THEN ${bucketOf(time)} END AS label`,
    sql`${start} AS begins`,
    sql`${comeBack} AS comes`,
    ...(ever ? [sql`${anyStart} AS may_begin`] : []),
  ];
  const anyAt = trusted(ever ? ', min(utc_time) FILTER (WHERE may_begin) AS any_at' : '');
  const back = sql`SELECT who, min(utc_time) FILTER (WHERE begins) AS first_at${anyAt}, ${backColumn(lowered, sets)}
  FROM (SELECT ${joined(columns, ', ')} ${looked(lowered, anyOf([ever ? anyStart : start, comeBack]), 'ever')}) AS done
  LEFT JOIN frame USING (label) GROUP BY who`;
  return sql`SELECT bit AS begun, back FROM (
  SELECT *, ${bucketOf(trusted('first_at'))} AS label FROM (${back}) AS firsts
  WHERE ${within(trusted('first_at'), window)}${trusted(ever ? ' AND first_at = any_at' : '')}
) AS labelled JOIN frame USING (label)`;
}

const other = boundText(otherValues);

/** The values with the most users; ties are broken by name. */
function kept({ retention }: Lowered): Expression {
  return sql`SELECT value FROM people WHERE begun <> 0 AND value IS DISTINCT FROM ${other}
GROUP BY value ORDER BY count(*) DESC, value NULLS LAST LIMIT ${trusted(String(retention.breakdown?.limit ?? 1))}`;
}

/** The same by displayed values. A user counts only once among the other values. */
function keyed({ retention }: Lowered): Expression {
  const isKept = (not: string) =>
    trusted(`${not}EXISTS (SELECT 1 FROM kept WHERE kept.value IS NOT DISTINCT FROM people.value)`);
  const back = trusted(retention.cumulative ? 'max(back)' : 'bit_or(back)');
  return sql`SELECT value, begun, back FROM people WHERE ${isKept('')}
UNION ALL SELECT ${other} AS value, bit_or(begun) AS begun, ${back} AS back FROM people WHERE ${isKept('NOT ')} GROUP BY who`;
}

function cells({ retention, value }: Lowered, { length, first }: PeriodSets, started: Expression): Expression {
  const key = trusted(value ? 'value, ' : '');
  const columns = Math.min(retention.periods, length);
  // Users with the same later periods are processed together.
  const [later, reaches] = retention.cumulative
    ? ['greatest(back - n, 0)', 'k <= later']
    : [`(back >> n) & ${first(columns)}`, '(later >> k) & 1 = 1'];
  return sql`SELECT n, ${key}k, CAST(sum(users) AS BIGINT) AS users FROM (
  SELECT n, ${key}${trusted(later)} AS later, count(*) AS users FROM ${started} GROUP BY ALL
) AS followed JOIN range(1, ${trusted(String(columns))}) AS later(k) ON ${trusted(reaches)} GROUP BY ALL`;
}
