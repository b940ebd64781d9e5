// Must not import types of Node, because programs without them import this file.

/** Options for receiving the platform's webhooks. */
export interface HookListenerOptions {
  /** Port to listen on. Defaults to 0, a free port. */
  readonly port?: number | undefined;
  /** Address to listen on. Defaults to `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Secret token of the webhook, at least 8 characters (`X-Gitlab-Token`, `X-Service-Token`). */
  readonly token?: string | undefined;
  /** Signing secret of the webhook: `whsec_` and base64. It or `token` is required. */
  readonly signingSecret?: string | undefined;
  /** Maximum difference between the time of a signature and the current time in seconds. Defaults to 300. */
  readonly tolerance?: number | undefined;
  /** Maximum size of a delivery's body in bytes; larger ones get a 413. Defaults to 10 MiB. */
  readonly bodyLimit?: number | undefined;
  /** Called after each acknowledged delivery. */
  readonly onDelivery?: ((received: ReceivedHook) => void) | undefined;
}

/** An acknowledged delivery. Contains neither its body nor a secret. */
export interface ReceivedHook {
  /** The `webhook-id` or `Idempotency-Key`. */
  readonly id: string;
  /** The event header, such as `Push Hook`; null if there is none. */
  readonly event: string | null;
  /** True if the delivery was stored before. It is not stored again. */
  readonly isRepeated: boolean;
}
