import type { Column } from '../plan/column.ts';
import { type Provenance, toSteadyProvenance } from '../shape/result/provenance.ts';
import { toSafeJson } from './text/json-value.ts';

/**
 * What a file with a schema says beside it, as JSON: what the columns mean, and where the rows come from. The same for
 * the same inputs.
 */
export function toFileMetadata(columns: readonly Column[], provenance: Provenance): ReadonlyMap<string, string> {
  return new Map([
    ['sluice.columns', toSafeJson(columns)],
    ['sluice.provenance', toSafeJson(toSteadyProvenance(provenance))],
  ]);
}
