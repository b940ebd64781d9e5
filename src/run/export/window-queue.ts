import { throwIfAborted } from '../../ask/sluice-error.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import type { Unit } from './files/list-units.ts';
import type { Window } from './rows/window.ts';

/** How far a run is. */
export interface ExportProgress {
  /** Windows that are committed, those of earlier runs included. */
  readonly windows: number;
  /** Windows in all; undefined while they are being planned. */
  readonly allWindows: number | undefined;
  /** Of this run. */
  readonly rows: number;
  readonly events: number;
  readonly bytes: number;
  /** Events that this run has still to fetch, as they were counted; undefined while windows are being planned. */
  readonly eventsLeft: number | undefined;
}

export interface UnsettledWindow {
  readonly window: TimeRange;
  readonly why: string;
  /** An earlier revision of it is there. */
  readonly isThere: boolean;
}

/** A window to be exported. */
export interface QueuedWindow extends Window {
  /** The revision that is there, of which the source counts other events by now. */
  readonly replaces?: Unit | undefined;
}

/** The windows of a run: those that wait, and the results of the others. */
export interface WindowQueue {
  readonly added: readonly Unit[];
  readonly unsettled: readonly UnsettledWindow[];
  /** Takes in all windows. This runs ahead of the work, so that it is soon known how much there is to do. */
  fill(windows: AsyncIterable<QueuedWindow>, signal: AbortSignal): Promise<void>;
  /** undefined: there are no more. */
  next(): Promise<QueuedWindow | undefined>;
  /** Nobody gets any more. */
  stop(): void;
  commit(window: QueuedWindow, unit: Unit): void;
  leaveOut(window: QueuedWindow, why: string): void;
}

export function openWindowQueue(
  earlier: readonly Unit[],
  onProgress: ((progress: ExportProgress) => void) | undefined,
): WindowQueue {
  const waiting: QueuedWindow[] = [];
  const added: Unit[] = [];
  const unsettled: UnsettledWindow[] = [];
  let planned = 0;
  let replaced = 0;
  let left = 0;
  let over = false;
  let known = false;
  let changed = Promise.withResolvers<void>();
  const done = { rows: 0, events: 0, bytes: 0 };
  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const tell = () =>
    onProgress?.({
      windows: earlier.length + added.length - replaced,
      allWindows: known ? earlier.length + planned - replaced : undefined,
      ...done,
      eventsLeft: known ? left : undefined,
    });
  return {
    added,
    unsettled,
    stop() {
      over = true;
      waiting.length = 0;
      wake();
    },
    async fill(windows: AsyncIterable<QueuedWindow>, signal: AbortSignal) {
      for await (const window of windows) {
        throwIfAborted(signal);
        waiting.push(window);
        planned += 1;
        if (window.replaces) replaced += 1;
        left += window.events;
        wake();
      }
      known = true;
      over = true;
      wake();
      tell();
    },
    async next(): Promise<QueuedWindow | undefined> {
      while (waiting.length === 0 && !over) await changed.promise;
      return waiting.shift();
    },
    commit(window: QueuedWindow, unit: Unit) {
      added.push(unit);
      left -= window.events;
      done.rows += unit.manifest.rows;
      done.events += unit.manifest.events;
      done.bytes += unit.bytes;
      tell();
    },
    leaveOut(window: QueuedWindow, why: string) {
      unsettled.push({ window: { start: window.start, end: window.end }, why, isThere: window.replaces !== undefined });
      left -= window.events;
      tell();
    },
  };
}
