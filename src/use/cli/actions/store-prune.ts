import { plural } from '../../../ask/plural.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import { pruneStore } from '../../../run/store/prune.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { readAsOf } from '../../read-as-of.ts';
import { valueOf } from '../../refuse.ts';
import { zoneOf } from '../../session.ts';
import { showPath } from '../../output/show-path.ts';
import type { StorePruneFlags } from '../command-flags.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { toVoice } from '../narrate.ts';
import { openCommandSettings } from '../open-workspace.ts';
import { openProgress } from '../progress.ts';
import { toWriterOptions } from './store-writing.ts';

/** `sluice store prune`. */
export async function runStorePrune({ flags, effects }: Invocation<StorePruneFlags>): Promise<ExitCode> {
  const voice = toVoice(flags, effects);
  const { settings, warnings } = await openCommandSettings(flags, effects);
  for (const warning of warnings) await voice.note(warning);
  const before = valueOf(readAsOf(flags.before, '--before'), 'The date')(zoneOf(settings));
  const folder = settings.store.value;
  await using progress = openProgress(flags, effects);
  progress.update('looking for old events');
  const { removed, events } = await pruneStore({ ...toWriterOptions(folder, effects, voice, progress), before, dryRun: flags.dryRun });
  await progress.wipe();
  const counted = `${formatNumber(removed)} ${plural(removed, 'event')} before ${writeUtc(before)}`;
  const rest = `${formatNumber(events)} ${plural(events, 'event')}`;
  await voice.note(flags.dryRun ? `${counted} would be removed from ${showPath(folder, effects.cwd)}, and ${rest} would stay. Nothing was changed.`
    : `Removed ${counted} from ${showPath(folder, effects.cwd)}; ${rest} ${plural(events, 'stays', 'stay')}.`);
  return exitCodes.done;
}
