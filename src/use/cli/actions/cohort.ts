import { nothingRejected } from '../../../run/backend.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { answerQuestion, streamFor } from '../../answer/answer-question.ts';
import { bindQuestion } from '../../answer/bind-question.ts';
import { type SizedCohort, sizeCohorts, askCohortUsers } from '../../cohort/cohorts.ts';
import { withoutStdout } from '../../output/stdout.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import type { CohortListFlags, CohortUsersFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { tellRejected, toReporter } from '../command/reporter.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { exitCodeFor, readFormats, toAnswerOptions, writeAnswer } from './write-answer.ts';
import { alignColumns } from '../command/align-columns.ts';

/** `sluice cohort list`: the cohorts of the workspace with their current numbers of users. */
export async function runCohortList({ flags, effects }: Invocation<CohortListFlags>): Promise<ExitCode> {
  const { session } = await openWorkspace(flags, effects);
  await using _closed = session;
  let rejected = nothingRejected;
  const lacking = new Set<string>();
  const mistakes: string[] = [];
  const sized = await sizeCohorts(
    session,
    (result) => {
      if (result.provenance.rejected.count > 0) rejected = result.provenance.rejected;
      for (const said of result.provenance.lacking ?? []) lacking.add(said);
    },
    effects.signal,
    ({ message }) => mistakes.push(message),
  );
  for (const said of mistakes) await toReporter(flags, effects).alert(said);
  for (const said of lacking) await toReporter(flags, effects).note(sanitize(said));
  if (sized.length === 0 && mistakes.length === 0)
    await toReporter(flags, effects).note(
      `There are no cohorts in ${showPath(session.settings.queries.value, effects.cwd)}. ` +
        'For the file format, run: sluice schema cohort',
    );
  await effects.stdout.write(flags.format === 'json' ? `${JSON.stringify(sized, null, 2)}\n` : writeTable(sized));
  await tellRejected(rejected, toReporter(flags, effects), effects.cwd);
  if (mistakes.length > 0) return exitCodes.wrongInput;
  return rejected.count > 0 ? exitCodes.partial : exitCodes.done;
}

function writeTable(cohorts: readonly SizedCohort[]): string {
  return alignColumns(
    cohorts.map(({ name, title, users }) => [name, `${formatNumber(users)} users`, sanitize(title ?? '')]),
    [1],
  );
}

/** `sluice cohort users`: the IDs of all users of a cohort, sorted. */
export async function runCohortUsers({ args, flags: given, effects }: Invocation<CohortUsersFlags>): Promise<ExitCode> {
  const flags = withoutStdout(given);
  const formats = readFormats(flags, effects.stdout.isTerminal);
  const { session } = await openWorkspace(flags, effects);
  await using _closed = session;
  const { name, asking } = askCohortUsers(args[0] ?? '', session.model, flags.timezone);
  const bound = await bindQuestion(session, asking, { signal: effects.signal, limits: 'none' });
  await using answered = await answerQuestion(session, bound, {
    ...toAnswerOptions(flags, formats, effects.signal),
    stream: streamFor(formats, flags),
  });
  await writeAnswer(answered.rows, { formats, name }, { args, flags, effects });
  return exitCodeFor(answered.rows);
}
