import type { Clock } from './clock.ts';

/** Reports why a request takes long, while it runs. */
export interface RetryNotice {
  /** `silent`: no response yet. `again`: a try failed, and another one follows. */
  readonly kind: 'silent' | 'again';
  /** Whole sentences for people, without a token. */
  readonly text: string;
  /** Milliseconds since the request began. */
  readonly waitedMs: number;
  /** Milliseconds until the next try; 0 if no next try is known. */
  readonly inMs: number;
}

/** Shorter waits are not reported. */
const patience = 1_500;
const repeated = 30_000;

/** Reports that a request has no response yet, after a moment and then repeatedly, until the signal fires. */
export function tellSilence(host: string, clock: Clock, tell: (holdup: RetryNotice) => void, until: AbortSignal): void {
  const started = clock.now();
  const telling = async () => {
    for (let pause = patience; ; pause = repeated) {
      await clock.sleep(pause, until);
      const waitedMs = clock.now() - started;
      tell({ kind: 'silent', text: `Still waiting for ${host} (${showDuration(waitedMs)}).`, waitedMs, inMs: 0 });
    }
  };
  // Only the signal ends it.
  telling().catch(() => undefined);
}

/** A duration for people: `340 ms`, `2.5 s`, `12 min`. */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
