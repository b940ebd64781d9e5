import { AbortedError, SluiceError } from '../../ask/sluice-error.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import type { UsageCell } from '../../tell/notebook/notebook.ts';
import type { UsageAnswer } from '../../tell/ports.ts';
import type { FrozenMonth } from '../../tell/usage/frozen-month.ts';
import { sumUsage } from '../../tell/usage/sum-usage.ts';
import { toUsageAnswer } from '../../tell/usage/usage-answer.ts';
import { planUsage, type UsagePlan } from '../../tell/usage/usage-plan.ts';
import { toUsageProvenance } from '../../tell/usage/usage-provenance.ts';
import type { ProjectAnswer, Usage, UsageGroup, UsageProject } from '../../tell/usage/usage.ts';
import type { Settings } from '../config/settings.ts';
import { unwrap } from '../workspace/refuse.ts';
import { readFrozenMonths } from './frozen-files.ts';
import type { UsageSource } from './usage-source.ts';

export interface AnsweredUsage {
  readonly usage: Usage;
  readonly provenance: Provenance;
  /** Months that were frozen before. */
  readonly frozen: readonly FrozenMonth[];
  readonly answer: UsageAnswer;
}

export type UsageOptions = Pick<UsageCell, 'month' | 'months' | 'groups' | 'show' | 'chart' | 'forecast'>;

export interface UsageSurroundings {
  readonly settings: Settings;
  readonly time: TimeContext;
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Counts the events of each project by month and compares them with frozen months. Throws `InvalidInputError`, and the
 * error of the first project if all projects fail.
 */
export async function answerUsage(
  source: UsageSource,
  options: UsageOptions,
  { settings, time, cwd, signal }: UsageSurroundings,
): Promise<AnsweredUsage> {
  const started = performance.now();
  const plan = unwrap(
    planUsage({ month: options.month, months: options.months ?? settings.usageMonths.value }, time),
    'The month',
  );
  const { groups, remarks } = chooseProjects(await source.groups(options.groups ?? [], plan, signal), settings);
  const answers = await countUsage(
    source,
    groups.flatMap(({ projects }) => projects),
    plan,
    signal,
  );
  const ungrouped = (await source.ungrouped?.(options.groups ?? [], plan, signal)) ?? 0;
  const { frozen, unread } = await readFrozenMonths(
    settings.usageFrozen.value,
    plan.months.map(({ month }) => month),
    cwd,
  );
  // Local projects share their source.
  const counted = [...answers.values()].find((answer) => answer.state === 'counted');
  const usage = sumUsage(plan, groups, answers, {
    lastDay: await source.lastDay(plan, signal),
    lost: counted?.provenance.lost,
    earliest: counted?.provenance.earliest,
    ungrouped,
    remarks,
    unread,
  });
  const provenance = toUsageProvenance(plan, answers, {
    backend: source.backend,
    source: source.source,
    elapsedMs: performance.now() - started,
  });
  return { usage, provenance, frozen, answer: toUsageAnswer(usage, provenance, frozen, options) };
}

/** Removes duplicate and excluded projects from groups, and returns remarks about the duplicates. */
function chooseProjects(
  groups: readonly UsageGroup[],
  { usageExclude, usageOptional }: Settings,
): { readonly groups: readonly UsageGroup[]; readonly remarks: readonly string[] } {
  const isNamed =
    (named: readonly string[]) =>
    ({ id, name, number }: UsageProject) =>
      [id, name, number].some((one) => one !== undefined && named.includes(one));
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
    const projects = all
      .filter((project) => !isExcluded(project))
      .map((project) => (isOptional(project) ? { ...project, optional: true } : project));
    return { ...group, projects, excluded: all.filter(isExcluded) };
  });
  return { groups: chosen, remarks };
}

/** Number of projects to query in parallel. */
const atOnce = 4;

/**
 * Queries each project once, even if several groups contain it. Returns the answers in order. A project that fails gets
 * the state `failed`. If all projects fail, the cause is probably common to all: rejects with the first error. Also
 * rejects with `AbortedError`.
 */
async function countUsage(
  source: UsageSource,
  projects: readonly UsageProject[],
  plan: UsagePlan,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, ProjectAnswer>> {
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
  // Sorted, so that the same answers produce the same report.
  return new Map(
    asked.flatMap(({ id }) => {
      const answer = answers.get(id);
      return answer ? [[id, answer] as const] : [];
    }),
  );
}
