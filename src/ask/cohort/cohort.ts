import type { EventMatch } from '../analysis/event-match.ts';
import type { IssuePath } from '../outcome.ts';
import type { DateRangeText } from '../query/query.ts';

/** A named set of users. Plain data. */
export interface Cohort {
  /** The slug of the file's name: the name of the cohort in queries, and of its cube. */
  readonly name: string;
  /** The `title` of its file. */
  readonly title: string | undefined;
  readonly rule: CohortRule;
}

/** Decides which users belong. `path` leads to the rule in its file. */
export type CohortRule = { readonly path: IssuePath } & (
  | CohortGroup
  | CohortDid
  | CohortFirstSeen
  | CohortReached
  | { readonly kind: 'cohort'; readonly name: string }
);

/** Users in all of `all`, in at least one of `any` (unless it is empty), and in none of `except`. */
export interface CohortGroup {
  readonly kind: 'group';
  readonly all: readonly CohortRule[];
  readonly any: readonly CohortRule[];
  readonly except: readonly CohortRule[];
}

/** Users with this number of matching events. */
export interface CohortDid {
  readonly kind: 'did';
  readonly match: EventMatch;
  readonly times: { readonly operator: '>=' | '<=' | '='; readonly events: number };
  /** undefined: at any time. */
  readonly during: DateRangeText | undefined;
}

/** Users whose first event of any kind lies in a range. */
export interface CohortFirstSeen {
  readonly kind: 'first_seen';
  readonly during: DateRangeText;
}

/** Users who reached a step of a funnel, even if they did not finish. */
export interface CohortReached {
  readonly kind: 'reached';
  readonly funnel: string;
  /** The step's name, or its number from 1; undefined for the last step. */
  readonly step: string | number | undefined;
  /** Only events in this range count; undefined for all. */
  readonly during: DateRangeText | undefined;
}

/** A rule as it is written, or bound to a model: a group has parts. */
interface RuleTree<Rule> {
  readonly kind: string;
  readonly all?: readonly Rule[];
  readonly any?: readonly Rule[];
  readonly except?: readonly Rule[];
}

/** All rules of a cohort; each group comes before its parts. */
export function allRules<Rule extends RuleTree<Rule>>(rule: Rule): readonly Rule[] {
  const { all = [], any = [], except = [] } = rule;
  return [rule, ...[...all, ...any, ...except].flatMap((part) => allRules(part))];
}
