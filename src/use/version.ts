// The bundler writes these in, from package.json; run from its sources, sluice has none.
declare const SLUICE_VERSION: string | undefined;
declare const SLUICE_NEEDS_NODE: string | undefined;

export const version: string = typeof SLUICE_VERSION === 'string' ? SLUICE_VERSION : '0.0.0-source';

/** The oldest Node that sluice runs on. */
export const neededNode: string = typeof SLUICE_NEEDS_NODE === 'string' ? SLUICE_NEEDS_NODE : '0';
