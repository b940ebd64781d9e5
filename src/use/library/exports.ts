import type { TimeRange } from '../../ask/time/range.ts';
import type { ExportOptions, ExportReport } from '../export/export-options.ts';
import type { VerifyReport } from '../../run/export/verify-export.ts';
import type { VerifyOptions } from '../export/verify-place.ts';
import { checkPath } from '../../ask/document/check-argument.ts';
import { sessionAt } from './ask.ts';
import type { Opened } from './open-library.ts';
import type { AsOf } from '../process/as-of.ts';

/** Options of `export` and `planExport`. */
export interface ExportCallOptions extends ExportOptions {
  /** Reference time for relative ranges and for which windows are closed. Defaults to the workspace's. */
  readonly asOf?: AsOf | undefined;
}

/** The windows that an export would fetch. */
export interface ExportPlan {
  /** Absolute path of the folder or file. */
  readonly place: string;
  /** Windows that are not exported yet, in epoch milliseconds, with the number of `events` in each. */
  readonly windows: readonly (TimeRange & { readonly events: number })[];
  /** Total number of events in these windows. */
  readonly events: number;
  /** Number of windows that are already exported. */
  readonly there: number;
  /** Windows that end later than this are still open, in epoch milliseconds. */
  readonly closedUntil: number;
}

/** Options of `verifyExport`. */
export interface VerifyCallOptions extends VerifyOptions {
  /** Reference time for the watermark. Defaults to the workspace's. */
  readonly asOf?: AsOf | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

export function exportTo(opened: Opened, to: string, options: ExportCallOptions): Promise<ExportReport> {
  return opened.call('export', options, async (signal) => {
    checkPath('export', 'The folder or file', to);
    const [{ exportEvents }, { systemClock }] = await Promise.all([
      import('../export/export-events.ts'),
      import('../process/system-clock.ts'),
    ]);
    const { asOf, ...rest } = options ?? {};
    const surroundings = { cwd: opened.pathOf('.'), clock: systemClock };
    return exportEvents(sessionAt(opened, asOf), opened.pathOf(to), { ...rest, signal }, surroundings);
  });
}

export function planTo(opened: Opened, to: string, options: ExportCallOptions): Promise<ExportPlan> {
  return opened.call('planExport', options, async (signal) => {
    checkPath('planExport', 'The folder or file', to);
    const { planExport } = await import('../export/plan-export.ts');
    const { asOf, ...rest } = options ?? {};
    const planned = await planExport(
      sessionAt(opened, asOf),
      opened.pathOf(to),
      { ...rest, signal },
      opened.pathOf('.'),
    );
    const { place, windows, events, there, closedUntil } = planned;
    return { place: place.path, windows, events, there, closedUntil };
  });
}

export function verifyAt(opened: Opened, place: string, options: VerifyCallOptions = {}): Promise<VerifyReport> {
  return opened.call('verifyExport', options, async (signal) => {
    checkPath('verifyExport', 'The folder or file', place);
    const { verifyPlace } = await import('../export/verify-place.ts');
    const { asOf, signal: _, ...rest } = options;
    return verifyPlace(opened.workspace(asOf, signal), opened.pathOf(place), rest);
  });
}
