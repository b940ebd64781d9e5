import { BackendError, SluiceError } from '../../ask/sluice-error.ts';

/** What came of trying something. */
export interface Finding {
  /** What was tried: `configuration`, `events`, `store`, … */
  readonly what: string;
  /** `none`: it is not set up, which is no fault. */
  readonly verdict: 'ok' | 'fails' | 'none';
  /** What was found, in one sentence. */
  readonly text: string;
  /** What to do about it, with the command to type. */
  readonly hint?: string | undefined;
  /** Why it fails. */
  readonly error?: SluiceError | undefined;
}

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** How long it may take; without end where not set. */
  readonly withinMs?: number | undefined;
}

/** Tries something. Only the caller's own signal and bugs make it reject. */
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
    const error = late?.aborted ? tooSlow(withinMs) : thrown;
    if (!(error instanceof SluiceError) || signal.aborted) throw thrown;
    return { what, verdict: 'fails', text: error.message, hint: error.hint, error };
  }
}

/** Whoever does not heed the signal is not waited for. */
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
