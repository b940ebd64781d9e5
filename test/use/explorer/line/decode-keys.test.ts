import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeKeys, settleKeys } from '../../../../src/use/explorer/terminal/decode-keys.ts';
import { type Key, nameOfKey } from '../../../../src/use/explorer/terminal/key.ts';
import { keyOf } from '../key-of.ts';

const esc = '\u001b';

function read(text: string): readonly Key[] {
  const { keys, rest } = decodeKeys('', text);
  return [...keys, ...settleKeys(rest).keys];
}

const names = (text: string) => read(text).map(nameOfKey);

describe('decodeKeys', () => {
  it.each<[string, string, readonly string[]]>([
    ['letters, capitals, signs', 'aZ? é', ['a', 'Z', '?', 'space', 'é']],
    ['emoji and letters with marks as one key each', '👩‍👩‍👧‍👦e\u0301字', ['👩‍👩‍👧‍👦', 'e\u0301', '字']],
    ['control letters', '\u0001\u0005\u0017\u001f', ['ctrl-a', 'ctrl-e', 'ctrl-w', 'ctrl-_']],
    ['enter, tab, backspace', '\r\n\t\u007f\b', ['enter', 'enter', 'tab', 'backspace', 'backspace']],
    ['a blank with ctrl', '\u0000', ['ctrl-space']],
    ['arrows, also of a keypad', `${esc}[A${esc}[B${esc}OC${esc}OD`, ['up', 'down', 'right', 'left']],
    [
      'arrows with modifiers',
      `${esc}[1;5C${esc}[1;3D${esc}[1;2A${esc}[1;6B`,
      ['ctrl-right', 'alt-left', 'shift-up', 'ctrl-shift-down'],
    ],
    [
      'home and end in all their ways',
      `${esc}[H${esc}[F${esc}[1~${esc}[4~${esc}[7~${esc}[8~${esc}OH`,
      ['home', 'end', 'home', 'end', 'home', 'end', 'home'],
    ],
    [
      'the keys of a page',
      `${esc}[2~${esc}[3~${esc}[5~${esc}[6~${esc}[3;5~`,
      ['insert', 'delete', 'pageup', 'pagedown', 'ctrl-delete'],
    ],
    ['rxvt', `${esc}[a${esc}Oa${esc}[3^${esc}[5@`, ['shift-up', 'ctrl-up', 'ctrl-delete', 'ctrl-shift-pageup']],
    ['function keys, also on the console', `${esc}OP${esc}[15~${esc}[24~${esc}[[A`, ['f1', 'f5', 'f12', 'f1']],
    ['tab backwards', `${esc}[Z`, ['shift-tab']],
    ['letters with alt', `${esc}b${esc}F${esc}\u007f${esc}\r`, ['alt-b', 'alt-shift-f', 'alt-backspace', 'alt-enter']],
    ['alt by a second escape', `${esc}${esc}[A`, ['alt-up']],
    ['escape', esc, ['escape']],
    ['escape, then an escape', `${esc}${esc}`, ['alt-escape']],
    ['escape, then a letter after another', `${esc}${esc}a`, ['escape', 'alt-a']],
    ['brackets with alt', `${esc}[`, ['alt-[']],
    ['other modifiers of xterm', `${esc}[27;5;13~${esc}[97;5u${esc}[13;2u`, ['ctrl-enter', 'ctrl-a', 'shift-enter']],
    [
      'what the terminal answers',
      `a${esc}[?62;22c${esc}]11;rgb:0000/0000/0000${esc}\\${esc}[24;80R${esc}P1$r0m${esc}\\${esc}[I${esc}[Ob${esc}[1;2R`,
      ['a', 'b', 'shift-f3'],
    ],
    ['the mouse of old', `${esc}[M !!a`, ['a']],
    ['half a sequence with noise', `${esc}[12é`, ['é']],
  ])('reads %s', (_, text, keys) => {
    expect(names(text)).toEqual(keys);
  });

  it('tells what is typed from what is not', () => {
    expect(read('é ').map(({ text }) => text)).toEqual(['é', ' ']);
    expect(read(`\u0001${esc}b${esc}[A\r`).map(({ text }) => text)).toEqual(['', '', '', '']);
  });

  it('gives what is pasted as one key, whatever is in it', () => {
    expect(read(`${esc}[200~a\nb${esc}[A\u0003${esc}[201~c`).map(({ name, text }) => [name, text])).toEqual([
      ['paste', `a\nb${esc}[A\u0003`],
      ['c', 'c'],
    ]);
  });

  it('waits for the end of a paste however long it takes', () => {
    const { keys, rest } = decodeKeys('', `${esc}[200~rm -rf\r`);
    expect(keys).toEqual([]);
    const waiting = settleKeys(rest);
    expect(waiting.keys).toEqual([]);
    expect(decodeKeys(waiting.rest, `\r${esc}[201~`).keys.map(({ name, text }) => [name, text])).toEqual([
      ['paste', 'rm -rf\r\r'],
    ]);
  });

  it('reads the wheel and the left button of the mouse, with the cell', () => {
    expect(
      read(`${esc}[<64;10;5M${esc}[<65;1;1M${esc}[<69;1;1M${esc}[<0;3;2M${esc}[<0;3;2m${esc}[<35;4;4M`).map((key) => [
        nameOfKey(key),
        key.at,
      ]),
    ).toEqual([
      ['wheelup', { column: 9, row: 4 }],
      ['wheeldown', { column: 0, row: 0 }],
      ['shift-wheeldown', { column: 0, row: 0 }],
      ['click', { column: 2, row: 1 }],
    ]);
  });

  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        'a',
        'é',
        '👩‍👩‍👧',
        '\r',
        '\u0001',
        `${esc}[A`,
        `${esc}[1;5C`,
        `${esc}OP`,
        `${esc}b`,
        `${esc}[200~x\ny${esc}[201~`,
        `${esc}[<64;10;5M`,
        `${esc}]0;title\u0007`,
        `${esc}[27;5;13~`,
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 12 },
  );

  it('gives the same keys however the text is cut', () => {
    const whole = fc.array(
      fc.constantFrom(
        'a',
        'b',
        '?',
        '\r',
        '\u0001',
        `${esc}[A`,
        `${esc}[1;5C`,
        `${esc}OP`,
        `${esc}b`,
        `${esc}[200~x\ny${esc}[201~`,
        `${esc}[<64;10;5M`,
        `${esc}]0;title\u0007`,
        '𝒳',
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(whole, fc.array(fc.nat(80), { maxLength: 6 }), (parts, cuts) => {
        const text = parts.join('');
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
        const keys: Key[] = [];
        let rest = '';
        for (let index = 1; index < places.length; index += 1) {
          const step = decodeKeys(rest, text.slice(places[index - 1], places[index]));
          keys.push(...step.keys);
          ({ rest } = step);
        }
        expect(keys).toEqual(decodeKeys('', text).keys);
        expect(rest).toBe('');
      }),
    );
  });

  it('never throws, and comes to an end, whatever the terminal sends', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        for (const key of read(parts.join(''))) expect(key.name).not.toBe('');
      }),
    );
  });
});

describe('keyOf', () => {
  it('reads what nameOfKey writes', () => {
    for (const name of ['a', 'Z', 'space', '-', 'ctrl-a', 'alt-shift-f', 'ctrl-shift-pageup', 'enter', 'f1'])
      expect(nameOfKey(keyOf(name))).toBe(name);
    expect(keyOf('space').text).toBe(' ');
    expect(keyOf('enter').text).toBe('');
  });
});
