import { userMembers } from '../model/user-dimensions.ts';
import type { Plan } from '../plan.ts';

/** Whether a plan on a computed cube asks who stands behind its rows: these are then a row for each user. */
export function listsUsers({ dimensions }: Plan): boolean {
  return dimensions.some(({ dimension }) => dimension.name === userMembers.user && !dimension.public);
}
