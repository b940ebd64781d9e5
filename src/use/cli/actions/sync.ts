import { SluiceError } from '../../../ask/sluice-error.ts';
import { plural } from '../../../ask/text.ts';
import { formatNumber, formatCount } from '../../../shape/format/format-number.ts';
import { type SyncedList, syncWorkspace } from '../../platform/sync.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { SyncFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openWarnedWorkspace } from '../command/open-workspace.ts';
import { openProgress } from '../command/progress.ts';
import { withTokenFile } from './api.ts';

/** `sluice sync`. */
export async function runSync({ args, flags, effects }: Invocation<SyncFlags>): Promise<ExitCode> {
  const voice = toReporter(flags, effects);
  const workspace = await openWarnedWorkspace(flags, effects);
  await using progress = openProgress(flags, effects);
  progress.update('asking the platform');
  const request = {
    cubes: args.length > 0 ? args : undefined,
    groups: flags.group,
    epics: flags.epic,
    since: flags.since,
  };
  const lists = await syncWorkspace(
    { ...workspace, settings: withTokenFile(workspace.settings, flags, effects) },
    request,
    {
      onProgress: (text) => progress.update(text),
      onList: async (list) => {
        await progress.wipe();
        await (list.error && !list.isSkipped ? voice.alert : voice.note)(describe(list));
      },
    },
  ).catch(async (error: unknown) => {
    // As `export` and `report run` do, so that a scheduler may call it again while it runs.
    if (!(error instanceof SluiceError) || error.code !== 'sync-running') throw error;
    await progress.wipe();
    await voice.alert(`${error.message} Nothing was done.`);
    return [];
  });
  const failed = lists.filter(({ error, isSkipped }) => error && !isSkipped);
  if (failed.length === 0) return exitCodes.done;
  const count = failed.length;
  await voice.alert(`${count} ${plural(count, 'list is', 'lists are')} not up to date (exit code 5)`);
  return exitCodes.partial;
}

function describe({ cube, scope, tally, error, isSkipped }: SyncedList): string {
  if (error && !tally && isSkipped) return `${cube} of ${scope}: left out, ${error.message}`;
  if (error && !tally) return `${cube} of ${scope}: ${error.message}\n  hint: ${error.hint}`;
  const { rows = 0, added = 0, changed = 0, deleted = 0 } = tally ?? {};
  const parts = [
    ...(added > 0 ? [`${formatNumber(added)} new`] : []),
    ...(changed > 0 ? [`${formatNumber(changed)} changed`] : []),
    ...(deleted > 0 ? [`${formatNumber(deleted)} deleted`] : []),
  ];
  const done = `${cube} of ${scope}: ${formatCount(rows, 'row')}, ${parts.join(', ') || 'nothing new'}`;
  return error ? `${done}; a part is not up to date: ${error.message}` : done;
}
