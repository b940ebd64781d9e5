import { allowsColour } from '../../output/allows-colour.ts';
import type { TextLook } from '../../../show/terminal/paint.ts';

/** What the terminal is to be shown. */
export function readLook(color: boolean | undefined, env: Readonly<Record<string, string | undefined>>): TextLook {
  const depth = env['TERM'] === 'dumb' ? 'plain' : allowsColour(color, env) ? 'colour' : 'attributes';
  return { depth, unicode: true };
}
