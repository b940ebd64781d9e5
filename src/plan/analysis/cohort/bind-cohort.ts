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

/** What the rules of a cohort lean on. */
export interface CohortSurroundings {
  /** The relation of another cohort's users. */
  tableOf(name: string): string;
  /** undefined if no funnel can be followed. */
  findFunnel(name: string): BoundComputation<Funnel> | undefined;
}

/** A cohort where only its own file is looked at. */
const alone: CohortSurroundings = { tableOf: cohortTable, findFunnel: () => undefined };

/** A cohort's rule with its members found and its ranges read, the present being that of the tools. */
export function bindCohort({ rule }: Cohort, tools: DefinitionTools, around: CohortSurroundings = alone): BoundRule {
  return bindRule(rule, tools, around);
}

/** Stands where an issue was added. */
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
      // `has` is one filter, which stands where the list of `did` does.
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

/** undefined: ever, or an issue was added. */
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
