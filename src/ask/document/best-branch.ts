import type { core } from 'zod';
import type { Issue, IssuePath } from '../outcome.ts';
import { describeKind } from './describe-value.ts';
import { mustBe } from './word-issue.ts';

type BestBranch =
  | { readonly kind: 'issues'; readonly issues: readonly core.$ZodIssue[] }
  | { readonly kind: 'no-branch'; readonly toIssue: (path: IssuePath) => Issue };

/**
 * The branch of a union that a value most likely meant: of the branches of its kind the one that shares most keys
 * with it, then the one with fewest issues (the first where no key is shared). Where no branch is of its kind, one
 * issue that names them all.
 */
export function bestBranch(
  issue: core.$ZodIssueInvalidUnion,
  known: { readonly input: unknown; readonly branches: readonly (readonly string[] | undefined)[] },
): BestBranch {
  const fitting = issue.errors
    .map((issues, index) => ({ issues, shared: sharedKeys(known.input, known.branches[index]) }))
    .filter(({ issues }) => !issues.some(isWrongKind))
    .toSorted((a, b) => b.shared - a.shared || (a.shared === 0 ? 0 : countOf(a.issues) - countOf(b.issues)));
  const best = fitting[0];
  if (best) return { kind: 'issues', issues: best.issues };
  const kinds = issue.errors.flat().filter(isWrongKind).flatMap(kindsIn);
  return { kind: 'no-branch', toIssue: (path) => mustBe(kinds, path, known.input) };
}

function isWrongKind(issue: core.$ZodIssue): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === 'invalid_union') return issue.errors.every((branch) => branch.some(isWrongKind));
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}

function kindsIn(issue: core.$ZodIssue): readonly string[] {
  if (issue.code === 'invalid_union') return issue.errors.flat().filter(isWrongKind).flatMap(kindsIn);
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value) ?? String(value));
  return issue.code === 'invalid_type' ? [describeKind(issue.expected)] : [];
}

function sharedKeys(input: unknown, keys: readonly string[] | undefined): number {
  if (!keys || input === null || typeof input !== 'object') return 0;
  return keys.filter((key) => Object.hasOwn(input, key)).length;
}

function countOf(issues: readonly core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}
