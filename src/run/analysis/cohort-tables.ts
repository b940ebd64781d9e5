import { allRules } from '../../ask/cohort/cohort.ts';
import { invariant } from '../../ask/invariant.ts';
import { userKeyColumn } from '../../plan/model/event-fields.ts';
import type { BoundRule, Plan, PlanCohort } from '../../plan/plan.ts';
import { within } from '../../plan/sql/condition-expression.ts';
import type { Dialect } from '../../plan/sql/dialect.ts';
import { allOf, anyOf, type Expression, joined, name, sql, trusted } from '../../plan/sql/expression.ts';
import { ofProject } from '../../plan/sql/of-project.ts';
import type { CommonTable } from '../../plan/sql/statement.ts';
import { lowerConditions, matchConditions } from './event-condition.ts';
import { cohortFrames } from '../../plan/analysis/cohort/cohort-analysis.ts';
import { withoutDates } from '../../plan/computed/asked-dates.ts';
import { cohortTableAt } from '../../plan/analysis/cohort/cohort-members.ts';

const user = trusted(userKeyColumn);
const time = trusted('utc_time');

/** The relations of a plan's cohorts, each with one row per user and the column of user keys. */
export function cohortTables(
  { cohorts = [], project }: Pick<Plan, 'cohorts' | 'project'>,
  dialect: Dialect,
): readonly CommonTable[] {
  return cohorts.map((cohort) => ({ name: cohort.table, rows: usersOf(cohort, project, dialect) }));
}

type Did = Extract<BoundRule, { kind: 'did' }>;

/**
 * Reads the events once: counts each user's matching events, then applies the rule, including its set operations, to
 * these counts.
 */
function usersOf({ rule, at }: PlanCohort, project: string | undefined, dialect: Dialect): Expression {
  if (rule.kind === 'listed') return dialect.texts(rule.users, userKeyColumn);
  const counted: Did[] = [];
  const counter = (did: Did) => trusted(`n${counted.push(did) - 1}`);
  const holds = ruleExpression(rule, counter);
  const matching = counted.map((did) => didExpression(did, dialect));
  const counts = matching.map((one, index) => sql`, count(*) FILTER (WHERE ${one}) AS ${trusted(`n${index}`)}`);
  const everybody = needsEverybody(rule);
  const conditions = [
    within(time, { end: at }),
    sql`${user} IS NOT NULL`,
    ...ofProject(project),
    // Users without matching events are not members, so other events need not be grouped.
    ...(everybody ? [] : [anyOf(matching)]),
  ];
  return sql`SELECT ${user} FROM (
  SELECT ${user}, min(${time}) AS first_at${joined(counts, '')} FROM "events" AS looked_at
  WHERE ${allOf(conditions)} GROUP BY ${user}
) AS people WHERE ${holds}`;
}

function didExpression({ match, conditions, range }: Did, dialect: Dialect): Expression {
  const filters = lowerConditions(conditions, dialect);
  return allOf([...(range ? [within(time, range)] : []), ...matchConditions(match), ...(filters ? [filters] : [])]);
}

/** Never null. */
function ruleExpression(rule: BoundRule, counter: (did: Did) => Expression): Expression {
  switch (rule.kind) {
    case 'group': {
      const all = rule.all.map((one) => ruleExpression(one, counter));
      const any = rule.any.map((one) => ruleExpression(one, counter));
      const except = rule.except.map((one) => sql`NOT (${ruleExpression(one, counter)})`);
      return allOf([...all, ...(any.length > 0 ? [anyOf(any)] : []), ...except]);
    }
    case 'did':
      return sql`${counter(rule)} ${trusted(`${rule.times.operator} ${rule.times.events}`)}`;
    case 'first_seen':
      return within(trusted('first_at'), rule.range);
    case 'reached':
      // `explain` runs nothing, so the users were not searched.
      return rule.found === undefined
        ? trusted(`FALSE /* users who reached step ${rule.step} of ${rule.funnel.definition.name}, found beforehand */`)
        : sql`${user} IN (SELECT ${user} FROM ${name(rule.found)})`;
    case 'cohort':
      return sql`${user} IN (SELECT ${user} FROM ${name(rule.table)})`;
    case 'listed':
      invariant(false, 'listed users are a cohort of their own');
  }
}

/** Whether users can be members because of events that the rule does not count. */
function needsEverybody(rule: BoundRule): boolean {
  return holdsForIdle(rule) !== false || allRules(rule).some(({ kind }) => kind === 'first_seen');
}

/** Whether a rule holds for users without any event that it counts; undefined if only for some of them. */
function holdsForIdle(rule: BoundRule): boolean | undefined {
  if (rule.kind === 'did') {
    const { operator, events } = rule.times;
    return operator === '<=' || (operator === '=' ? events === 0 : events <= 0);
  }
  if (rule.kind !== 'group') return undefined;
  const all = rule.all.map(holdsForIdle);
  const any = rule.any.map(holdsForIdle);
  const except = rule.except.map(holdsForIdle);
  if (all.includes(false) || except.includes(true) || (any.length > 0 && any.every((one) => one === false)))
    return false;
  const holds =
    all.every((one) => one === true) &&
    except.every((one) => one === false) &&
    (any.length === 0 || any.includes(true));
  return holds ? true : undefined;
}

/** The plan over the rows of `cohortRelation`. */
export function overFrames(plan: Plan): Plan {
  const frames = cohortFrames(plan);
  const buckets = frames.flatMap(({ bucket }) => bucket ?? []);
  const range = { start: buckets[0]?.start ?? 0, end: buckets.at(-1)?.end ?? 0 };
  const times = plan.times.flatMap((time) => (time.granularity === undefined ? [] : [{ ...time, range }]));
  return { ...withoutDates(plan), times };
}

/** One row a user and frame. A frame without users has one row without a user, unless the question lists users. */
export function cohortRelation(plan: Plan, dialect: Dialect): Expression {
  const byUser = plan.dimensions.some(({ dimension }) => dimension.name === 'user');
  const frames = cohortFrames(plan).map(({ at, bucket }) => {
    const users = name(cohortTableAt(plan, plan.root.name, at));
    const date = dialect.timestamp(bucket?.start ?? Math.min(at, plan.now));
    return byUser
      ? sql`SELECT ${date} AS date, ${trusted(userKeyColumn)} FROM ${users}`
      : sql`SELECT ${date} AS date, ${trusted(userKeyColumn)} FROM (SELECT 1) AS one LEFT JOIN ${users} ON TRUE`;
  });
  return sql`(${joined(frames, '\nUNION ALL\n')})`;
}
