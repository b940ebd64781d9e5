/** The contents of a file in pieces. */
export type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Bytes that arrive in pieces and are read in any lengths. Disposing of it ends the source. */
export interface ByteSource extends AsyncDisposable {
  /** Returns up to `length` bytes without consuming them; fewer only at the end. */
  peek(length: number): Promise<Buffer>;
  /** Consumes up to `length` bytes; fewer only at the end. */
  take(length: number): Promise<Buffer>;
  /** Consumes the buffered bytes, or else the next piece; undefined at the end. */
  next(): Promise<Buffer | undefined>;
  /** Puts back the bytes taken last. */
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
