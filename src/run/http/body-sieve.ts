/** Takes what is large out of a body while it arrives, so that the whole is never kept. */
export interface BodySieve {
  /** A body begins. What came of another one before is void: the request is sent anew. */
  begin(): Promise<void>;
  /** The next piece, decoded. It is not kept. */
  take(piece: Uint8Array): Promise<void> | void;
  /** The body is whole. What is left of it stands for it from here on. */
  end(): Promise<Uint8Array>;
}
