import type { PropertyProfile } from '../../plan/model/properties.ts';
import type { Connection } from './connection.ts';
import type { TableEvents } from './events-relation.ts';

/** A server and the known facts about its events. */
export interface ServerSession {
  readonly connection: Connection;
  /** The events. Read again if the first attempt failed. */
  events(): Promise<EventsThere>;
  /** Properties that were looked up. The SQL of members reads no others. */
  readonly properties: PropertyProfile[];
}

export interface EventsThere extends TableEvents {
  readonly properties: readonly PropertyProfile[];
}
