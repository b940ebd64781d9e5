import type { Plan } from '../../../plan/plan.ts';
import { countedDialect } from '../../../plan/projection/counted-dialect.ts';
import { unfitForCounts } from '../../../plan/projection/fit-counts.ts';
import { eventCounts } from '../../../plan/projection/projections.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import type { UsedProjection } from '../../backend.ts';
import type { EventFiles } from '../reading/event-files.ts';

interface ChosenProjection {
  readonly used: UsedProjection;
  /** The dialect in which the plan asks the projection; undefined: the events answer. */
  readonly use?: (dialect: Dialect) => Dialect;
}

/** The smallest projection of a store that answers a plan as its events would; undefined where no store is asked. */
export async function chooseProjection(
  events: EventFiles | undefined,
  plan: Plan,
): Promise<ChosenProjection | undefined> {
  if (!events?.projections) return undefined;
  if (plan.root.source.kind === 'computed') return { used: { why: 'Analyses follow single events.' } };
  if (plan.root.source.kind !== 'events') return { used: { why: 'Projections count events.' } };
  const atHand = await events.projections();
  if (atHand.why !== undefined) return { used: { why: atHand.why } };
  let why = '';
  for (const counts of eventCounts) {
    if (!atHand.names.has(counts.name)) continue;
    const unfit = unfitForCounts(plan, counts, atHand.extent);
    if (unfit === undefined) return { used: { name: counts.name }, use: (dialect) => countedDialect(dialect, counts) };
    why = unfit;
  }
  return { used: { why } };
}
