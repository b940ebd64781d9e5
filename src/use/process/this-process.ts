import path from 'node:path';
import { knowProcess } from '../../run/own-process.ts';

/** This process, for others that wait for it: `process 4711 (node)`. */
export const thisProcess = `process ${process.pid} (${path.basename(process.execPath)})`;

/** Tells whoever makes temporary folders and measures memory which process this is. */
export function tellOfProcess(): void {
  knowProcess({
    id: process.pid,
    user: process.getuid?.(),
    isAlive,
    roomInContainer: () => Math.max(0, (process.constrainedMemory() || Infinity) - process.memoryUsage.rss()),
    atExit: (task) => void process.on('exit', task),
  });
}

/** Whether there is a process of this number. */
export function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
