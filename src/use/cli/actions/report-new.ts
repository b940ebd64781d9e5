import { sayIssue } from '../../../ask/outcome.ts';
import { usageError } from '../../../ask/sluice-error.ts';
import { readSchedule } from '../../../tell/schedule/read-schedule.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import { promptWidth } from '../../process/text-width.ts';
import { createReport, usualQuestion } from '../../report/run/create-report.ts';
import type { ReportNewFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { openAsker } from '../command/terminal-asker.ts';

/** `sluice report new`: creates a report. On a terminal, asks for missing arguments. */
export async function runReportNew({ args, flags, effects }: Invocation<ReportNewFlags>): Promise<ExitCode> {
  const workspace = await openWorkspace(flags, effects);
  const { session, cwd } = workspace;
  await using _closed = session;
  let [name, question] = args;
  let { schedule } = flags;
  if (effects.terminal && (name === undefined || question === undefined)) {
    const asker = await openAsker(effects.terminal, promptWidth(effects.stderr), effects.signal);
    asker.begin('A new report');
    question ??= await asker.text('What is it about? A question in one line, or the name of a saved query', {
      initial: usualQuestion,
    });
    name ??= await asker.text('What is it called?', {
      example: 'weekly-overview',
      check: (text) => (/^[a-z0-9][\w-]*$/i.test(text) ? undefined : 'Use letters, digits, - and _.'),
    });
    schedule ??= await asker.text('When does it run? Leave it empty for no schedule', {
      example: 'weekly on monday at 06:00',
      check: (text) => (text === '' ? undefined : readSchedule(text).issues.map(sayIssue)[0]),
    });
    asker.end('');
  }
  if (name === undefined)
    throw usageError('Specify a name for the report.', 'Add one, such as `sluice report new weekly-overview`.');
  const file = await createReport(session, name, { ...flags, question, schedule: schedule || undefined }, workspace);
  const voice = toReporter(flags, effects);
  await voice.note(`Wrote ${showPath(file, cwd)}.`);
  await voice.note(`Next: sluice report run ${name} -o ${name}.html`);
  return exitCodes.done;
}
