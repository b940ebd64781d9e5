import { type Granularity, isGranularity } from '../time/granularity.ts';
import { propertyMemberSource } from './property-name.ts';

/** `Cube.member`, the rule of the load contract, and event properties: `Cube.props.plan`, `Cube.sum(props.amount)`. */
export const memberPattern = new RegExp(`^[a-zA-Z0-9_]+\\.(?:[a-zA-Z0-9_]+|${propertyMemberSource})$`, 'u');

/** `Cube.member`, `Cube.time.day` or a property. */
export const groupPattern = new RegExp(
  `^[a-zA-Z0-9_]+\\.(?:[a-zA-Z0-9_]+(?:\\.[a-zA-Z0-9_]+)?|${propertyMemberSource})$`,
  'u',
);

/** What rows can be ordered by, and names as people write them: `member`, `Cube.member`, `Cube.time.day`, `props.plan`. */
export const writtenNamePattern = new RegExp(
  `^(?:[a-zA-Z0-9_]+(?:\\.[a-zA-Z0-9_]+){0,2}|(?:[a-zA-Z0-9_]+\\.)?${propertyMemberSource})$`,
  'u',
);

/** What stands behind the first dot. */
export function shortNameOf(member: string): string {
  return member.slice(member.indexOf('.') + 1);
}

/** What stands before the first dot. */
export function cubeOf(member: string): string {
  return member.split('.', 1)[0] ?? '';
}

/** `Cube.time.day` taken apart; undefined for every other name. */
export function splitGranularity(
  name: string,
): { readonly member: string; readonly granularity: Granularity } | undefined {
  const [cube, member, granularity, ...more] = name.split('.');
  if (cube === undefined || member === undefined || granularity === undefined || more.length > 0) return undefined;
  // A property may be called `day`.
  if (member === 'props') return undefined;
  return isGranularity(granularity) ? { member: `${cube}.${member}`, granularity } : undefined;
}

/** Where names without a cube are looked up: `pageViewsCount` means `TrackedEvents.pageViewsCount`. */
export const defaultCube = 'TrackedEvents';
