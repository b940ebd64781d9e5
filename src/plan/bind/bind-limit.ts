import type { CanonicalQuery } from '../../ask/query/query.ts';
import { errorIssue } from '../../ask/outcome.ts';
import type { BindContext, Binding } from './bind-context.ts';

/** Rows where a query names no limit. Source: the platform's documentation and Cube's default. */
const defaultLimit = 10_000;

/** The most that the platform and Cube give in one answer. */
export const greatestRemoteLimit = 50_000;

/** The number of rows asked for, undefined for all. Local engines take any explicit limit; a remote one refuses what is beyond its greatest. */
export function bindLimit(query: CanonicalQuery, context: BindContext, binding: Binding): number | undefined {
  const limit = query.limit ?? (context.limits === 'none' ? undefined : defaultLimit);
  checkCount('limit', limit ?? 0, binding);
  checkCount('offset', query.offset ?? 0, binding);
  if (context.limits === 'remote' && limit !== undefined && limit > greatestRemoteLimit) {
    binding.issues.push(errorIssue('limit-too-high', `A limit of ${limit} is beyond the ${greatestRemoteLimit} rows of one remote answer.`, {
      path: ['limit'], hint: `Ask for ${greatestRemoteLimit} at most, page with offset, or take everything with \`sluice export\`.`,
    }));
  }
  return limit;
}

/** Queries that programs put together are not read by a schema. */
function checkCount(key: 'limit' | 'offset', count: number, { issues }: Binding): void {
  if (Number.isSafeInteger(count) && count >= 0) return;
  issues.push(errorIssue('out-of-range', `"${key}" must be a whole number from 0, not ${count}.`, { path: [key], hint: `Such as \`${key}: 10\`.` }));
}
