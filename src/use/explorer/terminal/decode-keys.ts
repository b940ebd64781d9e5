import { graphemes } from '../../../ask/graphemes.ts';
import { type Key, type Modifiers, namedKey, typedKey } from './key.ts';

/** Keys that were read, and the beginning of one that is not complete yet. */
export interface DecodedKeys {
  readonly keys: readonly Key[];
  /**
   * Goes before the next text. A lone escape waits here: it is a key of its own when nothing follows soon
   * (`settleKeys`).
   */
  readonly rest: string;
}

export const pasteStart = '\u001b[200~';
export const pasteEnd = '\u001b[201~';
/** Longer ones are no sequences but noise. */
const longestSequence = 64;
const longestReply = 8192;

/**
 * Reads what a terminal sends: characters, control characters, the sequences of keys (those of xterm, rxvt and the
 * Linux console, with modifiers), pasted text in brackets, and the mouse's (SGR). What the terminal answers to
 * questions is left out. `rest` is what the call before left over.
 */
export function decodeKeys(rest: string, text: string): DecodedKeys {
  const input = rest + text;
  const keys: Key[] = [];
  let at = 0;
  while (at < input.length) {
    const read = readKey(input, at);
    if (!read) return { keys, rest: input.slice(at) };
    keys.push(...read.keys);
    at = read.end;
  }
  return { keys, rest: '' };
}

/**
 * What is left over when nothing more comes for a while (30 ms are enough): an escape is a key then, and what follows
 * it was typed with alt. Only a paste is waited for until its end, or its lines would pass for typed ones.
 */
export function settleKeys(rest: string): DecodedKeys {
  if (rest === '' || rest.startsWith(pasteStart)) return { keys: [], rest };
  if (rest === '\u001b') return { keys: [namedKey('escape')], rest: '' };
  // Half of a character, whose other half is lost.
  if (!rest.startsWith('\u001b')) return { keys: [], rest: '' };
  const behind = decodeKeys('', rest.slice(1));
  const [first, ...others] = [...behind.keys, ...settleKeys(behind.rest).keys];
  return { keys: first ? [withAlt(first), ...others] : [namedKey('escape')], rest: '' };
}

interface ReadKeys {
  readonly keys: readonly Key[];
  readonly end: number;
}

/** undefined: more has to come. */
function readKey(input: string, at: number): ReadKeys | undefined {
  const code = input.charCodeAt(at);
  if (code === 0x1b) return readEscape(input, at);
  if (!isTyped(code)) return { keys: [controlKey(code)], end: at + 1 };
  // Half of a surrogate pair at the end: the other half is still on its way.
  if (code >= 0xd800 && code < 0xdc00 && at + 1 === input.length) return undefined;
  let end = at + 1;
  while (end < input.length && isTyped(input.charCodeAt(end))) end += 1;
  const last = input.charCodeAt(end - 1);
  if (end === input.length && end - at > 1 && last >= 0xd800 && last < 0xdc00) end -= 1;
  return { keys: Array.from(graphemes(input.slice(at, end)), typedKey), end };
}

function isTyped(code: number): boolean {
  return code >= 0x20 && code !== 0x7f;
}

function controlKey(code: number): Key {
  if (code === 0x0d || code === 0x0a) return namedKey('enter');
  if (code === 0x09) return namedKey('tab');
  if (code === 0x7f || code === 0x08) return namedKey('backspace');
  if (code === 0x1b) return namedKey('escape');
  if (code === 0) return namedKey('space', { ctrl: true });
  return namedKey(String.fromCharCode(code < 0x1b ? code + 0x60 : code + 0x40), { ctrl: true });
}

function readEscape(input: string, at: number): ReadKeys | undefined {
  const next = input[at + 1];
  if (next === undefined) return undefined;
  if (next === '[') return readSequence(input, at);
  if (next === 'O') return readShortSequence(input, at);
  if (next === ']' || next === 'P' || next === '_' || next === '^') return readReply(input, at, next);
  if (next === '\u001b') {
    const third = input[at + 2];
    if (third === undefined) return undefined;
    // A key with alt, on a terminal that says so by a second escape; or the key `escape` twice.
    if (third !== '[' && third !== 'O') return { keys: [namedKey('escape')], end: at + 1 };
    const inner = readKey(input, at + 1);
    return inner && { keys: inner.keys.map(withAlt), end: inner.end };
  }
  const code = input.charCodeAt(at + 1);
  if (!isTyped(code)) return { keys: [withAlt(controlKey(code))], end: at + 2 };
  if (code >= 0xd800 && code < 0xdc00 && at + 2 === input.length) return undefined;
  const first = String.fromCodePoint(input.codePointAt(at + 1) ?? 0);
  return { keys: [withAlt(typedKey(first))], end: at + 1 + first.length };
}

/** A capital letter with alt is the small one with alt and shift. */
function withAlt(key: Key): Key {
  const small = [...key.name].length === 1 ? key.name.toLowerCase() : key.name;
  return {
    ...key,
    name: small,
    text: key.name === 'paste' ? key.text : '',
    shift: key.shift || small !== key.name,
    alt: true,
  };
}

const letters: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'begin',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
  M: 'enter',
};

const numbers: Readonly<Record<string, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

