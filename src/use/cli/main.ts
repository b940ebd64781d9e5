import { runInProcess } from './run-in-process.ts';

/** Where the launcher goes in: runs the command that the process was started with. */
export function start(): Promise<void> {
  return runInProcess(process.argv.slice(2));
}
