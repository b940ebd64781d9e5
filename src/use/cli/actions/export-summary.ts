import { plural } from '../../../ask/text.ts';
import { minute, second } from '../../../ask/time/granularity.ts';
import { writeRange, writeUtc } from '../../../ask/time/local-time.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import { formatCount, formatNumber } from '../../../shape/format/format-number.ts';
import { formatDuration } from '../../../shape/format/format-time.ts';
import type { ExportReport, ExportStage } from '../../export/export-options.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { showBytes } from '../../process/show-path.ts';
import { openProgress } from '../command/progress.ts';
import { type Reporter, toReporter } from '../command/reporter.ts';

/** Maximum number of windows or files listed individually. */
const mostTold = 10;

/** Reports the result of an export; reports problems even with `--quiet`. */
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
    notes,
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
  for (const note of notes) await voice.note(note);
  const [strange, ...more] = foreign;
  if (strange !== undefined)
    await voice.note(
      `${strange}${more.length > 0 ? ` and ${formatCount(more.length, 'more file')}` : ''} in ${place} ` +
        `${more.length > 0 ? 'are' : 'is'} no part of the export, and left alone.`,
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
      `Exported ${formatCount(added.windows, 'window')} with ${formatCount(added.events, 'event')}; ` +
        `${place} holds ${all} in ${formatCount(windows, 'window')}.`,
    );
  if (closedUntil < range.end)
    await voice.note(
      `${writeUtc(Math.max(closedUntil, range.start))} and later is not exported yet: more events may arrive.` +
        (kind === 'folder' ? ' Run with `--since-last` later to add it.' : ''),
    );
}

/** The result of an export as one line of JSON. */
export function toExportJson(report: ExportReport): string {
  const { range, closedUntil, unsettled, holder, oddities, ...rest } = report;
  return `${JSON.stringify({
    ...rest,
    ...(holder !== undefined && { holder }),
    range: writeRange(range),
    closedUntil: writeUtc(closedUntil),
    complete: isComplete(report),
    unsettled: unsettled.map(({ window, ...told }) => ({ ...writeRange(window), ...told })),
    oddities: oddities.map(({ code, text }) => ({ code, text })),
  })}\n`;
}

/** True if every event of the whole range was exported. */
function isComplete({ outcome, closedUntil, range, missing }: ExportReport): boolean {
  return outcome === 'done' && closedUntil >= range.end && missing.length === 0;
}

export function showWindow({ start, end }: TimeRange): string {
  return `${writeUtc(start)} to ${writeUtc(end)}`;
}

/** Shows the progress of an export: on a terminal in one line that is redrawn, elsewhere as one line a minute. */
export interface ExportProgress extends AsyncDisposable {
  readonly update: (stage: ExportStage) => void;
  /** Prints another message. */
  readonly say: (text: string) => void;
  /** Removes the line; resolves when all output is written. */
  end(): Promise<void>;
  /** `12 of 96 windows are`; undefined before the first window. */
  reached(): string | undefined;
}

/** A rate over less time is unreliable. */
const soonest = 2 * second;

export function openExportProgress(flags: GlobalFlags, effects: Effects): ExportProgress {
  const { now, stderr } = effects;
  const voice = toReporter(flags, effects);
  const line = openProgress(flags, effects);
  const start = now();
  let told = start;
  let last: Extract<ExportStage, { readonly kind: 'fetching' }> | undefined;
  let saying: Promise<void> = Promise.resolve();
  // Progress is optional: ignore a closed output.
  const note = (text: string) =>
    (saying = saying
      .then(() => line.wipe())
      .then(() => voice.note(text))
      .catch(() => undefined));
  return {
    update(stage) {
      if (stage.kind === 'fetching') last = stage;
      const text = describeStage(stage, now() - start);
      if (stderr.isTerminal) return line.update(text);
      if (now() - told < minute) return undefined;
      told = now();
      return void note(text);
    },
    say: (text) => void note(text),
    async end() {
      await line.wipe();
      await saying;
    },
    reached() {
      if (!last || last.windows === 0) return undefined;
      const { windows, allWindows } = last;
      return `${formatNumber(windows)}${allWindows === undefined ? '' : ` of ${formatNumber(allWindows)}`} ${plural(allWindows ?? windows, 'window is', 'windows are')}`;
    },
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

/** `12 of 96 windows  1,234,567 rows  41,000 rows/s  120 MB  2 min 05 s left` */
export function describeStage(stage: ExportStage, elapsedMs: number): string {
  if (stage.kind === 'assembling') return `merging ${formatCount(stage.rows, 'row')} into one file`;
  const { windows, allWindows, rows, events, bytes, eventsLeft } = stage;
  const rate = elapsedMs < soonest || rows === 0 ? undefined : rows / (elapsedMs / second);
  const left = !eventsLeft || rate === undefined || events === 0 ? undefined : (eventsLeft / events) * elapsedMs;
  return [
    allWindows === undefined
      ? formatCount(windows, 'window')
      : `${formatNumber(windows)} of ${formatCount(allWindows, 'window')}`,
    formatCount(rows, 'row'),
    ...(rate === undefined ? [] : [`${formatNumber(Math.round(rate))} rows/s`]),
    showBytes(bytes),
    ...(left === undefined ? [] : [`${formatDuration(Math.round(left / second) * second)} left`]),
  ].join('  ');
}
