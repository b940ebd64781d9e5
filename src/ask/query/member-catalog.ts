import { usualTimeMember } from './member-name.ts';
import type { Filter } from './query.ts';

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
  /** Whether joins connect two cubes, so that a question may have members of both. */
  readonly canJoin?: ((cube: string, other: string) => boolean) | undefined;
  /** The short name of the member that a column of the event files fills, by the column's own name. */
  readonly filledBy?: ((column: string) => string | undefined) | undefined;
  /** Whether the events may have a column of this name: they were not searched for it yet. */
  readonly mayHave?: ((column: string) => boolean) | undefined;
  /** The most frequent names of events, with the dimension that holds them. */
  readonly eventNames?: (() => readonly { readonly member: string; readonly name: string }[]) | undefined;
  /** Maps a full name in the platform's other spelling to the member's name in this model. */
  readonly otherName?: ((name: string) => string | undefined) | undefined;
  /** Full names of the default columns of a cube's rows, given their conditions. */
  readonly rowColumns?: ((cube: string, filters: readonly Filter[]) => readonly string[]) | undefined;
}

export type CatalogMember =
  | { readonly kind: 'measure' | 'segment' }
  | {
      readonly kind: 'dimension';
      readonly member: {
        readonly type: string;
        /** Granularities besides the standard ones. */
        readonly granularities?: readonly { readonly name: string }[] | undefined;
        /** Set if its values are objects. */
        readonly inside?: string | undefined;
        /** Set if its values are text that is written as times. */
        readonly times?: object | undefined;
      };
    };

/** The dimensions of an event that people look for first. */
export const tellingDimensions: readonly string[] = (
  'eventType userAnonymousId userId sessionId docHost docPath pageTitle referrerHost agentName osName ' +
  'targetUrl customEventName customEventProps eventId'
).split(' ');

/** Full names of the default columns of a cube's rows: its time, then the most useful dimensions. */
export function rowColumns(
  cube: string,
  members: MemberCatalog | undefined,
  filters: readonly Filter[] = [],
): readonly string[] {
  return (
    members?.rowColumns?.(cube, filters) ?? [
      usualTimeMember(cube),
      ...tellingDimensions.map((short) => `${cube}.${short}`),
    ]
  );
}
