import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ConfigError } from '../../../ask/sluice-error.ts';
import { toComparison } from '../check-token.ts';
import { Refusal } from '../refusal.ts';

/** The secrets of senders; at least one is set. */
export interface HookSecrets {
  /** Secret token of the webhook, at least 8 characters: `X-Gitlab-Token` or `X-Service-Token`. */
  readonly token?: string | undefined;
  /** Signing secret of the webhook (Standard Webhooks): `whsec_` and base64. */
  readonly signingSecret?: string | undefined;
}

/**
 * Authenticates deliveries. At least one proof is required, and each proof that is sent must be correct; otherwise
 * throws a `Refusal` of 401. Checks that need no body run before it is read. `now` is in epoch milliseconds.
 */
export interface DeliveryCheck {
  readonly checkHead: (headers: IncomingHttpHeaders, now: number) => void;
  readonly checkBody: (headers: IncomingHttpHeaders, body: Buffer) => void;
}

/**
 * `toleranceMs` is the maximum difference between the time of a signature and now. Wrong tokens are not counted by
 * address: behind a proxy all deliveries have one address, and an attacker could block valid ones. Throws
 * `hook-secret-needed`, `hook-secret-invalid`.
 */
export function toDeliveryCheck({ token, signingSecret }: HookSecrets, toleranceMs: number): DeliveryCheck {
  if (token === undefined && signingSecret === undefined)
    throw new ConfigError('Receiving webhooks requires the secret token or the signing secret of the webhook.', {
      code: 'hook-secret-needed',
      hint: 'Specify it with --hooks-token-file or --hooks-secret-file. `sluice serve --help` lists other ways.',
    });
  const isToken = token === undefined ? undefined : toComparison(token);
  const key = signingSecret === undefined ? undefined : readSigningSecret(signingSecret);

  const signatureOf = (headers: IncomingHttpHeaders) => (key ? single(headers, 'webhook-signature') : undefined);

  return {
    checkHead(headers, now) {
      const given = isToken && (single(headers, 'x-gitlab-token') ?? single(headers, 'x-service-token'));
      const signature = signatureOf(headers);
      if (given === undefined && signature === undefined)
        throw new Refusal(401, key ? '401 Unauthorized: no token or signature.' : '401 Unauthorized: no token.');
      if (given !== undefined && isToken?.(given) === false) throw new Refusal(401, '401 Unauthorized: wrong token.');
      if (signature === undefined) return;
      const seconds = single(headers, 'webhook-timestamp') ?? '';
      if (single(headers, 'webhook-id') === undefined || !/^\d{1,12}$/.test(seconds))
        throw new Refusal(401, '401 Unauthorized: a signature requires webhook-id and webhook-timestamp.');
      if (Math.abs(now - Number(seconds) * 1_000) > toleranceMs)
        throw new Refusal(401, '401 Unauthorized: webhook-timestamp is too far from the current time.');
    },
    checkBody(headers, body) {
      const signature = signatureOf(headers);
      if (!key || signature === undefined) return;
      const signed = createHmac('sha256', key)
        .update(`${single(headers, 'webhook-id')}.${single(headers, 'webhook-timestamp')}.`)
        .update(body)
        .digest('base64');
      const isSigned = toComparison(`v1,${signed}`);
      // While a secret is rotated, the sender signs with both secrets.
      if (!signature.split(' ').some(isSigned)) throw new Refusal(401, '401 Unauthorized: wrong signature.');
    },
  };
}

/** Returns undefined if the header is missing or empty. Node joins repeated headers, which then match nothing. */
export function single(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readSigningSecret(text: string): Buffer {
  const base64 = text.replace(/^whsec_/, '');
  const key = Buffer.from(base64, 'base64');
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
  if (isBase64 && key.length >= 16) return key;
  throw new ConfigError('The signing secret of webhooks is not valid.', {
    code: 'hook-secret-invalid',
    hint: 'Use the secret as the platform shows it: `whsec_` and at least 16 bytes in base64.',
  });
}
