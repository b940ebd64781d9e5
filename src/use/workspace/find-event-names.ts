import type { Outcome } from '../../ask/outcome.ts';
import { defaultCube } from '../../ask/query/member-name.ts';
import type { Query } from '../../ask/query/query.ts';
import type { EventName, Model } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Result } from '../../shape/result/result.ts';

interface Answering {
  readonly bind: (query: Query) => Outcome<readonly Plan[]>;
  readonly run: (plan: Plan, options: { readonly fill: 'none' }) => Promise<Result>;
}

/** Dimensions whose values people call events. */
const members = ['eventType', 'customEventName'] as const;

const mostNames = 200;

/** The most frequent names of events, for hints; none if they cannot be found. */
export async function findEventNames(session: Answering, model: Model): Promise<Model | undefined> {
  const found = await Promise.all(members.map((member) => namesOf(session, member).catch(() => [])));
  const eventNames = found.flat();
  return eventNames.length === 0 ? undefined : { ...model, eventNames };
}

async function namesOf(session: Answering, member: EventName['member']): Promise<readonly EventName[]> {
  const [count, dimension] = [`${defaultCube}.count`, `${defaultCube}.${member}`];
  const order = [[count, 'desc']] as const;
  const bound = session.bind({ measures: [count], dimensions: [dimension], order, limit: mostNames });
  const [plan] = bound.ok ? bound.value : [];
  if (!plan) return [];
  const values = (await session.run(plan, { fill: 'none' })).values(dimension);
  return Array.from(values)
    .filter((value) => typeof value === 'string' && value !== '')
    .map((name) => ({ member, name: String(name) }));
}
