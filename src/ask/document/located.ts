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

/** The span of `text` from `start` to `end` (exclusive), both in UTF-16 units and cut to the text. */
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

/** The text that was asked about last: one text may hold thousands of issues. */
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
 * `['query', 'filters', 0, 'operator']` as `query.filters[0].operator`. A key that is no plain word stands in quotes.
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

/** What a path leads to in a nested value; undefined where it leads nowhere. */
export function valueAt(value: unknown, path: IssuePath): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === 'object' && Object.hasOwn(at, step)
        ? (at as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  );
}

/** Remembers where the parts of a query stand in the text that it came from. */
export interface Places {
  readonly put: (path: IssuePath, span: Span) => void;
  /** The part itself, or what it is part of, or the whole. */
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
