import type { Result } from '../../shape/result/result.ts';
import type { UsageAnswer } from '../ports.ts';
import { type Provenance, type SteadyProvenance, toSteadyProvenance } from '../../shape/result/provenance.ts';
import { withParts } from '../../ask/cloneable.ts';

/** The outcome of a question. */
type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** The answers of a cell, for figures to be read from. */
export interface CellAnswers {
  readonly answer: Settled<Result> | undefined;
  readonly total: Settled<Result> | undefined;
  readonly compared: Settled<Result> | undefined;
  readonly usage: Settled<UsageAnswer> | undefined;
}

/** By cell name. */
export type AnswersByName = ReadonlyMap<string, CellAnswers>;

export async function settled<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ ok: true, value }) as const,
    (error: unknown) => ({ ok: false, error }) as const,
  );
}

/**
 * The provenance in a report. The latest event is omitted unless the data ends early: it depends on when the report is
 * made, and would change the bytes of a later run.
 */
export function toReportProvenance(provenance: Provenance): SteadyProvenance {
  const { earliest: _, ...steady } = toSteadyProvenance(provenance);
  return steady.endsEarly === undefined ? { ...steady, freshness: null } : steady;
}

/** The result with the provenance of a report. */
export function toReportResult(result: Result): Result {
  return withParts(result, {
    provenance: { ...toReportProvenance(result.provenance), elapsedMs: result.provenance.elapsedMs },
  });
}
