import type { ExitCode } from '../../process/exit-code.ts';
import { harmless } from '../../output/stdout.ts';
import { findReport } from '../../report/report-files.ts';
import { readGiven, type ReportLocation, toEnvelope, toPlace } from '../../report/run/report-place.ts';
import { usageError } from '../../../ask/sluice-error.ts';
import { runReport } from '../../report/run/run-report.ts';
import type { ReportRunFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice report run`: a report, answered and written; with `--due`, what is due of all. */
export async function runReportRun(invocation: Invocation<ReportRunFlags>): Promise<ExitCode> {
  const { args, flags, effects } = invocation;
  if (flags.due) return (await import('./report-due.ts')).runReportDue(invocation);
  const [named, another] = args;
  if (named === undefined || another !== undefined)
    throw usageError(
      named === undefined ? 'Specify a report.' : 'Only one report can be run at a time.',
      'Specify one report, such as `sluice report run overview`, or run scheduled reports with --due.',
    );
  const given = readGiven(flags.param);
  const workspace = await openCommandWorkspace(flags, effects);
  const file = await findReport(named, workspace.settings.reports.value, effects.cwd);
  const place = await toPlace(flags, file, effects.cwd);
  const envelope = await toEnvelope(flags, formatsOf(place));
  const { deliver, force, state } = flags;
  const { exit } = await runReport(
    workspace,
    file,
    { place, given, envelope, deliver, force, state, stdout: harmless(effects.stdout) },
    toReporter(flags, effects),
  );
  return exit;
}

function formatsOf(place: ReportLocation): readonly string[] {
  return place.kind === 'none'
    ? []
    : place.kind === 'stdout'
      ? [place.format]
      : place.files.map(({ format }) => format);
}
