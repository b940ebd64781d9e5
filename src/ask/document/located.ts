import type { Issue, IssuePath, Outcome, Span } from '../outcome.ts';

/**
 * Finds the span of a part of a text. If the path does not exist, returns the span of its nearest existing ancestor;
 * undefined only if the text has no content. `part` selects a mapping's key or its value.
 */
export type Locate = (path: IssuePath, part?: 'key' | 'value') => Span | undefined;

/** The text that issues point into, for `drawIssue`. */
export interface SourceText {
  readonly source: string;
  /** Name of the file, for people; undefined for a typed line. */
  readonly file?: string | undefined;
}

/** An outcome with its source. Later stages add spans to their own issues with `locate`. */
export type Located<T> = Outcome<T> & SourceText & { readonly locate: Locate };

/** Gives each issue without a span the span of its path, and sorts the issues by position. */
export function attachSpans(issues: readonly Issue[], locate: Locate): readonly Issue[] {
  return issues
    .map((issue) =>
      issue.span ? issue : { ...issue, span: locate(issue.path, issue.code === 'unknown-key' ? 'key' : 'value') },
    )
    .toSorted((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
}

/** A `Locate` for a value that is part of a larger document, at `prefix`. */
export function locateBelow(locate: Locate, prefix: IssuePath): Locate {
  return (path, part) => locate([...prefix, ...path], part);
}

/** The span of `text` from `start` to `end` (exclusive), both in UTF-16 units and clamped to the text. */
export function toSpan(text: string, start: number, end: number): Span {
  const from = clamp(start, 0, text.length);
  const starts = lineStartsOf(text);
  let line = 0;
  for (let after = starts.length; after - line > 1; ) {
    const middle = (line + after) >> 1;
    if ((starts[middle] as number) <= from) line = middle;
    else after = middle;
  }
  return {
    start: from,
    end: clamp(end, from, text.length),
    line: line + 1,
    column: from - (starts[line] as number) + 1,
  };
}

/** The last text, cached: one text may have thousands of issues. */
let known: { readonly text: string; readonly starts: readonly number[] } | undefined;

function lineStartsOf(text: string): readonly number[] {
  if (known?.text === text) return known.starts;
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  known = { text, starts };
  return starts;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

/**
 * Writes `['query', 'filters', 0, 'operator']` as `query.filters[0].operator`. Keys that are no plain words are quoted.
 */
export function writePath(path: IssuePath): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!/^[\w$-]+$/.test(step)) return `[${JSON.stringify(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

/** The value at a path in a nested value; undefined if the path does not exist. */
export function valueAt(value: unknown, path: IssuePath): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === 'object' && Object.hasOwn(at, step)
        ? (at as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  );
}

/** Remembers the spans of the parts of a query. */
export interface Places {
  readonly put: (path: IssuePath, span: Span) => void;
  /** Returns the span of the part, of its nearest ancestor, or of the whole. */
  readonly locate: Locate;
}

export function openPlaces(whole?: Span): Places {
  const spans = new Map<string, Span>();
  return {
    put: (path, span) => {
      spans.set(JSON.stringify(path), span);
    },
    locate: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const span = spans.get(JSON.stringify(path.slice(0, length)));
        if (span) return span;
      }
      return whole;
    },
  };
}
