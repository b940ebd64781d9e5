import type { ExitCode } from '../../process/exit-code.ts';
import { harmless } from '../../output/stdout.ts';
import { reportError } from '../../process/report-error.ts';
import { usageError } from '../../../ask/sluice-error.ts';
import { runDueReports } from '../../report/run/run-due-reports.ts';
import type { ReportRunFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice report run --due`. */
export async function runReportDue({ args, flags, effects }: Invocation<ReportRunFlags>): Promise<ExitCode> {
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
