import { hashQuery, toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import { nothingRejected } from '../../run/backend.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import { usageQuery } from './usage-days.ts';
import type { UsagePlan } from './usage-plan.ts';
import type { ProjectAnswer } from './usage.ts';

export interface UsageOrigin {
  readonly backend: string;
  /** For people; empty if the answers have it. */
  readonly source: string;
  readonly elapsedMs: number;
}

/** The provenance of the figures of several projects, from the question they were asked and their answers. */
export function toUsageProvenance(
  plan: UsagePlan,
  answers: ReadonlyMap<string, ProjectAnswer>,
  { backend, source, elapsedMs }: UsageOrigin,
): Provenance {
  const told = [...answers.values()].flatMap((answer) => (answer.state === 'counted' ? [answer.provenance] : []));
  const query = toCanonicalQuery(usageQuery(plan));
  const latest = told
    .flatMap(({ freshness }) => (freshness === null ? [] : [freshness]))
    .sort()
    .at(-1);
  const ids = [...answers.keys()];
  return {
    queryHash: hashQuery(query),
    query,
    backend,
    source:
      source === ''
        ? (told[0]?.source ?? '')
        : `${source}, ${ids.length === 1 ? 'project' : 'projects'} ${ids.join(', ')}`,
    range: { start: writeUtc(plan.months[0]?.range.start ?? plan.asked.start), end: writeUtc(plan.asked.end) },
    zone: plan.zone,
    asOf: writeUtc(plan.now),
    rows: 0,
    filled: true,
    filledCells: 0,
    partialBuckets: 0,
    truncated: null,
    uncounted: [],
    // Projects in one place share its files, and therefore their rejected lines.
    rejected: told[0]?.rejected ?? nothingRejected,
    freshness: latest ?? null,
    notes: [...new Set(told.flatMap(({ notes }) => notes))],
    elapsedMs,
  };
}
