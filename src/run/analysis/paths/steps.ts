import { joined, type Expression, trusted, sql, allOf, boundText } from '../../../plan/sql/expression.ts';
import { pageView, userKeyColumn } from '../../../plan/model/event-fields.ts';
import { within } from '../../../plan/sql/condition-expression.ts';
import type { CommonTable } from '../../../plan/sql/statement.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import { pathsOf } from '../../../plan/analysis/paths/paths-analysis.ts';
import { askedDates } from '../../../plan/computed/asked-dates.ts';
import { lowerText } from '../event-condition.ts';
import { alwaysConditions } from '../activity/activity-words.ts';
import { cohortTables } from '../cohort-tables.ts';
import type { Paths } from '../../../ask/paths/paths.ts';

/** The steps of a plan's paths in SQL. */
export interface Steps {
  /** A row an event: `who`, `time` and `raw`, which is not null. */
  readonly relation: Expression;
  /**
   * The step's name before grouping, computed from `raw`, which has far fewer distinct values than there are events.
   */
  readonly name: Expression;
  /** Counts the events that are no steps because they have no name; undefined if all have one. */
  readonly nameless: Expression | undefined;
  /** Tables that the relation and the count use: the plan's cohorts. */
  readonly tables: readonly CommonTable[];
}

export function stepsOf(plan: Plan, dialect: Dialect = duckDb): Steps {
  const { definition, bound: members } = computedHere(pathsOf(plan));
  const { from, to } = askedDates(plan);
  const { raw, name: called } = members.step
    ? { raw: lowerText(members.step, dialect), name: trusted('raw') }
    : ownName(definition);
  const conditions = [
    trusted('isfinite(utc_time)'),
    within(trusted('utc_time'), { start: from, end: to }),
    ...(definition.events ? [sql`event_type IN (${texts(definition.events)})`] : []),
    ...alwaysConditions(plan, members.where, dialect),
  ];
  const events = (columns: string) => sql`(
    SELECT ${trusted(columns)}${raw} AS raw FROM "events" AS looked_at
    WHERE ${allOf(conditions)}
  ) AS named`;
  return {
    relation: sql`(SELECT * FROM ${events(`${userKeyColumn} AS who, utc_time AS time, `)} WHERE raw IS NOT NULL)`,
    name: called,
    nameless: definition.step.kind === 'event' ? undefined : sql`SELECT count(*) FROM ${events('')} WHERE raw IS NULL`,
    tables: cohortTables(plan, dialect),
  };
}

function ownName({ step, events }: Paths): { readonly raw: Expression; readonly name: Expression } {
  const event = trusted("coalesce(nullif(custom_event_name, ''), event_type)");
  if (step.kind === 'event') return { raw: event, name: trusted('raw') };
  return events?.every((each) => each === pageView.documented)
    ? { raw: trusted('doc_path'), name: withoutSlash('raw') }
    : {
        raw: sql`CASE WHEN event_type = ${texts([pageView.documented])} THEN ${withoutSlash('doc_path')} ELSE ${event} END`,
        name: trusted('raw'),
      };
}

function withoutSlash(path: 'raw' | 'doc_path'): Expression {
  return trusted(`CASE WHEN length(${path}) > 1 AND suffix(${path}, '/') THEN left(${path}, -1) ELSE ${path} END`);
}

function texts(values: readonly string[]): Expression {
  return joined(
    values.map((value) => boundText(value)),
    ', ',
  );
}
