import { writeInstantLocal, writeUtc } from '../ask/time/local-time.ts';
import type { Plan } from '../plan/plan.ts';
import type { Answer, Batch } from '../run/backend.ts';
import { toCodes } from './codes.ts';
import { formatComparison } from './format-comparison.ts';
import { formatTime } from './format-time.ts';
import { joinValues } from './join-values.ts';
import { noMarks, toMarks, type Marks } from './marks.ts';
import { toBucketFlags } from './partial-buckets.ts';
import { toResult, type AnyRow, type Result } from './result.ts';
import { takeFlags } from './take.ts';
import type { Values } from './values.ts';

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

/**
 * Reads an answer to its end. Batches become one array a column; no row becomes an object.
 * `plan` is the one that was run. The result counts as truncated where it has as many rows as the plan's limit,
 * unless the answer's total proves that there are no more. Rejects as the answer's batches do.
 */
export async function collect<Row extends object = AnyRow>(plan: Plan, answer: Answer, facts: CollectFacts): Promise<Result<Row>> {
  const batches: Batch[] = [];
  for await (const batch of answer.batches) if (batch.rowCount > 0) batches.push(batch);
  const data = plan.columns.map((_, index) => joinValues(batches.map((batch) => batch.columns[index] as Values)));
  const rows = batches.reduce((sum, batch) => sum + batch.rowCount, 0);
  const { total, uncounted, rejected, freshness } = answer.facts();
  const { marks, partialBuckets } = markPartial(plan, data);
  const range = plan.series?.range ?? plan.times.find((time) => time.range)?.range;
  const mayHaveMore = plan.limit !== undefined && rows >= plan.limit && (total === undefined || total > plan.offset + rows);
  return toResult<Row>({
    columns: plan.columns,
    data,
    marks,
    provenance: {
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
      freshness: freshness ?? null,
      notes: [...(facts.notes ?? []), ...unfinished(plan)],
      elapsedMs: facts.elapsedMs?.() ?? 0,
    },
  });
}

/** A sum over a range that goes on beyond the present will grow; a series says so bucket by bucket. */
function unfinished(plan: Plan): readonly string[] {
  const open = plan.times.find((time) => time.granularity === undefined && time.range && time.range.start < plan.now && time.range.end > plan.now + 1);
  if (!open || plan.times.some((time) => time.granularity !== undefined)) return [];
  const label = plan.comparison === undefined ? 'The range' : formatComparison(plan.comparison);
  return [`${label} is not over: the present is ${formatTime(writeInstantLocal(plan.now, plan.zone))}.`];
}

/** One array of flags for the time column and all measures; none where nothing is partial. */
function markPartial(plan: Plan, data: readonly Values[]): { readonly marks: Marks; readonly partialBuckets: number } {
  const flagsOf = toBucketFlags(plan);
  const axis = plan.times.find((time) => time.granularity !== undefined)?.column;
  if (!flagsOf || axis === undefined) return { marks: noMarks, partialBuckets: 0 };
  const { codes, dictionary } = toCodes(data[axis] ?? []);
  const flagsOfCode = Uint8Array.from(dictionary, flagsOf);
  const partialBuckets = flagsOfCode.filter((flags) => flags !== 0).length;
  if (partialBuckets === 0) return { marks: noMarks, partialBuckets };
  const flags = takeFlags(flagsOfCode, codes);
  const marked = plan.columns.filter((column, index) => column.kind === 'measure' || index === axis);
  return { marks: toMarks(new Map(marked.map((column) => [column.key, flags]))), partialBuckets };
}
