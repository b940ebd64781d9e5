import { createHmac } from 'node:crypto';

/** What a token says beside its times: whatever the deployment's `checkAuth` and security context want. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** Long enough for a question, short enough to be worth little to who finds it. */
const lifetimeSeconds = 3600;

/**
 * A JSON Web Token, HS256, as Cube checks it with its API secret. `now` is epoch milliseconds. A minute of its life lies in
 * the past, since clocks differ.
 */
export function signToken(secret: string, claims: TokenClaims, now: number): string {
  const issued = Math.floor(now / 1000) - 60;
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ ...claims, iat: issued, exp: issued + 60 + lifetimeSeconds })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
