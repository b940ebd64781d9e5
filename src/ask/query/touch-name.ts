/**
 * Names of attributed dimensions: `Cube.firstTouch.utmSource` is the value of `Cube.utmSource` at the first row of the
 * same user that has one, `Cube.lastTouch.utmSource` at the last row up to the one that is counted.
 */
export const touches = ['firstTouch', 'lastTouch'] as const;

export type Touch = (typeof touches)[number];

/** What stands between the cube and the dimension: `firstTouch.`. */
export const touchSource = String.raw`(?:${touches.join('|')})\.`;

const fullPattern = new RegExp(String.raw`^(\w+)\.(${touches.join('|')})\.(.+)$`, 'su');

/** An attributed dimension by its full name, taken apart; `of`: the full name of the dimension itself. */
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
 * An attributed dimension as people write it: `firstTouch.utmSource`, `Sessions.last_touch.referer`, `first touch
 * campaign source`. `of`: the dimension, as it is written. undefined for other names.
 */
export function readWrittenTouch(text: string): { readonly touch: Touch; readonly of: string } | undefined {
  const [, cube = '', which, of] = /^(\w+\.)?(first|last)[ _-]?touch(?:\.| +)(.+)$/isu.exec(text) ?? [];
  if (which === undefined || of === undefined) return undefined;
  return { touch: which.toLowerCase() === 'first' ? 'firstTouch' : 'lastTouch', of: `${cube}${of}` };
}

/**
 * How many of the words say the attribution of the dimension that follows: 2 for `first touch`, 1 for `first-touch`.
 */
export function touchWords([first = '', second = '']: readonly string[]): number {
  if (/^(?:first|last)[_-]?touch$/i.test(first)) return 1;
  return /^(?:first|last)$/i.test(first) && /^touch$/i.test(second) ? 2 : 0;
}
