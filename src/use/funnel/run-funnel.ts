import type { TrendUnit } from '../../ask/funnel/funnel.ts';
import { BackendError } from '../../ask/sluice-error.ts';
import { toBuckets, toBucketStart, writeBucketLabel } from '../../ask/time/buckets.ts';
import { dimensionColumn, timeColumn } from '../../plan/bind/bind-members.ts';
import type { Column } from '../../plan/column.ts';
import { funnelOf } from '../../plan/analysis/funnel/bind-funnel.ts';
import { askedDates } from '../../plan/computed/asked-dates.ts';
import type { Dimension } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import { type FollowedFunnel, followedFunnels } from '../../run/followed-funnel.ts';
import { toPartialFlags } from '../../shape/fill/partial-buckets.ts';
import { describeDates, describeFunnel, type FunnelGroup, toFunnelResult } from '../../shape/funnel-result.ts';
import type { Result } from '../../shape/result/result.ts';
import { toProvenance } from '../../shape/to-provenance.ts';
import { noteIfStale } from '../../shape/data-extent.ts';
import type { AnalysisAsked, Definition } from '../analysis/analysis-question.ts';
import type { Session } from '../workspace/session.ts';
import { type FunnelPlan, planFunnel } from './funnel-question.ts';

/** Options for running a funnel. */
export interface RunFunnelOptions extends AnalysisAsked {
  /** Applies the range only to the first step. Local engines only. */
  readonly byEntry?: boolean | undefined;
  /** Adds figures for the users who began in each period of this length. Local engines only. */
  readonly trend?: TrendUnit | undefined;
  /**
   * Adds `conversionLow` and `conversionHigh`: the 95% confidence interval of the conversion from the first step, in
   * percent.
   */
  readonly interval?: boolean | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

interface FunnelRun {
  /** One row per step, or per step of each value or bucket. */
  readonly result: Result;
  /** The figures of all users together. */
  readonly all: FunnelGroup;
  /** Names of the steps. */
  readonly names: readonly string[];
}

/**
 * Runs a funnel, by name or as an object. Throws `InvalidInputError`, `BackendError` (`funnel-not-local` if an option
 * needs a local engine), `AbortedError`.
 */
export async function runFunnel(
  session: Session,
  definition: Definition,
  options: RunFunnelOptions = {},
): Promise<FunnelRun> {
  const { byEntry = false, trend, interval, signal } = options;
  const asked = await planFunnel(session, definition, options);
  const { plan, funnel, notes } = asked;
  const names = funnel.steps.map((step) => step.name);
  const { backend, facts } = await session.openedBackend();
  const follower = backend.reach === 'local' ? await backend.further(followedFunnels) : undefined;
  if (!follower) {
    if (byEntry || trend !== undefined) throw notLocal(funnel.name, byEntry ? '--by-entry' : '--trend');
    const answered = await session.run(plan, { signal, notes });
    const all: FunnelGroup = {
      key: [],
      reached: funnel.steps.map((_, index) => countOf(answered, funnel.name, index + 1)),
      toConvert: undefined,
    };
    return {
      result: toFunnelResult({ funnel, leading: [], groups: [all], interval, provenance: answered.provenance }),
      all,
      names,
    };
  }
  const bucketOf = trend && ((entry: number) => toBucketStart(entry, trend, plan.zone, plan.weekStart));
  const followed = await follower.follow(plan, { byEntry, bucketOf, signal });
  const range = askedDates(plan);
  const said = [
    ...notes,
    ...describeFunnel(funnel, 'here'),
    ...describeDates(funnel, { ...range, byEntry, zone: plan.zone, now: plan.now }),
  ];
  const provenance = toProvenance({ ...plan, times: [] }, { rows: 0, partialBuckets: 0 }, followed.facts, {
    ...(await facts(plan)),
    notes: said,
    range: toInstants(range),
  });
  const { leading, groups } = trend ? byBucket(plan, followed, trend) : byValue(asked, followed);
  const result = toFunnelResult({ funnel, leading, groups, interval, provenance });
  return { result: noteIfStale(result), all: { key: [], ...followed.all }, names };
}

/** The error for an option that needs a local engine. */
export function notLocal(name: string, what: string): BackendError {
  return new BackendError(`A server does not return enough data for ${what}.`, {
    code: 'funnel-not-local',
    hint:
      'Export the events and run the funnel locally: ' +
      `\`sluice export\`, then \`sluice funnel run ${name} --backend embedded\`.`,
  });
}

function countOf(result: Result, name: string, step: number): number | null {
  const row = result.values(`${name}.step`).findIndex((value: unknown) => Number(value) === step);
  const count = row < 0 ? null : (result.values(`${name}.count`)[row] ?? null);
  return count === null ? null : Number(count);
}

interface Groups {
  readonly leading: readonly Column[];
  readonly groups: readonly FunnelGroup[];
}

function byValue({ plan }: FunnelPlan, { all, byValue: values }: FollowedFunnel): Groups {
  const breakdown = funnelOf(plan)?.bound?.breakdown;
  if (!breakdown || !values) return { leading: [], groups: [{ key: [], ...all }] };
  // Values of all types are returned as text.
  const leading = [{ ...dimensionColumn(breakdown.cube, breakdown.dimension), type: 'string' as const }];
  return { leading, groups: values.map(({ value, ...figures }) => ({ key: [value], ...figures })) };
}

/**
 * Returns all buckets from the first to the last, or those of the range up to the reference time. Missing buckets are
 * zero, because nobody started in them.
 */
function byBucket(plan: Plan, { all, byEntry = [] }: FollowedFunnel, unit: TrendUnit): Groups {
  const { from, to } = askedDates(plan);
  const entry: Dimension = {
    name: 'entry',
    title: 'Began',
    shortTitle: 'Began',
    type: 'time',
    expression: { kind: 'sql', sql: [] },
    primaryKey: false,
    public: true,
  };
  const leading = [timeColumn(plan.root, entry, unit)];
  const [first, last] = [byEntry[0]?.bucket, byEntry.at(-1)?.bucket];
  const start = from ?? first;
  if (start === undefined) return { leading, groups: [] };
  const end = Math.max(last === undefined ? start : last + 1, Math.min(to ?? start, plan.now));
  const buckets = toBuckets({ start, end }, unit, plan.zone, plan.weekStart);
  const labels = buckets.map((bucket) => writeBucketLabel(bucket.start, unit, plan.zone, plan.weekStart));
  const time = {
    cube: plan.root,
    dimension: entry,
    granularity: unit,
    range: from === undefined || to === undefined ? undefined : { start: from, end: to },
    column: 0,
  };
  const flags = toPartialFlags({ ...plan, times: [time] }, buckets, labels);
  const known = new Map(byEntry.map(({ bucket, reached }) => [bucket, reached]));
  const groups = buckets.map(
    (bucket, index): FunnelGroup => ({
      key: [labels[index] ?? null],
      reached: known.get(bucket.start) ?? all.reached.map(() => 0),
      toConvert: undefined,
      flags: flags[index],
    }),
  );
  return { leading, groups };
}

function toInstants({
  from,
  to,
}: ReturnType<typeof askedDates>): { readonly start: string; readonly end: string } | null {
  return from === undefined || to === undefined
    ? null
    : { start: new Date(from).toISOString(), end: new Date(to).toISOString() };
}
