import { exceptGroups, onlyGroups } from '../../plan/bind/select-groups.ts';
import { withoutLimit } from '../../plan/groups.ts';
import type { Value } from '../../plan/column.ts';
import type { OthersPlan, Plan } from '../../plan/plan.ts';
import { withNote } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { head, takeRows } from '../../shape/result/take-rows.ts';
import { addOthers, groupKey, groupsOf, holdsNothing } from '../../shape/others.ts';
import { incompleteGroups } from './run-derived.ts';
import { withParts } from '../../ask/cloneable.ts';

type Run = (plan: Plan) => Promise<Result>;

/**
 * Returns the first groups and a row for all others. The others are a separate query, so that users of several groups
 * count once. Throws `incomplete-answer` if a server returned only some of the required groups.
 */
export async function runOthers(
  plan: Plan,
  { rank, base, rest, dimensions, groups }: OthersPlan,
  run: Run,
): Promise<Result> {
  const limit = plan.limit ?? 0;
  const ranked = groups ? undefined : await run(rank);
  const all = groups ?? groupsOf(ranked!, rank);
  const first = groups ?? all.slice(0, limit);
  const own =
    !base && ranked
      ? untruncated(head(ranked, limit))
      : await ofGroups(base ?? withoutLimit(rank, rest.limit), first, run);
  const shown = withParts(own, { provenance: { ...own.provenance, query: plan.query } });
  if (!groups && all.length <= limit) return shown;
  const others = await run(exceptGroups(rest, dimensions, first));
  if (others.provenance.truncated) throw incompleteGroups(others.provenance.truncated.limit);
  if (groups && holdsNothing(others)) return shown;
  const joined = addOthers(shown, others, plan, first);
  // The query for the first groups has one group too many, and counts its rows, too.
  const isShort = [own, others].some(({ provenance }) => provenance.uncounted.some(({ rows }) => rows > 0));
  const { uncounted } = (isShort ? await run(rest) : own).provenance;
  const provenance = { ...others.provenance.notes.reduce(withNote, joined.provenance), uncounted };
  return withParts(joined, { provenance });
}

/** Returns the rows of exactly these groups. Within a bucket, rows keep the order of the groups. */
async function ofGroups(plan: Plan, groups: readonly (readonly Value[])[], run: Run): Promise<Result> {
  const keys = plan.dimensions.map(({ column }) => plan.columns[column]!.key);
  const valuesOf = (key: string) => [...new Set(groups.map((group) => group[keys.indexOf(key)] ?? null))];
  const result = await run(onlyGroups(plan, valuesOf));
  if (result.provenance.truncated) throw incompleteGroups(result.provenance.truncated.limit);
  const ranks = new Map(groups.map((group, rank) => [groupKey(group), rank]));
  const columns = keys.map((key) => result.values(key));
  const axis = plan.columns.find(({ kind }) => kind === 'time');
  const times = axis && result.values(axis.key);
  let bucket = 0;
  const rows = Array.from({ length: result.rowCount }, (_, row) => {
    if (row > 0 && times?.[row] !== times?.[row - 1]) bucket += 1;
    return { row, bucket, rank: ranks.get(groupKey(columns.map((column) => column[row] ?? null))) };
  }).flatMap(({ rank, ...each }) => (rank === undefined ? [] : [{ ...each, rank }]));
  rows.sort((a, b) => a.bucket - b.bucket || a.rank - b.rank || a.row - b.row);
  return takeRows(
    result,
    Int32Array.from(rows, ({ row }) => row),
  );
}

function untruncated(result: Result): Result {
  return withParts(result, { provenance: { ...result.provenance, rows: result.rowCount, truncated: null } });
}
