import type { Plan } from '../../../plan/plan.ts';
import { type Expression, name, sql, trusted } from '../../../plan/sql/expression.ts';
import { type BoundText, printBound } from '../funnel/events-statement.ts';
import type { Part } from '../funnel/user-parts.ts';
import { type Steps, stepsOf } from '../../analysis/paths/steps.ts';

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
  SELECT list(event) FILTER (WHERE who IS NOT NULL) AS followed, who IS NULL AS nobody,
  CAST(count(*) AS BIGINT) AS counted${trusted(keys ? ', who' : '')} FROM (
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