/** `ESC O A`: keys of a keypad in application mode. */
function readShortSequence(input: string, at: number): ReadKeys | undefined {
  const letter = input[at + 2];
  if (letter === undefined) return undefined;
  const name = letters[letter];
  if (name) return { keys: [namedKey(name)], end: at + 3 };
  const withCtrl = /[a-d]/.test(letter) ? letters[letter.toUpperCase()] : undefined;
  return withCtrl
    ? { keys: [namedKey(withCtrl, { ctrl: true })], end: at + 3 }
    : { keys: [namedKey('o', { alt: true, shift: true })], end: at + 2 };
}

/** `ESC [ … letter` */
function readSequence(input: string, at: number): ReadKeys | undefined {
  if (input.startsWith(pasteStart, at)) {
    const close = input.indexOf(pasteEnd, at);
    return close === -1
      ? undefined
      : {
          keys: [{ ...namedKey('paste'), text: input.slice(at + pasteStart.length, close) }],
          end: close + pasteEnd.length,
        };
  }
  let end = at + 2;
  if (input[end] === '[')
    return input.length < end + 2 ? undefined : { keys: consoleKey(input[end + 1] ?? ''), end: end + 2 };
  // The mouse as terminals without SGR tell it: three bytes, in which no cell beyond the 223rd has a place.
  if (input[end] === 'M') return input.length < end + 4 ? undefined : { keys: [], end: end + 4 };
  while (end < input.length && /[\x20-\x3f]/.test(input[end] ?? '')) end += 1;
  if (end >= input.length) return input.length - at > longestSequence ? { keys: [], end: input.length } : undefined;
  // A character that belongs to no sequence: what came before it is noise.
  if (!/[\x40-\x7e]/.test(input[end] ?? '')) return { keys: [], end };
  return { keys: toKeys(input.slice(at + 2, end), input[end] ?? ''), end: end + 1 };
}

function toKeys(parameters: string, final: string): readonly Key[] {
  if (parameters.startsWith('<')) return mouseKey(parameters.slice(1), final);
  if (/[?>=]/.test(parameters)) return [];
  const [first = '', second = '', third = ''] = parameters.split(';');
  const modifiers = toModifiers(second);
  if (final === '~' || final === '^' || final === '@') {
    if (first === '27') return byCode(Number(third), modifiers);
    const name = numbers[first];
    return name ? [namedKey(name, final === '~' ? modifiers : { ctrl: true, shift: final === '@' })] : [];
  }
  if (final === 'u') return byCode(Number.parseInt(first, 10), modifiers);
  if (final === 'Z') return [namedKey('tab', { ...modifiers, shift: true })];
  if (/[a-d]/.test(final)) return [namedKey(letters[final.toUpperCase()] ?? '', { shift: true })];
  // `ESC [ 24 ; 80 R` tells where the cursor is.
  const name = final === 'M' || (final === 'R' && first !== '' && first !== '1') ? undefined : letters[final];
  return name ? [namedKey(name, modifiers)] : [];
}

/** 1 and a sum of bits: 1 shift, 2 alt, 4 ctrl, 8 meta, which is taken for alt. */
function toModifiers(text: string): Modifiers {
  const bits = Math.max(0, (Number.parseInt(text, 10) || 1) - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & 10) !== 0, ctrl: (bits & 4) !== 0 };
}

/** A key by the character that it would type. */
function byCode(code: number, modifiers: Modifiers): readonly Key[] {
  if (!(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code < 0xe000)) return [];
  if (!isTyped(code))
    return [namedKey(controlKey(code).name, { ...modifiers, ctrl: modifiers.ctrl === true || controlKey(code).ctrl })];
  const text = String.fromCodePoint(code);
  if (!modifiers.ctrl && !modifiers.alt) return [typedKey(modifiers.shift ? text.toUpperCase() : text)];
  return [namedKey(text === ' ' ? 'space' : text.toLowerCase(), modifiers)];
}

/** F1 to F5 on the Linux console: `ESC [ [ A`. */
function consoleKey(letter: string): readonly Key[] {
  const number = 'ABCDE'.indexOf(letter) + 1;
  return number > 0 ? [namedKey(`f${number}`)] : [];
}

const wheel = ['wheelup', 'wheeldown', 'wheelleft', 'wheelright'] as const;

/** Buttons pressed and wheels turned; that the mouse moves or lets go says nothing. */
function mouseKey(parameters: string, final: string): readonly Key[] {
  const [button = Number.NaN, column = Number.NaN, row = Number.NaN] = parameters.split(';').map(Number);
  if (final !== 'M' || !Number.isInteger(button + column + row) || (button & 32) !== 0) return [];
  const name = (button & 64) !== 0 ? wheel[button & 3] : (button & 3) === 0 ? 'click' : undefined;
  if (name === undefined) return [];
  const modifiers = { shift: (button & 4) !== 0, alt: (button & 8) !== 0, ctrl: (button & 16) !== 0 };
  return [{ ...namedKey(name, modifiers), at: { column: Math.max(0, column - 1), row: Math.max(0, row - 1) } }];
}

/** What a terminal answers, up to its end. */
function readReply(input: string, at: number, kind: string): ReadKeys | undefined {
  for (let end = at + 2; end < input.length; end += 1) {
    if (input[end] === '\u0007') return { keys: [], end: end + 1 };
    if (input[end] === '\u001b') {
      if (end + 1 === input.length) return undefined;
      return { keys: [], end: input[end + 1] === '\\' ? end + 2 : end };
    }
    // Somebody typed alt-] and went on.
    if (end - at > longestReply) return { keys: [withAlt(typedKey(kind))], end: at + 2 };
  }
  return undefined;
}
