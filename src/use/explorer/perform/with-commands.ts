import { withParts } from '../../../ask/cloneable.ts';
import type { Result } from '../../../shape/result/result.ts';

/**
 * A result whose notes name the commands of the explorer in place of flags. Only for the screen: files keep the flags.
 */
export function withCommands(result: Result): Result {
  const { provenance } = result;
  const toCommands = (text: string) => text.replaceAll('--as-of', ':as-of');
  const { endsEarly, notes } = provenance;
  return withParts(result, {
    provenance: {
      ...provenance,
      ...(endsEarly === undefined ? {} : { endsEarly: toCommands(endsEarly) }),
      notes: notes.map(toCommands),
    },
  });
}
