import type { ReadDefinition } from '../../../ask/analysis/read-definitions.ts';
import { drawIssues } from '../../../ask/document/draw-issue.ts';
import type { Funnel, FunnelStep } from '../../../ask/funnel/funnel.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { readFunnels } from '../../funnel/list-funnels.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import type { FunnelCheckFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/**
 * `sluice funnel list`: the funnels of the workspace with their steps. Files that cannot be used are told beside them.
 */
export async function runFunnelList({ flags, effects }: Invocation<FunnelCheckFlags>): Promise<ExitCode> {
  const workspace = await openCommandWorkspace(flags, effects);
  const voice = toReporter(flags, effects);
  const funnels = await readFunnels(workspace);
  const usable = funnels.flatMap((funnel) => (funnel.ok ? { file: funnel.file, ...funnel.value } : []));
  await effects.stdout.write(
    flags.format === 'json' ? `${JSON.stringify(usable, null, 2)}\n` : usable.map(writeFunnel).join('\n'),
  );
  if (funnels.length === 0)
    await voice.note(
      `There are no funnels in ${showPath(workspace.settings.funnels.value, effects.cwd)}. For the file format, run: sluice schema funnel`,
    );
  for (const funnel of funnels.filter(({ ok }) => !ok)) await voice.alert(drawFaults(funnel));
  return funnels.every(({ ok }) => ok) ? exitCodes.done : exitCodes.wrongInput;
}

function drawFaults({ issues, ...text }: ReadDefinition<Funnel>): string {
  return drawIssues(issues, text);
}

function writeFunnel(funnel: Funnel & { readonly file: string }): string {
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
