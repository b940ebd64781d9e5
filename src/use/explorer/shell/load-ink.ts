/** Ink awaits its layout engine while it is loaded, which no script can. The build leaves this file a module. */
export const loadInk = () => import('./open-ink.ts');
