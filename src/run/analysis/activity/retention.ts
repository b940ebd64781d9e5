import { type Retention, otherValues } from '../../../ask/activity/retention.ts';
import { type BoundRetention, retentionOf } from '../../../plan/analysis/retention/bind-retention.ts';
import { toRetentionFrame } from '../../../plan/analysis/retention/retention-frame.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import type { Plan } from '../../../plan/plan.ts';
import { within } from '../../../plan/sql/condition-expression.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { allOf, anyOf, boundText, type Expression, joined, name, sql, trusted } from '../../../plan/sql/expression.ts';
import { lookedAtEvents, lowerUncounted } from '../event-condition.ts';
import { type UncountedEvents, toLabel, type ActivityInWords } from './activity-words.ts';
import { followedTables, type FollowedReturns } from './followed-returns.ts';
import type { PeriodSets } from './period-sets.ts';
import { retentionBySets, setsFor } from './retention-sets.ts';
import { eventColumns, looked, lower, type Lowered } from './retention-words.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';

const nothing = trusted('');
/** Null, as text in each engine. */
const noText = "nullif('', '')";
const dayInMicroseconds = 86_400_000_000;

/** Statements that count events whose values are not numbers. */
function retentionUncounted(
  plan: Plan,
  retention: Retention,
  members: BoundRetention,
  dialect: Dialect,
): readonly UncountedEvents[] {
  const { who, start, comeBack, always, window, amount } = lower(plan, retention, members, dialect);
  if (!members.value || !amount) return [];
  return lowerUncounted(members.value, dialect).map(({ what, condition }) => {
    const conditions = [within(trusted('utc_time'), window), sql`${who} IS NOT NULL`, ...always];
    return {
      what,
      count: sql`SELECT count(*) FROM ${lookedAtEvents(dialect)} WHERE ${allOf([...conditions, anyOf([start, comeBack]), condition])}`,
    };
  });
}

/** A statement that counts the events of nobody who is followed. */
function retentionNobody(plan: Plan, retention: Retention, members: BoundRetention, dialect: Dialect): Expression {
  const { who, start, comeBack, always, window } = lower(plan, retention, members, dialect);
  const conditions = [within(trusted('utc_time'), window), sql`${who} IS NULL`, ...always];
  return sql`SELECT count(*) FROM ${lookedAtEvents(dialect)} WHERE ${allOf([...conditions, anyOf([start, comeBack])])}`;
}

/**
 * The rows of a retention's cube: `cohort` (the instant at which its period begins), `label` (its wall time), `period`,
 * `breakdown`, `size`, `users`, `inside`, `ended`. A row for each cohort, period and value, whether or not there are
 * users.
 */
