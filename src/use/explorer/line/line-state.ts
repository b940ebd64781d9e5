/** A text line being edited. Plain data; offsets are UTF-16 units at grapheme borders. */
export interface LineState {
  readonly text: string;
  readonly cursor: number;
  /** The last cut text; `ctrl-y` inserts it. */
  readonly killed: string;
  /** True if the last key cut text, so that the next cut adds to it. */
  readonly killing: boolean;
  /** Earlier texts, latest last. */
  readonly undo: readonly LineSnapshot[];
  /** True if the last key typed a character, so that the next one joins its undo step. */
  readonly typing: boolean;
  /** Earlier lines, latest last. */
  readonly history: readonly string[];
  /** While browsing the history: the line shown, the draft, and the prefix that lines must have. */
  readonly recall: { readonly at: number; readonly draft: LineSnapshot; readonly prefix: string } | undefined;
  /** Set while searching the history. */
  readonly search: LineSearch | undefined;
}

export interface LineSnapshot {
  readonly text: string;
  readonly cursor: number;
}

export interface LineSearch {
  readonly query: string;
  /** Index of the found line in the history; undefined if none. */
  readonly at: number | undefined;
  /** The text before the search. */
  readonly draft: LineSnapshot;
}

/** A new line with the cursor at its end. */
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
