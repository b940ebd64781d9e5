import type { OpenOptions, Sluice } from './sluice.ts';

/**
 * Opens a workspace. The engine starts with the first question. Errors: `ConfigError` (`invalid-config`,
 * `config-not-found`, `model-not-found`, `backend-not-available`), `InvalidInputError` for a model that cannot be read.
 */
export async function open(options: OpenOptions = {}): Promise<Sluice> {
  const { openSluice } = await import('./open-sluice.ts');
  return openSluice(options);
}
