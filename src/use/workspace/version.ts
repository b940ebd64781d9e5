// The bundler defines these from package.json. They are undefined when sluice runs from source.
declare const SLUICE_VERSION: string | undefined;
declare const SLUICE_BUILD: string | undefined;
declare const SLUICE_NEEDS_NODE: string | undefined;

/** The version of sluice, as in its package.json. */
export const version: string = typeof SLUICE_VERSION === 'string' ? SLUICE_VERSION : '0.0.0-source';

/** Identifies builds of the same version; undefined when sluice runs from source. */
export const build: string | undefined = typeof SLUICE_BUILD === 'string' ? SLUICE_BUILD : undefined;

/** Minimum version of Node. */
export const neededNode: string = typeof SLUICE_NEEDS_NODE === 'string' ? SLUICE_NEEDS_NODE : '0';

/**
 * Whether a version such as `22.19.1` is at least another one, whose last parts may be missing. Must also run on old
 * versions of Node.
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
