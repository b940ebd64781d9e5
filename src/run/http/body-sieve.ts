/** Takes what is large out of a body while it arrives, so that the whole is never kept. */
export interface BodySieve {
  /** A body begins. Drop what an earlier body gave: the request was sent again. */
  begin(): Promise<void>;
  /** The next piece, decoded. It is not kept. */
  take(piece: Uint8Array): Promise<void> | void;
  /** The body is complete. The sieved text replaces it from here on. */
  end(): Promise<Uint8Array>;
}
