import path from 'node:path';
import type { AnalysisName } from '../../../plan/analysis/analysis-names.ts';
import type { AnalysisAsked, Definition } from '../../analysis/analysis-question.ts';
import { runAnalysis } from '../../analysis/run-analysis.ts';
import { withoutStdout } from '../../output/stdout.ts';
import type { ExitCode } from '../../process/exit-code.ts';
import type { AnalysisRunFlags } from '../command/command-flags.ts';
import { readDefinitionFlags } from '../command/definition-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { exitCodeFor, readFormats, writeAnswer, writeUsers } from './write-answer.ts';
import { usageError } from '../../../ask/sluice-error.ts';

/** `sluice retention`, `sluice lifecycle` and so on: the full answer of a definition. */
export async function runAnalysisRun(
  analysis: AnalysisName,
  { args, flags: given, effects }: Invocation<AnalysisRunFlags>,
): Promise<ExitCode> {
  const flags = withoutStdout(given);
  const formats = readFormats(flags, effects.stdout.isTerminal);
  const { definition, ...asked } = readAsked(analysis, args[0], flags);
  const { session } = await openWorkspace(flags, effects);
  await using _closed = session;
  session.prepare();
  if (typeof flags.users === 'string') {
    const { askAnalysisUsers, readCell } = await import('../../users/list-users.ts');
    const cell = readCell(flags.users);
    const users = await askAnalysisUsers(session, analysis, definition, cell, { ...asked, signal: effects.signal });
    return await writeUsers(users, formats, { args, flags, effects });
  }
  const { result, table, bound } = await runAnalysis(session, analysis, definition, {
    ...asked,
    signal: effects.signal,
  });
  const chart = { preference: bound.question.saved.chart, reports: session.settings.reports.value };
  const name = args[0] === undefined ? analysis : path.parse(args[0]).name;
  await writeAnswer(result, { formats, name, chart, table }, { args, flags, effects });
  return exitCodeFor(result);
}

/** The definition that a name or flags give. Without either, the default definition, which is in no file. */
export function readAsked(
  analysis: AnalysisName,
  name: string | undefined,
  flags: AnalysisRunFlags,
): AnalysisAsked & { readonly definition: Definition } {
  const { range, timezone, where } = flags;
  const asked = { range, timezone, where };
  const flagged = readDefinitionFlags(analysis, flags as Readonly<Record<string, unknown>>);
  if (name === undefined && !flagged && analysis === 'funnel')
    throw usageError(
      'Specify a funnel, or its steps.',
      'List funnels with `sluice funnel list`, or give steps: `--step / --step /pricing`.',
    );
  if (name === undefined) return { ...asked, definition: {}, ...flagged };
  if (!flagged) return { ...asked, definition: name };
  const message =
    `The ${analysis} ${JSON.stringify(name)} is defined already, and these flags define another one: ` +
    `${flagged.written.source}`;
  const hint = `Leave out the name, or change its file. For a part of the events, use --where.`;
  throw usageError(message, hint);
}
