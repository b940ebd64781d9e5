/** What a request is answered with. */
export interface Reply {
  readonly status: number;
  /** JSON where not set. */
  readonly contentType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Text as a whole, or piece by piece as the client takes it; the bytes of a piece may be others once the next is asked for. */
  readonly body: string | AsyncIterable<string | Uint8Array>;
}

export function jsonReply(body: unknown, status = 200, headers?: Readonly<Record<string, string>>): Reply {
  return { status, headers, body: JSON.stringify(body) };
}
