import { usageError } from '../../../ask/sluice-error.ts';
import type { Effects } from '../../process/effects.ts';

const claims = new WeakMap<Effects, string>();

/** Stdin can be read once: throws a usage error if the command named it, `-`, for something else before. */
export function claimStdin(effects: Effects, use: 'the query' | 'the data'): void {
  const claimed = claims.get(effects) ?? use;
  if (claimed !== use)
    throw usageError('Stdin (-) is named for the query and for the data.', 'Write one of them to a file, and name it.');
  claims.set(effects, use);
}
