import type { Wait } from '../../../run/backend.ts';
import type { DownloadProgress } from '../../../run/download/open-download.ts';
import type { RetryNotice } from '../../../run/http/retry-notice.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { showBytes } from '../../process/show-path.ts';
import type { Reporter } from './reporter.ts';
import { openProgress, type Progress } from './progress.ts';

/** Said again so often while a server is still at work. */
const every = 30_000;

/** Tells that a server is still at work: at once, and then now and again. */
export function waitTeller(voice: Reporter): (wait: Wait) => void {
  let told = -Infinity;
  return ({ waitedMs }) => {
    if (waitedMs - told < every) return;
    told = waitedMs;
    // It is narration: what it was to be written to may be gone, and the answer is still wanted.
    voice.note(`The server is still computing (${Math.round(waitedMs / 1000)} s).`).catch(() => undefined);
  };
}

/** A next try that comes within this is not worth a word, and several requests may be in the same trouble. */
const noticed = 1_000;
const closest = 5_000;

/**
 * Tells that a server lets wait: on a terminal also where it is only slow, elsewhere where it is in trouble and tried
 * again. Many requests at once say it as one.
 */
export function retryTeller(
  voice: Reporter,
  { now, stderr }: Pick<Effects, 'now' | 'stderr'>,
): (holdup: RetryNotice) => void {
  let told = -Infinity;
  return ({ kind, text, waitedMs, inMs }) => {
    if (waitedMs + inMs < noticed || (kind === 'silent' && !stderr.isTerminal) || now() - told < closest) return;
    told = now();
    voice.note(text).catch(() => undefined);
  };
}

/** Shows on a terminal how far downloads are. */
export function downloadTeller(flags: GlobalFlags, effects: Effects): (progress: DownloadProgress) => void {
  let line: Progress | undefined;
  return ({ address, bytes, totalBytes, isDone }) => {
    if (isDone) {
      void line?.wipe();
      line = undefined;
      return;
    }
    line ??= openProgress(flags, effects);
    const part = totalBytes ? `${Math.floor((100 * bytes) / totalBytes)}%  ` : '';
    const of = totalBytes === undefined ? '' : ` of ${showBytes(totalBytes)}`;
    line.update(`downloading ${address}: ${part}${showBytes(bytes)}${of}`);
  };
}
