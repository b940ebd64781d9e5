import type { Wait } from '../../run/backend.ts';
import type { Voice } from './narrate.ts';

/** Said again so often while a server is still at work. */
const every = 30_000;

/** Tells that a server is still at work: at once, and then now and again. */
export function waitTeller(voice: Voice): (wait: Wait) => void {
  let told = -Infinity;
  return ({ waitedMs }) => {
    if (waitedMs - told < every) return;
    told = waitedMs;
    // It is narration: what it was to be written to may be gone, and the answer is still wanted.
    voice.note(`The server is still computing (${Math.round(waitedMs / 1000)} s).`).catch(() => undefined);
  };
}
