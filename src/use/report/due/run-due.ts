import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { day, minute } from '../../../ask/time/granularity.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import type { Schedule } from '../../../tell/schedule/schedule.ts';
import { dueSlots, type SlotHistory } from '../../../tell/schedule/schedule-slots.ts';
import type { FinishedRun, RecordFile, RunRecord } from './record-file.ts';

/** A report with a schedule. */
export interface Scheduled {
  readonly schedule: Schedule;
  /** Canonical IANA name. */
  readonly zone: string;
  /** Runs only this many of the latest slots (default: all). */
  readonly catchUp?: number | undefined;
  readonly records: RecordFile;
}

/** A slot to run. */
export interface SlotTask {
  /** Epoch milliseconds. */
  readonly slot: number;
  /** Marks of deliveries to skip, because they are done. */
  readonly delivered: ReadonlySet<string>;
  /** Call after each delivery. */
  readonly onDelivered: (to: string) => Promise<void>;
}

export type SlotRun = Omit<FinishedRun, 'kind' | 'slot'>;

/** Times of a run, in epoch milliseconds. */
export interface DueTimes {
  /** The reference time, which `--as-of` can set. */
  readonly now: number;
  /** The machine's clock (default: `now`). */
  readonly clock?: number | undefined;
}

/** Due slots of a report, according to its records. */
export interface DueFound {
  readonly slots: readonly number[];
  /** Missed or failed slots that newer ones now replace for good, in order, up to a limit. */
  readonly skipped: readonly number[];
  /** True if more slots are due than can run now. */
  readonly more: boolean;
  /** Number of runs dated in the future, because a clock was or is wrong. They are ignored. */
  readonly ahead: number;
}

/** Maximum number of slots in one run: a wrong clock must not send years of reports. */
export const mostSlots = 31;

/** Maximum number of skipped slots that are found. */
const mostSkipped = 1000;

export async function findDue(
  { schedule, zone, catchUp, records }: Scheduled,
  times: DueTimes,
  most = Infinity,
): Promise<DueFound> {
  const { history, ahead } = toHistory((await records.read()).records, times);
  const due = (count: number, limit = catchUp) => dueSlots(schedule, zone, history, times.now, count, limit);
  const slots = due(most);
  const more = slots.length >= most && due(most + 1).length > most;
  const { latest } = history;
  if (catchUp === undefined || latest === undefined) return { slots, more, skipped: [], ahead };
  // Earlier calls told of those that were replaced when the latest slot ran.
  const before = dueSlots(schedule, zone, history, latest, mostSkipped, catchUp);
  const missed = due(mostSkipped, Infinity).filter((slot) => slot > latest);
  const left = new Set(due(mostSkipped));
  return { slots, more, skipped: [...before, ...missed].filter((slot) => !left.has(slot)), ahead };
}

/**
 * Runs the due slots of a report; a slot that fails stays due, and does not block others. Records each run when it
 * ends; an interrupted run counts as not done. The caller must hold the lock.
 */
export async function* runDue(
  scheduled: Scheduled,
  times: DueTimes,
  run: (task: SlotTask) => Promise<SlotRun>,
  { most, signal }: { readonly most?: number; readonly signal?: AbortSignal } = {},
): AsyncGenerator<FinishedRun> {
  const { records } = scheduled;
  const { records: read } = await records.read();
  const { clock = times.now } = times;
  if (isUntold(read, clock)) await records.append({ kind: 'clock', slot: null, at: new Date(clock).toISOString() });
  const { slots } = await findDue(scheduled, times, most);
  const { deliveredTo } = toHistory(read, times);
  for (const slot of slots) {
    throwIfAborted(signal);
    const named = writeUtc(slot);
    const delivered = deliveredTo.get(slot) ?? new Set<string>();
    await records.append({ kind: 'begun', slot: named });
    const finished: FinishedRun = {
      kind: 'run',
      slot: named,
      ...(await run({ slot, delivered, onDelivered: (to) => records.append({ kind: 'delivered', slot: named, to }) })),
    };
    await records.append(finished);
    yield finished;
  }
}

interface RecordedHistory {
  readonly history: SlotHistory;
  readonly deliveredTo: ReadonlyMap<number, ReadonlySet<string>>;
  readonly ahead: number;
}

/** Clocks of several machines may differ by this much. */
const tolerance = 10 * minute;

/**
 * The history at a time. Ignores runs under a wrong clock, which began after the current time or before their slot, and
 * their deliveries, once the slot has come.
 */
function toHistory(records: readonly RunRecord[], { now, clock = now }: DueTimes): RecordedHistory {
  const settled = new Map<number, boolean>();
  const deliveredTo = new Map<number, Set<string>>();
  const mistimed = findMistimed(records, clock);
  let first = Infinity;
  for (const record of records) {
    if (record.slot === null || record.kind === 'judged') continue;
    const slot = Date.parse(record.slot);
    if (record.kind === 'run' && mistimed.has(record)) {
      deliveredTo.delete(slot);
      continue;
    }
    if (slot > now) continue;
    first = Math.min(first, slot);
    if (record.kind === 'delivered') deliveredTo.set(slot, (deliveredTo.get(slot) ?? new Set()).add(record.to));
    else if (record.kind === 'run') settled.set(slot, record.settled || (settled.get(slot) ?? false));
  }
  const slots = [...settled.keys()].sort((a, b) => a - b);
  return {
    history: {
      latest: slots.at(-1),
      first: first === Infinity ? undefined : first,
      open: slots.filter((slot) => !settled.get(slot)),
    },
    deliveredTo,
    ahead: [...mistimed].filter(([run, why]) => run.slot !== null && why === 'ahead').length,
  };
}

/**
 * The runs that count as not done. `ahead`: a clock was ahead, because the run began in the future, or within the last
 * day, but after what was recorded later. `early`: it used an `--as-of` before its slot had come.
 */
export function findMistimed(records: readonly RunRecord[], clock: number): ReadonlyMap<RunRecord, 'ahead' | 'early'> {
  const found = new Map<RunRecord, 'ahead' | 'early'>();
  let recordedAfter: number | undefined;
  for (const record of records.toReversed()) {
    const time = recordedAt(record);
    if (record.kind === 'run') {
      const started = Date.parse(record.started);
      const slot = Date.parse(record.slot ?? '');
      // Looks back a day only, so that a clock that is behind for a while makes no more than a day run again.
      const limit = started > clock - day ? Math.min(clock, recordedAfter ?? clock) : clock;
      if (started > limit + tolerance) found.set(record, 'ahead');
      else if (started + tolerance < slot && clock >= slot) found.set(record, 'early');
    }
    if (time !== undefined && found.get(record) !== 'ahead') recordedAfter = Math.max(recordedAfter ?? time, time);
  }
  return found;
}

/** When a run ended, or a clock was compared; epoch milliseconds. */
function recordedAt(record: RunRecord): number | undefined {
  if (record.kind === 'clock') return Date.parse(record.at);
  return record.kind === 'run' ? Date.parse(record.started) + record.elapsedMs : undefined;
}

/** True if no record tells yet that the clock of a run was ahead. */
function isUntold(records: readonly RunRecord[], clock: number): boolean {
  const mistimed = findMistimed(records, clock);
  const isAhead = (record: RunRecord) => mistimed.get(record) === 'ahead';
  const told = records.findLastIndex((record) => recordedAt(record) !== undefined && !isAhead(record));
  return records.findLastIndex(isAhead) > told;
}
