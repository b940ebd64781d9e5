import type { Filter } from '../query/query.ts';

/** A paths analysis: the steps that users take one after the other in a session. Plain data. */
export interface Paths {
  /** The slug of the file's name, and the name of the cube. */
  readonly name: string;
  /** Types of events that count as steps; undefined for every type. */
  readonly events: readonly string[] | undefined;
  /** Only events that match all of these count. */
  readonly where: readonly Filter[];
  readonly step: StepName;
  /**
   * Groups names: a name that contains one of these patterns is replaced by the first such pattern. `*` matches any
   * text.
   */
  readonly groups: readonly string[];
  /** Steps that do not count, by their names after grouping. */
  readonly exclude: readonly string[];
  /** A session ends after this many minutes without an event. */
  readonly gapMinutes: number;
  readonly anchor: PathAnchor;
  readonly maxSteps: number;
  /** Keeps only this many edges, the heaviest; undefined for all. */
  readonly edgeLimit: number | undefined;
  /** Drops edges with fewer sessions than this. */
  readonly leastSessions: number;
}

/**
 * How steps are named. `page`: page views by their path without a trailing slash, other events by their name. `event`:
 * the name of a custom event, or else the type. `dimension`: the value of a dimension of events.
 */
export type StepName = { readonly kind: 'page' | 'event' } | { readonly kind: 'dimension'; readonly dimension: string };

/**
 * Which part of a session is its path; points are names of steps. `ends`: from the first `from` to the next `to`, both
 * inclusive and optional; `keep` selects the steps of a path that is too long. `through`: from `before` steps before
 * the first `point`. Sessions without the named steps have no path.
 */
export type PathAnchor =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'ends';
      readonly from: string | undefined;
      readonly to: string | undefined;
      readonly keep: 'first' | 'last';
    }
  | { readonly kind: 'through'; readonly point: string; readonly before: number };

/** The target of a session's last step. It is distinct from steps, whose keys begin with numbers. */
export const dropOff = '(drop-off)';

/** Replaces the middle steps if a path from one point to another is too long. */
export const leftOutSteps = '...';

/** The key of a step in a cube of paths: `2_/cart`. */
export function toStepKey(step: number, name: string): string {
  return `${step}_${name}`;
}

/** The number and the name in a step's key; undefined if it is no such key. */
export function readStepKey(key: string): { readonly step: number; readonly name: string } | undefined {
  const [, step, name] = /^(\d+)_(.*)$/s.exec(key) ?? [];
  return step === undefined || name === undefined ? undefined : { step: Number(step), name };
}

/** A path without its trailing slash. */
export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Whether the texts between the `*` of a pattern occur in a name, in order. */
export function occursIn(pattern: string, name: string): boolean {
  let from = 0;
  return pattern.split('*').every((part) => {
    const at = name.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
