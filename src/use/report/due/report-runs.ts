import { createHash } from 'node:crypto';
import path from 'node:path';
import { makeOwnFolder } from '../../../run/file/owner-only.ts';
import { type TakenLock, takeLock } from '../../../run/file/take-lock.ts';
import type { Settings } from '../../config/settings.ts';
import { thisProcess } from '../../process/this-process.ts';
import type { ReportFile } from '../report-files.ts';
import { type RecordFile, openRecordFile } from './record-file.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** The files that record the runs of a report. */
export interface ReportRuns {
  readonly records: RecordFile;
  /** Absolute path of the lock. */
  readonly lock: string;
  /** Absolute path of the folder with figures of runs that were written or delivered. */
  readonly figures: string;
  /** Absolute path of the folder with unsent notices. */
  readonly notices: string;
}

/** The folder of run records: the given one, relative to `cwd`, or that of the settings. */
export function stateFolder(state: string | undefined, settings: Settings, cwd: string): string {
  return state === undefined ? settings.runs.value : path.resolve(cwd, state);
}

/** `state`: the folder of run records (default: that of the settings). */
export function openReportRuns(
  file: ReportFile,
  { settings, cwd, root }: Pick<Workspace, 'settings' | 'cwd' | 'root'>,
  state?: string,
): ReportRuns {
  const folder = stateFolder(state, settings, cwd);
  // Reports in the reports folder have unique names; others need a suffix.
  const isUsual = path.dirname(file.path) === settings.reports.value;
  const place = createHash('sha256').update(path.relative(root, file.path)).digest('hex').slice(0, 8);
  const name = isUsual ? file.name : `${file.name}-${place}`;
  return {
    records: openRecordFile(path.join(folder, `${name}.ndjson`)),
    lock: path.join(folder, `.${name}.lock`),
    figures: path.join(folder, `${name}.figures`),
    notices: path.join(folder, `${name}.notices`),
  };
}

/**
 * Takes the lock of a report until disposed, or returns its holder; does not wait. Errors: `report-lock-damaged`, and
 * system errors.
 */
export async function lockReport(file: string): Promise<TakenLock> {
  await makeOwnFolder(path.dirname(file));
  return takeLock(file, { holder: thisProcess, what: 'report' });
}

/**
 * Does work under the lock of a report. If another process has the lock, returns its `holder` without doing the work.
 */
export async function runAlone<T>(
  lock: string,
  work: () => Promise<T>,
): Promise<{ readonly done: T } | { readonly holder: string }> {
  const taken = await lockReport(lock);
  if (taken.kind === 'taken') return { holder: taken.holder };
  using _held = taken;
  return { done: await work() };
}
