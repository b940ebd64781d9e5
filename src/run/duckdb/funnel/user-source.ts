import type { DuckDBListVector } from '@duckdb/node-api';
import type { UserEvents } from './user-events.ts';

/** Iterates over users with their events. */
export interface UserSource {
  /** Advances to the next user; false at the end. */
  next(): boolean;
  /**
   * Advances to the same user's events with the next held values; false if there are none. Users without held values
   * have all their events at once.
   */
  more(): boolean;
  /** The current events of the user, sorted by time. The object is reused for all users. */
  readonly events: UserEvents;
  /** Epoch milliseconds of a time in `events`, rounded down. */
  toInstant(time: number): number;
  /** Epoch microseconds of the time of one of the events. */
  toMicros(time: number): bigint;
  /** The breakdown's value of an event. */
  valueOf(index: number): string | null;
  /** Only if keys were requested. */
  key(): string;
  /** The number of events without a user that were skipped since the last call. */
  takeNobody(): number;
}

/** Reads users' events from the lists of `eventsStatement`. */
export interface ListReader extends Pick<UserSource, 'events' | 'toInstant' | 'toMicros' | 'valueOf'> {
  open(lists: DuckDBListVector): void;
  /** Number of events in a list. */
  lengthOf(row: number): number;
  /** Writes the events of a list into `events`, sorted by time. */
  read(row: number): void;
}
