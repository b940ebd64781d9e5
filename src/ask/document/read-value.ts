import type { ZodType } from 'zod';
import { bad, errorIssue, good, type Outcome } from '../outcome.ts';
import { openWording } from './word-issues.ts';

/**
 * Plain data (a parsed JSON body, say) that is to fit a schema. Issues carry paths, not spans.
 * Never throws, whatever the value is.
 *
 * A message that a schema sets itself is taken as it is; what stands after a line break in it becomes the hint.
 */
export function readValue<T>(value: unknown, schema: ZodType<T>): Outcome<T> {
  if (isDeeper(value, maxDepth, new Map())) return bad([errorIssue('too-deep', 'It is nested too deeply, or in a circle.')]);
  const wording = openWording();
  const result = schema.safeParse(value, { error: wording.remember });
  return result.success ? good(result.data) : bad(wording.toIssues(result.error.issues));
}

/** Far more than a person nests, far less than what later stages could not recurse into. */
const maxDepth = 64;

/** `cleared` remembers with how much depth left an object was found shallow enough, so that shared parts are seen once. */
function isDeeper(value: unknown, left: number, cleared: Map<object, number>): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (left === 0) return true;
  if ((cleared.get(value) ?? Infinity) <= left) return false;
  if (Object.values(value).some((part) => isDeeper(part, left - 1, cleared))) return true;
  cleared.set(value, left);
  return false;
}
