import { graphemes } from '../../../ask/graphemes.ts';
import { type Key, type Modifiers, namedKey, typedKey } from './key.ts';

/** Decoded keys, and the incomplete start of the next one. */
export interface DecodedKeys {
  readonly keys: readonly Key[];
  /** Prepend to the next text. May be a single escape, which is a key if nothing follows soon (`settleKeys`). */
  readonly rest: string;
}

export const pasteStart = '\u001b[200~';
export const pasteEnd = '\u001b[201~';
/** Longer sequences are noise. */
const longestSequence = 64;
const longestReply = 8192;

/**
 * Decodes terminal input: characters, control characters, key sequences (xterm, rxvt and the Linux console, with
 * modifiers), bracketed pastes, and mouse input (SGR). Drops replies to queries. `rest` is the rest from the previous
 * call.
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
 * Decodes the rest when no input follows for a while (30 ms are enough): an escape is then a key, or alt with the key
 * after it. An open paste stays open, or its lines would pass as typed.
 */
export function settleKeys(rest: string): DecodedKeys {
  if (rest === '' || rest.startsWith(pasteStart)) return { keys: [], rest };
  if (rest === '\u001b') return { keys: [namedKey('escape')], rest: '' };
  // The first part of a character whose rest is lost.
  if (!rest.startsWith('\u001b')) return { keys: [], rest: '' };
  const behind = decodeKeys('', rest.slice(1));
  const [first, ...others] = [...behind.keys, ...settleKeys(behind.rest).keys];
  return { keys: first ? [withAlt(first), ...others] : [namedKey('escape')], rest: '' };
}

interface ReadKeys {
  readonly keys: readonly Key[];
  readonly end: number;
}

/** Returns undefined if the input is incomplete. */
function readKey(input: string, at: number): ReadKeys | undefined {
  const code = input.charCodeAt(at);
  if (code === 0x1b) return readEscape(input, at);
  if (!isTyped(code)) return { keys: [controlKey(code)], end: at + 1 };
  // The first half of a surrogate pair: the other half has not arrived.
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
    // Some terminals send alt as a second escape; else this is the escape key twice.
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

/** Alt with a capital letter is the small letter with alt and shift. */
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

/** `ESC O A`: keypad keys in application mode. */
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
  // Mouse input without SGR: three bytes, limited to 223 columns and rows.
  if (input[end] === 'M') return input.length < end + 4 ? undefined : { keys: [], end: end + 4 };
  while (end < input.length && /[\x20-\x3f]/.test(input[end] ?? '')) end += 1;
  if (end >= input.length) return input.length - at > longestSequence ? { keys: [], end: input.length } : undefined;
  // A character that no sequence contains: drop the text before it.
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
  // `ESC [ 24 ; 80 R` reports the position of the cursor.
  const name = final === 'M' || (final === 'R' && first !== '' && first !== '1') ? undefined : letters[final];
  return name ? [namedKey(name, modifiers)] : [];
}

/** 1 plus a sum of bits: 1 shift, 2 alt, 4 ctrl, 8 meta (treated as alt). */
function toModifiers(text: string): Modifiers {
  const bits = Math.max(0, (Number.parseInt(text, 10) || 1) - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & 10) !== 0, ctrl: (bits & 4) !== 0 };
}

/** A key by the code point that it types. */
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

/** Reads button presses and wheel turns; ignores moves and releases. */
function mouseKey(parameters: string, final: string): readonly Key[] {
  const [button = Number.NaN, column = Number.NaN, row = Number.NaN] = parameters.split(';').map(Number);
  if (final !== 'M' || !Number.isInteger(button + column + row) || (button & 32) !== 0) return [];
  const name = (button & 64) !== 0 ? wheel[button & 3] : (button & 3) === 0 ? 'click' : undefined;
  if (name === undefined) return [];
  const modifiers = { shift: (button & 4) !== 0, alt: (button & 8) !== 0, ctrl: (button & 16) !== 0 };
  return [{ ...namedKey(name, modifiers), at: { column: Math.max(0, column - 1), row: Math.max(0, row - 1) } }];
}

/** Skips a terminal's reply. */
function readReply(input: string, at: number, kind: string): ReadKeys | undefined {
  for (let end = at + 2; end < input.length; end += 1) {
    if (input[end] === '\u0007') return { keys: [], end: end + 1 };
    if (input[end] === '\u001b') {
      if (end + 1 === input.length) return undefined;
      return { keys: [], end: input[end + 1] === '\\' ? end + 2 : end };
    }
    // No end within the limit: the user typed alt-].
    if (end - at > longestReply) return { keys: [withAlt(typedKey(kind))], end: at + 2 };
  }
  return undefined;
}
