import { toDefinitionSlug } from '../../../ask/analysis/definition-slug.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { didYouMean } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';
import { isCohortCube } from '../../../plan/analysis/cohort/cohort-members.ts';
import type { Model } from '../../../plan/model/model.ts';
import { answerQuestion } from '../../answer/answer-question.ts';
import { bindQuestion } from '../../answer/bind-question.ts';
import { askQuery } from '../../answer/question.ts';
import { streamFor } from '../../answer/stream-for.ts';
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
  const name = findCohort(args[0] ?? '', session.model);
  const user = `${name}.user`;
  const asking = askQuery({ dimensions: [user], order: [[user, 'asc']], timezone: flags.timezone });
  const bound = await bindQuestion(session, asking, { signal: effects.signal, limits: 'none' });
  await using answered = await answerQuestion(session, bound, {
    ...toAnswerOptions(flags, formats, effects.signal),
    stream: streamFor(formats, flags),
  });
  await writeAnswer(answered.rows, { formats, name }, { args, flags, effects });
  return exitCodeFor(answered.rows);
}

function findCohort(written: string, { cubes }: Model): string {
  const known = cubes.filter(isCohortCube).map(({ name }) => name);
  const name = toDefinitionSlug(written.slice(written.lastIndexOf('/') + 1));
  if (known.includes(name)) return name;
  const message = `There is no cohort ${quote(written)}.`;
  const all =
    known.length === 0
      ? 'This workspace has no valid cohorts. For the file format, run: sluice schema cohort'
      : `Use one of ${known.join(', ')}.`;
  const hint = didYouMean(name, known) ?? all;
  throw new InvalidInputError(message, [errorIssue('unknown-cohort', message, { hint })], { hint });
}
