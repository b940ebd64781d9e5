import path from 'node:path';
import { ConfigError } from '../../../ask/sluice-error.ts';
import { listen, listenerLimits } from '../listen.ts';
import type { RunningServer, ServedRequest } from '../running-server.ts';
import { openRequestQueue } from '../request-queue.ts';
import { checkServeToken } from '../serve-options.ts';
import { toDeliveryCheck } from './check-delivery.ts';
import { openDeliveries } from './deliveries.ts';
import type { HookListenerOptions } from './hook-options.ts';
import { hookPath, receiveHook } from './receive-hook.ts';

export interface HookSurroundings {
  /** Folder of the deliveries. */
  readonly folder: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onRequest?: ((request: ServedRequest) => void) | undefined;
  readonly onFault: (error: unknown) => void;
}

/** The folder of a workspace's deliveries. */
export function hookFolder(root: string): string {
  return path.join(root, '.sluice', 'hooks');
}

/** Number of bodies in memory at once. */
const concurrency = 32;
/** Maximum number of waiting deliveries. Further ones get a 429. */
const queue = 4_096;
const defaultTolerance = 300;
const mostTolerance = 86_400;
const defaultBodyLimit = 10 * 2 ** 20;
/** Bounded, because a body is held in memory as text and later read as one line. */
const mostBodyLimit = 100 * 2 ** 20;

/**
 * Receives webhooks at `/hooks` on a separate port. Throws `hook-secret-needed`, `hook-secret-invalid`, `not-a-token`,
 * `not-a-listener`, `listener-taken`, `port-in-use`, `address-not-usable`, and as `openDeliveries`.
 */
export async function openHooks(options: HookListenerOptions, surroundings: HookSurroundings): Promise<RunningServer> {
  const { port = 0, host = '127.0.0.1', tolerance = defaultTolerance, bodyLimit = defaultBodyLimit } = options;
  const { now, onFault } = surroundings;
  const token = checkServeToken(options.token, 'The secret token of webhooks');
  const check = toDeliveryCheck({ token, signingSecret: options.signingSecret }, tolerance * 1_000);
  if (port > 65_535)
    throw new ConfigError(`${port} is not a port.`, { code: 'no-such-port', hint: 'Use a port up to 65535.' });
  if (tolerance > mostTolerance || bodyLimit < 1 || bodyLimit > mostBodyLimit)
    throw new ConfigError(
      tolerance > mostTolerance
        ? '`--hooks-tolerance` must be at most one day.'
        : '`--hooks-body-limit` must be from 1 byte to 100 MB.',
      { code: 'not-a-listener', hint: 'Use a value within the limits.' },
    );
  const deliveries = await openDeliveries(surroundings.folder, onFault);
  const gate = openRequestQueue({ concurrency, queue });
  const parts = { deliveries, check, gate, mostBodyBytes: bodyLimit, now, onDelivery: options.onDelivery, onFault };
  try {
    const server = await listen({
      host,
      port,
      // Each delivery of a burst may use its own connection, and none is closed for another.
      limits: { ...listenerLimits, connections: queue },
      handle: (request, signal, isStopping) => receiveHook(parts, request, signal, isStopping),
      onRequest: surroundings.onRequest,
      onFault,
      hints: {
        inUse: 'Specify another port with --hooks, or use --hooks 0 for any free port.',
        notUsable: 'Use `--hooks 127.0.0.1:0`, which always works.',
      },
    });
    return {
      url: `${server.url}${hookPath}`,
      async drain() {
        await server.drain();
        await deliveries[Symbol.asyncDispose]();
      },
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        await deliveries[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await deliveries[Symbol.asyncDispose]();
    throw error;
  }
}
