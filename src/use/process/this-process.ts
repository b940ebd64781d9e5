import { hostname } from 'node:os';
import path from 'node:path';
import { knowProcess } from '../../run/own-process.ts';

/** This process, for messages to others that wait for it: `process 4711 (node)`. */
export const thisProcess = `process ${process.pid} (${path.basename(process.execPath)})`;

/** The name of this machine. */
export const thisMachine = hostname();

/** Registers this process for temporary folders and memory limits. */
export function tellOfProcess(): void {
  knowProcess({
    id: process.pid,
    user: process.getuid?.(),
    isAlive,
    roomInContainer: () => Math.max(0, (process.constrainedMemory() || Infinity) - process.memoryUsage.rss()),
    atExit: (task) => void process.on('exit', task),
  });
}

/** True if a process with this ID exists. */
export function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
