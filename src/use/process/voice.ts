/** Receives messages for people. The command line prints them, the library passes them on. */
export interface Voice {
  /** For useful information. */
  readonly note: (text: string) => Promise<void>;
  /** For messages that must not be missed. */
  readonly alert: (text: string) => Promise<void>;
}
