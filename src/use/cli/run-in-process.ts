import { fstatSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { WriteStream } from 'node:tty';
import { AbortedError, SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { systemReason } from '../../run/file/system-error.ts';
import type { Effects, Sink } from '../process/effects.ts';
import { type ExitCode, exitCodes } from '../process/exit-code.ts';
import { tellOfProcess } from '../process/this-process.ts';
import { runCli } from './run-cli.ts';
import { tuneRuntime } from './tune-runtime.ts';

/** Runs a command in this process and ends it. */
export async function runInProcess(argv: readonly string[]): Promise<void> {
  tuneRuntime(argv);
  tellOfProcess();
  const interruption = new AbortController();
  /** After a signal, shells expect the exit code 128 plus the signal's number. */
  let interruptedCode: number = exitCodes.interrupted;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A second signal exits at once, without closing anything.
      if (interruption.signal.aborted) process.exit(exitCodes.interrupted);
      interruptedCode = 128 + constants.signals[signal];
      interruption.abort();
    });
  }
  // The launcher that started this process has ended.
  process.on('disconnect', () => interruption.abort());
  process.stdout.on('error', endQuietlyOnBrokenPipe);
  process.stderr.on('error', endQuietlyOnBrokenPipe);
  const effects: Effects = {
    stdout: toSink(process.stdout),
    stderr: toSink(process.stderr),
    readStdin: () => readStdin(interruption.signal),
    env: process.env,
    cwd: process.cwd(),
    command: [process.execPath, ...process.argv.slice(1, 2)],
    argv,
    now: Date.now,
    signal: interruption.signal,
    // Lazy: creating the stdin stream is slow, and most commands do not need it.
    get terminal() {
      return process.stderr.isTTY === true && process.stdin.isTTY === true
        ? { input: process.stdin, output: process.stderr }
        : undefined;
    },
  };
  const code = await runCli(argv, effects).catch((error: unknown) => tell(error, effects));
  // All output is written; do not wait for open resources such as the engine's threads.
  process.exit(code === exitCodes.interrupted ? interruptedCode : code);
}

/** The reader of a pipe, such as `head`, has closed it. The writer handles other errors. */
function endQuietlyOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
}

/** Handles errors outside of commands, such as those of help. */
async function tell(error: unknown, effects: Effects): Promise<ExitCode> {
  const { reportError } = await import('../process/report-error.ts');
  return reportError(error, effects).catch(() => exitCodes.failed);
}

async function readStdin(signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of openStdin(signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* openStdin(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  // A signal that is already aborted calls no listeners.
  throwIfAborted(signal);
  const stop = () => process.stdin.destroy(new AbortedError());
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* process.stdin as AsyncIterable<Buffer>;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type ProcessStream = WriteStream & { readonly fd: number };

/** Writes to a stream of this process. Errors: `output-unwritable`, and EPIPE unchanged. */
function toSink(stream: ProcessStream): Sink {
  const write = writerOf(stream);
  return {
    write: (text) =>
      write(text).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'EPIPE'
          ? error
          : new SluiceError(`the output cannot be written: ${systemReason(error)}`, {
              code: 'output-unwritable',
              cause: error,
            });
      }),
    isTerminal: stream.isTTY === true,
    columns: stream.columns,
    rows: stream.rows,
  };
}

type Write = (text: string | Uint8Array) => Promise<void>;

function writerOf(stream: ProcessStream): Write {
  if (isFile(stream.fd)) return async (text) => writeFileSync(stream.fd, Buffer.from(text));
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
}

/** For files, Node's stream silently drops data that does not fit on the disk. */
function isFile(descriptor: number): boolean {
  return fstatSync(descriptor).isFile();
}
