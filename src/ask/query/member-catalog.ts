import { cubeOf, shortNameOf, usualTimeMember } from './member-name.ts';

/** The names of a model, as far as reading a line or flags needs them. A model's catalog implements it. */
export interface MemberCatalog {
  /** Finds a member by its full name: `TrackedEvents.count`. */
  readonly find: (name: string) => CatalogMember | undefined;
  /** Full names of all visible members. */
  readonly names: () => readonly string[];
  /** Full name of the cube's usual time dimension, which a range without one filters. */
  readonly timeMemberOf: (cube: string) => string | undefined;
  /** The reason why the model omits a member, by its full name. */
  readonly whyLeftOut?: ((name: string) => string | undefined) | undefined;
  /** Whether a cube is that of a definition, such as a funnel. */
  readonly isDefined?: ((cube: string) => boolean) | undefined;
  /** The short name of the member that a column of the event files fills, by the column's own name. */
  readonly filledBy?: ((column: string) => string | undefined) | undefined;
  /** The most frequent names of events, with the dimension that holds them. */
  readonly eventNames?: (() => readonly { readonly member: string; readonly name: string }[]) | undefined;
  /** Maps a full name in the platform's other spelling to the member's name in this model. */
  readonly otherName?: ((name: string) => string | undefined) | undefined;
}

export type CatalogMember =
  | { readonly kind: 'measure' | 'segment' }
  | {
      readonly kind: 'dimension';
      readonly member: {
        readonly type: string;
        /** Granularities besides the standard ones. */
        readonly granularities?: readonly { readonly name: string }[] | undefined;
      };
    };

/** The dimensions of an event that people look for first. */
const telling: readonly string[] = (
  'eventType userAnonymousId userId sessionId docHost docPath pageTitle referrerHost agentName osName ' +
  'targetUrl customEventName customEventProps eventId'
).split(' ');

/** The most columns for a model that has none of these. */
const mostColumns = 16;

/** Full names of the default columns of a cube's rows: its time, then the most useful dimensions. */
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
