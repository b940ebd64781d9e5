import { createRequire } from 'node:module';
import type * as Arquero from 'arquero';

/**
 * Loads arquero on first use: most answers never become a table, and loading it takes longer than a small query. It
 * uses `require`, so that verbs stay synchronous.
 */
export function loadArquero(): typeof Arquero {
  return createRequire(import.meta.url)('arquero') as typeof Arquero;
}
