import { drawIssues } from '../../ask/document/draw-issue.ts';
import type { Issue, Outcome } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';

/** The text that issues refer to. */
export interface DrawnText {
  readonly source?: string | undefined;
  readonly file?: string | undefined;
}

/** Returns the value of an outcome. Throws `InvalidInputError` with every issue in its message. */
export function unwrap<T>(outcome: Outcome<T>, what: string, text: DrawnText = {}): T {
  if (outcome.ok) return outcome.value;
  throw refuse(outcome.issues, what, text);
}

/** Builds the error for invalid text, with all issues in its message. */
export function refuse(issues: readonly Issue[], what: string, { source, file }: DrawnText = {}): InvalidInputError {
  const errors = issues.filter((issue) => issue.severity === 'error').length;
  const told = issues.filter((issue) => issue.severity === 'error' || !isBesideError(issue, issues));
  const have = /^The (?:options|paths)\b/.test(what) ? 'have' : 'has';
  const count = errors > 1 ? `${errors} ` : '';
  return new InvalidInputError(`${what} ${have} ${count}errors.\n${drawIssues(told, { source, file })}`, issues);
}

/** True if an error has the same span as this warning. The error says more, so the warning is not shown. */
function isBesideError({ span }: Issue, issues: readonly Issue[]): boolean {
  return issues.some(
    (other) => other.severity === 'error' && span && other.span?.start === span.start && other.span.end === span.end,
  );
}
