import { cubeOf, shortNameOf, usualTimeMember } from './member-name.ts';

/**
 * The names of a model, as far as reading a line or flags needs them. A model's own catalog fits it.
 */
export interface MemberCatalog {
  /** By full name: `TrackedEvents.count`. */
  readonly find: (name: string) => CatalogMember | undefined;
  /** Full names of all members that are offered. */
  readonly names: () => readonly string[];
  /** Full name of the time dimension that a bare date range filters. */
  readonly timeMemberOf: (cube: string) => string | undefined;
  /** Why a member of this full name is left out of the model. */
  readonly whyLeftOut?: ((name: string) => string | undefined) | undefined;
  /** Members with another name there, by the full name that others use. */
  readonly otherName?: ((name: string) => string | undefined) | undefined;
}

export type CatalogMember =
  | { readonly kind: 'measure' | 'segment' }
  | {
      readonly kind: 'dimension';
      readonly member: {
        readonly type: string;
        /** What a time can be cut into besides the standard granularities. */
        readonly granularities?: readonly { readonly name: string }[] | undefined;
      };
    };

/** What people look for first in an event, as far as the model has it. */
const telling: readonly string[] = (
  'eventType userAnonymousId userId sessionId docHost docPath pageTitle referrerHost agentName osName ' +
  'targetUrl customEventName customEventProps eventId'
).split(' ');

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
