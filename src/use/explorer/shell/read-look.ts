import type { Look } from '../terminal/paint.ts';

/** What the terminal is to be shown, by `--no-color` and the environment. See https://no-color.org. */
export function readLook(color: boolean | undefined, env: Readonly<Record<string, string | undefined>>): Look {
  const depth = env['TERM'] === 'dumb' ? 'plain' : color === false || (env['NO_COLOR'] ?? '') !== '' ? 'attributes' : 'colour';
  return { depth, unicode: true };
}
