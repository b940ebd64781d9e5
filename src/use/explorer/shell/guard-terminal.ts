import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Stopping takes effect long before this. */
const noticeMs = 100;

/**
 * Suspends to the shell, as ctrl-z does. Stops the whole process group: otherwise the shell would keep waiting for a
 * launcher in between. Resolves when the shell resumes it. If no shell waits (the terminal runs only this command), the
 * system stops nothing, and it resolves soon.
 */
export function stopProcess(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGCONT', goOn);
    // The timer also stands still while the process is stopped, so it cannot fire before the process is resumed.
    const timer = setTimeout(goOn, noticeMs);
    function goOn(): void {
      clearTimeout(timer);
      process.off('SIGCONT', goOn);
      // A stopped process misses changes of the terminal's size; this signal makes Node read it again.
      process.kill(process.pid, 'SIGWINCH');
      resolve();
    }
    process.kill(0, 'SIGTSTP');
  });
}

/** Signals that end the process. SIGINT is missing because ctrl-c is read as a key. */
const signals = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Time limit for closing open resources. */
const closingMs = 5000;

/**
 * Runs `restore` before the process ends by a signal, a crash or an exit, and prints a crash on the restored terminal.
 * A signal without other listeners then ends the process; other listeners have a few seconds to close resources.
 * Returns a function that ends the watch.
 */
export function guardTerminal(restore: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    restore();
    stop();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    // Output to a closed terminal may never finish.
    else setTimeout(() => process.exit(128 + constants.signals[signal]), closingMs).unref();
  };
  const onCrash = (error: unknown) => {
    restore();
    stop();
    process.stderr.write(
      'sluice: internal error (a bug in sluice): ' +
        `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
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

/** Settings that raw mode switches off. */
const cooked = 'icanon echo echoe isig iexten icrnl ixon brkint opost';

/**
 * Starts a small process that restores the terminal if this one is killed: when its input ends, it writes `asBefore`
 * and resets the terminal. Returns a function that ends the watch.
 */
export function watchTerminal(asBefore: string): () => void {
  if (process.platform === 'win32') return () => undefined;
  const script = `trap '' HUP INT TERM; read -r word || { printf %s "$1"; stty ${cooked} <&1; }`;
  const watch = spawn('/bin/sh', ['-c', script, 'sh', asBefore], {
    stdio: ['pipe', 'inherit', 'ignore'],
    // A separate process group survives a signal to this one.
    detached: true,
  });
  watch.on('error', () => undefined);
  watch.stdin.on('error', () => undefined);
  watch.unref();
  return () => void watch.stdin.end('done\n');
}
