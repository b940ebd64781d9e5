import type { ReadDefinition } from '../../../ask/analysis/read-definitions.ts';
import { drawIssues } from '../../../ask/document/draw-issue.ts';
import type { Funnel, FunnelStep } from '../../../ask/funnel/funnel.ts';
import { errorCount, type Issue } from '../../../ask/outcome.ts';
import { plural } from '../../../ask/text.ts';
import type { Analysis, NamedDefinition } from '../../../plan/analysis.ts';
import { analyses } from '../../../plan/analysis/analyses.ts';
import type { AnalysisName } from '../../../plan/analysis/analysis-names.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { readAnalysisFiles } from '../../analysis/analysis-files.ts';
import { pluralOf } from '../../workspace/find-defined.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import type { AnalysisCheckFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice funnel check` and similar: lists every problem of every file. */
export async function runAnalysisCheck(
  analysis: AnalysisName,
  { args, flags, effects }: Invocation<AnalysisCheckFlags>,
): Promise<ExitCode> {
  const definitions = await readAnalysisFiles(analysis, await openCommandWorkspace(flags, effects), args);
  await effects.stdout.write(flags.format === 'json' ? writeIssues(analysis, definitions) : drawAll(definitions));
  const { text, code } = sumUpIssues(definitions, `${analysis} file`, flags);
  await toReporter(flags, effects).note(text);
  return code;
}

/** How many issues checked files have, and the exit code that follows. */
export function sumUpIssues(
  checked: readonly { readonly issues: readonly Issue[] }[],
  noun: string,
  { strict }: Pick<AnalysisCheckFlags, 'strict'>,
): { readonly text: string; readonly code: ExitCode } {
  const issues = checked.flatMap((each) => each.issues);
  const errors = errorCount(issues);
  const warnings = issues.length - errors;
  return {
    text: `${checked.length} ${plural(checked.length, noun)}: ${errors} ${plural(errors, 'error')}, ${warnings} ${plural(warnings, 'warning')}.`,
    code: errors > 0 || (strict && warnings > 0) ? exitCodes.wrongInput : exitCodes.done,
  };
}

function drawAll(definitions: readonly ReadDefinition<unknown>[]): string {
  return definitions
    .filter(({ issues }) => issues.length > 0)
    .map((definition) => `${drawIssues(definition.issues, definition)}\n`)
    .join('\n');
}

/**
 * One object for each file: its name, the definition's name under the analysis's name, and its issues with positions.
 */
function writeIssues(analysis: AnalysisName, definitions: readonly ReadDefinition<unknown>[]): string {
  const files = definitions.map(({ file, slug, ok, issues }) => ({ file, [analysis]: slug, ok, issues }));
  return `${JSON.stringify(files, null, 2)}\n`;
}

/** `sluice funnel list` and similar: lists the definitions of the workspace. Invalid files are reported on stderr. */
export async function runAnalysisList(
  analysis: AnalysisName,
  { flags, effects }: Invocation<AnalysisCheckFlags>,
): Promise<ExitCode> {
  const workspace = await openCommandWorkspace(flags, effects);
  const voice = toReporter(flags, effects);
  const definitions: readonly ReadDefinition<NamedDefinition>[] = await readAnalysisFiles(analysis, workspace);
  const usable = definitions.flatMap((each) => (each.ok ? { file: each.file, ...each.value } : []));
  const write = (each: Listed) =>
    analysis === 'funnel' ? writeFunnel(each as unknown as Funnel & Listed) : writeDefinition(analysis, each);
  await effects.stdout.write(
    flags.format === 'json'
      ? `${JSON.stringify(usable, null, 2)}\n`
      : usable.map(write).join(analysis === 'funnel' ? '\n' : ''),
  );
  const folder = analysis === 'funnel' ? workspace.settings.funnels : workspace.settings.queries;
  if (definitions.length === 0)
    await voice.note(
      `There are no ${pluralOf(analysis)} in ${showPath(folder.value, effects.cwd)}. ` +
        `For the file format, run: sluice schema ${analysis}`,
    );
  for (const each of definitions.filter(({ ok }) => !ok)) await voice.alert(drawFaults(each));
  return definitions.every(({ ok }) => ok) ? exitCodes.done : exitCodes.wrongInput;
}

type Listed = NamedDefinition & { readonly file: string };

/** One line: the name, the description of its cube, and the file. */
function writeDefinition(analysis: AnalysisName, { file, ...definition }: Listed): string {
  const { description } = (analyses[analysis] as Analysis).toCube(definition, {
    computed: 'here',
    events: { cubes: [] },
  });
  return `${definition.name}  ${sanitize(description ?? '')}  ${sanitize(file)}\n`;
}

function drawFaults({ issues, ...text }: ReadDefinition<unknown>): string {
  return drawIssues(issues, text);
}

function writeFunnel(funnel: Funnel & Listed): string {
  const { name, file, secondsToConvert, order, by, steps } = funnel;
  const head = `${name}  within ${secondsToConvert} s, ${order}, by ${by}  ${sanitize(file)}`;
  return `${[head, ...steps.map((step, index) => `  ${index + 1}. ${step.name}  ${writeMatch(step)}`)].join('\n')}\n`;
}

function writeMatch({ event, targets, where, within }: FunnelStep): string {
  const paths = targets.map(({ path }) => sanitize(path)).join(' or ');
  const parts = [
    event === undefined ? 'any event' : sanitize(event),
    paths,
    where.length > 0 ? 'where …' : '',
    within === undefined ? '' : `within ${within} s`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
