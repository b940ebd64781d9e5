import type { TimeRange } from '../../../ask/time/range.ts';

/**
 * A closed stretch of time, epoch milliseconds, that is exported as one unit; the windows of an export tile its range.
 */
export interface Window extends TimeRange {
  /** Events that the source counted in it when the windows were planned. */
  readonly events: number;
}

/** Where the rows of a window go, a line of JSON each. `openSpoolFile` is one. */
export interface Spool {
  /** Resolves when the bytes may be used otherwise. */
  write(bytes: Uint8Array): Promise<void>;
  /** Forgets what was written: the window is fetched from its start again. */
  restart(): Promise<void>;
}

/** The result of fetching a window. */
export interface FetchedWindow {
  /** Lines in the spool. */
  readonly rows: number;
  /** Events that they stand for. */
  readonly events: number;
  /** What the source itself counted before the rows were fetched, and after. */
  readonly counted: { readonly before: number; readonly after: number };
  /**
   * The rows are those of the window, each once, and stand for as many events as were counted before and after. False:
   * what is in the spool must not be trusted.
   */
  readonly settled: boolean;
  /** Why it did not settle: whole sentences. */
  readonly why: string | undefined;
  /** From 1: how often the window was fetched. */
  readonly attempts: number;
}

/**
 * Something that a source does and should not. It has been made up for, unless a window says that it did not settle.
 */
export interface Oddity {
  readonly code:
    | 'rows-capped'
    | 'answer-short'
    | 'order-ignored'
    | 'offset-ignored'
    | 'page-repeated'
    | 'rows-written-otherwise'
    | 'rows-alike'
    | 'source-changed';
  /** Whole sentences for people. */
  readonly text: string;
}
