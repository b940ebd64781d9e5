import { later, propertyMemberSource, readPropertyMember } from './property-name.ts';
import { readTouchName, touchSource } from './touch-name.ts';

/** What stands before the name of a cohort in the name of a dimension: `TrackedEvents.cohorts.power_users`. */
export const cohortMembers = 'cohorts';

/**
 * `Cube.member`, the rule of the load contract, event properties (`Cube.props.plan`, `Cube.sum(props.amount)`), cohorts
 * (`Cube.cohorts.power_users`), and attributed dimensions (`Cube.firstTouch.utmSource`).
 */
export const memberPattern = later(
  `^[a-zA-Z0-9_]+\\.(?:(?:${touchSource})?(?:[a-zA-Z0-9_]+|${propertyMemberSource})|${cohortMembers}\\.[a-zA-Z0-9_]+)$`,
);

/** `Cube.member`, `Cube.time.day`, a property, or one of these with an attribution. */
export const groupPattern = later(
  `^[a-zA-Z0-9_]+\\.(?:[a-zA-Z0-9_]+(?:\\.[a-zA-Z0-9_]+)?|(?:${touchSource})?${propertyMemberSource})$`,
);

/**
 * What rows can be ordered by, and names as people write them: `member`, `Cube.member`, `Cube.time.day`, `props.plan`.
 */
export const writtenNamePattern = later(
  `^(?:[a-zA-Z0-9_]+(?:\\.[a-zA-Z0-9_]+){0,2}|(?:[a-zA-Z0-9_]+\\.)?cohorts?\\.[a-zA-Z0-9_-]+|(?:[a-zA-Z0-9_]+\\.)?(?:${touchSource})?${propertyMemberSource})$`,
);

/** Whether a name stands without its cube: `count`, `props.plan`, `cohorts.power_users`. */
export function isShortName(name: string): boolean {
  return /^[a-zA-Z0-9_]+$/.test(name) || readPropertyMember(name) !== undefined || /^cohorts?\.[\w-]+$/.test(name);
}

/** What stands behind the first dot. */
export function shortNameOf(member: string): string {
  return member.slice(member.indexOf('.') + 1);
}

/**
 * A dimension of cohorts as people write it: `cohort`, `cohorts.power-users`, `Sessions.cohort.power_users`. `member`:
 * its short name. undefined for every other name.
 */
export function readCohortMember(
  written: string,
): { readonly cube: string | undefined; readonly member: string } | undefined {
  const [whole, cube, name] = /^(?:([a-zA-Z0-9_]+)\.)?cohorts?(?:\.([\w-]+))?$/.exec(written) ?? [];
  if (whole === undefined) return undefined;
  return {
    cube,
    member: name === undefined ? cohortMembers : `${cohortMembers}.${name.replaceAll('-', '_').toLowerCase()}`,
  };
}

/** What to do if a cohort is named and the workspace has none. */
export const noCohortHint =
  'Save a cohort in the folder `queries` first. For the file format, run: sluice schema cohort';

/** Whether a full name is one of a dimension of cohorts. */
export function isCohortName(name: string): boolean {
  return name.split('.')[1] === cohortMembers;
}

/** What stands before the first dot. */
export function cubeOf(member: string): string {
  return member.split('.', 1)[0] ?? '';
}

/** `Cube.time.day` taken apart, whether or not there is such a granularity; undefined for every other name. */
export function splitGranularity(name: string): { readonly member: string; readonly granularity: string } | undefined {
  const [cube, member, granularity, ...more] = name.split('.');
  if (cube === undefined || member === undefined || granularity === undefined || more.length > 0) return undefined;
  // A property, a cohort or an attributed dimension may be called `day`.
  if (member === 'props' || member === cohortMembers || readTouchName(name)) return undefined;
  return { member: `${cube}.${member}`, granularity };
}

/** Where names without a cube are looked up: `pageViewsCount` means `TrackedEvents.pageViewsCount`. */
export const defaultCube = 'TrackedEvents';

/**
 * The time dimension that a date range filters where a query names none, by the platform's own rule:
 * each built-in cube has one, every other cube (a funnel) has `date`.
 */
export function usualTimeMember(cube: string): string {
  return `${cube}.${usual.get(cube) ?? 'date'}`;
}

const usual: ReadonlyMap<string, string> = new Map([
  ['TrackedEvents', 'utcTime'],
  ['Sessions', 'startAt'],
  ['ReturningUsers', 'first_timestamp'],
]);

/** What a time is called in a query of short names that has a range and names no time: the usual one of its cube. */
export const usualTime = 'time';
