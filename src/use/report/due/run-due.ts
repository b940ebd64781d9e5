import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { dueSlots, type SlotHistory } from '../../../tell/schedule/due-slots.ts';
import type { Schedule } from '../../../tell/schedule/schedule.ts';
import type { RecordFile } from './record-file.ts';
import type { FinishedRun, RunRecord } from './run-record.ts';

/** A report with a schedule. */
export interface Scheduled {
  readonly schedule: Schedule;
  /** Canonical IANA name. */
  readonly zone: string;
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

/** What is due of a report, by its records. */
export async function findDue({ schedule, zone, records }: Scheduled, now: number): Promise<readonly number[]> {
  return dueSlots(schedule, zone, toHistory((await records.read()).records), now);
}

/**
 * Runs what is due of a report, slot by slot, until one cannot be done with: what comes after it waits. Each run is written down when
 * it is over; one that was cut off before that counts as not done. Nobody else may be at it.
 */
export async function* runDue(scheduled: Scheduled, now: number, run: (task: SlotTask) => Promise<SlotRun>, signal?: AbortSignal): AsyncGenerator<FinishedRun> {
  const { records } = scheduled;
  const history = (await records.read()).records;
  const due = dueSlots(scheduled.schedule, scheduled.zone, toHistory(history), now);
  const [first] = due;
  if (first !== undefined && !history.some(hasSlot)) await records.append({ kind: 'begun', slot: writeSlot(first) });
  for (const slot of due) {
    throwIfAborted(signal);
    const named = writeSlot(slot);
    const delivered = new Set(history.flatMap((record) => (record.kind === 'delivered' && record.slot === named ? [record.to] : [])));
    const finished: FinishedRun = { kind: 'run', slot: named, ...(await run({ slot, delivered, onDelivered: (to) => records.append({ kind: 'delivered', slot: named, to }) })) };
    await records.append(finished);
    yield finished;
    if (!finished.settled) return;
  }
}

function toHistory(records: readonly RunRecord[]): SlotHistory {
  const slots = (wanted: (record: RunRecord) => boolean) => records.flatMap((record) => (record.slot !== null && wanted(record) ? [Date.parse(record.slot)] : []));
  const settled = slots((record) => record.kind === 'run' && record.settled);
  const seen = slots(() => true);
  return { settled: settled.length === 0 ? undefined : Math.max(...settled), first: seen.length === 0 ? undefined : Math.min(...seen) };
}

function hasSlot({ slot }: RunRecord): boolean {
  return slot !== null;
}

function writeSlot(slot: number): string {
  return new Date(slot).toISOString();
}
