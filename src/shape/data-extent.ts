import { addUnits, startOf } from '../ask/time/calendar.ts';
import { readBucketLabel, toBucketStart, writeBucketLabel } from '../ask/time/buckets.ts';
import type { BucketSize } from '../ask/time/granularity.ts';
import { writeInstantLocal, writeLocal } from '../ask/time/local-time.ts';
import type { TimeRange, Weekday } from '../ask/time/range.ts';
import { toInstant, toLocal } from '../ask/time/zone.ts';
import type { Plan } from '../plan/plan.ts';
import { toBucketFlags } from './fill/partial-buckets.ts';
import { withParts } from '../ask/cloneable.ts';
import { analysisOf } from '../plan/analysis.ts';
import type { Value } from '../plan/column.ts';
import { partialByPresent, partialByRange, toMarks } from './result/marks.ts';
import { type Provenance, type SteadyProvenance, withNote } from './result/provenance.ts';
import { type Result, toResult } from './result/result.ts';
import { compareValues } from './values/compare-values.ts';

/** The facts about the age of an answer's data. */
type Told = Pick<Provenance, 'freshness' | 'refreshed' | 'range' | 'zone' | 'asOf'>;

/**
 * The end of an answer's data in epoch milliseconds, if it is before the last whole day of the requested range. For
 * events, the day of the newest one counts, since few happen in its last minute; for a server, the time when it
 * computed its figures. Undefined if the data reaches that far, if its end is unknown, or if no range was requested.
 */
export function dataEnd({ freshness, refreshed, range, zone, asOf }: Told): number | undefined {
  if (range === null) return undefined;
  const dayAt = (instant: number, days = 0) => {
    const local = startOf(toLocal(instant, zone), 'day');
    return toInstant(addUnits(local, 'day', days), zone, 'first');
  };
  const asked = Math.min(Date.parse(range.end), dayAt(Date.parse(asOf)));
  const ofEvents = freshness === null ? Infinity : dayAt(Date.parse(freshness), 1);
  const end = Math.min(ofEvents, refreshed === undefined ? Infinity : Date.parse(refreshed));
  return Date.parse(range.start) < asked && end < asked ? end : undefined;
}

/** Adds a sentence to the provenance if the data ends before the range. */
function withDataEnd(provenance: Provenance): Provenance {
  const end = dataEnd(provenance);
  if (end === undefined) return provenance;
  const last = writeInstantLocal(end - 1, provenance.zone).slice(0, 10);
  const told = tellNone(provenance) ?? `The data ends on ${last}, before the range ends: the last figures are partial.`;
  return { ...provenance, endsEarly: told };
}

/**
 * A sentence that the range begins after the reference time or after the newest event. Undefined if it does not, or if
 * the newest event is unknown.
 */
function tellNone({ freshness, range, zone, asOf }: SteadyProvenance): string | undefined {
  if (range !== null && Date.parse(range.start) > Date.parse(asOf))
    return 'The range begins in the future (set the reference time with --as-of).';
  if (freshness === null || range === null || Date.parse(freshness) >= Date.parse(range.start)) return undefined;
  const newest = startOf(toLocal(Date.parse(freshness), zone), 'day');
  const [day, next] = [newest, addUnits(newest, 'day', 1)].map((local) => writeLocal(local).slice(0, 10));
  return `No events in the range: the newest is from ${day}. To ask as of then, use --as-of ${next}.`;
}

type Begun = Pick<SteadyProvenance, 'range' | 'zone' | 'earliest'>;

/** Whether a store lacks events of a range. */
export function isLost({ lost = [] }: Pick<SteadyProvenance, 'lost'>, { start, end }: TimeRange): boolean {
  return lost.some((one) => (one.start === null || Date.parse(one.start) < end) && Date.parse(one.end) > start);
}

/** The start of the day of the first event, if the range begins on an earlier day: absence before it is not proven. */
export function dataBegin({ range, zone, earliest }: Begun): number | undefined {
  if (range === null || earliest === undefined) return undefined;
  const [start, first] = [Date.parse(range.start), Date.parse(earliest)].map((instant) =>
    startOf(toLocal(instant, zone), 'day'),
  );
  return start! < first! ? toInstant(first!, zone, 'first') : undefined;
}

/** A sentence that the events begin after the first day of the range. */
export function tellLateBegin(begun: Begun): string | undefined {
  const begin = dataBegin(begun);
  if (begin === undefined) return undefined;
  const [start, end] = [Date.parse(begun.range!.start), Date.parse(begun.range!.end)];
  const dayOf = (instant: number) => writeInstantLocal(instant, begun.zone).slice(0, 10);
  const [first, last] = [dayOf(start), dayOf(end - 1)];
  return begin >= end
    ? `No events ${first === last ? `on ${first}` : `from ${first} to ${last}`}: the first is from ${dayOf(begin)}.`
    : `No events before ${dayOf(begin)}: earlier days of the range may lack data.`;
}

