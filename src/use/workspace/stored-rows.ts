import type { Plan } from '../../plan/plan.ts';
import type { StoredAnswer } from '../../run/backend.ts';
import { noteGaps } from '../../shape/fill/note-gaps.ts';
import { countPartial } from '../../shape/fill/partial-buckets.ts';
import { type CollectFacts, toProvenance } from '../../shape/to-provenance.ts';
import { rowsOfStored, type RowSource } from '../../show/text/row-source.ts';
import { noteIfStale } from '../../shape/data-extent.ts';

/** Rows of a stored answer. Closing them releases the answer. */
export interface StoredRows extends RowSource, AsyncDisposable {
  /** The stored answer, for reading parts of it or another order. */
  readonly stored: StoredAnswer;
}

/**
 * Converts a stored answer to rows with the same provenance as a result. `tellsGaps`: whether to note days left out.
 */
export async function toStoredRows(
  plan: Plan,
  stored: StoredAnswer,
  facts: CollectFacts,
  tellsGaps: boolean,
): Promise<StoredRows> {
  const axis = plan.times.find((time) => time.granularity !== undefined)?.column;
  const labels = axis === undefined ? [] : ((await stored.distinct(axis, Infinity)) ?? []);
  const provenance = toProvenance(
    plan,
    { rows: stored.rowCount, partialBuckets: countPartial(plan, labels) },
    stored.facts,
    facts,
  );
  const { provenance: noted } = noteIfStale({ provenance });
  return {
    ...rowsOfStored(stored, plan.columns, tellsGaps ? noteGaps(noted, plan, () => labels) : noted),
    stored,
    [Symbol.asyncDispose]: () => stored[Symbol.asyncDispose](),
  };
}
