import { didYouMean } from '../../ask/did-you-mean.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { UsageGroupSetting } from '../config/settings.ts';

/** The configured groups of these names, in their order, each once; all where none is named. Error: `unknown-group`. */
export function findGroups(configured: readonly UsageGroupSetting[], names: readonly string[]): readonly UsageGroupSetting[] {
  if (names.length === 0) return configured;
  return [...new Set(names)].map((name) => configured.find((group) => group.name === name) ?? refuse(name, configured));
}

function refuse(name: string, configured: readonly UsageGroupSetting[]): never {
  const known = configured.map((group) => group.name);
  const message = `There is no group ${quote(name)}.`;
  const hint = known.length === 0 ? 'Name groups in the configuration: `usage: {groups: [{name: acme, projects: [42, 7]}]}`.'
    : didYouMean(name, known) ?? `Configured are ${known.map(quote).join(', ')}.`;
  throw new InvalidInputError(message, [errorIssue('unknown-group', message, { hint })], { hint });
}
