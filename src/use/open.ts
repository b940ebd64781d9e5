import { ConfigError } from '../ask/sluice-error.ts';
import type { OpenOptions, Sluice } from './sluice.ts';
import { isAtLeast, neededNode } from './workspace/version.ts';

/**
 * Opens a workspace. The engine starts with the first question. Errors: `ConfigError` (`node-too-old`,
 * `invalid-config`,
 * `config-not-found`, `model-not-found`, `backend-not-available`), `InvalidInputError` for a model that cannot be read.
 */
export async function open(options: OpenOptions = {}): Promise<Sluice> {
  const found = process.versions.node;
  if (!isAtLeast(found, neededNode)) {
    throw new ConfigError(`sluice needs Node ${neededNode} or newer, and this is Node ${found}.`, {
      code: 'node-too-old',
      hint: 'Run the program on a newer Node.',
    });
  }
  const { openSluice } = await import('./open-sluice.ts');
  return openSluice(options);
}
