import { type JoinFaults, type JoinCheck, type CheckStatement, toJoinFaults } from '../../plan/sql/join-check.ts';

export const noJoinFaults: JoinFaults = { repeated: [], uncounted: [], notes: [] };

export function joinFaults(found: readonly JoinFaults[]): JoinFaults {
  return {
    repeated: found.flatMap(({ repeated }) => repeated),
    uncounted: found.flatMap(({ uncounted }) => uncounted),
    notes: found.flatMap(({ notes }) => notes),
  };
}

/** `isAlike`: whether the join compares values of the same types. */
export async function countFaults(
  check: JoinCheck,
  rowsOf: (statement: CheckStatement) => Promise<readonly (readonly unknown[])[]>,
  { mixed = [], isAlike = true }: { readonly mixed?: readonly MixedKey[]; readonly isAlike?: boolean } = {},
): Promise<JoinFaults> {
  if (check.repeats && isAlike && !check.leavesOut && (await rowsOf(check.repeats)).length === 0)
    return toJoinFaults(check, [], mixed);
  const [row] = await rowsOf(check.statement);
  return toJoinFaults(check, row, mixed);
}

/** A text that equals a number which is written otherwise. */
export interface MixedKey {
  readonly text: string;
  readonly number: string;
}
