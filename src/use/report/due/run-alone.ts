import { randomBytes } from 'node:crypto';
import { openEngine } from '../../../run/embedded/engine.ts';
import { lockReport } from './lock-report.ts';

/** Enough to hold a lock. */
const small = { threads: 1, memoryLimit: '64MiB' } as const;

/** Does some work on a report while nobody else runs it. `holder`: who does, where it was not done. */
export async function runAlone<T>(lock: string, work: () => Promise<T>): Promise<{ readonly done: T } | { readonly holder: string }> {
  await using engine = await openEngine(small);
  const taken = await lockReport(lock, { engine, randomText: () => randomBytes(6).toString('hex') });
  if (taken.kind === 'taken') return { holder: taken.holder };
  await using _held = taken;
  return { done: await work() };
}
