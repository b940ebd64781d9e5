import { ConfigError } from '../ask/sluice-error.ts';
import type { OpenOptions } from './library/options.ts';
import type { Sluice } from './sluice.ts';
import { isAtLeast, neededNode } from './workspace/version.ts';

/**
 * Opens a workspace. The engine starts with the first question. If nothing names events, the sample events of the
 * workspace are asked. Throws `ConfigError` (`node-too-old`, `invalid-config`, `config-not-found`, `model-not-found`,
 * `platform-not-configured`, `cube-not-configured`), `InvalidInputError` for options and models that cannot be used, and
 * `BackendError` if a server does not tell what can be asked (`token-missing`, `unreachable`, …).
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
