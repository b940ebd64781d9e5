/** The contents of a file, piece by piece. */
export type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
