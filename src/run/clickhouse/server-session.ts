import type { PropertyProfile } from '../../plan/model/property-members.ts';
import type { JoinCheck } from '../../plan/sql/join-check.ts';
import type { Connection } from './connection.ts';
import type { TableEvents } from './events-relation.ts';

/** A property that statements read. */
export type ReadProperty = Pick<PropertyProfile, 'path' | 'scale'>;

/** A server and the known facts about its events. */
export interface ServerSession {
  readonly connection: Connection;
  /** The events. Tries again if an earlier attempt failed. */
  events(): Promise<EventsThere>;
  /** Properties that were looked up. The SQL of members reads only these. */
  readonly properties: ReadProperty[];
}

export interface EventsThere extends TableEvents {
  readonly properties: readonly ReadProperty[];
  /** Checks of the joins that make the events. */
  readonly joins: readonly JoinCheck[];
}
