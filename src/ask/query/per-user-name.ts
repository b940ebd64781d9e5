import { errorIssue, type Issue } from '../outcome.ts';
import { quote } from '../text.ts';

/**
 * Names of dimensions that hold a figure of each user: `Cube.perUser.count` is how many rows of `Cube` the row's user
 * has among those of the same group.
 */
export const perUserSource = String.raw`perUser\.`;

/** Splits the full name of such a dimension; `of` is the full name of the measure. undefined for other names. */
export function readPerUserName(full: string): { readonly cube: string; readonly of: string } | undefined {
  const [, cube, member] = /^(\w+)\.perUser\.(.+)$/su.exec(full) ?? [];
  return cube === undefined || member === undefined ? undefined : { cube, of: `${cube}.${member}` };
}

/** The full name of the dimension with each user's figure of this measure. */
export function writePerUserName(measure: string): string {
  return measure.replace('.', '.perUser.');
}

/**
 * Parses such a dimension as people write it: `count per user`, `perUser.count`, `Sessions.perUser.count`. Returns the
 * measure as written; undefined for other names.
 */
export function readWrittenPerUser(text: string): string | undefined {
  // A cheap test first: most names have no such words.
  if (!/per ?user/i.test(text)) return undefined;
  const [, before, cube = '', after] = /^(?:(.+) per users?|(\w+\.)?perUser\.(.+))$/is.exec(text) ?? [];
  return before ?? (after === undefined ? undefined : `${cube}${after}`);
}

/** Says that a measure cannot be computed for each user. */
export function notPerUser(measure: string): Issue {
  return errorIssue('not-per-user', `${quote(measure)} cannot be computed for each user.`, {
    hint: 'Use a measure of events or sessions, such as `count per user`.',
  });
}
