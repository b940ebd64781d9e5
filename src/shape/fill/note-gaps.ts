import { plural } from '../../ask/text.ts';
import { day } from '../../ask/time/granularity.ts';
import type { Value } from '../../plan/column.ts';
import type { Plan } from '../../plan/plan.ts';
import { formatNumber } from '../format/format-number.ts';
import { type Provenance, withNote } from '../result/provenance.ts';

/**
 * Notes how many days between the first and the last day of an answer have no rows. They are not filled if the question
 * has no range, and would pass as if they did not exist. `labelsOf` returns the distinct values of a column.
 */
export function noteGaps(
  provenance: Provenance,
  plan: Plan,
  labelsOf: (column: string) => readonly Value[],
): Provenance {
  const axes = plan.times.filter(({ granularity }) => granularity !== undefined);
  const [axis] = axes;
  if (axes.length !== 1 || axis?.granularity !== 'day' || axis.column === undefined || plan.series) return provenance;
  if (plan.ungrouped || plan.computed || plan.measures.length === 0 || plan.groupConditions.length > 0)
    return provenance;
  if (provenance.truncated || plan.offset > 0) return provenance;
  const days = new Set<number>();
  for (const label of labelsOf(plan.columns[axis.column]!.key))
    if (typeof label === 'string') days.add(Date.parse(`${label}Z`));
  const sorted = [...days].sort((a, b) => a - b);
  const missing = Math.round((sorted.at(-1)! - sorted[0]!) / day) + 1 - sorted.length;
  if (!(missing > 0)) return provenance;
  const said = `${formatNumber(missing)} ${plural(missing, 'day')} without rows ${plural(missing, 'is', 'are')} left out`;
  const note = `${said}, because the question has no range. Add one, such as \`last 30 days\`, to show such days as 0.`;
  return withNote(provenance, note);
}
