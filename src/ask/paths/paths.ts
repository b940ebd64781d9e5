import type { Filter } from '../query/query.ts';

/** The steps that users take one after the other, session by session, as a file says it. Plain data. */
export interface Paths {
  /** The slug of the file's name: the cube is called so. */
  readonly name: string;
  /** Types of events that are steps; undefined: every type. */
  readonly events: readonly string[] | undefined;
  /** Only events for which all of them hold are looked at. */
  readonly where: readonly Filter[];
  readonly step: StepName;
  /** A name that contains a pattern becomes the first such pattern. `*` matches any text. */
  readonly groups: readonly string[];
  /** Names, as they are after grouping, whose events do not count. */
  readonly exclude: readonly string[];
  /** A session ends when a user does nothing for so long. */
  readonly gapMinutes: number;
  readonly anchor: PathAnchor;
  readonly maxSteps: number;
  /** Only the heaviest of the edges; undefined: all. */
  readonly edgeLimit: number | undefined;
  /** Edges of fewer sessions are left out. */
  readonly leastSessions: number;
}

/**
 * What a step is called. `page`: page views by their path, without its trailing slash, other events by their name.
 * `event`: the name of a custom event, else the type. `dimension`: the value of a dimension of events.
 */
export type StepName = { readonly kind: 'page' | 'event' } | { readonly kind: 'dimension'; readonly dimension: string };

/**
 * Where the paths of sessions begin and end; names of steps. `ends`: after the first `to`, and at the first `from`,
 * where there is one; of longer paths the first steps are kept, or the last. `through`: so many steps before the first
 * `point`, and those after it. Sessions without the steps that are named have no path.
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

/** The target of sessions that end with a step. No step is called so: their names begin with numbers. */
export const dropOff = '(drop-off)';

/** Stands for the steps in the middle of a path from one point to another that has too many. */
export const leftOutSteps = '...';

/** What a step is called in a cube of paths: `2_/cart`. */
export function toStepKey(step: number, name: string): string {
  return `${step}_${name}`;
}

/** The number and the name of a step; undefined: it is none. */
export function readStepKey(key: string): { readonly step: number; readonly name: string } | undefined {
  const [, step, name] = /^(\d+)_(.*)$/s.exec(key) ?? [];
  return step === undefined || name === undefined ? undefined : { step: Number(step), name };
}

/** A path without its trailing slash. */
export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Whether the texts around the `*` of a pattern occur in a name, one after the other. */
export function occursIn(pattern: string, name: string): boolean {
  let from = 0;
  return pattern.split('*').every((part) => {
    const at = name.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
