import type { CanonicalFilter } from '../../ask/query/query.ts';
import { greatestRemoteLimit } from '../../plan/bind/bind-limit.ts';
import type { Condition, Plan } from '../../plan/plan.ts';
import { reachOf } from '../../run/backend.ts';
import { formatComparison } from '../../shape/format/format-comparison.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { keepGroups } from '../../shape/keep-groups.ts';
import { withNote } from '../../shape/provenance.ts';
import type { Result } from '../../shape/result.ts';
import { limitRows } from '../../shape/values/take-rows.ts';

/** A condition that lists more values than these costs more than the rows that it saves. */
const mostValues = 1000;

/**
 * Answers each range of a comparison, the current one first. Limit and order choose the groups by the current range. The
 * other ranges are asked for exactly these groups. If the current range has fewer groups than the limit allows, groups of
 * the other ranges follow up to the limit. Rows that are not grouped have no groups to choose: each range is limited alone.
 */
export async function answerRanges(plans: readonly Plan[], run: (plan: Plan) => Promise<Result>): Promise<readonly Result[]> {
  const [plan, ...earlier] = plans;
  if (!plan) return [];
  const current = await run(plan);
  const results = [current];
  const isOneRow = plan.dimensions.length === 0 && plan.times.every(({ granularity }) => granularity === undefined);
  const isCut = current.provenance.truncated !== null || plan.offset > 0;
  for (const other of earlier) {
    if (plan.ungrouped || isOneRow || plan.limit === 0) results.push(await run(other));
    else results.push(await (isCut ? answerGroups(other, current, run) : answerWhole(other, current, run)));
  }
  return earlier.length === 0 || plan.ungrouped || isOneRow || plan.limit === 0 ? results : keepGroups(results, plans, isCut);
}

/** All groups of a range, even if they are more than the limit. */
async function answerWhole(plan: Plan, current: Result, run: (plan: Plan) => Promise<Result>): Promise<Result> {
  const result = await run(plan);
  if (result.provenance.truncated === null) return result;
  return withTotal(noteMissing(await run(toUnlimited(plan, current)), plan), result);
}

/** The groups of the current range, and maybe others. */
async function answerGroups(plan: Plan, current: Result, run: (plan: Plan) => Promise<Result>): Promise<Result> {
  const limited = plan.total || current.rowCount === 0 ? await run(plan) : undefined;
  // The offset is beyond the current range: no group is chosen.
  if (limited && current.rowCount === 0) return withTotal(limitRows(limited, 0, 0), limited);
  return withTotal(noteMissing(await run(withGroups(toUnlimited(plan, current), current)), plan), limited);
}

/** The total counts what there would be without a limit, whatever groups were asked for. */
function withTotal(result: Result, limited: Result | undefined): Result {
  const total = limited?.provenance.total;
  return total === undefined ? result : { ...result, provenance: { ...result.provenance, total } };
}

/** A server gives no more rows at once than its greatest limit. */
function toUnlimited(plan: Plan, { provenance }: Result): Plan {
  const { limit: _, offset: __, ...query } = plan.query;
  const isLocal = reachOf(provenance.backend as Parameters<typeof reachOf>[0]) === 'local';
  return { ...plan, query, limit: isLocal ? undefined : greatestRemoteLimit, offset: 0, total: false };
}

/** The plan with conditions that rule out most of the other groups; those that remain are dropped from its answer. */
function withGroups(plan: Plan, current: Result): Plan {
  // A funnel follows users over events: a condition on its rows is none on its groups.
  if (plan.funnel) return plan;
  const rowConditions: Condition[] = [...plan.rowConditions];
  const filters: CanonicalFilter[] = [...(plan.query.filters ?? [])];
  for (const { cube, dimension, column } of plan.dimensions) {
    const { key = '', member = '', type } = plan.columns[column] ?? {};
    const { dictionary } = current.codes(key);
    if (type !== 'string' || dimension.type !== 'string' || dictionary.length > mostValues) continue;
    const values = dictionary.filter((value) => typeof value === 'string');
    const orNull = dictionary.includes(null);
    rowConditions.push({ kind: 'test', operand: { kind: 'dimension', cube, dimension }, test: { kind: 'one-of', values, orNull } });
    const wired: CanonicalFilter[] = [
      ...(values.length > 0 ? [{ member, operator: 'equals' as const, values }] : []),
      ...(orNull ? [{ member, operator: 'notSet' as const }] : []),
    ];
    const [only] = wired;
    filters.push(wired.length === 1 && only ? only : { or: wired });
  }
  return { ...plan, query: { ...plan.query, filters }, rowConditions };
}

function noteMissing(result: Result, plan: Plan): Result {
  const { truncated } = result.provenance;
  if (truncated === null) return result;
  const range = formatComparison(plan.comparison ?? 'the earlier range');
  const note = `Values of ${range} may be missing: the server gives at most ${formatNumber(truncated.limit)} rows at once.`;
  return { ...result, provenance: withNote(result.provenance, note) };
}
