import { userMembersOf } from '../model/user-dimensions.ts';
import type { Plan } from '../plan.ts';

/** True if a plan on a computed cube lists the users behind its rows: one row per user. */
export function listsUsers({ root, dimensions }: Plan): boolean {
  const [who] = userMembersOf(root);
  return dimensions.some(({ dimension }) => dimension.name === who && !dimension.public);
}
