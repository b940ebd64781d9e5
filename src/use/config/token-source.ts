import type { Environment } from './read-environment.ts';
import type { Setting } from './setting.ts';

/** Where an access token is to be had. Read when it is needed, and never shown. */
export type TokenSource =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'command'; readonly command: string };

/** The tokens that the environment holds: the first variable that is set. */
export function findToken(env: Environment, names: readonly string[]): Setting<TokenSource> | undefined {
  const name = names.find((candidate) => (env[candidate] ?? '') !== '');
  return name === undefined ? undefined : { value: { kind: 'variable', name }, origin: name };
}
