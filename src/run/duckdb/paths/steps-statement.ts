import type { Paths } from '../../../ask/paths/paths.ts';
import { pathsOf } from '../../../plan/analysis/paths/paths-analysis.ts';
import { askedDates } from '../../../plan/computed/asked-dates.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import { pageView, userKeyColumn } from '../../../plan/model/event-fields.ts';
import type { Plan } from '../../../plan/plan.ts';
import { within } from '../../../plan/sql/condition-expression.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { allOf, boundText, type Expression, joined, name, sql, trusted } from '../../../plan/sql/expression.ts';
import type { CommonTable } from '../../../plan/sql/statement.ts';
import { alwaysConditions } from '../activity/activity-words.ts';
import { type BoundText, printBound } from '../funnel/events-statement.ts';
import type { Part } from '../funnel/user-parts.ts';
import { cohortTables } from '../session/cohort-tables.ts';
import { lowerText } from '../session/event-condition.ts';

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

/** Each name with its alphabetical index, the first and last time of its events in microseconds, and their number. */
export function namesStatement({ relation, name: called }: Steps): Expression {
  return sql`SELECT *, CAST(row_number() OVER (ORDER BY name, raw) - 1 AS BIGINT) AS code FROM (
  SELECT raw, ${called} AS name, min(epoch_us(time)) AS first, max(epoch_us(time)) AS last, count(*) AS seen
  FROM ${relation} AS steps GROUP BY raw
) AS names`;
}

/** How a time and the code of a name are combined. `beside`: in one number, with the code in the lowest bits. */
export type StepShape =
  | { readonly kind: 'beside'; readonly base: bigint; readonly bits: number }
  | { readonly kind: 'apart'; readonly base: bigint };

/** One number has room for 62 bits. `names`: number of codes. Times in microseconds. */
export function toStepShape(names: number, first: bigint, last: bigint): StepShape {
  const bits = Math.max(1, Math.ceil(Math.log2(Math.max(2, names))));
  const hasRoom = bits <= 31 && (last - first).toString(2).length + bits <= 62;
  return hasRoom ? { kind: 'beside', base: first, bits } : { kind: 'apart', base: first };
}

/**
 * One row a user: the list of times and codes, if apart sorted by time, then by name; 1 if there is no user,
 * and thus no list, else 0; the number of events; with `keys` the user's key.
 */
export function listsStatement(
  { relation }: Steps,
  names: Expression,
  shape: StepShape,
  { part, keys = false }: { readonly part: Part | undefined; readonly keys?: boolean },
): Expression {
  const base = trusted(String(shape.base));
  const event =
    shape.kind === 'beside'
      ? sql`(epoch_us(time) - ${base}) * ${trusted(String(2 ** shape.bits))} + code`
      : sql`struct_pack(at := epoch_us(time) - ${base}, code := code)`;
  const ofPart = part ? trusted(` WHERE hash(who) % ${part.of} = ${part.index}`) : trusted('');
  const events = trusted(shape.kind === 'beside' ? 'followed' : 'list_sort(followed)');
  return sql`SELECT ${events} AS followed, CAST(nobody AS TINYINT) AS nobody, counted${trusted(keys ? ', who' : '')} FROM (
  SELECT list(event) FILTER (WHERE who IS NOT NULL) AS followed, who IS NULL AS nobody, CAST(count(*) AS BIGINT) AS counted${trusted(keys ? ', who' : '')} FROM (
    SELECT who, ${event} AS event FROM ${relation} AS steps JOIN ${names} AS names USING (raw)
  ) AS coded${ofPart} GROUP BY who
) AS gathered`;
}

/** Everything in one statement, for `--explain`. */
export function wholeStatement(plan: Plan): BoundText {
  const steps = stepsOf(plan);
  const names = sql`(${namesStatement(steps)})`;
  return printBound(listsStatement(steps, names, { kind: 'apart', base: 0n }, { part: undefined }), steps.tables);
}

/** The name of a table in this engine. */
export const tableName = (number: number): Expression => name(`path_names_${number}`);
