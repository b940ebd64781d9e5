import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { day } from '../../../ask/time/granularity.ts';
import type { Schedule } from '../../../tell/schedule/schedule.ts';
import { dueSlots, type SlotHistory } from '../../../tell/schedule/schedule-slots.ts';
import type { FinishedRun, RecordFile, RunRecord } from './record-file.ts';

/** A report with a schedule. */
export interface Scheduled {
  readonly schedule: Schedule;
  /** Canonical IANA name. */
  readonly zone: string;
  /** Only the latest so many slots are run; all where not set. */
  readonly catchUp?: number | undefined;
  readonly records: RecordFile;
}

/** What is to be done for a slot. */
export interface SlotTask {
  /** Epoch milliseconds. */
  readonly slot: number;
  /** Marks of the deliveries that need not be made again. */
  readonly delivered: ReadonlySet<string>;
  /** To be told of each that is made. */
  readonly onDelivered: (to: string) => Promise<void>;
}

export type SlotRun = Omit<FinishedRun, 'kind' | 'slot'>;

/** The times that a run goes by. Epoch milliseconds. */
export interface DueTimes {
  /** The present of the run, which `--as-of` may set. */
  readonly now: number;
  /** What the machine's clock shows; the same where not set. */
  readonly clock?: number | undefined;
}

/** What is due of a report, by its records. */
export interface DueFound {
  readonly slots: readonly number[];
  /** Missed slots that are left out for good, as far as they are counted. */
  readonly skipped: number;
  /** More than these are due: they are left for the next run. */
  readonly more: boolean;
  /** Runs that the machine dates after its present: a clock is, or was, wrong. They do not count. */
  readonly ahead: number;
}

/** As many slots are done in one run: a clock that is far ahead must not send years of reports. */
export const mostSlots = 31;

/** More skipped slots than these are not counted. */
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
 * Runs what is due of a report, slot by slot; one that cannot be done with stays due, and holds up no other. Each run
 * is written down when it is over; one that was cut off before that counts as not done. Nobody else may be at it.
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
  if (first !== undefined && !read.some(hasSlot)) await records.append({ kind: 'begun', slot: writeSlot(first) });
  for (const slot of slots) {
    throwIfAborted(signal);
    const named = writeSlot(slot);
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

/** Clocks of several machines may differ by so much. */
const tolerance = day;

/**
 * What records of runs tell at a time. A run that began later than the clock shows, or before its slot came, was made
 * under another clock: it does not count, nor does what it delivered, once its slot is there.
 */
function toHistory(records: readonly RunRecord[], { now, clock = now }: DueTimes): RecordedHistory {
  const settled = new Map<number, boolean>();
  const deliveredTo = new Map<number, Set<string>>();
  let first = Infinity;
  let ahead = 0;
  for (const record of records) {
    if (record.slot === null || record.kind === 'judged') continue;
    const slot = Date.parse(record.slot);
    if (record.kind === 'run') {
      const started = Date.parse(record.started);
      const isAhead = started > clock + tolerance;
      if (isAhead) ahead += 1;
      if (isAhead || (started + tolerance < slot && clock >= slot)) {
        deliveredTo.delete(slot);
        continue;
      }
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

function hasSlot({ slot }: RunRecord): boolean {
  return slot !== null;
}

function writeSlot(slot: number): string {
  return new Date(slot).toISOString();
}
