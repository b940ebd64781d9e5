import type { Connection } from './connection.ts';

/** What is known of a server and its events. */
export interface ServerSession {
  readonly connection: Connection;
  /** SQL of the events; made again if its table was not there. */
  events(): Promise<string>;
}
