import type { PropertyProfile } from '../../plan/model/properties.ts';
import type { Connection } from './connection.ts';

/** What is known of a server and its events. */
export interface ServerSession {
  readonly connection: Connection;
  /** The events; looked at again if their table was not there. */
  events(): Promise<EventsThere>;
  /** Properties that were looked up; the SQL of members reads no others. */
  readonly properties: PropertyProfile[];
}

export interface EventsThere {
  /** SQL of the events, whose columns are the canonical ones, and texts of properties. */
  readonly sql: string;
  readonly properties: readonly PropertyProfile[];
}
