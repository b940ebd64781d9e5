import { runInProcess } from './run-in-process.ts';

/** Entry point for the launcher: runs the command of the process. */
export function start(): Promise<void> {
  return runInProcess(process.argv.slice(2));
}
