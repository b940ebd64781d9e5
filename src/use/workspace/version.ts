// The bundler writes these in, from package.json; run from its sources, sluice has none.
declare const SLUICE_VERSION: string | undefined;
declare const SLUICE_BUILD: string | undefined;
declare const SLUICE_NEEDS_NODE: string | undefined;

/** The version of sluice, as in its package.json. */
export const version: string = typeof SLUICE_VERSION === 'string' ? SLUICE_VERSION : '0.0.0-source';

/** Tells builds of one version apart; undefined: run from the sources. */
export const build: string | undefined = typeof SLUICE_BUILD === 'string' ? SLUICE_BUILD : undefined;

/** The oldest Node that sluice runs on. */
export const neededNode: string = typeof SLUICE_NEEDS_NODE === 'string' ? SLUICE_NEEDS_NODE : '0';

/**
 * Whether a version, such as `22.19.1`, is another one or newer; the other may leave out its last parts. Runs on old
 * Nodes, too.
 */
export function isAtLeast(found: string, needed: string): boolean {
  const left = found.split('.').map(Number);
  const right = needed.split('.').map(Number);
  for (let part = 0; part < right.length; part += 1) {
    const difference = (left[part] || 0) - (right[part] || 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
