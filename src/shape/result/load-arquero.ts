import { createRequire } from 'node:module';
import type * as Arquero from 'arquero';

/**
 * arquero, when a table is first asked for. Most answers never become one, and loading it takes longer than a small
 * query; required rather than imported, so that verbs need not be asynchronous.
 */
export function loadArquero(): typeof Arquero {
  return createRequire(import.meta.url)('arquero') as typeof Arquero;
}
