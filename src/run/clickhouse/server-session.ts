import type { PropertyProfile } from '../../plan/model/properties.ts';
import type { Connection } from './connection.ts';
import type { TableEvents } from './events-relation.ts';

/** What is known of a server and its events. */
export interface ServerSession {
  readonly connection: Connection;
  /** The events; looked at again if their table was not there. */
  events(): Promise<EventsThere>;
  /** Properties that were looked up; the SQL of members reads no others. */
  readonly properties: PropertyProfile[];
}

export interface EventsThere extends TableEvents {
  readonly properties: readonly PropertyProfile[];
}
