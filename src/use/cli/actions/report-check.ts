import { drawIssues } from '../../../ask/document/draw-issue.ts';
import type { Issue } from '../../../ask/outcome.ts';
import { plural } from '../../../ask/text.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import { atPresentOf } from '../../report/at-present.ts';
import { prepareFile } from '../../report/prepare-file.ts';
import { findReport, listReports, openReport, type ReportFile } from '../../report/report-files.ts';
import type { ReportCheckFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openWorkspace } from '../command/open-workspace.ts';

interface CheckedReport {
  readonly file: string;
  readonly source: string;
  readonly ok: boolean;
  readonly issues: readonly Issue[];
}

/**
 * `sluice report check`: every problem of every file at once. Parameters have their defaults, or some value of their
 * type.
 */
export async function runReportCheck({ args, flags, effects }: Invocation<ReportCheckFlags>): Promise<ExitCode> {
  const { session, settings } = await openWorkspace(flags, effects);
  await using _closed = session;
  const { cwd, signal } = effects;
  const files: readonly ReportFile[] =
    args.length > 0
      ? await Promise.all(args.map((named) => findReport(named, settings.reports.value, cwd)))
      : await listReports(settings.reports.value, cwd);
  const checked: CheckedReport[] = [];
  for (const file of files) {
    const read = await openReport(file);
    const { ok, issues } = await prepareFile(read, file, atPresentOf(session, read), { signal, examples: true });
    checked.push({ file: file.shown, source: read.source, ok, issues });
  }
  await effects.stdout.write(flags.format === 'json' ? writeIssues(checked) : drawAll(checked));
  const count = (severity: Issue['severity']) =>
    checked.flatMap(({ issues }) => issues).filter((issue) => issue.severity === severity).length;
  const errors = count('error');
  const warnings = count('warning');
  if (checked.length === 0)
    await toReporter(flags, effects).note(
      `There are no reports in ${showPath(settings.reports.value, cwd)}. For the file format, run: sluice schema report`,
    );
  else
    await toReporter(flags, effects).note(
      `${checked.length} ${plural(checked.length, 'report')}: ${errors} ${plural(errors, 'error')}, ${warnings} ${plural(warnings, 'warning')}.`,
    );
  return errors > 0 || (flags.strict && warnings > 0) ? exitCodes.wrongInput : exitCodes.done;
}

function drawAll(checked: readonly CheckedReport[]): string {
  return checked
    .filter(({ issues }) => issues.length > 0)
    .map(({ file, source, issues }) => `${drawIssues(issues, { file, source })}\n`)
    .join('\n');
}

/** An object a file: its name, and its issues with their places. */
function writeIssues(checked: readonly CheckedReport[]): string {
  return `${JSON.stringify(
    checked.map(({ file, ok, issues }) => ({ file, ok, issues })),
    null,
    2,
  )}\n`;
}
