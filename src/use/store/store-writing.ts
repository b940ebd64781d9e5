import { randomBytes } from 'node:crypto';
import type { WriterOptions } from '../../run/duckdb/store/open-writer.ts';
import { thisProcess } from '../process/this-process.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { zoneOf } from '../config/settings.ts';

/** Options of all functions that change a store. `onWait` is called with the process that holds it. */
export function toWriterOptions(
  { settings, clock, signal }: Workspace,
  onWait?: (holder: string) => void,
): WriterOptions {
  return {
    folder: settings.store.value,
    now: clock,
    signal,
    zone: zoneOf(settings),
    holder: thisProcess,
    randomText: () => randomBytes(6).toString('hex'),
    onWait,
  };
}