/**
 * Tells by its label whether a bucket begins before the day of the first event, or has events that the store lacks;
 * undefined if none of the range does.
 */
export function openLacking(
  begun: Begun & Pick<SteadyProvenance, 'lost'>,
  granularity: BucketSize,
  weekStart: Weekday | undefined,
): ((label: Value) => boolean) | undefined {
  const { zone, lost } = begun;
  const begin = dataBegin(begun);
  if (begin === undefined && lost === undefined) return undefined;
  const start = begin === undefined ? -Infinity : toBucketStart(begin, granularity, zone, weekStart);
  const first = begin === undefined ? undefined : writeBucketLabel(start, granularity, zone, weekStart);
  return (label) => {
    if (label === null) return false;
    if (lost && isLost(begun, readBucketLabel(String(label), granularity, { zone, weekStart }))) return true;
    const order = first === undefined ? 1 : compareValues(label, first, 'time');
    return order < 0 || (order === 0 && start < begin!);
  };
}

/**
 * If the data ends before the range, adds a sentence and marks later buckets as not over. Days without data do not mean
 * a decline.
 */
export function markStale(result: Result, plan: Plan): Result {
  const end = dataEnd(result.provenance);
  if (end === undefined) return result;
  const provenance = withDataEnd(result.provenance);
  const judged = toJudgedFlags(
    plan,
    result.columns.map(({ key }) => result.values(key)),
    end,
  );
  if (judged) {
    const keys = result.columns.map(({ key }) => key);
    const flags = keys.flatMap((key) => {
      const own = joinFlags(result.marks.flags(key), judged.get(key));
      return own ? [[key, own] as const] : [];
    });
    return toResult({
      columns: result.columns,
      data: keys.map((key) => result.values(key)),
      types: result.types,
      marks: toMarks(new Map(flags)),
      provenance,
    });
  }
  const flagsOf = toBucketFlags({ ...plan, now: end });
  const axis = plan.times.find((time) => time.granularity !== undefined)?.column;
  const key = axis === undefined ? undefined : plan.columns[axis]?.key;
  if (!flagsOf || key === undefined || result.rowCount === 0) return withParts(result, { provenance });
  const labels = Array.from(result.values(key));
  const late = Uint8Array.from(labels, (label) => flagsOf(label) & partialByPresent);
  const marked = result.columns.filter((column) => column.kind === 'measure' || column.key === key);
  const flags = new Map(
    result.columns.flatMap((column) => {
      const before = result.marks.flags(column.key);
      if (!marked.includes(column)) return before ? [[column.key, before] as const] : [];
      return [[column.key, late.map((flag, row) => flag | (before?.[row] ?? 0))] as const];
    }),
  );
  const marks = toMarks(flags);
  const isPartial = (row: number) => (marks.of(key, row) & (partialByPresent | partialByRange)) !== 0;
  const partialBuckets = new Set(labels.filter((_, row) => isPartial(row))).size;
  return toResult({
    columns: result.columns,
    data: result.columns.map((column) => result.values(column.key)),
    types: result.types,
    marks,
    provenance: { ...provenance, partialBuckets },
  });
}

function joinFlags(before: Uint8Array | undefined, further: Uint8Array | undefined): Uint8Array | undefined {
  return before && further ? before.map((flag, row) => flag | (further[row] ?? 0)) : (before ?? further);
}

/**
 * Flags by column key, if an analysis judges its figures one by one; columns without flags are omitted. Undefined if
 * the plan's time axis decides which figures are partial. `data` has the plan's columns, and reaches until `known`.
 */
export function toJudgedFlags(
  plan: Plan,
  data: readonly ArrayLike<Value>[],
  known = plan.now,
): ReadonlyMap<string, Uint8Array<ArrayBuffer>> | undefined {
  const { source } = plan.root;
  const isBound = source.kind === 'computed' && plan.computed?.bound !== undefined;
  const judge = isBound ? analysisOf(source).openPartialJudge?.(plan, known) : undefined;
  if (!judge) return undefined;
  const places = new Map(plan.columns.map(({ key }, index) => [key, index]));
  const flags = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const { measure, column } of plan.measures) {
    const own = Uint8Array.from(data[column] ?? [], (_, row) => {
      const why = judge(measure.name, (key) => data[places.get(key) ?? -1]?.[row]);
      return why === undefined ? 0 : why === 'by-present' ? partialByPresent : partialByRange;
    });
    if (own.some((flag) => flag !== 0)) flags.set(plan.columns[column]!.key, own);
  }
  return flags;
}

/** Adds sentences if the data ends before the range, or if the range has no data. */
export function noteIfStale<Told extends { readonly provenance: Provenance }>(result: Told): Told {
  const provenance = withDataEnd(result.provenance);
  const note = tellNone(provenance);
  return withParts(result, {
    provenance: note === undefined ? provenance : withNote(provenance, note),
  } as Partial<Told>);
}
