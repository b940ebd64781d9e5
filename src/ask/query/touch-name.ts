import { errorIssue, type Issue } from '../outcome.ts';
import { quote } from '../text.ts';

/**
 * Names of attributed dimensions: `Cube.firstTouch.utmSource` is the value of `Cube.utmSource` in the same user's first
 * row that has one. `Cube.lastTouch.utmSource` is the value in the user's last such row up to the current one.
 */
const touches = ['firstTouch', 'lastTouch'] as const;

export type Touch = (typeof touches)[number];

/** The part of a name between the cube and the dimension: `firstTouch.`. */
export const touchSource = String.raw`(?:${touches.join('|')})\.`;

const fullPattern = new RegExp(String.raw`^(\w+)\.(${touches.join('|')})\.(.+)$`, 'su');

/** Splits the full name of an attributed dimension; `of` is the full name of the dimension itself. */
export function readTouchName(
  full: string,
): { readonly cube: string; readonly touch: Touch; readonly of: string } | undefined {
  const [, cube, touch, member] = fullPattern.exec(full) ?? [];
  if (cube === undefined || touch === undefined || member === undefined) return undefined;
  return { cube, touch: touch as Touch, of: `${cube}.${member}` };
}

/** The full name of a dimension with this attribution. */
export function writeTouchName(touch: Touch, dimension: string): string {
  const dot = dimension.indexOf('.');
  return `${dimension.slice(0, dot)}.${touch}${dimension.slice(dot)}`;
}

/**
 * Parses an attributed dimension as people write it: `firstTouch.utmSource`, `Sessions.last_touch.referer`,
 * `first touch campaign source`. `of` is the dimension as written. undefined for other names.
 */
export function readWrittenTouch(text: string): { readonly touch: Touch; readonly of: string } | undefined {
  const [, cube = '', which, of] = /^(\w+\.)?(first|last)[ _-]?touch(?:\.| +)(.+)$/isu.exec(text) ?? [];
  if (which === undefined || of === undefined) return undefined;
  return { touch: which.toLowerCase() === 'first' ? 'firstTouch' : 'lastTouch', of: `${cube}${of}` };
}

/** Says that a dimension has no attribution. */
export function noTouch(dimension: string): Issue {
  return errorIssue('no-touch', `${quote(dimension)} has no first or last touch.`, {
    hint: 'Use a dimension of TrackedEvents or Sessions, except times and cohorts.',
  });
}

/** How many of the words form an attribution before a dimension: 2 for `first touch`, 1 for `first-touch`. */
export function touchWords([first = '', second = '']: readonly string[]): number {
  if (/^(?:first|last)[_-]?touch$/i.test(first)) return 1;
  return /^(?:first|last)$/i.test(first) && /^touch$/i.test(second) ? 2 : 0;
}
