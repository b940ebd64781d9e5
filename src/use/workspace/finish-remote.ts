import type { Plan } from '../../plan/plan.ts';
import type { AnswerFacts } from '../../run/backend.ts';
import { markServerFill } from '../../shape/fill/mark-server-fill.ts';
import { withParts } from '../../ask/cloneable.ts';
import { withNote } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';

/** The default row limit of servers. */
const wholePage = 10_000;

/** Completes a remote answer: marks values that the server filled in, and adds notes about missing data. */
export function finishRemote(result: Result, plan: Plan, { appended, notes = [] }: AnswerFacts): Result {
  const marked = result.provenance.backend === 'platform' ? markServerFill(result, plan, appended) : result;
  const { truncated } = marked.provenance;
  const more =
    truncated && truncated.limit >= wholePage ? ['Use `sluice export` to fetch all rows, window by window.'] : [];
  const provenance = [...notes, ...more].reduce(withNote, marked.provenance);
  return provenance === marked.provenance ? marked : withParts(marked, { provenance });
}
