import { BackendError, SluiceError } from '../../ask/sluice-error.ts';
import { toSystemError } from '../../run/file/system-error.ts';

/** The result of a check. */
export interface Finding {
  /** Its subject: `configuration`, `events`, `store`, … */
  readonly what: string;
  /** `none`: not set up, which is not a fault. */
  readonly verdict: 'ok' | 'fails' | 'none';
  /** The result in one sentence. */
  readonly text: string;
  /** How to fix it, with a command to run. */
  readonly hint?: string | undefined;
  /** The cause of a failure. */
  readonly error?: SluiceError | undefined;
}

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** Time limit in milliseconds (default: none). */
  readonly withinMs?: number | undefined;
}

/** Runs a check. Rejects only for the caller's own signal and for bugs. */
export async function check(
  what: string,
  run: (signal: AbortSignal) => Promise<string | Omit<Finding, 'what'>>,
  { signal, withinMs }: CheckOptions,
): Promise<Finding> {
  const late = withinMs === undefined ? undefined : AbortSignal.timeout(withinMs);
  try {
    const found = await orLate(run(late ? AbortSignal.any([signal, late]) : signal), late, withinMs);
    return typeof found === 'string' ? { what, verdict: 'ok', text: found } : { what, ...found };
  } catch (thrown) {
    const error = late?.aborted ? tooSlow(withinMs) : (toSystemError(thrown) ?? thrown);
    if (!(error instanceof SluiceError) || signal.aborted) throw thrown;
    return { what, verdict: 'fails', text: error.message, hint: error.hint, error };
  }
}

/** Does not wait for work that ignores the signal. */
async function orLate<T>(running: Promise<T>, late: AbortSignal | undefined, withinMs: number | undefined): Promise<T> {
  if (!late) return running;
  running.catch(() => undefined);
  let stop = (): void => undefined;
  const expired = new Promise<never>((_, reject) => {
    stop = () => reject(tooSlow(withinMs));
    late.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([running, expired]);
  } finally {
    late.removeEventListener('abort', stop);
  }
}

function tooSlow(withinMs = 0): BackendError {
  return new BackendError(`No answer within ${withinMs / 1000} seconds.`, {
    code: 'too-slow',
    hint: 'Check that the URL is right and reachable from this machine, then run: `sluice doctor`',
  });
}
