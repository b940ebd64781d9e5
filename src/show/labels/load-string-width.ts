import { createRequire } from 'node:module';
import type stringWidth from 'string-width';

/**
 * Loads string-width when a text first needs it. Loading makes a segmenter, which is slower than the rest of a small
 * table, and most tables contain only simple letters. `require` keeps measuring synchronous. The build replaces this
 * file by its name.
 */
export function loadStringWidth(): typeof stringWidth {
  return (createRequire(import.meta.url)('string-width') as { readonly default: typeof stringWidth }).default;
}
