import type { Readable, Writable } from 'node:stream';

/** Everything that a command may know of or do to the world outside, handed in so that tests can be the world. */
export interface Effects {
  /** Data. */
  readonly stdout: Sink;
  /** Narration: notes, warnings, errors. */
  readonly stderr: Sink;
  readonly readStdin: () => Promise<Uint8Array>;
  /** The same piece by piece, for data of any size. */
  readonly openStdin?: (() => AsyncIterable<Uint8Array>) | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path. */
  readonly cwd: string;
  /**
   * The program and the arguments by which sluice was started, before those of the command; by its name where not set.
   */
  readonly command?: readonly string[] | undefined;
  /** The words of the command; undefined where it is not what a process was started with. */
  readonly argv?: readonly string[] | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Fires when the user interrupts. */
  readonly signal: AbortSignal;
  /** Where a person sits at the keyboard and sees stderr; questions can be asked there. */
  readonly terminal?: Terminal | undefined;
}

/** What prompts read keys from and draw on. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

export interface Sink {
  /** Resolves when the text has been taken. */
  readonly write: (text: string | Uint8Array) => Promise<void>;
  readonly isTerminal: boolean;
  /** Display cells in a line, where it is a terminal. */
  readonly columns?: number | undefined;
  /** Lines on the screen, where it is a terminal. */
  readonly rows?: number | undefined;
}
