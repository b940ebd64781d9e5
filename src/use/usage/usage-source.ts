import type { ProjectAnswer, UsageGroup, UsageProject } from '../../tell/usage/usage.ts';
import type { UsagePlan } from '../../tell/usage/usage-plan.ts';

/** Who can tell what projects there are, and how many events they have. */
export interface UsageSource extends AsyncDisposable {
  readonly backend: string;
  /** Where the numbers come from, in words that a person knows. */
  readonly source: string;
  /**
   * The groups of these names; those of the configuration where none is named, else all that there is. Errors: `unknown-group`, and those of the backend.
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
