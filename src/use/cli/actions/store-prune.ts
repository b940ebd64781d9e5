import { plural } from '../../../ask/text.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { readAsOf } from '../../process/read-as-of.ts';
import { showPath } from '../../process/show-path.ts';
import { pruneEvents } from '../../store/manage-store.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { StorePruneFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';
import { openProgress } from '../command/progress.ts';
import { waitForWriter } from './store-writing.ts';

/** `sluice store prune`. */
export async function runStorePrune({ flags, effects }: Invocation<StorePruneFlags>): Promise<ExitCode> {
  const voice = toReporter(flags, effects);
  const workspace = await openCommandWorkspace(flags, effects);
  for (const warning of workspace.warnings) await voice.note(warning);
  const folder = workspace.settings.store.value;
  await using progress = openProgress(flags, effects);
  progress.update('looking for old events');
  const { removed, events, before } = await pruneEvents(workspace, {
    before: unwrap(readAsOf(flags.before, '--before'), 'The date'),
    dryRun: flags.dryRun,
    onWait: waitForWriter(voice, progress),
  });
  await progress.wipe();
  const counted = `${formatNumber(removed)} ${plural(removed, 'event')} before ${writeUtc(before)}`;
  const rest = `${formatNumber(events)} ${plural(events, 'event')}`;
  await voice.note(
    flags.dryRun
      ? `${counted} would be removed from ${showPath(folder, effects.cwd)}, and ${rest} would remain. Nothing was changed.`
      : `Removed ${counted} from ${showPath(folder, effects.cwd)}; ${rest} ${plural(events, 'remains', 'remain')}.`,
  );
  return exitCodes.done;
}
