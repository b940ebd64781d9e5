import type { CanonicalQuery } from '../../ask/query/query.ts';
import { greatestRemoteLimit } from '../../plan/bind/bind.ts';
import { onlyGroups } from '../../plan/bind/select-groups.ts';
import { withoutLimit } from '../../plan/groups.ts';
import type { Plan } from '../../plan/plan.ts';
import { reachOf } from '../../run/backend.ts';
import { compare } from '../../shape/compare.ts';
import { formatComparison, unequalLengths } from '../../shape/format/format-time.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { keepGroups } from '../../shape/keep-groups.ts';
import { withGroupsOf } from '../../shape/others.ts';
import { withParts } from '../../ask/cloneable.ts';
import { withNote } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { limitRows } from '../../shape/result/take-rows.ts';
import { arrange } from '../../shape/select.ts';
import { stack } from '../../shape/stack.ts';

/** Answers the ranges of a comparison and arranges them in one result; see `AnswerOptions`. */
export async function answerComparison(
  plans: readonly Plan[],
  query: CanonicalQuery,
  ranges: 'stacked' | 'beside',
  run: (plan: Plan) => Promise<Result>,
): Promise<Result> {
  const results = (await answerRanges(plans, run)).map((result) => arrange(result, query.columns));
  const isBeside = ranges === 'beside' && plans.length > 1;
  const labels = plans.map((plan, index) => (isBeside ? String(index) : (plan.comparison ?? '')));
  const stacked = stack(
    results.map((result, index) => ({ result, label: labels[index] ?? '' })),
    query,
  );
  return noteLengths(
    plans,
    isBeside ? beside(compare(stacked, plans, labels, results.map(isComplete(plans))), plans, results[0]) : stacked,
  );
}

/** A month earlier, the last days of March are fewer. */
function noteLengths(plans: readonly Plan[], result: Result): Result {
  const lengths = unequalLengths(plans.map(({ comparison = '' }) => comparison));
  if (lengths === undefined) return result;
  const provenance = withNote(result.provenance, `The ranges differ in length: ${lengths}.`);
  return withParts(result, { provenance });
}

/**
 * Answers each range of a comparison, the current one first. Limit and order choose the groups by the current range.
 * The other ranges are queried for exactly these groups. If the current range has fewer groups than the limit allows,
 * groups of the other ranges follow up to the limit. Ungrouped rows have no groups to choose from, so each range is
 * limited alone.
 */
async function answerRanges(plans: readonly Plan[], run: (plan: Plan) => Promise<Result>): Promise<readonly Result[]> {
  const [plan, ...earlier] = plans;
  if (!plan) return [];
  const current = await run(plan);
  const results = [current];
  if (plan.others) {
    for (const other of earlier) results.push(await run(withGroupsOf(other, current)));
    return results;
  }
  const isOneRow = plan.dimensions.length === 0 && plan.times.every(({ granularity }) => granularity === undefined);
  const isCut = current.provenance.truncated !== null || plan.offset > 0;
  for (const other of earlier) {
    if (plan.ungrouped || isOneRow || plan.limit === 0) results.push(await run(other));
    else results.push(await (isCut ? answerGroups(other, current, run) : answerAllGroups(other, current, run)));
  }
  return earlier.length === 0 || plan.ungrouped || isOneRow || plan.limit === 0
    ? results
    : keepGroups(results, plans, isCut);
}

/** Returns all groups of a range, even if there are more than the limit. */
async function answerAllGroups(plan: Plan, current: Result, run: (plan: Plan) => Promise<Result>): Promise<Result> {
  const result = await run(plan);
  if (result.provenance.truncated === null) return result;
  return withTotal(noteMissing(await run(toUnlimited(plan, current)), plan), result);
}

/** Returns the groups of the current range, and possibly other combinations of their values. */
async function answerGroups(plan: Plan, current: Result, run: (plan: Plan) => Promise<Result>): Promise<Result> {
  const valuesOf = (key: string) => current.codes(key).dictionary;
  const limited = plan.total || current.rowCount === 0 ? await run(plan) : undefined;
  // The offset is beyond the rows of the current range, so no group is chosen.
  if (limited && current.rowCount === 0) return withTotal(limitRows(limited, 0, 0), limited);
  return withTotal(noteMissing(await run(onlyGroups(toUnlimited(plan, current), valuesOf)), plan), limited);
}

/** The total counts the rows without a limit, regardless of which groups were queried. */
function withTotal(result: Result, limited: Result | undefined): Result {
  const total = limited?.provenance.total;
  return total === undefined ? result : withParts(result, { provenance: { ...result.provenance, total } });
}

/** Removes the limit. Servers keep their greatest limit. */
function toUnlimited(plan: Plan, { provenance }: Result): Plan {
  const isLocal = reachOf(provenance.backend as Parameters<typeof reachOf>[0]) === 'local';
  return withoutLimit(plan, isLocal ? undefined : greatestRemoteLimit);
}

function noteMissing(result: Result, plan: Plan): Result {
  const { truncated } = result.provenance;
  if (truncated === null) return result;
  const range = formatComparison(plan.comparison ?? 'the earlier range');
  const note = `Values of ${range} may be missing: the server returns at most ${formatNumber(truncated.limit)} rows at once.`;
  return withParts(result, { provenance: withNote(result.provenance, note) });
}

/** Whether a missing group in a range is proven to have no rows. All groups of the current range are loaded. */
function isComplete([plan]: readonly Plan[]): (result: Result, range: number) => boolean {
  const hasAll = plan !== undefined && !plan.ungrouped && !plan.computed && plan.groupConditions.length === 0;
  return ({ provenance }, range) => hasAll && (range === 0 || provenance.truncated === null);
}

/** Corrects the total and adds the notes that apply if several ranges share a row. */
function beside(result: Result, [plan]: readonly Plan[], current: Result | undefined): Result {
  const { truncated, total } = result.provenance;
  const provenance = {
    ...result.provenance,
    ...(total === undefined ? {} : { total: truncated ? current?.provenance.total : result.rowCount }),
  };
  const isFiltered = plan?.groupConditions.length !== 0;
  return withParts(result, { provenance: isFiltered ? withNote(provenance, filteredRanges) : provenance });
}

const filteredRanges = 'Each range is filtered by its own measure values. A missing value may have been filtered out.';
