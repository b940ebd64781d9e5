import { AbortedError, SluiceError } from '../../ask/sluice-error.ts';
import type { ProjectAnswer, UsageProject } from '../../tell/usage/usage.ts';
import type { UsagePlan } from '../../tell/usage/usage-plan.ts';
import type { UsageSource } from './usage-source.ts';

/** As many projects are asked at once. */
const atOnce = 4;

/**
 * What each project answers; a project of several groups is asked once. One that fails is told as failed; but where all of them
 * fail, it is not they who are at fault: rejects with the first error then. Rejects with `AbortedError`, too.
 */
export async function countUsage(source: UsageSource, projects: readonly UsageProject[], plan: UsagePlan, signal?: AbortSignal): Promise<ReadonlyMap<string, ProjectAnswer>> {
  const waiting = [...new Map(projects.map((project) => [project.id, project])).values()];
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
  return answers;
}
