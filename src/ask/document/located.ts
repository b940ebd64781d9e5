import type { Issue, IssuePath, Outcome, Span } from '../outcome.ts';

/**
 * Where a part of a read text stands. A path that leads nowhere gives the span of its nearest ancestor that exists;
 * undefined only where the text has no content at all. `part` picks a mapping's key rather than its value.
 */
export type Locate = (path: IssuePath, part?: 'key' | 'value') => Span | undefined;

/** The text that issues point into, as `drawIssue` wants it. */
export interface SourceText {
  readonly source: string;
  /** Name of the file, for people; undefined for a line that was typed. */
  readonly file?: string | undefined;
}

/** What was read, with what it takes to point at any part of it. Later stages pin their own issues with `locate`. */
export type Located<T> = Outcome<T> & SourceText & { readonly locate: Locate };

/** The issues, each with the span of its path where it has none of its own, in the order of the text. */
export function attachSpans(issues: readonly Issue[], locate: Locate): readonly Issue[] {
  return issues
    .map((issue) =>
      issue.span ? issue : { ...issue, span: locate(issue.path, issue.code === 'unknown-key' ? 'key' : 'value') },
    )
    .toSorted((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
}

/** Sees only what is below `prefix`: for a value that is part of a larger document. */
export function locateBelow(locate: Locate, prefix: IssuePath): Locate {
  return (path, part) => locate([...prefix, ...path], part);
}
