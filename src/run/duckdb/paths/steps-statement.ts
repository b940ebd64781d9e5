import type { Paths } from '../../../ask/paths/paths.ts';
import { pathsOf } from '../../../plan/analysis/paths/paths-analysis.ts';
import { invariant } from '../../../ask/invariant.ts';
import { askedDates } from '../../../plan/computed/asked-dates.ts';
import { pageView, userKeyColumn } from '../../../plan/model/event-fields.ts';
import type { Plan } from '../../../plan/plan.ts';
import { within } from '../../../plan/sql/condition-expression.ts';
import { duckDb, toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import { allOf, bound, type Expression, joined, name, sql, trusted } from '../../../plan/sql/expression.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import { alwaysConditions } from '../activity/activity-words.ts';
import type { BoundText } from '../funnel/events-statement.ts';
import type { Part } from '../funnel/user-parts.ts';
import { lowerDimension } from '../session/event-condition.ts';

/** The events of a plan's paths in SQL: `who`, `time` and `raw`, the name of the step before grouping; not null. */
export function stepsRelation(plan: Plan): Expression {
  const { definition, bound: members } = pathsOf(plan) ?? {};
  invariant(definition && members, 'the plan asks paths that are computed here');
  const { from, to } = askedDates(plan);
  const raw = members.step ? sql`CAST(${lowerDimension(members.step)} AS VARCHAR)` : ownName(definition);
  const conditions = [
    trusted('isfinite(utc_time)'),
    within(trusted('utc_time'), { start: from, end: to }),
    ...(definition.events ? [sql`event_type IN (${texts(definition.events)})`] : []),
    ...alwaysConditions(plan, members.where),
  ];
  return sql`(SELECT * FROM (
    SELECT ${trusted(userKeyColumn)} AS who, utc_time AS time, ${raw} AS raw FROM "events" AS looked_at
    WHERE ${allOf(conditions)}
  ) AS named WHERE raw IS NOT NULL)`;
}

function ownName({ step, events }: Paths): Expression {
  const event = trusted("coalesce(nullif(custom_event_name, ''), event_type)");
  if (step.kind === 'event') return event;
  const page = trusted(
    "CASE WHEN length(doc_path) > 1 AND suffix(doc_path, '/') THEN left(doc_path, -1) ELSE doc_path END",
  );
  return events?.every((each) => each === pageView.documented)
    ? page
    : sql`CASE WHEN event_type = ${texts([pageView.documented])} THEN ${page} ELSE ${event} END`;
}

function texts(values: readonly string[]): Expression {
  return joined(
    values.map((value) => bound({ type: 'text', value })),
    ', ',
  );
}

/** Each name with its place in the alphabet, the first and last time of its events in microseconds, and their number. */
export function namesStatement(steps: Expression): Expression {
  return sql`SELECT raw, CAST(row_number() OVER (ORDER BY raw) - 1 AS BIGINT) AS code, first, last, events FROM (
  SELECT raw, min(epoch_us(time)) AS first, max(epoch_us(time)) AS last, count(*) AS events FROM ${steps} AS steps GROUP BY raw
) AS names`;
}

/** How a time and the code of a name go together. `beside`: in one number, the code in its lowest bits. */
export type StepShape =
  | { readonly kind: 'beside'; readonly base: bigint; readonly bits: number }
  | { readonly kind: 'apart'; readonly base: bigint };

/** Together they have 62 bits. The codes are up to, not including, `names`; the times in microseconds. */
export function toStepShape(names: number, first: bigint, last: bigint): StepShape {
  const bits = Math.max(1, Math.ceil(Math.log2(Math.max(2, names))));
  const hasRoom = bits <= 31 && (last - first).toString(2).length + bits <= 62;
  return hasRoom ? { kind: 'beside', base: first, bits } : { kind: 'apart', base: first };
}

/**
 * A row a user: the list `events` of times and codes, in order; 1 where it is nobody, whose list is empty; the number of
 * events. Events of one time are in the order of their names.
 */
export function listsStatement(
  steps: Expression,
  names: Expression,
  shape: StepShape,
  part: Part | undefined,
): Expression {
  const base = trusted(String(shape.base));
  const event =
    shape.kind === 'beside'
      ? sql`(epoch_us(time) - ${base}) * ${trusted(String(2 ** shape.bits))} + code`
      : sql`struct_pack(time := epoch_us(time) - ${base}, code := code)`;
  const ofPart = part ? trusted(` WHERE hash(who) % ${part.of} = ${part.index}`) : trusted('');
  return sql`SELECT list_sort(events) AS events, CAST(nobody AS TINYINT) AS nobody, counted FROM (
  SELECT list(event) FILTER (WHERE who IS NOT NULL) AS events, who IS NULL AS nobody, CAST(count(*) AS BIGINT) AS counted FROM (
    SELECT who, ${event} AS event FROM ${steps} AS steps JOIN ${names} AS names USING (raw)
  ) AS coded${ofPart} GROUP BY who
) AS gathered`;
}

/** All of it in one statement, as `--explain` shows it. */
export function wholeStatement(plan: Plan): Expression {
  const steps = stepsRelation(plan);
  return listsStatement(steps, sql`(${namesStatement(steps)})`, { kind: 'apart', base: 0n }, undefined);
}

export function printBound(expression: Expression): BoundText {
  const { text, parameters } = printStatement(expression, duckDb);
  return { text, parameters: parameters.map(toDuckDbValue) };
}

/** A table of this engine. */
export const tableName = (number: number): Expression => name(`path_names_${number}`);
