import { lockReport } from './report-runs.ts';

/** Does some work on a report while nobody else runs it. `holder`: who does, where it was not done. */
export async function runAlone<T>(
  lock: string,
  work: () => Promise<T>,
): Promise<{ readonly done: T } | { readonly holder: string }> {
  const taken = await lockReport(lock);
  if (taken.kind === 'taken') return { holder: taken.holder };
  using _held = taken;
  return { done: await work() };
}
