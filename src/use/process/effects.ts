import type { Readable, Writable } from 'node:stream';

/** All I/O of a command, injected so that tests can replace it. */
export interface Effects {
  /** Output data. */
  readonly stdout: Sink;
  /** Messages: notes, warnings, errors. */
  readonly stderr: Sink;
  readonly readStdin: () => Promise<Uint8Array>;
  /** Stdin as a stream, for data of any size. */
  readonly openStdin?: (() => AsyncIterable<Uint8Array>) | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path. */
  readonly cwd: string;
  /** The program and the arguments that start sluice, before those of the command (default: `sluice`). */
  readonly command?: readonly string[] | undefined;
  /** The command's arguments; undefined if the process was not started with them. */
  readonly argv?: readonly string[] | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Fires when the user interrupts. */
  readonly signal: AbortSignal;
  /** The interactive terminal, for prompts. Set if a person can type and see stderr. */
  readonly terminal?: Terminal | undefined;
}

/** The streams that prompts use. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

export interface Sink {
  /** Resolves when the text is written. */
  readonly write: (text: string | Uint8Array) => Promise<void>;
  readonly isTerminal: boolean;
  /** Width of a terminal, in cells. */
  readonly columns?: number | undefined;
  /** Height of a terminal, in lines. */
  readonly rows?: number | undefined;
}
