/** One input event at the terminal. */
export interface Key {
  /**
   * A typed character is its own name (`a`, `?`, `é`); other keys are named: `space`, `enter`, `tab`, `backspace`,
   * `delete`, `insert`, `escape`, `up`, `down`, `left`, `right`, `home`, `end`, `pageup`, `pagedown`, `f1` …, `paste`,
   * `wheelup`, `wheeldown`, `wheelleft`, `wheelright`, `click`. Letters with ctrl or alt are lower case.
   */
  readonly name: string;
  /** The typed or pasted text; empty for other keys. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** Cell of the mouse, counted from 0. */
  readonly at?: { readonly column: number; readonly row: number } | undefined;
}

export type Modifiers = Partial<Pick<Key, 'ctrl' | 'alt' | 'shift'>>;

/** A key without text. */
export function namedKey(name: string, { ctrl = false, alt = false, shift = false }: Modifiers = {}): Key {
  return { name, text: '', ctrl, alt, shift };
}

/** A typed character. */
export function typedKey(text: string): Key {
  return { name: text === ' ' ? 'space' : text, text, ctrl: false, alt: false, shift: false };
}

/** The name of a key with its modifiers: `ctrl-a`, `alt-b`, `shift-tab`, `enter`, `q`. */
export function nameOfKey({ name, ctrl, alt, shift }: Key): string {
  return `${ctrl ? 'ctrl-' : ''}${alt ? 'alt-' : ''}${shift ? 'shift-' : ''}${name}`;
}
