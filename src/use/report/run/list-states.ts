import { SluiceError } from '../../../ask/sluice-error.ts';
import { readSchedule } from '../../../tell/schedule/read-schedule.ts';
import { nextSlot } from '../../../tell/schedule/schedule-slots.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { zoneOfReport } from '../prepare-file.ts';
import { findDue } from '../due/run-due.ts';
import { type RecordFile, type RunRecord, tellStrange } from '../due/record-file.ts';
import { openReportRuns } from '../due/report-runs.ts';
import { toStates } from '../notice/judge-run.ts';
import { listReports, openReport } from '../report-files.ts';
import { catchUpOf } from './tell-schedule.ts';

/** A report of the workspace with the state of its runs. */
export interface ListedReport {
  /** File name without extension. */
  readonly name: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** False if the file cannot be read as a report; the rest is then unknown. */
  readonly ok: boolean;
  /** As in the front matter; undefined if it has none. */
  readonly schedule?: string | undefined;
  /** IANA name of the zone of the schedule. */
  readonly zone: string;
  /** The next slot, an ISO instant. */
  readonly next?: string | undefined;
  /** Number of slots that are due: missed, failed, or waiting for fresh data. At most 100. */
  readonly due: number;
  /** The earliest slot that is due, an ISO instant; undefined if none is. */
  readonly dueSince?: string | undefined;
  /** The latest run; undefined if there was none. */
  readonly last?: ReportResult | undefined;
  /** Raised alerts: `page_views: change < -20%`. */
  readonly raised: readonly string[];
  /**
   * What is wrong with the records of its runs, in sentences. If all of them are unreadable, `due`, `last` and `raised`
   * are unknown.
   */
  readonly problem?: string | undefined;
}

/** A finished run. Exit 0: success; 1: the run or a check failed; 4: not delivered; 5: incomplete. */
export interface ReportResult {
  /** When the run began, an ISO instant. */
  readonly started: string;
  /** The slot of the run, an ISO instant; null for a manual run. */
  readonly slot: string | null;
  /** The exit code of the run. */
  readonly exit: number;
  /** True if the slot needs no further run. */
  readonly settled: boolean;
  /** True if delivery waits for fresh data. */
  readonly waiting?: boolean | undefined;
  /** Why it failed, in sentences. Earlier versions did not record it. */
  readonly reasons?: readonly string[] | undefined;
}

/** All reports with their schedules and the results of their runs. */
export async function listStates(workspace: Workspace, state?: string): Promise<readonly ListedReport[]> {
  const { settings, cwd, clock } = workspace;
  const listed: ListedReport[] = [];
  for (const file of await listReports(settings.reports.value, cwd)) {
    const read = await openReport(file);
    const frontMatter = (read.ok ? read.value : read.whatIsThere)?.frontMatter;
    const zone = zoneOfReport({ timezone: frontMatter?.timezone }, settings);
    const now = (workspace.asOf ?? clock)(zone);
    const times = { now, clock: clock() };
    const { records } = openReportRuns(file, workspace, state);
    const { records: history, problem } = await readHistory(records);
    const last = history?.findLast((record) => record.kind === 'run');
    const schedule = frontMatter?.schedule === undefined ? undefined : readSchedule(frontMatter.schedule);
    const next = schedule?.ok ? nextSlot(schedule.value, zone, now) : undefined;
    const catchUp = catchUpOf(frontMatter ?? {});
    const due =
      schedule?.ok && history
        ? await findDue({ schedule: schedule.value, zone, catchUp, records }, times, mostDue)
        : undefined;
    const earliest = due && Math.min(...due.slots);
    listed.push({
      name: file.name,
      path: file.path,
      ok: read.ok,
      schedule: frontMatter?.schedule,
      zone,
      next: next === undefined ? undefined : new Date(next).toISOString(),
      due: due?.slots.length ?? 0,
      dueSince: earliest === undefined || earliest === Infinity ? undefined : new Date(earliest).toISOString(),
      last: last && {
        started: last.started,
        slot: last.slot,
        exit: last.exit,
        settled: last.settled,
        waiting: last.waiting,
        reasons: last.reasons,
      },
      raised: [...toStates(history ?? [], times)].flatMap(([about, one]) => (one.state === 'raised' ? [about] : [])),
      problem,
    });
  }
  return listed;
}

/** The runs of a report; none if its file is unreadable, so that the other reports are still listed. */
async function readHistory(
  file: RecordFile,
): Promise<{ readonly records?: readonly RunRecord[]; readonly problem?: string | undefined }> {
  try {
    const { records, strange } = await file.read();
    return { records, problem: strange === 0 ? undefined : tellStrange(file, strange) };
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    return { problem: `${error.message} ${error.hint ?? ''}`.trimEnd() };
  }
}

/** Maximum number of due slots that are counted. */
const mostDue = 100;
