import type { ExitCode } from '../../process/exit-code.ts';
import { exitCodes } from '../../process/exit-code.ts';
import { scheduleReport } from '../../report/run/schedule-report.ts';
import type { ReportScheduleFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice report schedule`: what somebody's scheduler is to be told, so that a report runs when it is due. */
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
