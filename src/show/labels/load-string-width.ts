import { createRequire } from 'node:module';
import type stringWidth from 'string-width';

/**
 * string-width, when a text first needs it: it makes a segmenter while it is loaded, which takes longer than all else
 * that a small table needs, and most tables hold nothing but simple letters. Required rather than imported, so that
 * measuring need not be asynchronous. The build puts another function in the place of this file, by its name.
 */
export function loadStringWidth(): typeof stringWidth {
  return (createRequire(import.meta.url)('string-width') as { readonly default: typeof stringWidth }).default;
}
