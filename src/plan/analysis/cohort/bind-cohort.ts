import type { Cohort, CohortRule } from '../../../ask/cohort/cohort.ts';
import type { IssuePath } from '../../../ask/outcome.ts';
import type { DateRangeText } from '../../../ask/query/query.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import { readDateRange } from '../../../ask/time/read-date-range.ts';
import type { DefinitionTools } from '../../analysis.ts';
import type { BoundComputation, BoundRule } from '../../plan.ts';
import { cohortTable } from './cohort-members.ts';
import { stepIndex } from './cohort-references.ts';
import type { Funnel } from '../../../ask/funnel/funnel.ts';

/** The definitions that a cohort's rules refer to. */
interface CohortSurroundings {
  /** The relation of another cohort's users. */
  tableOf(name: string): string;
  /** Returns undefined if the funnel cannot be followed. */
  findFunnel(name: string): BoundComputation<Funnel> | undefined;
}

/** For checking a cohort by its own file alone. */
const alone: CohortSurroundings = { tableOf: cohortTable, findFunnel: () => undefined };

/** Resolves the members and ranges of a cohort's rule. Relative ranges count from the present of `tools`. */
export function bindCohort({ rule }: Cohort, tools: DefinitionTools, around: CohortSurroundings = alone): BoundRule {
  return bindRule(rule, tools, around);
}

/** Placeholder for a rule with issues. */
const unusable: BoundRule = { kind: 'group', all: [], any: [], except: [] };

function bindRule(rule: CohortRule, tools: DefinitionTools, around: CohortSurroundings): BoundRule {
  const { path } = rule;
  switch (rule.kind) {
    case 'group': {
      const bindAll = (rules: readonly CohortRule[]) => rules.map((one) => bindRule(one, tools, around));
      return { kind: 'group', all: bindAll(rule.all), any: bindAll(rule.any), except: bindAll(rule.except) };
    }
    case 'did': {
      const { match, times, during } = rule;
      // In `has`, the list contains one filter instead of the filters of `did`.
      const conditions = tools.bindFilters(match.where, path.at(-1) === 'did' ? [...path, 'where'] : path);
      return { kind: 'did', match, conditions, times, range: readDuring(during, [...path, 'during'], tools) };
    }
    case 'first_seen': {
      const range = readDuring(rule.during, [...path, 'during'], tools);
      return range ? { kind: 'first_seen', range } : unusable;
    }
    case 'reached': {
      const range = readDuring(rule.during, [...path, 'during'], tools);
      const funnel = around.findFunnel(rule.funnel);
      const step = funnel && stepIndex(rule.step, funnel.definition);
      return funnel && step !== undefined ? { kind: 'reached', funnel, step, range } : unusable;
    }
    case 'cohort':
      return { kind: 'cohort', table: around.tableOf(rule.name) };
  }
}

/** Returns undefined if there is no range, or if an issue was added. */
function readDuring(
  during: DateRangeText | undefined,
  path: IssuePath,
  { time, issues }: DefinitionTools,
): TimeRange | undefined {
  if (during === undefined) return undefined;
  const range = readDateRange(during, time);
  for (const issue of range.issues) issues.push({ ...issue, path: [...path, ...issue.path] });
  return range.ok ? range.value : undefined;
}
