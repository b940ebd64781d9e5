import { inputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { UsagePlan } from '../../tell/usage/usage-plan.ts';
import type { ProjectAnswer, UsageGroup, UsageProject } from '../../tell/usage/usage.ts';
import type { UsageGroupSetting } from '../config/settings.ts';

/** Who can tell what projects there are, and how many events they have. */
export interface UsageSource extends AsyncDisposable {
  readonly backend: string;
  /** Where the numbers come from, in words that a person knows. */
  readonly source: string;
  /**
   * The groups of these names; those of the configuration where none is named, else all that there is. Errors:
   * `unknown-group`, and those of the backend.
   */
  groups(names: readonly string[], plan: UsagePlan, signal?: AbortSignal): Promise<readonly UsageGroup[]>;
  /**
   * The latest day on which any project had events until the present, null where none had; undefined where only the
   * server knows how far its data go.
   */
  lastDay(plan: UsagePlan, signal?: AbortSignal): Promise<string | null | undefined>;
  /** Events of a project by day. Rejects where its question fails. */
  count(project: UsageProject, plan: UsagePlan, signal?: AbortSignal): Promise<ProjectAnswer>;
}

/** The configured groups of these names, in their order, each once; all where none is named. Error: `unknown-group`. */
export function findGroups(
  configured: readonly UsageGroupSetting[],
  names: readonly string[],
): readonly UsageGroupSetting[] {
  if (names.length === 0) return configured;
  return [...new Set(names)].map((name) => configured.find((group) => group.name === name) ?? refuse(name, configured));
}

function refuse(name: string, configured: readonly UsageGroupSetting[]): never {
  const known = configured.map((group) => group.name);
  throw inputError(
    'unknown-group',
    `There is no group ${quote(name)}.`,
    known.length === 0
      ? 'Add groups to the configuration: `usage: {groups: [{name: acme, projects: [42, 7]}]}`.'
      : (didYouMean(name, known) ?? `Use one of ${known.map(quote).join(', ')}.`),
  );
}
