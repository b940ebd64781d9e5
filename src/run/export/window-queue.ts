import { throwIfAborted } from '../../ask/sluice-error.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import type { Unit } from './files/list-units.ts';
import type { Window } from './rows/window.ts';

/** The progress of a run. */
export interface ExportProgress {
  /** Committed windows, including those of earlier runs. */
  readonly windows: number;
  /** Number of all windows; undefined while they are being planned. */
  readonly allWindows: number | undefined;
  /** Rows fetched in this run. */
  readonly rows: number;
  readonly events: number;
  readonly bytes: number;
  /** Events that this run must still fetch, by the source's count; undefined while windows are being planned. */
  readonly eventsLeft: number | undefined;
}

export interface UnsettledWindow {
  readonly window: TimeRange;
  readonly why: string;
  /** True if an earlier revision of it exists. */
  readonly isThere: boolean;
}

/** A window to export. */
export interface QueuedWindow extends Window {
  /** The committed revision, which the source may have changed. */
  readonly replaces?: Unit | undefined;
}

/** The windows of a run that wait, and the results of the others. */
export interface WindowQueue {
  readonly added: readonly Unit[];
  readonly unsettled: readonly UnsettledWindow[];
  /** Adds all windows. This runs ahead of the work, so that the total is soon known. */
  fill(windows: AsyncIterable<QueuedWindow>, signal: AbortSignal): Promise<void>;
  /**
   * The next windows; none if there are no more. Several only if they are neighbours with at most so many events
   * together; it then waits until they are planned.
   */
  next(most: number): Promise<readonly QueuedWindow[]>;
  /** Stops handing out windows. */
  stop(): void;
  commit(window: QueuedWindow, unit: Unit): void;
  /** The committed revision has the same content. */
  keep(window: QueuedWindow): void;
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
    async next(most: number): Promise<readonly QueuedWindow[]> {
      for (;;) {
        const count = neighbours(waiting, most);
        // The windows that follow may not be planned yet.
        if (over || (count > 0 && (count < waiting.length || most === 0))) return waiting.splice(0, count);
        await changed.promise;
      }
    },
    commit(window: QueuedWindow, unit: Unit) {
      added.push(unit);
      left -= window.events;
      done.rows += unit.manifest.rows;
      done.events += unit.manifest.events;
      done.bytes += unit.bytes;
      tell();
    },
    keep(window: QueuedWindow) {
      planned -= 1;
      replaced -= 1;
      left -= window.events;
      tell();
    },
    leaveOut(window: QueuedWindow, why: string) {
      unsettled.push({ window: { start: window.start, end: window.end }, why, isThere: window.replaces !== undefined });
      left -= window.events;
      tell();
    },
  };
}

/** Each window has an open file. */
const mostWindows = 100;

/** The number of windows at the beginning that adjoin each other and have at most so many events; at least one. */
function neighbours(windows: readonly Window[], most: number): number {
  if (most === 0) return Math.min(1, windows.length);
  let events = 0;
  const end = windows.findIndex((window, index) => {
    events += window.events;
    return index > 0 && (index === mostWindows || events > most || windows[index - 1]!.end !== window.start);
  });
  return end === -1 ? windows.length : end;
}
