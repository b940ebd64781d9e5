import type { Wait } from '../../../run/backend.ts';
import type { RetryNotice } from '../../../run/http/retry-notice.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { showBytes } from '../../process/show-path.ts';
import type { Reporter } from './reporter.ts';
import { openProgress, type Progress } from './progress.ts';
import type { DownloadProgress } from '../../../run/download/fetch-once.ts';

/** Interval between messages while a server computes. */
const every = 30_000;

/** Reports that a server is still computing: at once, and then at intervals. */
export function waitTeller(voice: Reporter): (wait: Wait) => void {
  let told = -Infinity;
  return ({ waitedMs }) => {
    if (waitedMs - told < every) return;
    told = waitedMs;
    // Progress is optional: if the output is closed, the answer is still wanted.
    voice.note(`The server is still computing (${Math.round(waitedMs / 1000)} s).`).catch(() => undefined);
  };
}

/** A shorter delay needs no message, and several requests may have the same problem. */
const noticed = 1_000;
const closest = 5_000;

/**
 * Reports delays by a server: on a terminal also slow responses, elsewhere only errors and retries. Merges messages of
 * concurrent requests.
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

/** Shows download progress on a terminal. */
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
