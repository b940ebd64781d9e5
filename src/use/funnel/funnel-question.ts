import type { Funnel } from '../../ask/funnel/funnel.ts';
import { invariant } from '../../ask/invariant.ts';
import { funnelOf } from '../../plan/analysis/funnel/bind-funnel.ts';
import type { Plan } from '../../plan/plan.ts';
import { type AnalysisAsked, askDefinition, type Definition, withDefinition } from '../analysis/analysis-question.ts';
import { tryBindQuestion } from '../answer/bind-question.ts';
import type { Session } from '../workspace/session.ts';
import { type Attempt, valueOrThrow } from '../workspace/with-fresh-model.ts';

export interface FunnelPlan {
  /** The plan of `count` by `step`. */
  readonly plan: Plan;
  readonly funnel: Funnel;
  /** Warnings. */
  readonly notes: readonly string[];
}

/** Plans the question of a funnel. Throws `InvalidInputError`. */
export async function planFunnel(session: Session, funnel: Definition, asked: AnalysisAsked): Promise<FunnelPlan> {
  const defined = await withDefinition(session, 'funnel', funnel, asked);
  return valueOrThrow(await tryPlanFunnel(defined.session, defined.name, asked));
}

/** Like `planFunnel` for a funnel of the workspace, by its name or file name, but returns the error. */
export async function tryPlanFunnel(
  session: Session,
  name: string,
  asked: AnalysisAsked,
): Promise<Attempt<FunnelPlan>> {
  const bound = await tryBindQuestion(session, askDefinition('funnel', name, asked));
  if (!bound.ok) return bound;
  const {
    plans: [plan],
    notes,
  } = bound.value;
  const funnel = funnelOf(plan)?.definition;
  invariant(funnel, 'the plan of a funnel has it');
  return { ok: true, value: { plan, funnel, notes } };
}
