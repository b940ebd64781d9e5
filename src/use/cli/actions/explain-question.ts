import path from 'node:path';
import type { Explanation } from '../../../run/backend.ts';
import { writeFileWhole } from '../../../run/file/write-file.ts';
import { explainQuestion } from '../../answer/answer-question.ts';
import type { Question } from '../../answer/question.ts';
import type { Session } from '../../session.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import type { QueryFlags } from '../command-flags.ts';

/** Shows what would run: the statement with its parameters, and the engine's own plan. */
export async function explain(session: Session, question: Question, { flags, effects }: Invocation<QueryFlags>): Promise<ExitCode> {
  const explanations = await explainQuestion(session, question, { signal: effects.signal });
  const text = flags.format?.[0] === 'json' ? writeJson(explanations) : explanations.map(writeExplanation).join('\n');
  if (flags.output === undefined) await effects.stdout.write(text);
  else await writeFileWhole(path.resolve(effects.cwd, flags.output), [text], effects.signal);
  return exitCodes.done;
}

function writeJson(explanations: readonly Explanation[]): string {
  return `${JSON.stringify(explanations, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2)}\n`;
}

function writeExplanation({ statement, parameters, enginePlan }: Explanation): string {
  const values = parameters.map((value, index) => `-- $${index + 1} = ${typeof value === 'string' ? JSON.stringify(value) : String(value)}\n`).join('');
  return `${statement.trimEnd()}\n${values}${enginePlan === undefined ? '' : `\n${enginePlan.trimEnd()}\n`}`;
}
