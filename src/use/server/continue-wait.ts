import { createHash } from 'node:crypto';

/** So many different requests are remembered. */
const mostRequests = 10_000;

/** Tells for each request whether it is still to be answered with `Continue wait`: the first polls of each different one. */
export function openContinueWait(polls: number): (request: unknown) => boolean {
  const seen = new Map<string, number>();
  return (request) => {
    if (polls === 0) return false;
    const key = createHash('sha256').update(JSON.stringify(request)).digest('base64');
    const before = seen.get(key) ?? 0;
    if (before >= polls) return false;
    if (seen.size >= mostRequests) for (const oldest of seen.keys()) {
      seen.delete(oldest);
      break;
    }
    seen.set(key, before + 1);
    return true;
  };
}
