import { toFunnelSlug } from '../../ask/funnel/funnel-slug.ts';
import { invariant } from '../../ask/invariant.ts';
import { readQueryFlags } from '../../ask/notation/read-flags.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { isFunnelCube } from '../../plan/funnel-cube.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import type { BoundFunnel, Plan } from '../../plan/plan.ts';
import { bindQuestion } from '../answer/answer-question.ts';
import { questionInText } from '../answer/question.ts';
import type { Session } from '../workspace/session.ts';
import { withFreshModel } from '../workspace/with-fresh-model.ts';

export interface FunnelAsked {
  /** A phrase or dates, as `--range` takes them. */
  readonly range?: string | undefined;
  readonly timezone?: string | undefined;
}

export interface FunnelPlan {
  /** `count` by `step`. */
  readonly plan: Plan;
  readonly funnel: BoundFunnel['funnel'];
  /** Warnings. */
  readonly notes: readonly string[];
}

/** The question that a funnel of the workspace stands for, by its name or that of its file. Throws `InvalidInputError`. */
export function planFunnel(session: Session, name: string, { range, timezone }: FunnelAsked): Promise<FunnelPlan> {
  return withFreshModel(session, () => {
    const { model } = session;
    const funnels = model.cubes.filter(isFunnelCube);
    const cube = funnels.find((each) => each.name === name) ?? funnels.find((each) => each.name === toFunnelSlug(name.slice(name.lastIndexOf('/') + 1)));
    if (!cube) throw noFunnel(name, funnels.map((each) => each.name));
    const over = { measures: [`${cube.name}.count`], dimensions: [`${cube.name}.step`], order: [[`${cube.name}.step`, 'asc']] } as const;
    const question = questionInText(readQueryFlags({ range, timezone }, { over, members: toCatalog(model), defaultCube: cube.name }), `The funnel ${quote(cube.name)}`);
    const { plans: [plan], notes } = bindQuestion(session, question);
    invariant(plan?.funnel, 'the plan of a funnel has it');
    return { plan, funnel: plan.funnel.funnel, notes };
  });
}

function noFunnel(name: string, known: readonly string[]): InvalidInputError {
  const message = `There is no funnel ${quote(name)}.`;
  const all = known.length === 0 ? 'There are none in this workspace that can be asked; what a file looks like: sluice schema funnel' : `There are ${known.join(', ')}.`;
  const hint = didYouMean(name, known) ?? all;
  return new InvalidInputError(message, [errorIssue('unknown-funnel', message, { hint })], { hint });
}
