import type { FillMode } from '../../ask/query/saved-query.ts';
import { hasGrid } from '../../ask/time/granularity.ts';
import { countBuckets } from '../../ask/time/buckets.ts';
import type { Plan } from '../../plan/plan.ts';

export interface FillSetting {
  /** `auto`: all days of a range, like the platform, and other buckets if they are at most `mostUnasked`. */
  readonly mode: FillMode;
  /** `local`: the engine can return all groups. `remote`: the answer is limited to one page. */
  readonly completeness: 'local' | 'remote';
}

type FillDecision =
  /** Run this plan, then `fill` its result with the original plan. */
  | { readonly kind: 'fill'; readonly run: Plan }
  /** Run the original plan. `why` is a sentence for the notes; undefined if nobody would expect a fill. */
  | { readonly kind: 'leave'; readonly why?: string | undefined };

/** Limits the memory of a fill; nobody reads more cells. */
export const mostFilledCells = 5_000_000;

/** The most buckets of a series that are filled unless all are asked for: a year of hours, six days of minutes. */
export const mostUnasked = 10_000;

/**
 * Decides whether missing buckets of an answer can be filled, and which plan to run. Only groups that are known to be
 * absent are filled. A local engine runs without limit and offset, so that a group beyond the limit does not become a
 * zero. A remote answer with an offset or a filter on a measure cannot show absence. Without a range, a single series
 * is filled between its first and its last row.
 */
export function decideFill(plan: Plan, { mode, completeness }: FillSetting): FillDecision {
  const axes = plan.times.filter((time) => time.granularity !== undefined);
  const [axis] = axes;
  if (mode === 'none' || !axis || plan.measures.length === 0) return { kind: 'leave' };
  // An analysis returns a row for each bucket itself.
  if (plan.computed) return { kind: 'leave' };
  if (plan.limit === 0) return { kind: 'leave' };
  const why = whyNot(plan, axes.length, mode, completeness);
  if (why !== undefined) return mode === 'auto' && !plan.series ? { kind: 'leave' } : { kind: 'leave', why };
  if (!plan.series) return { kind: 'fill', run: plan };
  return { kind: 'fill', run: completeness === 'local' ? { ...plan, limit: undefined, offset: 0 } : plan };
}

function whyNot(plan: Plan, axes: number, mode: FillMode, completeness: 'local' | 'remote'): string | undefined {
  if (plan.ungrouped) return 'Missing buckets are not filled: the rows are not grouped.';
  if (axes > 1) return 'Missing buckets are not filled: there is more than one time axis.';
  if (plan.times.some(({ granularity }) => granularity !== undefined && !hasGrid(granularity)))
    return 'Missing buckets are not filled: only the data say where the buckets of this granularity begin.';
  if (plan.series === undefined && (plan.offset > 0 || !isSingleSeries(plan)))
    return 'Missing buckets are not filled: without a date range, the start and end of the series are unknown.';
  if (plan.groupConditions.length > 0)
    return 'Missing buckets are not filled: the filter on a measure may have removed them.';
  if (plan.measures.some(({ measure }) => measure.rollingWindow && !measure.rollingWindow.clipped))
    return 'Missing buckets are not filled: a rolling window has its own values there.';
  if (completeness === 'remote' && plan.offset > 0)
    return 'Missing buckets are not filled: rows before the offset are not known.';
  if (!plan.series) return undefined;
  const buckets = countBuckets(plan.series.range, plan.series.granularity, plan.zone);
  if (buckets > mostFilledCells) return tooMany;
  return mode === 'auto' && plan.series.granularity !== 'day' && buckets > mostUnasked ? tooManyUnasked : undefined;
}

/** Whether the answer has no dimension beside the time. */
function isSingleSeries({ columns }: Plan): boolean {
  return columns.filter(({ kind }) => kind !== 'measure').length === 1;
}

/** Why a fill was abandoned after the answer arrived. */
export const tooMany = 'Missing buckets are not filled: there would be more than five million cells.';
export const tooManyUnasked =
  'Missing buckets are not filled: the range has more than 10,000. `fill: all` (--fill all) adds them.';
export const limitReached = 'Missing buckets are not filled: the result reached its limit, so missing rows may exist.';