function retentionRelation(
  plan: Plan,
  retention: Retention,
  members: BoundRetention,
  dialect: Dialect,
  followed?: FollowedReturns,
): Expression {
  const lowered = lower(plan, retention, members, dialect);
  const { value, amount } = lowered;
  const same = (left: string, right: string) =>
    value ? trusted(` AND ${left}.value IS NOT DISTINCT FROM ${right}.value`) : nothing;
  // Include user keys only if requested, because they take memory.
  const who = trusted(listsUsers(plan) ? 'starters.who AS who, ' : '');
  const carried = (text: string) => (value ? trusted(text) : nothing);
  const sets = setsFor(plan, lowered);
  const tables: readonly (readonly [string, Expression])[] = followed
    ? [
        ['frame', frameTable(plan, lowered)],
        ...followedTables(followed, toRetentionFrame(plan, retention).cohorts.length),
      ]
    : sets
      ? [['frame', frameTable(plan, lowered, sets)], ...retentionBySets(lowered, sets)]
      : [
          ['frame', frameTable(plan, lowered)],
          ...(retention.cohorts === 'recurring' || retention.window === 'calendar'
            ? [['active', activeTable(lowered)] as const]
            : []),
          ['begun', retention.cohorts === 'recurring' ? recurringTable(lowered) : firstTable(lowered)],
          ...(value ? [['kept', keptTable(retention)] as const] : []),
          ['starters', startersTable(lowered)],
          ['returns', retention.window === 'calendar' ? calendarReturns(lowered, same, who) : rollingReturns(lowered)],
          ...(listsUsers(plan)
            ? [['hits', hitsTable(lowered)] as const]
            : [
                ['sizes', sql`SELECT n${carried(', value')}, count(*) AS size FROM starters GROUP BY ALL`] as const,
                ['cells', cellsTable(lowered)] as const,
                ...(amount ? [['begun_amounts', begunAmountsTable(lowered, amount)] as const] : []),
              ]),
        ];
  const withTables = joined(
    tables.map(([table, select]) => sql`${name(table)} AS MATERIALIZED (\n${select}\n)`),
    ', ',
  );
  if (listsUsers(plan))
    return sql`(WITH ${withTables}
SELECT cohort, label, k AS period, ${trusted(value ? 'value' : noText)} AS breakdown, who AS user_key, TRUE AS inside,
k <= last_over AS ended
FROM frame JOIN hits ON hits.n = frame.n AND k <= last_inside)`;
  const values = value ? trusted(' CROSS JOIN (SELECT DISTINCT value FROM sizes) AS shown') : nothing;
  const shownAmount = `
CASE WHEN period = 0 THEN coalesce(begun_amounts.amount, 0) WHEN period <= last_inside THEN coalesce(cells.amount, 0)
ELSE 0 END AS amount,`;
  return sql`(WITH ${withTables}
SELECT cohort, label, period, ${trusted(value ? 'shown.value' : noText)} AS breakdown, coalesce(size, 0) AS size,
CASE WHEN period = 0 THEN coalesce(size, 0) WHEN period <= last_inside THEN coalesce(users, 0)
ELSE 0 END AS users,${trusted(amount ? shownAmount : '')}
period <= last_inside AS inside, period <= last_over AS ended
FROM frame CROSS JOIN ${dialect.numbers(0, lowered.retention.periods, 'periods', 'period')}${values}
LEFT JOIN sizes ON sizes.n = frame.n${same('sizes', 'shown')}
LEFT JOIN cells ON cells.n = frame.n AND cells.k = period${same('cells', 'shown')}${
    amount
      ? sql`
LEFT JOIN begun_amounts ON begun_amounts.n = frame.n${same('begun_amounts', 'shown')}`
      : nothing
  })`;
}

function frameTable(plan: Plan, { retention, dialect }: Lowered, sets?: PeriodSets): Expression {
  const { cohorts } = toRetentionFrame(plan, retention);
  const rows = cohorts.map(({ bucket, lastInside, lastOver }, index) => {
    const times = sql`${dialect.timestamp(bucket.start)}, ${toLabel(bucket, retention.period, dialect)}`;
    const bit = sets ? `, ${sets.only(index)}` : '';
    return sql`(${trusted(String(index))}, ${times}, ${trusted(`${lastInside}, ${lastOver}${bit}`)})`;
  });
  return sql`SELECT * FROM (VALUES ${joined(rows, ', ')}) AS frame(n, cohort, label, last_inside,
    last_over${trusted(sets ? ', bit' : '')})`;
}

/** The activity of each user in each period. */
function activeTable(lowered: Lowered): Expression {
  const { retention, start, comeBack, amount } = lowered;
  const recurring = retention.cohorts === 'recurring';
  const calendar = retention.window === 'calendar';
  const wanted = recurring ? (calendar ? anyOf([start, comeBack]) : start) : comeBack;
  const columns = [
    ...eventColumns(lowered),
    ...(recurring ? [sql`max(${start}) AS begins`] : []),
    ...(recurring && !calendar ? [trusted('min(utc_time) AS first_at')] : []),
    ...(calendar ? [sql`count(*) FILTER (WHERE ${comeBack}) AS returns`] : []),
    ...(calendar && amount ? [sql`sum(${amount}) FILTER (WHERE ${comeBack}) AS amount`] : []),
  ];
  return sql`SELECT ${joined(columns, ', ')} ${looked(lowered, wanted)} GROUP BY ALL`;
}

function recurringTable({ value, retention }: Lowered): Expression {
  const also = `${value ? ', value' : ''}${retention.window === 'calendar' ? '' : ', first_at'}`;
  return trusted(`SELECT who, n${also} FROM active JOIN frame USING (label) WHERE begins`);
}

/**
 * Users by their first start in all history. Among simultaneous events, one that meets the conditions counts first,
 * then the smallest value.
 */
