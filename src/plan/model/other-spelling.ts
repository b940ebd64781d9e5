import { cubeOf, shortNameOf } from '../../ask/query/member-name.ts';
import { eventFields } from './event-fields.ts';

/** Cubes that went by other names in older versions of the platform. */
const sameCubes: readonly (readonly string[])[] = [['TrackedEvents', 'SnowplowTrackedEvents', 'Jitsu'], ['Sessions', 'SnowplowSessions']];

/**
 * Other full names of the same fact: `TrackedEvents.utcTime` is `TrackedEvents.derivedTstamp` where the newer names are used.
 * Those of the same cube come first.
 */
export function otherSpellings(member: string): readonly string[] {
  const cube = cubeOf(member);
  const name = shortNameOf(member);
  const cubes = [cube, ...(sameCubes.find((same) => same.includes(cube)) ?? []).filter((other) => other !== cube)];
  const field = eventFields.find(({ documented, newer }) => documented === name || newer === name);
  const names = [...new Set([name, field?.newer, field?.documented].filter((each) => each !== undefined))];
  return cubes.flatMap((each) => names.map((one) => `${each}.${one}`)).filter((full) => full !== member);
}

/** The likeliest of them: in the same cube, in the other vocabulary. */
export function otherSpelling(member: string): string | undefined {
  return otherSpellings(member).find((full) => cubeOf(full) === cubeOf(member));
}
