import { fstatSync, writeFileSync } from 'node:fs';
import type { WriteStream } from 'node:tty';
import { SluiceError } from '../../ask/sluice-error.ts';
import { systemReason } from '../../run/file/system-error.ts';
import type { Sink } from './effects.ts';

type ProcessStream = WriteStream & { readonly fd: number };

/** A stream of this process, to be written to. Errors: `output-unwritable`, and EPIPE as it is. */
export function toSink(stream: ProcessStream): Sink {
  const write = writerOf(stream);
  return {
    write: (text) => write(text).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EPIPE' ? error : new SluiceError(`the output cannot be written: ${systemReason(error)}`, { code: 'output-unwritable', cause: error });
    }),
    isTerminal: stream.isTTY === true,
    columns: stream.columns,
    rows: stream.rows,
  };
}

type Write = (text: string | Uint8Array) => Promise<void>;

function writerOf(stream: ProcessStream): Write {
  if (isFile(stream.fd)) return async (text) => writeFileSync(stream.fd, Buffer.from(text));
  return (text) => new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Of these Node's own stream writes what there is room for, and says nothing of the rest. */
function isFile(descriptor: number): boolean {
  return fstatSync(descriptor).isFile();
}