function firstTable(lowered: Lowered): Expression {
  const { retention, who, start, anyStart, value, window, bucketOf, dialect } = lowered;
  const of = (index: number) => dialect.leastValue(trusted('begun_with'), index);
  const ever = retention.cohorts === 'first_ever';
  const parts = value ? [sql`${value} IS NULL`, value] : [];
  const firsts =
    ever || value
      ? sql`SELECT who, ${of(0)} AS first_at${value ? sql`, ${of(3)} AS value` : nothing} FROM (
    SELECT ${who} AS who, ${dialect.leastRow([trusted('utc_time'), sql`NOT ${start}`, ...parts])} AS begun_with ${looked(lowered, ever ? anyStart : start, 'ever')} GROUP BY ALL
  ) AS followed WHERE NOT ${of(1)}`
      : sql`SELECT ${who} AS who, min(utc_time) AS first_at ${looked(lowered, start, 'ever')} GROUP BY ALL`;
  return sql`SELECT who, n, first_at${trusted(value ? ', value' : '')} FROM (
  SELECT *, ${bucketOf(trusted('first_at'))} AS label FROM (${firsts}) AS firsts WHERE ${within(trusted('first_at'), window)}
) AS labelled JOIN frame USING (label)`;
}

/** The values with the most users; ties are broken by name. */
function keptTable({ breakdown }: Retention): Expression {
  return sql`SELECT value, TRUE AS is_kept FROM begun WHERE value IS DISTINCT FROM ${boundText(otherValues)}
GROUP BY value ORDER BY count(DISTINCT who) DESC, value NULLS LAST LIMIT ${trusted(String(breakdown?.limit ?? 1))}`;
}

/** The value under which the events of `table` count. */
function keyed(table: string): Expression {
  return sql`CASE WHEN is_kept THEN ${trusted(table)}.value ELSE ${boundText(otherValues)} END`;
}

function joinKept(table: string): Expression {
  return trusted(`LEFT JOIN kept ON kept.value IS NOT DISTINCT FROM ${table}.value`);
}

/** Each user once in each cohort and value. */
function startersTable({ value, retention }: Lowered): Expression {
  if (!value) return trusted('SELECT * FROM begun');
  const first = retention.window === 'calendar' ? nothing : trusted(', min(first_at) AS first_at');
  return sql`SELECT who, n, ${keyed('begun')} AS value${first} FROM begun ${joinKept('begun')} GROUP BY ALL`;
}

/**
 * Users of a cohort with the number of each later period in which they returned often enough, or only of the last one.
 */
function calendarReturns(
  { retention, value, amount }: Lowered,
  same: (left: string, right: string) => Expression,
  who: Expression,
): Expression {
  const { cumulative, least, periods } = retention;
  const key = value ? trusted(', value') : nothing;
  const keyedActive = value
    ? sql`(SELECT who, label, ${keyed('active')} AS value, sum(returns) AS returns${added(amount, 'sum(amount)')}
      FROM active ${joinKept('active')} GROUP BY ALL)`
    : trusted('active');
  const back = sql`SELECT who${key}, ${trusted(cumulative ? 'max(n)' : 'n')} AS n${added(amount, 'amount')}
    FROM ${keyedActive} AS returned JOIN frame USING (label)
  WHERE returns >= ${trusted(String(least))}${trusted(cumulative ? ' GROUP BY ALL' : '')}`;
  const near = cumulative ? nothing : trusted(` AND back.n < starters.n + ${periods}`);
  return sql`SELECT ${who}starters.n AS n,
    ${value ? trusted('starters.value AS value, ') : nothing}back.n - starters.n AS k${added(amount, 'amount')}
FROM starters JOIN (${back}) AS back ON back.who = starters.who AND back.n > starters.n${near}${same('back', 'starters')}`;
}

