import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** A process that can be stopped is stopped long before that. */
const noticeMs = 100;

/**
 * To the shell, as ctrl-z does it elsewhere: with all of the commands that the shell started together, or it would go
 * on waiting for a launcher in between. Resolves when the shell has brought it back; where no shell waits (the command
 * is all that its terminal runs) the system stops nothing, and it goes on at once.
 */
export function stopProcess(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGCONT', goOn);
    // Time stands still for it, too, so that this does not come before it was brought back.
    const timer = setTimeout(goOn, noticeMs);
    function goOn(): void {
      clearTimeout(timer);
      process.off('SIGCONT', goOn);
      // A stopped process is told of no new size: Node reads it again at this signal.
      process.kill(process.pid, 'SIGWINCH');
      resolve();
    }
    process.kill(0, 'SIGTSTP');
  });
}

/** What may end the process without asking, but for SIGINT, whose key is read as one. */
const signals = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** For a process that closes what is open. */
const closingMs = 5000;

/**
 * Sees to it that `restore` runs before the process ends, whatever ends it: a signal, a crash, an exit. What crashed is
 * told on the restored terminal. A signal that nobody else hears ends the process then; whoever does closes what is
 * open,
 * and has some seconds for it. Gives the function that ends the watch.
 */
export function guardTerminal(restore: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    restore();
    stop();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    // What is written to a terminal that is gone may never arrive.
    else setTimeout(() => process.exit(128 + constants.signals[signal]), closingMs).unref();
  };
  const onCrash = (error: unknown) => {
    restore();
    stop();
    process.stderr.write(
      `sluice: internal error (a bug in sluice): ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
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

/** What raw mode switches off. */
const cooked = 'icanon echo echoe isig iexten icrnl ixon brkint opost';

/**
 * Starts a small process that restores the terminal if this one is killed: it writes `asBefore` and switches the
 * terminal back when it hears nothing more. Gives the function that ends the watch.
 */
export function watchTerminal(asBefore: string): () => void {
  if (process.platform === 'win32') return () => undefined;
  const script = `trap '' HUP INT TERM; read -r word || { printf %s "$1"; stty ${cooked} <&1; }`;
  const watch = spawn('/bin/sh', ['-c', script, 'sh', asBefore], {
    stdio: ['pipe', 'inherit', 'ignore'],
    // In a group of its own, so that it outlives a signal to this one.
    detached: true,
  });
  watch.on('error', () => undefined);
  watch.stdin.on('error', () => undefined);
  watch.unref();
  return () => void watch.stdin.end('done\n');
}
