import { plural } from '../../../ask/text.ts';
import { minute, second } from '../../../ask/time/granularity.ts';
import { formatNumber, formatCount } from '../../../shape/format/format-number.ts';
import { formatDuration } from '../../../shape/format/format-time.ts';
import type { ExportStage } from '../../export/export-options.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { showBytes } from '../../process/show-path.ts';
import { toReporter } from '../command/reporter.ts';
import { openProgress } from '../command/progress.ts';

/** How far an export is: a line on a terminal that is drawn over, and elsewhere a line a minute. */
export interface ExportProgress extends AsyncDisposable {
  readonly update: (stage: ExportStage) => void;
  /** Something else on the way. */
  readonly say: (text: string) => void;
  /** Takes the line away; resolves when all has been said. */
  end(): Promise<void>;
  /** `12 of 96 windows are`; undefined before there are any. */
  reached(): string | undefined;
}

/** A rate of less than this says nothing. */
const soonest = 2 * second;

export function openExportProgress(flags: GlobalFlags, effects: Effects): ExportProgress {
  const { now, stderr } = effects;
  const voice = toReporter(flags, effects);
  const line = openProgress(flags, effects);
  const start = now();
  let told = start;
  let last: Extract<ExportStage, { readonly kind: 'fetching' }> | undefined;
  let saying: Promise<void> = Promise.resolve();
  // It is narration: what it was to be written to may be gone.
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
