import type { CanonicalQuery } from '../../ask/query/query.ts';
import { errorIssue } from '../../ask/outcome.ts';
import type { BindContext, Binding } from './bind-context.ts';

/** Rows where a query names no limit. Source: the platform's documentation and Cube's default. */
export const defaultLimit = 10_000;

/** The most that the platform and Cube give in one answer. */
export const greatestRemoteLimit = 50_000;

/** The number of rows asked for. Local engines take any explicit limit; a remote one refuses what is beyond its greatest. */
export function bindLimit(query: CanonicalQuery, context: BindContext, binding: Binding): number {
  const limit = query.limit ?? defaultLimit;
  if (context.limits === 'remote' && limit > greatestRemoteLimit) {
    binding.issues.push(errorIssue('limit-too-high', `A limit of ${limit} is beyond the ${greatestRemoteLimit} rows of one remote answer.`, {
      path: ['limit'], hint: 'Ask for 50000 at most, page with offset, or take everything with `sluice export`.',
    }));
  }
  return limit;
}
