import { readdir } from 'node:fs/promises';
import { decodeUtf8 } from '../../../ask/document/decode-utf8.ts';
import { usageError } from '../../../ask/sluice-error.ts';
import { quoteSome } from '../../../ask/suggest.ts';
import { plural, quote } from '../../../ask/text.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import type { ForgetReport } from '../../../run/duckdb/store/forget.ts';
import type { StoreStats } from '../../../run/duckdb/store/store-stats.ts';
import { formatNumber, formatCount } from '../../../shape/format/format-number.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import type { Effects } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { readAsOf } from '../../process/read-as-of.ts';
import { showBytes, showPath } from '../../process/show-path.ts';
import { readStoreStats, pruneEvents, forgetEvents } from '../../store/manage-store.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { StoreStatsFlags, StorePruneFlags, StoreForgetFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter, type Reporter } from '../command/reporter.ts';
import { openWarnedWorkspace } from '../command/open-workspace.ts';
import { readInput } from '../command/read-input.ts';
import { openProgress, type Progress } from '../command/progress.ts';
import { alignColumns } from '../command/align-columns.ts';

/** `sluice store stats`. */
export async function runStoreStats({ flags, effects }: Invocation<StoreStatsFlags>): Promise<ExitCode> {
  const workspace = await openWarnedWorkspace(flags, effects);
  const stats = await readStoreStats(workspace);
  await effects.stdout.write(
    flags.format === 'json' ? `${JSON.stringify(stats, null, 2)}\n` : writeStats(stats, effects.cwd),
  );
  return exitCodes.done;
}

function writeStats(stats: StoreStats, cwd: string): string {
  const lines: readonly (readonly [string, string])[] = [
    ['store', sanitize(showPath(stats.folder, cwd))],
    ['events', formatNumber(stats.events)],
    ['first', instant(stats.first)],
    ['last', instant(stats.last)],
    ['users', formatNumber(stats.users)],
    [
      'files loaded',
      stats.windows === 0
        ? formatNumber(stats.files)
        : `${formatNumber(stats.files)}, ${formatNumber(stats.windows)} of them export windows`,
    ],
    ['last ingest', instant(stats.lastIngest)],
    ['segments', formatNumber(stats.segments)],
    ['on disk', showBytes(stats.bytes)],
    [
      'rejected lines',
      stats.rejectedFolder === null
        ? '0'
        : `${formatNumber(stats.rejected)}, in ${sanitize(showPath(stats.rejectedFolder, cwd))}`,
    ],
    ['forgotten users', formatNumber(stats.forgottenUsers)],
    ...(stats.prunedBefore === null ? [] : [['removed', `events before ${instant(stats.prunedBefore)}`] as const]),
  ];
  return alignColumns(lines) + writeProjects(stats);
}

function writeProjects({ projects }: StoreStats): string {
  if (projects.length === 0) return '';
  const rows = [
    ['project', 'events', 'users', 'first', 'last'],
    ...projects.map(({ project, events, users, first, last }) => [
      project === null ? '(none)' : sanitize(project),
      formatNumber(events),
      formatNumber(users),
      instant(first),
      instant(last),
    ]),
  ];
  return `\n${alignColumns(rows, [1, 2])}`;
}

function instant(text: string | null): string {
  return text === null ? '-' : `${text.slice(0, 19).replace('T', ' ')} UTC`;
}

/** `sluice store prune`. */
export async function runStorePrune({ flags, effects }: Invocation<StorePruneFlags>): Promise<ExitCode> {
  const voice = toReporter(flags, effects);
  const workspace = await openWarnedWorkspace(flags, effects);
  const folder = workspace.settings.store.value;
  await using progress = openProgress(flags, effects);
  progress.update('looking for old events');
  const { removed, events, before } = await pruneEvents(workspace, {
    before: unwrap(readAsOf(flags.before, '--before'), 'The date'),
    dryRun: flags.dryRun,
    onWait: waitForWriter(voice, progress),
  });
  await progress.wipe();
  const counted = `${formatCount(removed, 'event')} before ${writeUtc(before)}`;
  const rest = formatCount(events, 'event');
  await voice.note(
    flags.dryRun
      ? `${counted} would be removed from ${showPath(folder, effects.cwd)}, and ${rest} would remain. ` +
          'Nothing was changed.'
      : `Removed ${counted} from ${showPath(folder, effects.cwd)}; ${rest} ${plural(events, 'remains', 'remain')}.`,
  );
  return exitCodes.done;
}

