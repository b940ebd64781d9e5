import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { day } from '../../../ask/time/granularity.ts';
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
  /** Number of missed slots that are skipped for good, up to a limit. */
  readonly skipped: number;
  /** True if more slots are due than can run now. */
  readonly more: boolean;
  /** Number of runs dated after `now`, because a clock was or is wrong. They are ignored. */
  readonly ahead: number;
}

/** Maximum number of slots in one run: a wrong clock must not send years of reports. */
export const mostSlots = 31;

/** Maximum number of skipped slots that are counted. */
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
  const skipped = catchUp === undefined ? 0 : due(mostSkipped, Infinity).length - slots.length;
  return { slots, more, skipped: slots.length === 0 ? 0 : skipped, ahead };
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
  const { slots } = await findDue(scheduled, times, most);
  const { deliveredTo } = toHistory(read, times);
  const [first] = slots;
  if (first !== undefined && !read.some(hasSlot)) await records.append({ kind: 'begun', slot: writeUtc(first) });
  for (const slot of slots) {
    throwIfAborted(signal);
    const named = writeUtc(slot);
    const delivered = deliveredTo.get(slot) ?? new Set<string>();
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
const tolerance = day;

/**
 * The history at a time. Ignores runs under a wrong clock, which began after the current time or before their slot, and
 * their deliveries, once the slot has come.
 */
function toHistory(records: readonly RunRecord[], { now, clock = now }: DueTimes): RecordedHistory {
  const settled = new Map<number, boolean>();
  const deliveredTo = new Map<number, Set<string>>();
  let first = Infinity;
  let ahead = 0;
  for (const record of records) {
    if (record.slot === null || record.kind === 'judged') continue;
    const slot = Date.parse(record.slot);
    if (record.kind === 'run' && isMistimed(record, clock)) {
      if (isAhead(record, clock)) ahead += 1;
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
    ahead,
  };
}

/** True if a run counts as not done: a clock was wrong, or `--as-of` was ahead of it, and the slot has come since. */
export function isMistimed(run: FinishedRun, clock: number): boolean {
  const slot = Date.parse(run.slot ?? '');
  return isAhead(run, clock) || (Date.parse(run.started) + tolerance < slot && clock >= slot);
}

function isAhead({ started }: FinishedRun, clock: number): boolean {
  return Date.parse(started) > clock + tolerance;
}

function hasSlot({ slot }: RunRecord): boolean {
  return slot !== null;
}
