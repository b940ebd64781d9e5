import { version } from '../version.ts';

/**
 * Where the launcher goes in: runs the command that the process was started with.
 * The two shortest answers load nothing else.
 */
export async function start(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${version}\n`);
    return;
  }
  const { runInProcess } = await import('./run-in-process.ts');
  await runInProcess(argv);
}
