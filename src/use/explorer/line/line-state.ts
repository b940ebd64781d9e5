/** A line of text that is being edited. Plain data; offsets are UTF-16 units at the borders of graphemes. */
export interface LineState {
  readonly text: string;
  readonly cursor: number;
  /** What was cut last; `ctrl-y` puts it in. */
  readonly killed: string;
  /** Whether the last key cut something, so that the next cut adds to it. */
  readonly killing: boolean;
  /** Earlier states of the text, the latest last. */
  readonly undo: readonly LineSnapshot[];
  /** Whether the last key typed a character, so that the next one is undone with it. */
  readonly typing: boolean;
  /** Earlier lines, the latest last. */
  readonly history: readonly string[];
  /** While earlier lines are walked through: which one is shown, what stood there before, and how they all begin. */
  readonly recall: { readonly at: number; readonly draft: LineSnapshot; readonly prefix: string } | undefined;
  /** While earlier lines are searched. */
  readonly search: LineSearch | undefined;
}

export interface LineSnapshot {
  readonly text: string;
  readonly cursor: number;
}

export interface LineSearch {
  readonly query: string;
  /** The line of the history that was found; undefined: none. */
  readonly at: number | undefined;
  /** What stood there before. */
  readonly draft: LineSnapshot;
}

/** A line to begin with, the cursor behind it. */
export function lineOf(text = '', history: readonly string[] = []): LineState {
  return {
    text,
    cursor: text.length,
    killed: '',
    killing: false,
    undo: [],
    typing: false,
    history,
    recall: undefined,
    search: undefined,
  };
}
