import { BackendError } from '../../ask/sluice-error.ts';
import { enginePlans } from '../../plan/groups.ts';
import type { Derivation, FurtherPlan, Plan } from '../../plan/plan.ts';
import { type BackendName, reachOf } from '../../run/backend.ts';
import { chooseRows, derive } from '../../shape/derive/derive.ts';
import { decideFill } from '../../shape/fill/decide-fill.ts';
import { fill } from '../../shape/fill/fill.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { withNote } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { limitRows } from '../../shape/result/take-rows.ts';
import type { FillMode } from '../../ask/query/saved-query.ts';
import { withParts } from '../../ask/cloneable.ts';

interface FillOptions {
  readonly fill?: FillMode | undefined;
  readonly fillWith?: 0 | undefined;
}

/** Answers a plan of a derivation, which may have formulas of its own. */
type RunInner = (plan: Plan, fill: FillOptions['fill']) => Promise<Result>;

/**
 * Answers a plan with formulas: queries their operands, computes the formulas, then applies the order, limit and
 * conditions that depend on them. Throws `incomplete-answer` if a server returned only some of the required groups.
 */
export async function runDerived(
  plan: Plan,
  derived: Derivation,
  run: RunInner,
  { fill: mode = 'auto', fillWith }: FillOptions,
): Promise<Result> {
  // Moving averages have values in empty buckets, too.
  const isDense = derived.further.some(({ kind }) => kind === 'average' || kind === 'sum');
  const isFilledFirst = derived.ordered || derived.further.length > 0;
  const base = await run(derived.base, isDense ? 'all' : isFilledFirst ? mode : 'none');
  const further: Result[] = [];
  for (const each of derived.further) {
    const result = await run(each.plan, each.kind === 'share' ? mode : isSparse(each) ? 'none' : 'all');
    further.push(result);
    if (each.plan.limit !== undefined) refuseTruncated(result, each.plan);
  }
  if (!derived.ordered) refuseTruncated(base, derived.base);
  const all = derive(plan, derived, base, further);
  if (derived.ordered) return all;
  const chosen = chooseRows(all, plan, derived, base);
  const total = plan.total ? { total: chosen.rowCount } : {};
  const told = withParts(chosen, { provenance: { ...chosen.provenance, ...total, filled: isFilledFirst } });
  return isFilledFirst ? limitRows(told, plan.limit, plan.offset) : finish(told, plan, { fill: mode, fillWith });
}

/** Whether only the plan's own rows are needed, because a bucket without rows has no values. */
function isSparse({ kind, plan }: FurtherPlan): boolean {
  return (
    kind === 'where' && enginePlans(plan).every(({ measures }) => measures.every((each) => !each.measure.rollingWindow))
  );
}

function finish(result: Result, plan: Plan, { fill: mode = 'auto', fillWith }: FillOptions): Result {
  const completeness = reachOf(result.provenance.backend as BackendName);
  const decision = decideFill(plan, { mode, completeness });
  if (decision.kind === 'fill') return fill(result, plan, { fillWith });
  const limited = limitRows(result, plan.limit, plan.offset);
  return decision.why === undefined
    ? limited
    : withParts(limited, { provenance: withNote(limited.provenance, decision.why) });
}

function refuseTruncated({ provenance: { truncated } }: Result, { limit }: Plan): void {
  if (truncated !== null && limit !== undefined) throw incompleteGroups(truncated.limit);
}

/** The error if a question needs all groups and a server limits them. */
export function incompleteGroups(limit: number): BackendError {
  return new BackendError(
    `The server returns at most ${formatNumber(limit)} groups, and this question needs all of them.`,
    {
      code: 'incomplete-answer',
      hint: 'Narrow the question by a filter or a shorter range, or export and ask locally.',
    },
  );
}
