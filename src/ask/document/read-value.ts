import type { ZodType } from 'zod';
import { bad, errorIssue, good, type Outcome } from '../outcome.ts';
import { tooDeepPath } from './depth.ts';
import { openWording } from './word-issues.ts';

/**
 * Plain data (a parsed JSON body, say) that is to fit a schema. Issues carry paths, not spans.
 * Never throws, whatever the value is.
 *
 * A message that a schema sets itself is taken as it is; what stands after a line break in it becomes the hint.
 */
export function readValue<T>(value: unknown, schema: ZodType<T>): Outcome<T> {
  if (tooDeepPath(value)) return bad([errorIssue('too-deep', 'It is nested too deeply, or in a circle.')]);
  const wording = openWording();
  const result = schema.safeParse(value, { error: wording.remember });
  return result.success ? good(result.data) : bad(wording.toIssues(result.error.issues));
}
