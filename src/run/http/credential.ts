import { ConfigError } from '../../ask/sluice-error.ts';

/** How a request proves who sends it. The token goes into a header, to the origin that it is for, and nowhere else. */
export interface Credential {
  /** `PRIVATE-TOKEN: t`, `Authorization: Bearer t`, or `Authorization: t` as Cube reads it. */
  readonly kind: 'private-token' | 'bearer' | 'raw';
  /** Asked before every try, so that a token may be renewed. */
  token(): string | Promise<string>;
}

export interface CredentialHeader {
  readonly name: string;
  readonly value: string;
  /** What must never be shown. */
  readonly token: string;
}

/** Error: `bad-token`, where what was given cannot be one; it is not shown. */
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
