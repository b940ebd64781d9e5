/** The contents of a file, piece by piece. */
export type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Bytes that come in pieces, taken in lengths of the reader's choice. Disposing of it ends the pieces. */
export interface ByteSource extends AsyncDisposable {
  /** Up to so many bytes, which stay; fewer only at the end. */
  peek(length: number): Promise<Buffer>;
  /** Up to so many bytes; fewer only at the end. */
  take(length: number): Promise<Buffer>;
  /** The bytes that are at hand, or the next piece; undefined at the end. */
  next(): Promise<Buffer | undefined>;
  /** Gives back bytes that were taken last. */
  putBack(bytes: Buffer): void;
}

export function openByteSource(pieces: AsyncGenerator<Buffer>): ByteSource {
  let held: Buffer = Buffer.alloc(0);
  const peek = async (length: number) => {
    if (held.length < length) {
      const parts = [held];
      let total = held.length;
      while (total < length) {
        const { done, value } = await pieces.next();
        if (done) break;
        parts.push(value);
        total += value.length;
      }
      held = Buffer.concat(parts);
    }
    return held.subarray(0, length);
  };
  return {
    peek,
    async take(length) {
      const bytes = await peek(length);
      held = held.subarray(length);
      return bytes;
    },
    async next() {
      const bytes = held.length > 0 ? held : ((await pieces.next()).value as Buffer | undefined);
      held = Buffer.alloc(0);
      return bytes;
    },
    putBack(bytes) {
      held = held.length > 0 ? Buffer.concat([bytes, held]) : bytes;
    },
    async [Symbol.asyncDispose]() {
      await pieces.return(undefined);
    },
  };
}
