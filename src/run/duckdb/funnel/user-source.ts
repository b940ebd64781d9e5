import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { UserEvents } from './user-events.ts';

/** Iterates over users with their events. */
export interface UserSource {
  /** Advances to the next user; false at the end. */
  next(): boolean;
  /** The user's events, sorted by time. The object is reused for all users. */
  readonly events: UserEvents;
  /** Epoch milliseconds of a time in `events`, rounded down. */
  toInstant(time: number): number;
  /** The breakdown's value of an event. */
  valueOf(index: number): string | null;
  /** Only if keys were requested. */
  key(): string;
  /** The number of events without a user that were skipped since the last call. */
  takeNobody(): number;
}

/** Reads users' events from the lists in rows of `eventsStatement`. */
export interface ListReader {
  open(chunk: DuckDBDataChunk): void;
  /** Number of events in a row. */
  lengthOf(row: number): number;
  /** Writes the events of a row into `events`, sorted by time. */
  read(row: number): void;
  readonly events: UserEvents;
  toInstant(time: number): number;
  valueOf(index: number): string | null;
}
