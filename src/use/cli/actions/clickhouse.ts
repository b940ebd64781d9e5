import { plural } from '../../../ask/text.ts';
import { formatNumber, formatCount } from '../../../shape/format/format-number.ts';
import { createEventTable, loadIntoClickHouse } from '../../clickhouse/manage-clickhouse.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { ClickHouseInitFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { openWarnedWorkspace } from '../command/open-workspace.ts';
import { openProgress, type Progress } from '../command/progress.ts';

/** `sluice clickhouse init`. */
export async function runClickHouseInit({ flags, effects }: Invocation<ClickHouseInitFlags>): Promise<ExitCode> {
  const workspace = await openWarnedWorkspace(flags, effects);
  const statements = await createEventTable(workspace, { apply: flags.apply });
  await effects.stdout.write(`${statements.join(';\n\n')};\n`);
  await workspace.note(
    flags.apply
      ? 'The table of events exists on the server.'
      : 'Nothing was changed. Run the SQL on the server, or use --apply.',
  );
  return exitCodes.done;
}

/** `sluice clickhouse load`. */
export async function runClickHouseLoad({ flags, effects }: Invocation<GlobalFlags>): Promise<ExitCode> {
  const workspace = await openWarnedWorkspace(flags, effects);
  await using progress = openProgress(flags, effects);
  await loadAndTell(workspace, progress);
  return exitCodes.done;
}

/** Loads the store into the server's table, and reports the result. */
export async function loadAndTell(workspace: Workspace, progress: Progress): Promise<void> {
  const { loaded, present, removed } = await loadIntoClickHouse(workspace, {
    onProgress: ({ events, of }) => progress.update(`${formatNumber(events)} of ${formatNumber(of)} events`),
  });
  await progress.wipe();
  const count = (events: number) => formatCount(events, 'event');
  const gone = removed === 0 ? '' : ` Deleted ${count(removed)} that the store does not have, or that came in part.`;
  await workspace.note(
    `Loaded ${count(loaded)}; ${count(present)} ${plural(present, 'was', 'were')} there already.${gone}`,
  );
}
