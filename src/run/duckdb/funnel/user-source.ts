import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { UserEvents } from './user-events.ts';

/** Users one after the other, with their events. */
export interface UserSource {
  /** Goes on to the next user; false: there are no more. */
  next(): boolean;
  /** The user's events, in order of time; the same object for every user. */
  readonly events: UserEvents;
  /** Epoch milliseconds of a time in `events`, rounded down. */
  toInstant(time: number): number;
  /** What the breakdown reads of an event. */
  valueOf(index: number): string | null;
  /** Where keys were asked for. */
  key(): string;
  /** The number of events without a user that were skipped since the last call. */
  takeNobody(): number;
}

/** Reads the events of users from rows of `eventsStatement` that are lists. */
export interface ListReader {
  open(chunk: DuckDBDataChunk): void;
  /** The number of a row's events. */
  lengthOf(row: number): number;
  /** Puts the events of a row into `events`, in order of time. */
  read(row: number): void;
  readonly events: UserEvents;
  toInstant(time: number): number;
  valueOf(index: number): string | null;
}
