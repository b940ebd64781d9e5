import type { Reporter } from '../command/narrate.ts';
import type { Progress } from '../command/progress.ts';

/** Tells that a command waits for another process that writes to the store. */
export function waitForWriter(voice: Reporter, progress: Progress): (holder: string) => void {
  return (holder) =>
    void (async () => {
      await progress.wipe();
      await voice.note(`Another process (${holder}) is writing to the store. Waiting …`);
    })();
}
