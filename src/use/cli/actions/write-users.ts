import type { FormatName } from '../../../show/format-name.ts';
import { answerQuestion, streamFor } from '../../answer/answer-question.ts';
import type { ExitCode } from '../../process/exit-code.ts';
import type { UsersAsked } from '../../users/list-users.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { exitCodeFor } from './answer-settings.ts';
import { writeAnswer } from './write-answer.ts';

/** `--users`: who stands behind an answer, in any format that rows have. */
export async function writeUsers(
  { session, bound }: UsersAsked,
  formats: readonly FormatName[],
  invocation: Invocation<QueryFlags>,
): Promise<ExitCode> {
  const { flags, effects } = invocation;
  const stream = streamFor(formats, flags);
  await using answered = await answerQuestion(session, bound, { signal: effects.signal, stream });
  await writeAnswer(answered.rows, { formats, name: 'users' }, invocation);
  return exitCodeFor(answered.rows);
}
