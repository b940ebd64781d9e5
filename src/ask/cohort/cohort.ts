import type { EventMatch } from '../analysis/event-match.ts';
import type { IssuePath } from '../outcome.ts';
import type { DateRangeText } from '../query/query.ts';

/** A named set of users, as a file says it. Plain data. */
export interface Cohort {
  /** The slug of the file's name: queries name the cohort, and its cube, so. */
  readonly name: string;
  /** The `title` of its file. */
  readonly title: string | undefined;
  readonly rule: CohortRule;
}

/** Which users belong. `path` leads to the rule in its file. */
export type CohortRule = { readonly path: IssuePath } & (
  | CohortGroup
  | CohortDid
  | CohortFirstSeen
  | CohortReached
  | { readonly kind: 'cohort'; readonly name: string }
);

/** Users in all of `all`, in at least one of `any` if there are some, and in none of `except`. */
export interface CohortGroup {
  readonly kind: 'group';
  readonly all: readonly CohortRule[];
  readonly any: readonly CohortRule[];
  readonly except: readonly CohortRule[];
}

/** Users with so many matching events. */
export interface CohortDid {
  readonly kind: 'did';
  readonly match: EventMatch;
  readonly times: { readonly operator: '>=' | '<=' | '='; readonly events: number };
  /** undefined: ever. */
  readonly during: DateRangeText | undefined;
}

/** Users whose first event of any kind lies in a range. */
export interface CohortFirstSeen {
  readonly kind: 'first_seen';
  readonly during: DateRangeText;
}

/** Users who reached a step of a funnel, whatever they did afterwards. */
export interface CohortReached {
  readonly kind: 'reached';
  readonly funnel: string;
  /** Its name, or its number from 1; undefined: the last one. */
  readonly step: string | number | undefined;
  /** Only events of this time are looked at; undefined: all. */
  readonly during: DateRangeText | undefined;
}

/** All rules of a cohort, the outer ones first. */
export function allRules(rule: CohortRule): readonly CohortRule[] {
  if (rule.kind !== 'group') return [rule];
  return [rule, ...[...rule.all, ...rule.any, ...rule.except].flatMap(allRules)];
}
