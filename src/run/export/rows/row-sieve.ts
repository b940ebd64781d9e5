import type { BodySieve } from '../../http/body-sieve.ts';
import type { FetchedRows } from './export-source.ts';

/** Receives the lines of an answer. */
export interface LineTaker {
  /** Discards everything received. */
  restart(): Promise<void>;
  /** Announces a line before its bytes are written, from `{` to after `}`. `countAt`: start of its count. */
  line?(bytes: Buffer, start: number, countAt: number, end: number): void;
  /** Whole lines with line feeds. Resolves when the buffer may be reused. */
  write(bytes: Buffer): Promise<void>;
}

/** Extracts the rows of a load answer as lines. */
export interface RowSieve extends BodySieve {
  /** The result for the last body, once it has ended. */
  readonly found: FetchedRows;
}
