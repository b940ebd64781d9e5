// Without types of Node: programs that have none of them import these.

/** How to receive the platform's webhooks. */
export interface HookListenerOptions {
  /** 0, or left out: a free port. */
  readonly port?: number | undefined;
  /** The address to listen on; `127.0.0.1` by default. */
  readonly host?: string | undefined;
  /** The secret token of the webhook, at least 8 characters (`X-Gitlab-Token`, `X-Service-Token`). */
  readonly token?: string | undefined;
  /** The signing secret of the webhook: `whsec_` and base64. It or `token` is required. */
  readonly signingSecret?: string | undefined;
  /** Seconds that the time of a signature may differ from the current time; 300 by default. */
  readonly tolerance?: number | undefined;
  /** Bytes of the body of a delivery; larger ones get a 413. 10 MiB by default. */
  readonly bodyLimit?: number | undefined;
  /** Told of each delivery that was acknowledged. */
  readonly onDelivery?: ((received: ReceivedHook) => void) | undefined;
}

/** A delivery that was kept, or was there before. Neither its body nor a secret is among what is told of it. */
export interface ReceivedHook {
  /** The `webhook-id` or the `Idempotency-Key`. */
  readonly id: string;
  /** The event header, such as `Push Hook`; null if there is none. */
  readonly event: string | null;
  /** It was kept before, and is not kept again. */
  readonly isRepeated: boolean;
}
