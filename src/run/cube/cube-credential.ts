import type { Credential } from '../http/credential.ts';
import { signToken, type TokenClaims } from './sign-token.ts';

/** How a Cube deployment is told who asks. */
export type CubeAccess =
  /** A token that somebody made, sent as it is. It may begin with `Bearer `. */
  | { readonly kind: 'token'; readonly read: () => string | Promise<string> }
  /** The deployment's API secret, by which tokens are made as they are needed. It is never sent. */
  | { readonly kind: 'secret'; readonly read: () => string | Promise<string>; readonly claims?: TokenClaims | undefined };

/** The credential for the client. `now` is the clock's, epoch milliseconds. */
export function toCubeCredential(access: CubeAccess, now: () => number): Credential {
  if (access.kind === 'token') return { kind: 'raw', token: async () => (await access.read()).trim() };
  let token: { readonly text: string; readonly until: number } | undefined;
  return {
    kind: 'raw',
    async token() {
      const at = now();
      if (!token || at >= token.until) token = { text: signToken((await access.read()).trim(), access.claims ?? {}, at), until: at + renewAfter };
      return token.text;
    },
  };
}

/** Well before it runs out. */
const renewAfter = 30 * 60_000;
