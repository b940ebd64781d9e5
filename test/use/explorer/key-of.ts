import { type Key, namedKey, typedKey } from '../../../src/use/explorer/terminal/key.ts';

/** The key with this name, as `nameOfKey` writes it. */
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
