import { invariant } from '../../ask/invariant.ts';
import type { BoundComputation } from '../plan.ts';

/** The definition of an analysis with its members, for engines that compute it themselves. */
export function computedHere<Definition, Bound extends object>(
  computed: BoundComputation<Definition, Bound> | undefined,
): { readonly definition: Definition; readonly bound: Bound } {
  invariant(computed?.bound, 'the plan asks an analysis that is computed here');
  const { definition, bound } = computed;
  return { definition, bound };
}
