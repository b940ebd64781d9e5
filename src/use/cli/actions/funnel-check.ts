import type { ReadDefinition } from '../../../ask/analysis/read-definitions.ts';
import { drawIssues } from '../../../ask/document/draw-issue.ts';
import type { Funnel } from '../../../ask/funnel/funnel.ts';
import { plural } from '../../../ask/text.ts';
import { readFunnels } from '../../funnel/list-funnels.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { FunnelCheckFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice funnel check`: every problem of every file at once. */
export async function runFunnelCheck({ args, flags, effects }: Invocation<FunnelCheckFlags>): Promise<ExitCode> {
  const funnels = await readFunnels(await openCommandWorkspace(flags, effects), args);
  await effects.stdout.write(flags.format === 'json' ? writeIssues(funnels) : drawAll(funnels));
  const count = (severity: 'error' | 'warning') =>
    funnels.flatMap(({ issues }) => issues).filter((issue) => issue.severity === severity).length;
  const errors = count('error');
  const warnings = count('warning');
  await toReporter(flags, effects).note(
    `${funnels.length} ${plural(funnels.length, 'funnel file')}: ${errors} ${plural(errors, 'error')}, ${warnings} ${plural(warnings, 'warning')}.`,
  );
  return errors > 0 || (flags.strict && warnings > 0) ? exitCodes.wrongInput : exitCodes.done;
}

function drawAll(funnels: readonly ReadDefinition<Funnel>[]): string {
  return funnels
    .filter(({ issues }) => issues.length > 0)
    .map((funnel) => `${drawIssues(funnel.issues, funnel)}\n`)
    .join('\n');
}

/** An object a file: its name, the funnel's, and its issues with their places. */
function writeIssues(funnels: readonly ReadDefinition<Funnel>[]): string {
  const files = funnels.map(({ file, slug, ok, issues }) => ({ file, funnel: slug, ok, issues }));
  return `${JSON.stringify(files, null, 2)}\n`;
}
