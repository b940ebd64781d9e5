/** Takes sentences for people. The command line prints them, the library hands them on. */
export interface Voice {
  /** What a reader should know. */
  readonly note: (text: string) => Promise<void>;
  /** What must not be missed. */
  readonly alert: (text: string) => Promise<void>;
}
