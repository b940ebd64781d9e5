import { throwIfAborted } from '../../ask/sluice-error.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import type { Unit } from './units/list-units.ts';
import type { Window } from './window.ts';

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
}

/** The windows of a run: those that wait, and what has become of the others. */
export interface WindowQueue {
  readonly added: readonly Unit[];
  readonly unsettled: readonly UnsettledWindow[];
  /** Takes in all windows. This runs ahead of the work, so that it is soon known how much there is to do. */
  fill(windows: AsyncIterable<Window>, signal: AbortSignal): Promise<void>;
  /** undefined: there are no more. */
  next(): Promise<Window | undefined>;
  /** Nobody gets any more. */
  stop(): void;
  commit(window: Window, unit: Unit): void;
  leaveOut(window: Window, why: string): void;
}

export function openWindowQueue(earlier: readonly Unit[], onProgress: ((progress: ExportProgress) => void) | undefined): WindowQueue {
  const waiting: Window[] = [];
  const added: Unit[] = [];
  const unsettled: UnsettledWindow[] = [];
  let planned = 0;
  let left = 0;
  let over = false;
  let known = false;
  let changed = Promise.withResolvers<void>();
  const done = { rows: 0, events: 0, bytes: 0 };
  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const tell = () => onProgress?.({ windows: earlier.length + added.length, allWindows: known ? earlier.length + planned : undefined, ...done, eventsLeft: known ? left : undefined });
  return {
    added, unsettled,
    stop() {
      over = true;
      waiting.length = 0;
      wake();
    },
    async fill(windows: AsyncIterable<Window>, signal: AbortSignal) {
      for await (const window of windows) {
        throwIfAborted(signal);
        waiting.push(window);
        planned += 1;
        left += window.events;
        wake();
      }
      known = true;
      over = true;
      wake();
      tell();
    },
    async next(): Promise<Window | undefined> {
      while (waiting.length === 0 && !over) await changed.promise;
      return waiting.shift();
    },
    commit(window: Window, unit: Unit) {
      added.push(unit);
      left -= window.events;
      done.rows += unit.manifest.rows;
      done.events += unit.manifest.events;
      done.bytes += unit.bytes;
      tell();
    },
    leaveOut(window: Window, why: string) {
      unsettled.push({ window: { start: window.start, end: window.end }, why });
      left -= window.events;
      tell();
    },
  };
}
