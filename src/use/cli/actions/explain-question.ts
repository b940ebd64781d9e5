import type { Explanation } from '../../../run/backend.ts';
import { explainQuestion } from '../../answer-question.ts';
import type { Question } from '../../question.ts';
import type { Session } from '../../session.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import type { QueryFlags } from '../command-flags.ts';

/** Shows what would run: the statement with its parameters, and the engine's own plan. */
export async function explain(session: Session, question: Question, { flags, effects }: Invocation<QueryFlags>): Promise<ExitCode> {
  const explanations = await explainQuestion(session, question, { signal: effects.signal });
  if (flags.format?.[0] === 'json') {
    await effects.stdout.write(`${JSON.stringify(explanations, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2)}\n`);
    return exitCodes.done;
  }
  await effects.stdout.write(explanations.map(writeExplanation).join('\n'));
  return exitCodes.done;
}

function writeExplanation({ statement, parameters, enginePlan }: Explanation): string {
  const values = parameters.map((value, index) => `-- $${index + 1} = ${typeof value === 'string' ? JSON.stringify(value) : String(value)}\n`).join('');
  return `${statement.trimEnd()}\n${values}${enginePlan === undefined ? '' : `\n${enginePlan.trimEnd()}\n`}`;
}