/** The same for periods of 24 hours from each user's start. */
function rollingReturns(lowered: Lowered): Expression {
  const { retention, who, comeBack, value, amount, dialect } = lowered;
  const { cumulative, least, periods } = retention;
  const columns = [
    sql`${who} AS who, utc_time`,
    ...(value ? [sql`${value} AS value`] : []),
    ...(amount ? [sql`${amount} AS amount`] : []),
  ];
  const events = sql`SELECT ${joined(columns, ', ')} ${looked(lowered, comeBack)}`;
  const returned = value
    ? sql`(SELECT who, utc_time, ${keyed('raw')} AS value${added(amount, 'amount')} FROM (${events}) AS raw ${joinKept('raw')})`
    : sql`(${events})`;
  const whole = (micros: string, length: number) => `CAST((${micros} - ${micros} % ${length}) / ${length} AS BIGINT)`;
  const elapsed = trusted(whole('(epoch_us(utc_time) - epoch_us(first_at))', dayInMicroseconds));
  const same = value ? trusted(' AND returned.value IS NOT DISTINCT FROM starters.value') : nothing;
  const key = value ? trusted(', starters.value AS value') : nothing;
  // A relevant return is in the same stretch as its start or in the next one. Join only those.
  const stretch = (time: string) => whole(`epoch_us(${time})`, periods * dayInMicroseconds);
  const [starts, near] = cumulative
    ? [trusted('starters'), nothing]
    : [
        sql`(SELECT starters.*, ${trusted(stretch('first_at'))} + plus AS stretch FROM starters
          CROSS JOIN ${dialect.numbers(0, 2, 'shift', 'plus')}) AS starters`,
        sql` AND ${trusted(stretch('utc_time'))} = stretch AND ${elapsed} < ${trusted(String(periods))}`,
      ];
  const often = sql`SELECT starters.who AS who, n${key}, ${elapsed} AS k${added(amount, 'sum(amount)')} FROM ${starts}
    JOIN ${returned} AS returned
ON returned.who = starters.who AND utc_time >= first_at + INTERVAL 24 HOUR${near}${same}
GROUP BY ALL HAVING count(*) >= ${trusted(String(least))}`;
  return cumulative
    ? sql`SELECT who, n${trusted(value ? ', value' : '')}, max(k) AS k FROM (${often}) AS often GROUP BY ALL`
    : often;
}

/** Each user in each cell. */
function hitsTable({ retention, value, dialect }: Lowered): Expression {
  const key = trusted(value ? ', value' : '');
  const seen = retention.cumulative
    ? sql`SELECT who, n${key}, later.k AS k FROM returns
      JOIN ${dialect.numbers(1, retention.periods, 'later', 'k')} ON later.k <= returns.k`
    : sql`SELECT who, n${key}, k FROM returns`;
  return sql`SELECT who, n${key}, 0 AS k FROM starters UNION ALL ${seen}`;
}

/** An additional column if amounts are summed. */
function added(amount: Expression | undefined, text: string): Expression {
  return trusted(amount ? `, ${text} AS amount` : '');
}

/** The amounts of each cohort's starts, summed within its own period. */
function begunAmountsTable(lowered: Lowered, amount: Expression): Expression {
  const { start, value } = lowered;
  const columns = [...eventColumns(lowered), sql`${amount} AS amount`];
  const raw = sql`(SELECT ${joined(columns, ', ')} ${looked(lowered, start)}) AS raw`;
  const key = value ? sql`, ${keyed('raw')} AS value` : nothing;
  const same = trusted(value ? ' AND spent.value IS NOT DISTINCT FROM starters.value' : '');
  return sql`SELECT starters.n AS n${trusted(value ? ', starters.value AS value' : '')}, sum(spent.amount) AS amount FROM starters
JOIN (SELECT who, n${key}, sum(amount) AS amount FROM ${raw}
JOIN frame USING (label)${value ? sql` ${joinKept('raw')}` : nothing} GROUP BY ALL) AS spent
ON spent.who = starters.who AND spent.n = starters.n${same} GROUP BY ALL`;
}

function cellsTable({ retention, value, amount, dialect }: Lowered): Expression {
  const key = value ? trusted(', value') : nothing;
  const counted = sql`SELECT n${key}, k, count(*) AS users${added(amount, 'sum(amount)')} FROM returns GROUP BY ALL`;
  if (!retention.cumulative) return counted;
  return sql`SELECT n${key}, later.k AS k, sum(users) AS users FROM (${counted}) AS counted
JOIN ${dialect.numbers(1, retention.periods, 'later', 'k')} ON later.k <= counted.k GROUP BY ALL`;
}

export function retentionInWords(plan: Plan, dialect: Dialect, followed?: FollowedReturns): ActivityInWords {
  const { definition, bound } = computedHere(retentionOf(plan));
  const { who, start, comeBack, always, value, amount } = lower(plan, definition, bound, dialect);
  return {
    period: definition.period,
    read: [bound.follow && who, start, comeBack, ...always, value, amount],
    window: toRetentionFrame(plan, definition).window,
    relation: retentionRelation(plan, definition, bound, dialect, followed),
    nobody: retentionNobody(plan, definition, bound, dialect),
    uncounted: retentionUncounted(plan, definition, bound, dialect),
    named: {
      definition,
      matches: [definition.start, definition.comeBack],
      conditions: [...bound.where, ...bound.start, ...bound.comeBack],
    },
  };
}
