import type { TimeRange } from '../../../ask/time/range.ts';

/** A closed time range in epoch milliseconds that is exported as one unit. The windows of an export tile its range. */
export interface Window extends TimeRange {
  /** The source's event count when the windows were planned. */
  readonly events: number;
}

/** Receives the rows of a window, one JSON line each. `openSpoolFile` implements it. */
export interface Spool {
  /** Resolves when the buffer may be reused. */
  write(bytes: Uint8Array): Promise<void>;
  /** Discards the contents, because the window is fetched again from its start. */
  restart(): Promise<void>;
}

/** The result of fetching a window. */
export interface FetchedWindow {
  /** Lines in the spool. */
  readonly rows: number;
  /** Events that the rows stand for. */
  readonly events: number;
  /** The source's event count before and after the rows were fetched. */
  readonly counted: { readonly before: number; readonly after: number };
  /**
   * True if the spool contains each row of the window once, and the events add up to the counts before and after. If
   * false, the spool must not be used.
   */
  readonly settled: boolean;
  /** The reason why it did not settle, in whole sentences. */
  readonly why: string | undefined;
  /** Number of times that the window was fetched, from 1. */
  readonly attempts: number;
}

/** A fault of a source. The export compensates for it, unless a window says that it did not settle. */
export interface Oddity {
  readonly code:
    | 'rows-capped'
    | 'answer-short'
    | 'order-ignored'
    | 'offset-ignored'
    | 'page-repeated'
    | 'rows-written-otherwise'
    | 'rows-alike'
    | 'source-changed'
    | 'source-expired';
  /** Whole sentences for people. */
  readonly text: string;
}
