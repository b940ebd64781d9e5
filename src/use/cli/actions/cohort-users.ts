import { answerQuestion, streamFor } from '../../answer/answer-question.ts';
import { bindQuestion } from '../../answer/bind-question.ts';
import { askCohortUsers } from '../../cohort/cohorts.ts';
import { withoutStdout } from '../../output/stdout.ts';
import type { ExitCode } from '../../process/exit-code.ts';
import type { CohortUsersFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { exitCodeFor, readFormats, toAnswerOptions } from './answer-settings.ts';
import { writeAnswer } from './write-answer.ts';

/** `sluice cohort users`: the keys of all users of a cohort, in their order. */
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
