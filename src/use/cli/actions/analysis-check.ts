import type { ReadDefinition } from '../../../ask/analysis/read-definitions.ts';
import { drawIssues } from '../../../ask/document/draw-issue.ts';
import { plural } from '../../../ask/text.ts';
import type { AnalysisName } from '../../../plan/analysis/analysis-names.ts';
import { readAnalysisFiles } from '../../analysis/analysis-files.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { AnalysisCheckFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice funnel check` and the like: every problem of every file at once. */
export async function runAnalysisCheck(
  analysis: AnalysisName,
  { args, flags, effects }: Invocation<AnalysisCheckFlags>,
): Promise<ExitCode> {
  const definitions = await readAnalysisFiles(analysis, await openCommandWorkspace(flags, effects), args);
  await effects.stdout.write(flags.format === 'json' ? writeIssues(analysis, definitions) : drawAll(definitions));
  const count = (severity: 'error' | 'warning') =>
    definitions.flatMap(({ issues }) => issues).filter((issue) => issue.severity === severity).length;
  const errors = count('error');
  const warnings = count('warning');
  await toReporter(flags, effects).note(
    `${definitions.length} ${plural(definitions.length, `${analysis} file`)}: ${errors} ${plural(errors, 'error')}, ${warnings} ${plural(warnings, 'warning')}.`,
  );
  return errors > 0 || (flags.strict && warnings > 0) ? exitCodes.wrongInput : exitCodes.done;
}

function drawAll(definitions: readonly ReadDefinition<unknown>[]): string {
  return definitions
    .filter(({ issues }) => issues.length > 0)
    .map((definition) => `${drawIssues(definition.issues, definition)}\n`)
    .join('\n');
}

/** An object a file: its name, the definition's under that of the analysis, and its issues with their places. */
function writeIssues(analysis: AnalysisName, definitions: readonly ReadDefinition<unknown>[]): string {
  const files = definitions.map(({ file, slug, ok, issues }) => ({ file, [analysis]: slug, ok, issues }));
  return `${JSON.stringify(files, null, 2)}\n`;
}
