import { randomBytes } from 'node:crypto';
import type { WriterOptions } from '../../../run/duckdb/store/open-writer.ts';
import type { Effects } from '../../process/effects.ts';
import { thisProcess } from '../../process/this-process.ts';
import type { Reporter } from '../command/narrate.ts';
import type { Progress } from '../command/progress.ts';

/** What every command that changes a store hands in. */
export function toWriterOptions(
  folder: string,
  { now, signal }: Effects,
  voice: Reporter,
  progress?: Progress,
): WriterOptions {
  return {
    folder,
    now,
    signal,
    holder: thisProcess,
    randomText: () => randomBytes(6).toString('hex'),
    onWait: (holder) =>
      void (async () => {
        await progress?.wipe();
        await voice.note(`Another process (${holder}) is writing to the store. Waiting …`);
      })(),
  };
}
