import type { Worker } from 'node:worker_threads';
import type { Hasher } from './hasher.ts';

/** Hashers that share one thread, which starts with the first of them. */
export interface HashThread extends AsyncDisposable {
  open(): Hasher;
}

/**
 * As text, so that bundlers include it. The thread returns buffers once their bytes are hashed. A message without a
 * buffer requests the digest.
 */
const script = `
const { createHash } = require('node:crypto');
const { parentPort } = require('node:worker_threads');
const hashes = new Map();
parentPort.on('message', ([name, room, length]) => {
  const hash = hashes.get(name) ?? createHash('sha256');
  if (room) {
    hashes.set(name, hash.update(new Uint8Array(room, 0, length)));
    parentPort.postMessage(room, [room]);
  } else {
    hashes.delete(name);
    parentPort.postMessage([name, hash.digest('hex')]);
  }
});`;

/** Bytes per message. */
const roomSize = 512 * 1024;
/** Maximum number of buffers in flight. */
const mostRooms = 6;

/** Its hashers reject if the thread ends early. */
export function openHashThread(): HashThread {
  let worker: Promise<Worker> | undefined;
  let names = 0;
  let rooms = 0;
  const free: ArrayBuffer[] = [];
  const waiting: PromiseWithResolvers<ArrayBuffer>[] = [];
  const digests = new Map<number, PromiseWithResolvers<string>>();
  let failure: { readonly error: unknown } | undefined;

  const start = async (): Promise<Worker> => {
    const { Worker: Thread } = await import('node:worker_threads');
    const thread = new Thread(script, {
      eval: true,
      name: 'sluice-hash',
      resourceLimits: { maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
    });
    const fail = (error: unknown) => {
      failure ??= { error };
      for (const each of [...waiting.splice(0), ...digests.values()]) each.reject(error);
    };
    thread.on('message', (answer: ArrayBuffer | readonly [number, string]) => {
      if (!(answer instanceof ArrayBuffer)) return digests.get(answer[0])?.resolve(answer[1]);
      const next = waiting.shift();
      if (next) next.resolve(answer);
      else free.push(answer);
    });
    return thread.on('error', fail).on('exit', () => fail(new Error('The thread that hashes has come to an end.')));
  };

  const running = async (): Promise<Worker> => {
    const thread = await (worker ??= start());
    if (failure) throw failure.error;
    return thread;
  };

  const takeRoom = (): ArrayBuffer | Promise<ArrayBuffer> => {
    const room = free.pop();
    if (room) return room;
    if (rooms < mostRooms) {
      rooms += 1;
      return new ArrayBuffer(roomSize);
    }
    const next = Promise.withResolvers<ArrayBuffer>();
    waiting.push(next);
    return next.promise;
  };

  const openOne = (): Hasher => {
    let name = (names += 1);
    return {
      async update(bytes) {
        for (let from = 0; from < bytes.length; from += roomSize) {
          const thread = await running();
          const room = await takeRoom();
          const piece = bytes.subarray(from, from + roomSize);
          new Uint8Array(room).set(piece);
          thread.postMessage([name, room, piece.length], [room]);
        }
      },
      restart() {
        // The old hash stays in the thread until it ends; it takes a few hundred bytes.
        name = names += 1;
      },
      async digest() {
        const thread = await running();
        const answer = Promise.withResolvers<string>();
        digests.set(name, answer);
        thread.postMessage([name]);
        return answer.promise.finally(() => digests.delete(name));
      },
    };
  };

  return {
    open: openOne,
    async [Symbol.asyncDispose]() {
      const thread = await worker?.catch(() => undefined);
      await thread?.terminate();
    },
  };
}
