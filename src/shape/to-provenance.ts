import { writeInstantLocal, writeUtc } from '../ask/time/local-time.ts';
import type { Plan } from '../plan/plan.ts';
import type { AnswerFacts } from '../run/backend.ts';
import { formatComparison, formatTime } from './format/format-time.ts';
import type { Provenance } from './result/provenance.ts';

/** What only the caller knows about an answer. */
export interface CollectFacts {
  readonly queryHash: string;
  readonly backend: string;
  /** Where the rows come from, in words that a person knows. */
  readonly source: string;
  /** Sentences that came up before the rows did. */
  readonly notes?: readonly string[] | undefined;
  /** Milliseconds since the question; asked once, after the last row. */
  readonly elapsedMs?: (() => number) | undefined;
}

/** What the rows of an answer tell about it. */
export interface RowFacts {
  readonly rows: number;
  readonly partialBuckets: number;
}

/**
 * Where an answer comes from, once its rows are known. It counts as truncated where it has as many rows as the plan's
 * limit, unless its total proves that there are no more.
 */
export function toProvenance(
  plan: Plan,
  { rows, partialBuckets }: RowFacts,
  answer: AnswerFacts,
  facts: CollectFacts,
): Provenance {
  const { total, uncounted, rejected, freshness, refreshed, queryId } = answer;
  const range = plan.series?.range ?? plan.times.find((time) => time.range)?.range;
  const mayHaveMore =
    plan.limit !== undefined && rows >= plan.limit && (total === undefined || total > plan.offset + rows);
  return {
    queryHash: facts.queryHash,
    query: plan.query,
    backend: facts.backend,
    source: facts.source,
    range: range ? { start: writeUtc(range.start), end: writeUtc(range.end) } : null,
    zone: plan.zone,
    asOf: writeUtc(plan.now),
    rows,
    filled: false,
    filledCells: 0,
    partialBuckets,
    truncated: mayHaveMore && plan.limit !== undefined ? { limit: plan.limit } : null,
    ...(total === undefined ? {} : { total }),
    uncounted,
    rejected,
    ...(answer.lacking === undefined ? {} : { lacking: answer.lacking }),
    // What came after the present that was asked about must not change an answer about the past.
    freshness: freshness === undefined ? null : Date.parse(freshness) > plan.now ? writeUtc(plan.now) : freshness,
    notes: [...(facts.notes ?? []), ...(answer.notes ?? []), ...unfinished(plan)],
    ...(refreshed === undefined ? {} : { refreshed }),
    ...(queryId === undefined ? {} : { queryId }),
    ...(answer.kept === undefined ? {} : { kept: answer.kept }),
    elapsedMs: facts.elapsedMs?.() ?? 0,
  };
}

/** A sum over a range that goes on beyond the present will grow; a series says so bucket by bucket. */
function unfinished(plan: Plan): readonly string[] {
  const open = plan.times.find(
    (time) =>
      time.granularity === undefined && time.range && time.range.start < plan.now && time.range.end > plan.now + 1,
  );
  if (!open || plan.times.some((time) => time.granularity !== undefined)) return [];
  const label = plan.comparison === undefined ? 'The range' : formatComparison(plan.comparison);
  return [`${label} is not over: the current time is ${formatTime(writeInstantLocal(plan.now, plan.zone))}.`];
}
