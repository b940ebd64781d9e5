import { usageError } from '../../../ask/sluice-error.ts';
import { harmless, refuseBytes } from '../../output/stdout.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { reportError } from '../../process/report-error.ts';
import { findReport } from '../../report/report-files.ts';
import { formatsOf, readGiven, toEnvelope, toPlace } from '../../report/run/report-place.ts';
import { runDueReports } from '../../report/run/run-due-reports.ts';
import { runReport } from '../../report/run/run-report.ts';
import { scheduleReport } from '../../report/run/schedule-report.ts';
import type { ReportRunFlags, ReportScheduleFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice report run`: answers and writes a report; with `--due`, all reports that are due. */
export async function runReportRun(invocation: Invocation<ReportRunFlags>): Promise<ExitCode> {
  const { args, flags, effects } = invocation;
  if (flags.due) return runDue(invocation);
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
  if (place.kind === 'stdout') refuseBytes(place.format, 'report', effects.stdout);
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

/** `sluice report run --due`. */
async function runDue({ args, flags, effects }: Invocation<ReportRunFlags>): Promise<ExitCode> {
  if (flags.param !== undefined)
    throw usageError(
      '--due does not accept --param. Scheduled reports use the default parameters as of the time they are due.',
      'Remove --param or --due.',
    );
  if ([flags.to, flags.from, flags.subject].some((given) => given !== undefined))
    throw usageError(
      'Scheduled reports are delivered as the report specifies, including emails.',
      'Write `deliver: [{email: team@example.org}]` in its front matter.',
    );
  const { output, format, force, state } = flags;
  const { exit } = await runDueReports(
    await openCommandWorkspace(flags, effects),
    {
      names: args,
      output,
      format,
      force,
      state,
      stdout: harmless(effects.stdout),
      onError: async (error) => void (await reportError(error, effects)),
    },
    toReporter(flags, effects),
  );
  return exit;
}

/** `sluice report schedule`: the configuration of a scheduler that runs a report when it is due. */
export async function runReportSchedule({ args, flags, effects }: Invocation<ReportScheduleFlags>): Promise<ExitCode> {
  const text = await scheduleReport(await openCommandWorkspace(flags, effects), args[0], {
    for: flags.for,
    command: effects.command ?? ['sluice'],
    flags,
  });
  await effects.stdout.write(text);
  const voice = toReporter(flags, effects);
  if (flags.for === 'cron') await voice.note('Add this line to your crontab: crontab -e');
  if (flags.for === 'systemd')
    await voice.note(
      'Save both units under these names in ~/.config/systemd/user, then run: systemctl --user enable --now NAME.timer',
    );
  return exitCodes.done;
}
