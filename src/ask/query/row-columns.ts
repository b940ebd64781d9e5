import type { MemberCatalog } from './member-catalog.ts';
import { cubeOf, shortNameOf } from './member-name.ts';
import { usualTimeMember } from './time-member.ts';

/** What people look for first in an event, as far as the model has it. */
const telling = [
  'eventType',
  'userAnonymousId',
  'userId',
  'sessionId',
  'docHost',
  'docPath',
  'pageTitle',
  'referrerHost',
  'agentName',
  'osName',
  'targetUrl',
  'customEventName',
  'customEventProps',
  'eventId',
];

/** Columns of a model that knows none of them. */
const mostColumns = 16;

/** Full names of the columns that stand for a row of a cube if none are named: its time, then what tells most. */
export function rowColumns(cube: string, members: MemberCatalog | undefined): readonly string[] {
  const time = members?.timeMemberOf(cube) ?? usualTimeMember(cube);
  const own = (members?.names() ?? []).filter((name) => cubeOf(name) === cube && isPlain(members, name));
  const known = telling.map((short) => `${cube}.${short}`).filter((name) => !members || own.includes(name));
  const others = known.length > 1 ? known : own.filter((name) => name !== time).slice(0, mostColumns);
  return !members || members.find(time) ? [time, ...others] : others;
}

function isPlain(members: MemberCatalog | undefined, name: string): boolean {
  return members?.find(name)?.kind === 'dimension' && !shortNameOf(name).includes('.');
}
