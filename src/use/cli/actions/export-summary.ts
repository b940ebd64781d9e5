import { writeUtc } from '../../../ask/time/local-time.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import { formatCount } from '../../../shape/format/format-number.ts';
import type { ExportReport } from '../../export/export-options.ts';
import { showBytes } from '../../process/show-path.ts';
import type { Reporter } from '../command/reporter.ts';

/** So many windows or files are told of one by one. */
const mostTold = 10;

/** Tells what came of an export; what is not as it should be also to those who want to hear nothing. */
export async function tellExport(
  report: ExportReport,
  { voice, place }: { readonly voice: Reporter; readonly place: string },
): Promise<void> {
  const {
    outcome,
    holder,
    windows,
    rows,
    events,
    bytes,
    added,
    unsettled,
    missing,
    foreign,
    range,
    closedUntil,
    kind,
  } = report;
  if (outcome === 'locked')
    return voice.note(`Another run (${holder ?? 'of another user'}) is exporting to ${place}. Nothing to do.`);
  for (const { window, why, isThere } of unsettled.slice(0, mostTold))
    await voice.alert(`${showWindow(window)} is ${isThere ? 'unchanged' : 'missing'}: ${why}`);
  if (unsettled.length > mostTold) await voice.alert(`… and ${unsettled.length - mostTold} more`);
  if (unsettled.length > 0)
    await voice.alert(
      `${formatCount(unsettled.length, 'window')} kept changing. Run the same command again (exit code 5).`,
    );
  if (missing.length > 0)
    await voice.alert(`The export is incomplete. Without ${missing.join(' and ')}, some events cannot be told apart.`);
  const [strange, ...more] = foreign;
  if (strange !== undefined)
    await voice.note(
      `${strange}${more.length > 0 ? ` and ${formatCount(more.length, 'more file')}` : ''} in ${place} ${more.length > 0 ? 'are' : 'is'} no part of the export, and left alone.`,
    );
  const all = `${formatCount(events, 'event')}${rows === events ? '' : ` in ${formatCount(rows, 'row')}`}, ${showBytes(bytes)}`;
  if (windows === 0) await voice.note('No window is complete yet.');
  else if (added.windows === 0 && unsettled.length === 0)
    await voice.note(`The export is already up to date: ${all} in ${place}.`);
  else if (kind === 'file' && unsettled.length > 0)
    await voice.note(
      `${formatCount(windows, 'window')} exported so far. ${place} is written when all windows are complete.`,
    );
  else if (added.windows === windows)
    await voice.note(`Exported ${all} to ${place}${kind === 'folder' ? `: ${formatCount(windows, 'window')}` : ''}.`);
  else
    await voice.note(
      `Exported ${formatCount(added.windows, 'window')} with ${formatCount(added.events, 'event')}; ${place} holds ${all} in ${formatCount(windows, 'window')}.`,
    );
  if (closedUntil < range.end)
    await voice.note(
      `${writeUtc(Math.max(closedUntil, range.start))} and later is not exported yet: more events may arrive.${kind === 'folder' ? ' Run with `--since-last` later to add it.' : ''}`,
    );
}

/** What came of an export as JSON, a line. */
export function toExportJson(report: ExportReport): string {
  const { range, closedUntil, unsettled, holder, oddities, ...rest } = report;
  return `${JSON.stringify({
    ...rest,
    ...(holder !== undefined && { holder }),
    range: toEnds(range),
    closedUntil: writeUtc(closedUntil),
    complete: isComplete(report),
    unsettled: unsettled.map(({ window, ...told }) => ({ ...toEnds(window), ...told })),
    oddities: oddities.map(({ code, text }) => ({ code, text })),
  })}\n`;
}

/** Every event of the whole range is there. */
export function isComplete({ outcome, closedUntil, range, missing }: ExportReport): boolean {
  return outcome === 'done' && closedUntil >= range.end && missing.length === 0;
}

export function showWindow({ start, end }: TimeRange): string {
  return `${writeUtc(start)} to ${writeUtc(end)}`;
}

function toEnds({ start, end }: TimeRange): { readonly start: string; readonly end: string } {
  return { start: writeUtc(start), end: writeUtc(end) };
}
