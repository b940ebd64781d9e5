import { toDefinitionSlug } from '../../ask/analysis/definition-slug.ts';
import type { Funnel } from '../../ask/funnel/funnel.ts';
import { invariant } from '../../ask/invariant.ts';
import { readQueryFlags } from '../../ask/notation/read-flags.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { funnelOf } from '../../plan/analysis/funnel/bind-funnel.ts';
import { isFunnelCube } from '../../plan/analysis/funnel/funnel-cube.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import type { Plan } from '../../plan/plan.ts';
import { tryBindQuestion } from '../answer/bind-question.ts';
import { type Asking, toQuestion } from '../answer/question.ts';
import type { Session } from '../workspace/session.ts';
import { type Attempt, valueOrThrow } from '../workspace/with-fresh-model.ts';

export interface FunnelAsked {
  /** A phrase or dates, as `--range` takes them. */
  readonly range?: string | undefined;
  readonly timezone?: string | undefined;
}

export interface FunnelPlan {
  /** `count` by `step`. */
  readonly plan: Plan;
  readonly funnel: Funnel;
  /** Warnings. */
  readonly notes: readonly string[];
}

/**
 * The question that a funnel of the workspace stands for, by its name or that of its file. Throws `InvalidInputError`.
 */
export async function planFunnel(session: Session, name: string, asked: FunnelAsked): Promise<FunnelPlan> {
  return valueOrThrow(await tryPlanFunnel(session, name, asked));
}

/** The same, for those who go on if it cannot be asked. */
export async function tryPlanFunnel(session: Session, name: string, asked: FunnelAsked): Promise<Attempt<FunnelPlan>> {
  const bound = await tryBindQuestion(session, askFunnel(name, asked));
  if (!bound.ok) return bound;
  const {
    plans: [plan],
    notes,
  } = bound.value;
  const funnel = funnelOf(plan)?.definition;
  invariant(funnel, 'the plan of a funnel has it');
  return { ok: true, value: { plan, funnel, notes } };
}

function askFunnel(name: string, { range, timezone }: FunnelAsked): Asking {
  return (model) => {
    const funnels = model.cubes.filter(isFunnelCube);
    const cube =
      funnels.find((each) => each.name === name) ??
      funnels.find((each) => each.name === toDefinitionSlug(name.slice(name.lastIndexOf('/') + 1)));
    if (!cube) {
      const error = noFunnel(
        name,
        funnels.map((each) => each.name),
      );
      return { ok: false, error };
    }
    const over = {
      measures: [`${cube.name}.count`],
      dimensions: [`${cube.name}.step`],
      order: [[`${cube.name}.step`, 'asc']],
    } as const;
    const read = readQueryFlags({ range, timezone }, { over, members: toCatalog(model), defaultCube: cube.name });
    return toQuestion(read, `The funnel ${quote(cube.name)}`);
  };
}

function noFunnel(name: string, known: readonly string[]): InvalidInputError {
  const message = `There is no funnel ${quote(name)}.`;
  const all =
    known.length === 0
      ? 'This workspace has no valid funnels. For the file format, run: sluice schema funnel'
      : `Use one of ${known.join(', ')}.`;
  const hint = didYouMean(name, known) ?? all;
  return new InvalidInputError(message, [errorIssue('unknown-funnel', message, { hint })], { hint });
}
