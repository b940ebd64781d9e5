/** Extracts large parts of a body while it arrives, so that the whole is never kept. */
export interface BodySieve {
  /** Called when a body begins. Discard data from an earlier body, because the request was sent again. */
  begin(): Promise<void>;
  /** Takes the next decoded piece. The sieve does not keep it. */
  take(piece: Uint8Array): Promise<void> | void;
  /** Called when the body is complete. The returned text replaces the body. */
  end(): Promise<Uint8Array>;
}
