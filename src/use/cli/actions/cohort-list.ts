import { formatNumber } from '../../../shape/format/format-number.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { type SizedCohort, sizeCohorts } from '../../cohort/cohorts.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import type { CohortListFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { exitCodeFor } from './answer-settings.ts';

/** `sluice cohort list`: the cohorts of the workspace and how many users each has at present. */
export async function runCohortList({ flags, effects }: Invocation<CohortListFlags>): Promise<ExitCode> {
  const { session } = await openWorkspace(flags, effects);
  await using _closed = session;
  let code: ExitCode = exitCodes.done;
  const lacking = new Set<string>();
  const sized = await sizeCohorts(
    session,
    (result) => {
      if (exitCodeFor(result) !== exitCodes.done) code = exitCodeFor(result);
      for (const said of result.provenance.lacking ?? []) lacking.add(said);
    },
    effects.signal,
  );
  for (const said of lacking) await toReporter(flags, effects).note(sanitize(said));
  if (sized.length === 0)
    await toReporter(flags, effects).note(
      `There are no cohorts in ${showPath(session.settings.queries.value, effects.cwd)}. For the file format, run: sluice schema cohort`,
    );
  await effects.stdout.write(flags.format === 'json' ? `${JSON.stringify(sized, null, 2)}\n` : writeTable(sized));
  return code;
}

function writeTable(cohorts: readonly SizedCohort[]): string {
  const names = Math.max(...cohorts.map(({ name }) => name.length));
  const counts = cohorts.map(({ users }) => formatNumber(users));
  const widest = Math.max(...counts.map(({ length }) => length));
  return cohorts
    .map(({ name, title }, index) =>
      `${name.padEnd(names)}  ${counts[index]!.padStart(widest)} users  ${sanitize(title ?? '')}`.trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}
