import type { TimeContext } from '../../ask/time/range.ts';
import type { Provenance } from '../../shape/provenance.ts';
import type { UsageCell } from '../../tell/notebook/notebook.ts';
import type { UsageAnswer } from '../../tell/notebook/ports.ts';
import type { FrozenMonth } from '../../tell/usage/frozen-month.ts';
import { sumUsage } from '../../tell/usage/sum-usage.ts';
import { toUsageAnswer } from '../../tell/usage/usage-answer.ts';
import { planUsage } from '../../tell/usage/usage-plan.ts';
import { toUsageProvenance } from '../../tell/usage/usage-provenance.ts';
import type { Usage, UsageGroup, UsageProject } from '../../tell/usage/usage.ts';
import type { Settings } from '../config/settings.ts';
import { valueOf } from '../refuse.ts';
import { countUsage } from './count-usage.ts';
import { readFrozenMonths } from './frozen-files.ts';
import type { UsageSource } from './usage-source.ts';

export interface AnsweredUsage {
  readonly usage: Usage;
  readonly provenance: Provenance;
  /** Months that were frozen before. */
  readonly frozen: readonly FrozenMonth[];
  readonly answer: UsageAnswer;
}

export type UsageWishes = Pick<UsageCell, 'month' | 'months' | 'groups' | 'show' | 'chart' | 'forecast'>;

export interface UsageSurroundings {
  readonly settings: Settings;
  readonly time: TimeContext;
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Counts the events of months, project by project, and sets them beside what was issued before. Errors: `InvalidInputError`, that of
 * every project where all of them fail, and `frozen-month-broken`.
 */
export async function answerUsage(source: UsageSource, wishes: UsageWishes, { settings, time, cwd, signal }: UsageSurroundings): Promise<AnsweredUsage> {
  const started = performance.now();
  const plan = valueOf(planUsage({ month: wishes.month, months: wishes.months ?? settings.usageMonths.value }, time), 'The month');
  const { groups, remarks } = chooseProjects(await source.groups(wishes.groups ?? [], plan, signal), settings);
  const answers = await countUsage(source, groups.flatMap(({ projects }) => projects), plan, signal);
  const usage = sumUsage(plan, groups, answers, { lastDay: await source.lastDay(plan, signal), remarks });
  const provenance = toUsageProvenance(plan, answers, { backend: source.backend, source: source.source, elapsedMs: performance.now() - started });
  const frozen = await readFrozenMonths(settings.usageFrozen.value, plan.months.map(({ month }) => month), cwd);
  return { usage, provenance, frozen, answer: toUsageAnswer(usage, provenance, frozen, wishes) };
}

/** The groups with each project once, without what the configuration excludes, and what is to be said about that. */
function chooseProjects(
  groups: readonly UsageGroup[], { usageExclude, usageOptional }: Settings,
): { readonly groups: readonly UsageGroup[]; readonly remarks: readonly string[] } {
  const isNamed = (named: readonly string[]) => ({ id, name }: UsageProject) => [id, name].some((one) => named.includes(one));
  const isExcluded = isNamed(usageExclude.value);
  const isOptional = isNamed(usageOptional.value);
  const remarks: string[] = [];
  const chosen = groups.map((group): UsageGroup => {
    const all = [...new Map(group.projects.map((project) => [project.id, project])).values()];
    for (const { id, name } of all) {
      const times = group.projects.filter((project) => project.id === id).length;
      const often = times === 2 ? 'twice' : `${times} times`;
      if (times > 1) remarks.push(`${name} is listed ${often} in ${group.name} and counted once.`);
    }
    const projects = all.filter((project) => !isExcluded(project))
      .map((project) => (isOptional(project) ? { ...project, optional: true } : project));
    return { ...group, projects, excluded: all.filter(isExcluded) };
  });
  return { groups: chosen, remarks };
}
