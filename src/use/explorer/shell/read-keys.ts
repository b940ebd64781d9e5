import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { decodeKeys, settleKeys, type DecodedKeys } from '../decode-keys.ts';
import type { Key } from '../key.ts';

/** How long the rest of a sequence is waited for: an escape by itself is a key, too. */
const patienceMs = 30;

/** Tells each key that comes in, until it is closed. */
export function readKeys(input: Readable, onKey: (key: Key) => void): { readonly close: () => void } {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let waiting: NodeJS.Timeout | undefined;
  const take = (decoded: DecodedKeys) => {
    rest = decoded.rest;
    decoded.keys.forEach(onKey);
  };
  const onData = (chunk: Buffer | string) => {
    clearTimeout(waiting);
    take(decodeKeys(rest, typeof chunk === 'string' ? chunk : decoder.write(chunk)));
    if (rest !== '') waiting = setTimeout(() => take(settleKeys(rest)), patienceMs);
  };
  input.on('data', onData);
  // One that was paused by hand does not flow again by itself.
  input.resume();
  return {
    close() {
      clearTimeout(waiting);
      input.off('data', onData);
      input.pause();
    },
  };
}
