import type { Issue } from '../../../ask/outcome.ts';
import type { Session } from '../../workspace/session.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { atPresentOf, prepareFile } from '../prepare-file.ts';
import { findReport, listReports, openReport, type ReportFile } from '../report-files.ts';

/** The issues of a report. */
export interface CheckedReport {
  /** For people: relative to the workspace if it lies there. */
  readonly file: string;
  /** The text of the file. */
  readonly source: string;
  /** False if an issue is an error. Warnings leave it true. */
  readonly ok: boolean;
  /** All errors and warnings, with positions in the file. */
  readonly issues: readonly Issue[];
}

/**
 * Checks the named reports, or all: binds questions without running them. Parameters have their defaults, or an example
 * of their type. Throws `InvalidInputError` if a named report is missing.
 */
export async function checkReports(
  session: Session,
  names: readonly string[],
  { settings, cwd, signal }: Pick<Workspace, 'settings' | 'cwd' | 'signal'>,
): Promise<readonly CheckedReport[]> {
  const files: readonly ReportFile[] =
    names.length > 0
      ? await Promise.all(names.map((named) => findReport(named, settings.reports.value, cwd)))
      : await listReports(settings.reports.value, cwd);
  const checked: CheckedReport[] = [];
  for (const file of files) {
    const read = await openReport(file);
    const { ok, issues } = await prepareFile(read, file, atPresentOf(session, read), { signal, examples: true });
    checked.push({ file: file.shown, source: read.source, ok, issues });
  }
  return checked;
}
