import { plural, quote } from '../../../ask/text.ts';
import type { ForgetReport } from '../../../run/duckdb/store/forget.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import { forgetEvents } from '../../store/manage-store.ts';
import type { StoreForgetFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter, type Reporter } from '../command/narrate.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';
import { openProgress } from '../command/progress.ts';
import { waitForWriter } from './store-writing.ts';

/** `sluice store forget`. */
export async function runStoreForget({ args, flags, effects }: Invocation<StoreForgetFlags>): Promise<ExitCode> {
  const voice = toReporter(flags, effects);
  const workspace = await openCommandWorkspace(flags, effects);
  for (const warning of workspace.warnings) await voice.note(warning);
  const folder = workspace.settings.store.value;
  await using progress = openProgress(flags, effects);
  progress.update('looking for the user');
  const report = await forgetEvents(workspace, {
    user: args[0] ?? '',
    dryRun: flags.dryRun,
    onWait: waitForWriter(voice, progress),
  });
  await progress.wipe();
  await tell(report, voice, showPath(folder, effects.cwd));
  return exitCodes.done;
}

async function tell(report: ForgetReport, voice: Reporter, folder: string): Promise<void> {
  const { user, removed, before, after, removedLines, traces, otherIds, moreIds } = report;
  if (removed === 0 && removedLines === 0) {
    await voice.note(`${quote(user)} is not a user in ${folder}. Nothing was changed.`);
  } else {
    const what = `${counted(removed, 'event')}${removedLines === 0 ? '' : ` and ${counted(removedLines, 'rejected line')}`} of ${quote(user)}`;
    await voice.note(
      report.dryRun
        ? `${what} would be removed from ${folder}. Nothing was changed.`
        : `Removed ${what} from ${folder}: ${formatNumber(before)} events before, ${formatNumber(after)} after.`,
    );
  }
  if (!report.dryRun && (removed > 0 || traces.length > 0)) await tellTraces(user, traces, voice);
  if (otherIds.length === 0) return;
  await voice.note(
    `The same events had ${plural(otherIds.length + moreIds, 'another ID', 'other IDs')}: ${otherIds.map(quote).join(', ')}${moreIds > 0 ? ` and ${moreIds} more` : ''}. Forget ${plural(otherIds.length + moreIds, 'it', 'them')} too if ${plural(otherIds.length + moreIds, 'it belongs', 'they belong')} to the same person.`,
  );
}

async function tellTraces(user: string, traces: ForgetReport['traces'], voice: Reporter): Promise<void> {
  if (traces.length === 0) await voice.note('sluice searched every text in the store. The ID no longer occurs.');
  else
    await voice.alert(
      `The text ${quote(user)} still occurs in ${traces.map(({ place, count }) => `${place} (${count})`).join(', ')}, in events of other users or as part of longer texts.`,
    );
}

function counted(count: number, what: string): string {
  return `${formatNumber(count)} ${plural(count, what)}`;
}
