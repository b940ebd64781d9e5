import type { BodySieve } from '../../http/body-sieve.ts';
import type { FetchedRows } from './export-source.ts';

/** Where the lines of an answer go. */
export interface LineTaker {
  /** What was given is void. */
  restart(): Promise<void>;
  /** A line from its `{` to behind its `}`; `countAt` is where its count begins. Before the bytes of it are written. */
  line?(bytes: Buffer, start: number, countAt: number, end: number): void;
  /** Whole lines, each with its line feed. Resolves when the bytes may be used otherwise. */
  write(bytes: Buffer): Promise<void>;
}

/** Takes the rows out of a load answer and gives them on as lines. */
export interface RowSieve extends BodySieve {
  /** Of the last body, once it has ended. */
  readonly found: FetchedRows;
}
