import { inputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { UsagePlan } from '../../tell/usage/usage-plan.ts';
import type { ProjectAnswer, UsageGroup, UsageProject } from '../../tell/usage/usage.ts';
import type { UsageGroupSetting } from '../config/settings.ts';

/** A source of projects and their event counts. */
export interface UsageSource extends AsyncDisposable {
  readonly backend: string;
  /** Description of the source, for people. */
  readonly source: string;
  /**
   * Returns the groups with these names. Without names, returns the configured groups, else all projects. Throws
   * `unknown-group`, and errors of the backend.
   */
  groups(names: readonly string[], plan: UsagePlan, signal?: AbortSignal): Promise<readonly UsageGroup[]>;
  /**
   * Returns the latest day on which any project had events, up to the reference time; null if there were none,
   * undefined if only the server knows.
   */
  lastDay(plan: UsagePlan, signal?: AbortSignal): Promise<string | null | undefined>;
  /** Counts the events without a project in the asked months, if no group of those with these names can have them. */
  ungrouped?(names: readonly string[], plan: UsagePlan, signal?: AbortSignal): Promise<number>;
  /** Counts the events of a project by day. Rejects if its question fails. */
  count(project: UsageProject, plan: UsagePlan, signal?: AbortSignal): Promise<ProjectAnswer>;
}

/**
 * Returns the configured groups with these names, in order and without duplicates; all groups if there are no names.
 * Throws `unknown-group`.
 */
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
