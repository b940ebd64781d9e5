import { withParts } from '../../../ask/cloneable.ts';
import type { Result } from '../../../shape/result/result.ts';
import { withKeys } from '../state/with-keys.ts';

/**
 * A result whose notes name the commands of the explorer in place of flags. Only for the screen: files keep the flags.
 */
export function withCommands(result: Result): Result {
  const { provenance } = result;
  const { endsEarly, notes } = provenance;
  return withParts(result, {
    provenance: {
      ...provenance,
      ...(endsEarly === undefined ? {} : { endsEarly: withKeys(endsEarly) }),
      notes: notes.map(withKeys),
    },
  });
}
