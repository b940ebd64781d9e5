import { createHmac } from 'node:crypto';
import type { Credential } from '../http/credential.ts';

/** How a Cube deployment is told who asks. */
export type CubeAccess =
  /** A token that somebody made, sent as it is. It may begin with `Bearer `. */
  | { readonly kind: 'token'; readonly read: () => string | Promise<string> }
  /** The deployment's API secret, by which tokens are made as they are needed. It is never sent. */
  | {
      readonly kind: 'secret';
      readonly read: () => string | Promise<string>;
      readonly claims?: TokenClaims | undefined;
    };

/** The credential for the client. `now` is the clock's, epoch milliseconds. */
export function toCubeCredential(access: CubeAccess, now: () => number): Credential {
  if (access.kind === 'token') return { kind: 'raw', token: async () => (await access.read()).trim() };
  let token: { readonly text: string; readonly until: number } | undefined;
  return {
    kind: 'raw',
    async token() {
      const at = now();
      if (!token || at >= token.until)
        token = { text: signToken((await access.read()).trim(), access.claims ?? {}, at), until: at + renewAfter };
      return token.text;
    },
  };
}

/** Well before it runs out. */
const renewAfter = 30 * 60_000;

/** What a token says beside its times: whatever the deployment's `checkAuth` and security context want. */
type TokenClaims = Readonly<Record<string, unknown>>;

/** Long enough for a question, short enough to be worth little to who finds it. */
const lifetimeSeconds = 3600;

/**
 * A JSON Web Token, HS256, as Cube checks it with its API secret. `now` is epoch milliseconds. A minute of its life
 * lies in the past, since clocks differ.
 */
export function signToken(secret: string, claims: TokenClaims, now: number): string {
  const issued = Math.floor(now / 1000) - 60;
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ ...claims, iat: issued, exp: issued + 60 + lifetimeSeconds })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
