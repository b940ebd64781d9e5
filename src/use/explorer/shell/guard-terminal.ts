/** What may end the process without asking, but for SIGINT, which the command line hears itself. */
const signals = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Sees to it that `restore` runs before the process ends, whatever ends it: a signal, a crash, an exit. What crashed is
 * told on the restored terminal. Gives the function that ends the watch.
 */
export function guardTerminal(restore: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    restore();
    stop();
    process.kill(process.pid, signal);
  };
  const onCrash = (error: unknown) => {
    restore();
    stop();
    process.stderr.write(`sluice: this should not happen and is a bug in sluice: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  };
  const stop = () => {
    for (const signal of signals) process.off(signal, onSignal);
    process.off('uncaughtException', onCrash);
    process.off('unhandledRejection', onCrash);
    process.off('exit', restore);
  };
  for (const signal of signals) process.on(signal, onSignal);
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
  process.on('exit', restore);
  return stop;
}
