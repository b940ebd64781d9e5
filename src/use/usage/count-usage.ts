import { AbortedError, SluiceError } from '../../ask/sluice-error.ts';
import type { ProjectAnswer, UsageProject } from '../../tell/usage/usage.ts';
import type { UsagePlan } from '../../tell/usage/usage-plan.ts';
import type { UsageSource } from './usage-source.ts';

/** As many projects are asked at once. */
const atOnce = 4;

/**
 * What each project answers, in their order; a project of several groups is asked once. One that fails is told as failed; but where all of them
 * fail, it is not they who are at fault: rejects with the first error then. Rejects with `AbortedError`, too.
 */
export async function countUsage(source: UsageSource, projects: readonly UsageProject[], plan: UsagePlan, signal?: AbortSignal): Promise<ReadonlyMap<string, ProjectAnswer>> {
  const asked = [...new Map(projects.map((project) => [project.id, project])).values()];
  const waiting = [...asked];
  const answers = new Map<string, ProjectAnswer>();
  const errors: SluiceError[] = [];
  const work = async () => {
    for (let project = waiting.shift(); project; project = waiting.shift()) {
      try {
        answers.set(project.id, await source.count(project, plan, signal));
      } catch (error) {
        if (error instanceof AbortedError || !(error instanceof SluiceError)) throw error;
        errors.push(error);
        answers.set(project.id, { state: 'failed', code: error.code, why: error.message });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const [first] = errors;
  if (first && errors.length === answers.size) throw first;
  // Not in the order of arrival, so that the same answers make the same report.
  return new Map(asked.flatMap(({ id }) => {
    const answer = answers.get(id);
    return answer ? [[id, answer] as const] : [];
  }));
}
