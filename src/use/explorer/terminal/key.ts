/** One thing that a person did at the terminal. */
export interface Key {
  /**
   * A typed character stands for itself (`a`, `?`, `é`); the rest have names: `space`, `enter`, `tab`, `backspace`,
   * `delete`, `insert`, `escape`, `up`, `down`, `left`, `right`, `home`, `end`, `pageup`, `pagedown`, `f1` …, `paste`,
   * `wheelup`, `wheeldown`, `wheelleft`, `wheelright`, `click`. With ctrl and alt the letter is small.
   */
  readonly name: string;
  /** What it types: the character, or what was pasted; empty for keys that type nothing. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** The cell, counted from 0, where the mouse was. */
  readonly at?: { readonly column: number; readonly row: number } | undefined;
}

export type Modifiers = Partial<Pick<Key, 'ctrl' | 'alt' | 'shift'>>;

/** A key that types nothing, by its name. */
export function namedKey(name: string, { ctrl = false, alt = false, shift = false }: Modifiers = {}): Key {
  return { name, text: '', ctrl, alt, shift };
}

/** A character that was typed. */
export function typedKey(text: string): Key {
  return { name: text === ' ' ? 'space' : text, text, ctrl: false, alt: false, shift: false };
}

/** How a key is called, as tables of keys write it: `ctrl-a`, `alt-b`, `shift-tab`, `enter`, `q`. */
export function nameOfKey({ name, ctrl, alt, shift }: Key): string {
  return `${ctrl ? 'ctrl-' : ''}${alt ? 'alt-' : ''}${shift ? 'shift-' : ''}${name}`;
}

/** The key that is called so. */
export function keyOf(written: string): Key {
  const [, modifiers = '', name = ''] = /^((?:ctrl-|alt-|shift-)*)(.+)$/su.exec(written) ?? [];
  const types = modifiers === '' && (name === 'space' || /^.$/su.test(name));
  if (types) return typedKey(name === 'space' ? ' ' : name);
  return namedKey(name, {
    ctrl: modifiers.includes('ctrl-'),
    alt: modifiers.includes('alt-'),
    shift: modifiers.includes('shift-'),
  });
}
