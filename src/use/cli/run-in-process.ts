import type { WriteStream } from 'node:tty';
import { AbortedError } from '../../ask/sluice-error.ts';
import type { Effects, Sink } from './effects.ts';
import { exitCodes } from './exit-code.ts';
import { runCli } from './run-cli.ts';

/** Runs a command on the real process and ends it. */
export async function runInProcess(argv: readonly string[]): Promise<void> {
  const interruption = new AbortController();
  process.on('SIGINT', () => {
    // Who interrupts twice does not want to wait for anything to be closed.
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted);
    interruption.abort();
  });
  process.stdout.on('error', endQuietlyOnBrokenPipe);
  process.stderr.on('error', endQuietlyOnBrokenPipe);
  const effects: Effects = {
    stdout: toSink(process.stdout),
    stderr: toSink(process.stderr),
    readStdin: () => readStdin(interruption.signal),
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    signal: interruption.signal,
  };
  const code = await runCli(argv, effects);
  // Everything is written by now; what is left open (the engine's threads) need not be waited for.
  process.exit(code);
}

function toSink(stream: WriteStream): Sink {
  return {
    write: (text) => new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()));
    }),
    isTerminal: stream.isTTY === true,
    columns: stream.columns,
    rows: stream.rows,
  };
}

/** The reader of a pipe, such as `head`, has seen enough. */
function endQuietlyOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  throw error;
}

async function readStdin(signal: AbortSignal): Promise<Uint8Array> {
  const stop = () => process.stdin.destroy(new AbortedError());
  signal.addEventListener('abort', stop, { once: true });
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  signal.removeEventListener('abort', stop);
  return Buffer.concat(chunks);
}
