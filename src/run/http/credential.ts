import { ConfigError } from '../../ask/sluice-error.ts';

/** The credential of a request. The token is sent only in a header, and only to its own origin. */
export interface Credential {
  /** `PRIVATE-TOKEN: t`, `Authorization: Bearer t`, or `Authorization: t` for Cube. */
  readonly kind: 'private-token' | 'bearer' | 'raw';
  /** Called before every try, so that a token can be renewed. */
  token(): string | Promise<string>;
}

interface CredentialHeader {
  readonly name: string;
  readonly value: string;
  /** The secret, which must never be shown. */
  readonly token: string;
}

/** Throws `bad-token` if the value cannot be a token, without showing it. */
export async function readCredential({ kind, token: read }: Credential): Promise<CredentialHeader> {
  const token = (await read()).trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigError(
      token === ''
        ? 'The access token is empty.'
        : 'The access token has invalid characters, such as a space or a line break.',
      {
        code: 'bad-token',
        hint: 'Run `sluice doctor` to see its source.',
      },
    );
  }
  if (kind === 'private-token') return { name: 'private-token', value: token, token };
  return { name: 'authorization', value: kind === 'bearer' ? `Bearer ${token}` : token, token };
}
