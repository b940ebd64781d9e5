import { writeInstantLocal, writeRange, writeUtc } from '../ask/time/local-time.ts';
import type { TimeRange } from '../ask/time/range.ts';
import { analysisOf, type NamedDefinition } from '../plan/analysis.ts';
import type { ComputedSource } from '../plan/model/model.ts';
import { isTimeOfProperty } from '../plan/model/property-members.ts';
import type { Plan } from '../plan/plan.ts';
import type { AnswerFacts } from '../run/backend.ts';
import { formatComparison, formatTime } from './format/format-time.ts';
import { tellLateBegin } from './data-extent.ts';
import type { Provenance } from './result/provenance.ts';

/** Facts about an answer that only the caller knows. */
export interface CollectFacts {
  readonly queryHash: string;
  readonly backend: string;
  /** The source of the rows, for people. */
  readonly source: string;
  /** Names a file of events for people (default: as it is). */
  readonly nameFile?: ((file: string) => string) | undefined;
  /** Sentences from before the rows arrived. */
  readonly notes?: readonly string[] | undefined;
  /** See `Provenance`. */
  readonly lost?: Provenance['lost'];
  /** The range of the question, if the plan does not tell it. */
  readonly range?: Provenance['range'] | undefined;
  /** Milliseconds since the question; called once, after the last row. */
  readonly elapsedMs?: (() => number) | undefined;
}

/** Facts that follow from the rows of an answer. */
interface RowFacts {
  readonly rows: number;
  readonly partialBuckets: number;
}

/**
 * The provenance of an answer, once its rows are known. It is truncated if there are more rows than the plan's limit,
 * or if it has as many and nothing shows that there are no more.
 */
export function toProvenance(
  plan: Plan,
  { rows, partialBuckets }: RowFacts,
  answer: AnswerFacts,
  facts: CollectFacts,
): Provenance {
  const { total, uncounted, rejected, freshness, refreshed, queryId } = answer;
  const { nameFile = (file) => file } = facts;
  // Events after the reference time must not change an answer about the past.
  const isPast = answer.earliest !== undefined && Date.parse(answer.earliest) <= plan.now;
  const earliest = isPast ? answer.earliest : undefined;
  const latest = freshness !== undefined && Date.parse(freshness) > plan.now ? writeUtc(plan.now) : freshness;
  const ofPlan = plan.series?.range ?? plan.times.find((time) => time.range)?.range ?? ofAnalysis(plan);
  // The events tell nothing about the ends of other times.
  const isOfEvents = !plan.times.some(({ dimension, range }) => range && isTimeOfProperty(dimension));
  const range = ofPlan && isOfEvents ? writeRange(ofPlan) : (facts.range ?? null);
  const beginsLate = tellLateBegin({ range, zone: plan.zone, earliest });
  const mayHaveMore =
    plan.limit !== undefined &&
    rows >= plan.limit &&
    (answer.hasMore ?? (total === undefined || total > plan.offset + rows));
  return {
    queryHash: facts.queryHash,
    query: plan.query,
    backend: facts.backend,
    source: facts.source,
    range,
    zone: plan.zone,
    asOf: writeUtc(plan.now),
    rows,
    filled: false,
    filledCells: 0,
    partialBuckets,
    truncated: mayHaveMore && plan.limit !== undefined ? { limit: plan.limit } : null,
    ...(total === undefined ? {} : { total }),
    uncounted,
    rejected: { ...rejected, examples: rejected.examples.map((line) => ({ ...line, file: nameFile(line.file) })) },
    ...(answer.lacking === undefined ? {} : { lacking: answer.lacking }),
    ...(answer.repeated === undefined ? {} : { repeated: answer.repeated }),
    freshness: latest ?? null,
    ...(earliest === undefined ? {} : { earliest }),
    ...(beginsLate === undefined ? {} : { beginsLate }),
    ...(facts.lost === undefined ? {} : { lost: facts.lost }),
    notes: [...(facts.notes ?? []), ...(answer.notes ?? []), ...unfinished(plan)],
    ...(refreshed === undefined ? {} : { refreshed }),
    ...(queryId === undefined ? {} : { queryId }),
    ...(answer.kept === undefined ? {} : { kept: answer.kept }),
    elapsedMs: facts.elapsedMs?.() ?? 0,
  };
}

/** The range that an analysis covers without one in the question. */
function ofAnalysis(plan: Plan): TimeRange | undefined {
  const { source } = plan.root;
  return source.kind === 'computed'
    ? analysisOf(source).rangeOf?.(plan, source as ComputedSource<NamedDefinition>)
    : undefined;
}

/** Warns that a sum over a range with time to come will grow. A series shows this for each bucket. */
function unfinished(plan: Plan): readonly string[] {
  const open = plan.times.find(
    (time) =>
      time.granularity === undefined && time.range && time.range.start < plan.now && time.range.end > plan.now + 1,
  );
  if (!open || plan.times.some((time) => time.granularity !== undefined)) return [];
  const label = plan.comparison === undefined ? 'The range' : formatComparison(plan.comparison);
  return [`${label} is not over: the current time is ${formatTime(writeInstantLocal(plan.now, plan.zone), 'minute')}.`];
}
