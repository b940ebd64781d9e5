import type { Plan } from '../../../plan/plan.ts';
import { unfitForSessions } from '../../../plan/projection/fit-sessions.ts';
import { unfitForCounts } from '../../../plan/projection/fit-counts.ts';
import { eventCounts, keptSessions } from '../../../plan/projection/projections.ts';
import { countedDialect, sessionsDialect } from '../../../plan/projection/projection-dialects.ts';
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
  const atHand = await events.projections();
  if (atHand.why !== undefined) return { used: { why: atHand.why } };
  const { kind } = plan.root.source;
  if (kind === 'sessions' || kind === 'users') {
    const why = atHand.names.has(keptSessions.name) ? unfitForSessions(plan) : 'The store has not kept its sessions.';
    return why === undefined ? { used: { name: keptSessions.name }, use: sessionsDialect } : { used: { why } };
  }
  if (kind !== 'events') return { used: { why: 'Projections are of events and sessions.' } };
  let why = '';
  for (const counts of eventCounts) {
    if (!atHand.names.has(counts.name)) continue;
    const unfit = unfitForCounts(plan, counts, atHand.extent);
    if (unfit === undefined) return { used: { name: counts.name }, use: (dialect) => countedDialect(dialect, counts) };
    why = unfit;
  }
  return { used: { why } };
}
