import type { Provenance, SteadyProvenance } from '../../shape/result/provenance.ts';
import { toSteadyProvenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { withParts } from '../../shape/result/cloneable.ts';

/**
 * The provenance as a report keeps it. The latest event is left out unless the data end too early: it depends on when
 * the report is made, so that the same report made later would have other bytes.
 */
export function toReportProvenance(provenance: Provenance): SteadyProvenance {
  const steady = toSteadyProvenance(provenance);
  return steady.endsEarly === undefined ? { ...steady, freshness: null } : steady;
}

/** The result with the provenance that a report keeps. */
export function toReportResult(result: Result): Result {
  return withParts(result, {
    provenance: { ...toReportProvenance(result.provenance), elapsedMs: result.provenance.elapsedMs },
  });
}
