import type { Issue, IssuePath } from '../../ask/outcome.ts';
import type { Config } from './schema.ts';

/** Settings from one place: a file, the environment, or flags. */
export interface Layer {
  readonly config: Config;
  /** Absolute path of the folder that relative paths in it start from. */
  readonly base: string;
  /** Where a setting stands, for people: `sluice.yaml:3`, `SLUICE_EVENTS`, `flag --events`. */
  readonly originOf: (path: IssuePath) => string;
}

/** A layer whose values nobody has looked at yet; see `checkLayer`. */
export interface UncheckedLayer extends Omit<Layer, 'config'> {
  readonly config: Readonly<Record<string, unknown>>;
}

/** A layer with everything that is wrong with it. Where something is, the layer holds the other settings. */
export interface CheckedLayer {
  readonly layer: Layer;
  readonly issues: readonly Issue[];
}

/** The settings that no error is about: each key stands on its own. */
export function withoutFaulty(config: unknown, issues: readonly Issue[]): Config {
  const faulty = new Set(issues.filter(({ severity }) => severity === 'error').map(({ path }) => path[0]));
  if (faulty.has(undefined)) return {};
  return Object.fromEntries(Object.entries(config as Config).filter(([key]) => !faulty.has(key)));
}

/**
 * A nested value from single ones: `[['platform', 'url'], 'x']` becomes `{platform: {url: 'x'}}`. The first one for a
 * path stays.
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
