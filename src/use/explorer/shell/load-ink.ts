/**
 * Ink has a top-level await (for its layout engine), which scripts do not support. The build keeps this file a module.
 */
export const loadInk = () => import('./open-ink.ts');
