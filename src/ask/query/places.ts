import type { Locate } from '../document/located.ts';
import type { IssuePath, Span } from '../outcome.ts';

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
