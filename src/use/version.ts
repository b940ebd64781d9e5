declare const SLUICE_VERSION: string | undefined;

/** The version in package.json. The bundler writes it in; run from its sources, sluice has none. */
export const version: string = typeof SLUICE_VERSION === 'string' ? SLUICE_VERSION : '0.0.0-source';
