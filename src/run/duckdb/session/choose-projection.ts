import type { Plan } from '../../../plan/plan.ts';
import { fitUserDays, unfitForCodedEvents, unfitForCounts, unfitForSessions } from '../../../plan/projection/fit.ts';
import {
  codedEvents,
  countedDialect,
  eventCounts,
  keptSessions,
  sessionsDialect,
  userDays,
  userDaysDialect,
} from '../../../plan/projection/projections.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import type { Expression } from '../../../plan/sql/expression.ts';
import type { UsedProjection } from '../../backend.ts';
import type { EventFiles } from '../reading/event-files.ts';

interface ChosenProjection {
  readonly used: UsedProjection;
  /** The dialect for asking the projection; undefined if the events answer. */
  readonly use?: (dialect: Dialect) => Dialect;
}

/**
 * The smallest projection of a store that answers a plan exactly as the events would; undefined if the plan does not
 * read a store.
 */
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
    const why = unfitForSessions(plan);
    if (why !== undefined) return { used: { why } };
    return (await atHand.has(keptSessions.relation))
      ? { used: { name: keptSessions.name }, use: sessionsDialect }
      : { used: { why: 'The store has not kept its sessions.' } };
  }
  if (kind !== 'events') return { used: { why: 'Projections are of events and sessions.' } };
  const days = fitUserDays(plan, atHand.extent);
  if (days && (await atHand.has(userDays.relation(days.zone))))
    return { used: { name: userDays.name }, use: (dialect) => userDaysDialect(dialect, days) };
  let why = '';
  for (const counts of eventCounts) {
    const unfit = unfitForCounts(plan, counts, atHand.extent);
    if (unfit !== undefined) why = unfit;
    else if (await atHand.has(counts.relation))
      return { used: { name: counts.name }, use: (dialect) => countedDialect(dialect, counts) };
    else why = noneAtHand;
  }
  return { used: { why } };
}

const noneAtHand = 'The store has no projections, or they are damaged. The next `sluice ingest` writes them.';

/** Whether a store's coded events can answer statements with these expressions over single events. */
export async function chooseCodedEvents(
  events: EventFiles | undefined,
  expressions: readonly (Expression | undefined)[],
): Promise<UsedProjection | undefined> {
  if (!events?.projections) return undefined;
  const atHand = await events.projections();
  if (atHand.why !== undefined) return { why: atHand.why };
  const why = unfitForCodedEvents(expressions.filter((each) => each !== undefined));
  if (why !== undefined) return { why };
  return (await atHand.has(codedEvents.relation)) ? { name: codedEvents.name } : { why: noneAtHand };
}
