import { drawIssues } from '../../../ask/document/draw-issue.ts';
import type { Issue } from '../../../ask/outcome.ts';
import { plural } from '../../../ask/text.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import { type CheckedReport, checkReports } from '../../report/run/check-reports.ts';
import type { ReportCheckFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openWorkspace } from '../command/open-workspace.ts';

/** `sluice report check`: every problem of every file at once. */
export async function runReportCheck({ args, flags, effects }: Invocation<ReportCheckFlags>): Promise<ExitCode> {
  const workspace = await openWorkspace(flags, effects);
  const { session, settings, cwd } = workspace;
  await using _closed = session;
  const checked = await checkReports(session, args, workspace);
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
