import { createHash } from 'node:crypto';
import path from 'node:path';
import { makeOwnFolder } from '../../../run/file/owner-only.ts';
import { type TakenLock, takeLock } from '../../../run/file/take-lock.ts';
import type { Settings } from '../../config/settings.ts';
import { thisProcess } from '../../process/this-process.ts';
import type { ReportFile } from '../report-files.ts';
import { type RecordFile, openRecordFile } from './record-file.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** Where it is kept what runs of a report there were. */
export interface ReportRuns {
  readonly records: RecordFile;
  /** Absolute path of the lock. */
  readonly lock: string;
  /** Absolute path of the folder of figures: those of the last runs that were written or delivered. */
  readonly figures: string;
  /** Absolute path of the folder of notices that somebody is still to be told of. */
  readonly notices: string;
}

/** The folder that keeps which reports ran: the given one, relative to `cwd`, or that of the settings. */
export function stateFolder(state: string | undefined, settings: Settings, cwd: string): string {
  return state === undefined ? settings.runs.value : path.resolve(cwd, state);
}

/** In the folder `state`; that of the settings by default. */
export function openReportRuns(
  file: ReportFile,
  { settings, cwd, root }: Pick<Workspace, 'settings' | 'cwd' | 'root'>,
  state?: string,
): ReportRuns {
  const folder = stateFolder(state, settings, cwd);
  // Names of the folder of reports need nothing beside them to be told apart.
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
 * Makes the caller the only one who runs a report, until disposed, or tells who does; nobody waits. Errors:
 * `report-lock-damaged`, and those of the system.
 */
export async function lockReport(file: string): Promise<TakenLock> {
  await makeOwnFolder(path.dirname(file));
  return takeLock(file, { holder: thisProcess, what: 'report' });
}

/** Does some work on a report while nobody else runs it. `holder`: who does, where it was not done. */
export async function runAlone<T>(
  lock: string,
  work: () => Promise<T>,
): Promise<{ readonly done: T } | { readonly holder: string }> {
  const taken = await lockReport(lock);
  if (taken.kind === 'taken') return { holder: taken.holder };
  using _held = taken;
  return { done: await work() };
}
