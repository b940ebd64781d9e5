import type { Issue, IssuePath } from '../../ask/outcome.ts';
import type { Config } from './schema.ts';

/** Settings from one place: a file, the environment, or flags. */
export interface Layer {
  readonly config: Config;
  /** Absolute path of the folder that relative paths start from. */
  readonly base: string;
  /** Source of a setting, for people: `sluice.yaml:3`, `SLUICE_EVENTS`, `flag --events`. */
  readonly originOf: (path: IssuePath) => string;
}

/** A layer whose values are not validated yet; see `checkLayer`. */
export interface UncheckedLayer extends Omit<Layer, 'config'> {
  readonly config: Readonly<Record<string, unknown>>;
}

/** A layer without its invalid settings, and all issues. */
export interface CheckedLayer {
  readonly layer: Layer;
  readonly issues: readonly Issue[];
}

/** Removes settings with errors. Each top-level key is independent. */
export function withoutFaulty(config: unknown, issues: readonly Issue[]): Config {
  const faulty = new Set(issues.filter(({ severity }) => severity === 'error').map(({ path }) => path[0]));
  if (faulty.has(undefined)) return {};
  return Object.fromEntries(Object.entries(config as Config).filter(([key]) => !faulty.has(key)));
}

/**
 * Builds a nested object from paths: `[['platform', 'url'], 'x']` becomes `{platform: {url: 'x'}}`. The first value of
 * a path wins.
 */
export function toNested(
  entries: Iterable<readonly [path: readonly string[], value: unknown]>,
): Record<string, unknown> {
  const nested: Record<string, unknown> = {};
  for (const [path, value] of entries) {
    let at = nested;
    for (const step of path.slice(0, -1)) at = (at[step] ??= {}) as Record<string, unknown>;
    at[path.at(-1) ?? ''] ??= value;
  }
  return nested;
}