/** `sluice store forget`. */
export async function runStoreForget({ args, flags, effects }: Invocation<StoreForgetFlags>): Promise<ExitCode> {
  const voice = toReporter(flags, effects);
  const users = [...args, ...(flags.ids === undefined ? [] : await readIds(flags.ids, effects))];
  if (users.length === 0) throw usageError('No user is specified.', 'Add the IDs, or a file of IDs: `--ids FILE`.');
  const workspace = await openWarnedWorkspace(flags, effects);
  const folder = workspace.settings.store.value;
  await using progress = openProgress(flags, effects);
  progress.update('looking for the users');
  const report = await forgetEvents(workspace, {
    users,
    dryRun: flags.dryRun,
    onWait: waitForWriter(voice, progress),
  });
  await progress.wipe();
  await tell(report, voice, showPath(folder, effects.cwd));
  const downloads = workspace.settings.downloads.value;
  // They can be packed in any way, so a search would miss some.
  if (!flags.dryRun && (await readdir(downloads).catch(() => [])).length > 0)
    await voice.alert(
      `Downloaded files in ${showPath(downloads, effects.cwd)} may contain ` +
        `${quoteSome(report.users.map(({ id }) => id))}. If no program is using them, remove the folder.`,
    );
  return exitCodes.done;
}

/** The lines of a file without empty ones. */
async function readIds(name: string, effects: Effects): Promise<readonly string[]> {
  const hint = 'Write one ID per line.';
  const text = unwrap(decodeUtf8(await readInput(name, effects, hint)), `The file of IDs ${name}`, { file: name });
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

async function tell(report: ForgetReport, voice: Reporter, folder: string): Promise<void> {
  const { users, removed, before, after, removedLines, traces, otherIds, moreIds } = report;
  const ids = users.map(({ id }) => id);
  const absent = users.filter(({ events }) => events === 0).map(({ id }) => id);
  if (removed === 0 && removedLines === 0) {
    const [are, them] = ids.length === 1 ? ['is not a user', 'it'] : ['are not users', 'them'];
    await voice.note(
      `${quoteSome(ids)} ${are} in ${folder}. Nothing was changed: if later files have ${them}, forget ${them} again.`,
    );
  } else {
    const what =
      `${formatCount(removed, 'event')}` +
      `${removedLines === 0 ? '' : ` and ${formatCount(removedLines, 'rejected line')}`} of ${quoteSome(ids)}`;
    await voice.note(
      report.dryRun
        ? `${what} would be removed from ${folder}. Nothing was changed.`
        : `Removed ${what} from ${folder}: ${formatNumber(before)} events before, ${formatNumber(after)} after.`,
    );
    if (ids.length > 1 && absent.length > 0)
      await voice.alert(`${quoteSome(absent)} ${plural(absent.length, 'has', 'have')} no events in ${folder}.`);
  }
  if (!report.dryRun && (removed > 0 || traces.length > 0)) await tellTraces(ids, traces, voice);
  if (otherIds.length === 0) return;
  await voice.note(
    `The same events had ${plural(otherIds.length + moreIds, 'another ID', 'other IDs')}: ` +
      `${otherIds.map(quote).join(', ')}${moreIds > 0 ? ` and ${moreIds} more` : ''}. ` +
      `Forget ${plural(otherIds.length + moreIds, 'it', 'them')}` +
      ` too if ${plural(otherIds.length + moreIds, 'it belongs', 'they belong')} to the same person.`,
  );
}

async function tellTraces(ids: readonly string[], traces: ForgetReport['traces'], voice: Reporter): Promise<void> {
  if (traces.length === 0)
    await voice.note(
      'sluice searched every text in the store. ' +
        `The ${plural(ids.length, 'ID no longer occurs', 'IDs no longer occur')}.`,
    );
  else
    await voice.alert(
      `The ${plural(ids.length, 'text', 'texts')}` +
        ` ${quoteSome(ids)} still ${plural(ids.length, 'occurs', 'occur')}` +
        ` in ${traces.map(({ place, count }) => `${place} (${count})`).join(', ')}, ` +
        'in events of other users or as part of longer texts.',
    );
}

/** Reports that the command waits for another process that writes to the store. */
export function waitForWriter(voice: Reporter, progress: Progress): (holder: string) => void {
  return (holder) =>
    void (async () => {
      await progress.wipe();
      await voice.note(`Another process (${holder}) is writing to the store. Waiting …`);
    })();
}
