import { createHmac } from 'node:crypto';
import type { Credential } from '../http/credential.ts';

/** How to authenticate with a Cube deployment. */
type CubeAccess =
  /** An existing token, sent unchanged. It may begin with `Bearer `. */
  | { readonly kind: 'token'; readonly read: () => string | Promise<string> }
  /** The deployment's API secret, which signs tokens on demand. It is never sent. */
  | { readonly kind: 'secret'; readonly read: () => string | Promise<string> };

/** The credential for the client. `now` returns epoch milliseconds. */
export function toCubeCredential(access: CubeAccess, now: () => number): Credential {
  if (access.kind === 'token') return { kind: 'raw', token: async () => (await access.read()).trim() };
  let token: { readonly text: string; readonly until: number } | undefined;
  return {
    kind: 'raw',
    async token() {
      const at = now();
      if (!token || at >= token.until)
        token = { text: signToken((await access.read()).trim(), at), until: at + renewAfter };
      return token.text;
    },
  };
}

/** Renew the token well before it expires. */
const renewAfter = 30 * 60_000;

/** Long enough for a question, and short enough to limit the use of a leaked token. */
const lifetimeSeconds = 3600;

/**
 * A JSON Web Token, HS256, which Cube verifies with its API secret. `now` is in epoch milliseconds. Issued one minute
 * in the past, because clocks differ.
 */
export function signToken(secret: string, now: number): string {
  const issued = Math.floor(now / 1000) - 60;
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iat: issued, exp: issued + 60 + lifetimeSeconds })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
