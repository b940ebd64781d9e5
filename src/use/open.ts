import { ConfigError } from '../ask/sluice-error.ts';
import type { OpenOptions } from './library/options.ts';
import type { Sluice } from './sluice.ts';
import { isAtLeast, neededNode } from './workspace/version.ts';

/**
 * Opens a workspace. The engine starts with the first query. If no events are configured, queries use the sample events
 * of the workspace. Throws `ConfigError` (`node-too-old`, `invalid-config`, `config-not-found`, `model-not-found`,
 * `platform-not-configured`, `cube-not-configured`), `InvalidInputError` if options or models are not valid, and
 * `BackendError` if a server does not return its model (`token-missing`, `unreachable`, …).
 *
 * ```ts
 * const sluice = await open({ workspace: 'analytics' });
 * const result = await sluice.query('pageViewsCount by day last 7 days');
 * console.log(result.rows());
 * await sluice.close();
 * ```
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
