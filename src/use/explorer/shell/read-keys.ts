import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { lineLimits } from '../line/edit-line.ts';
import { type DecodedKeys, decodeKeys, pasteEnd, pasteStart, settleKeys } from '../terminal/decode-keys.ts';
import { type Key, namedKey } from '../terminal/key.ts';

/** How long to wait for the rest of a sequence: a single escape is also a key. */
const patienceMs = 30;

/**
 * Calls `onKey` for each key until closed.
 *
 * Does not use Ink 8.0's hooks `useInput` and `usePaste`: they drop mouse input, omit the names of function keys and
 * `insert`, type a terminal's replies into the prompt, and wait forever for the end of a paste, even after ctrl-c.
 * `test/use/explorer/ink-hooks.test.ts` shows each of these. Terminals without escape sequences do not use Ink at all.
 */
export function readKeys(input: Readable, onKey: (key: Key) => void): { readonly close: () => void } {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let paste: Paste | undefined;
  let waiting: NodeJS.Timeout | undefined;
  const take = (decoded: DecodedKeys) => {
    rest = decoded.rest;
    decoded.keys.forEach(onKey);
  };
  const read = (text: string): void => {
    if (paste) return readPaste(paste, text);
    if (rest === '' && isPasted(text)) return readPaste((paste = openPaste(undefined)), text);
    take(decodeKeys(rest, text));
    if (!rest.startsWith(pasteStart)) return;
    const begun = rest.slice(pasteStart.length);
    rest = '';
    readPaste((paste = openPaste(pasteEnd)), begun);
  };
  const readPaste = (open: Paste, text: string): void => {
    const behind = open.add(text);
    if (behind === undefined) return;
    endPaste();
    if (behind !== '') read(behind);
  };
  const endPaste = () => {
    const text = paste?.text() ?? '';
    paste = undefined;
    if (text !== '') onKey({ ...namedKey('paste'), text });
  };
  const settle = () => {
    if (paste?.end === undefined) endPaste();
    take(settleKeys(rest));
  };
  const onData = (chunk: Buffer | string) => {
    clearTimeout(waiting);
    read(typeof chunk === 'string' ? chunk : decoder.write(chunk));
    if (rest !== '' || (paste && paste.end === undefined)) waiting = setTimeout(settle, patienceMs);
  };
  input.on('data', onData);
  // A paused stream does not resume by itself.
  input.resume();
  return {
    close() {
      clearTimeout(waiting);
      input.off('data', onData);
      input.pause();
    },
  };
}

/** A paste that arrives in pieces. */
interface Paste {
  /**
   * The closing mark; undefined if the terminal does not bracket pastes, so that a pause or a key without text ends the
   * paste.
   */
  readonly end: string | undefined;
  /** Returns the text after the closing mark; undefined if the paste is still open. */
  add(text: string): string | undefined;
  /** The text, cut just above the length limit of a line. */
  text(): string;
}

function openPaste(end: string | undefined): Paste {
  const parts: string[] = [];
  let length = 0;
  /** Text that may be the first part of the closing mark. */
  let held = '';
  const keep = (text: string) => {
    const kept = text.slice(0, Math.max(0, lineLimits.question + 1 - length));
    length += kept.length;
    if (kept !== '') parts.push(kept);
  };
  return {
    end,
    add(text) {
      if (end === undefined) {
        if (!isText.test(text)) return text;
        keep(text);
        return undefined;
      }
      // Let ctrl-c end a paste whose closing mark is lost.
      if (text === interrupt) return text;
      const all = held + text;
      const close = all.indexOf(end);
      const certain = close === -1 ? all.length - end.length + 1 : close;
      keep(all.slice(0, Math.max(0, certain)));
      held = close === -1 ? all.slice(Math.max(0, certain)) : '';
      return close === -1 ? undefined : all.slice(close + end.length);
    },
    text: () => parts.join('') + held,
  };
}

const interrupt = '\u0003';

/** No control characters except blanks and line breaks. */
const isText = /^[^\0-\x08\x0b\x0c\x0e-\x1f\x7f]*$/;

/** Input this long, or with line breaks, is pasted and not typed. Typed line breaks are Enter. */
const mostTyped = { line: 64, lines: 512 } as const;

function isPasted(text: string): boolean {
  return (
    text.length >= mostTyped.line && isText.test(text) && (text.length >= mostTyped.lines || !/[\r\n\t]/.test(text))
  );
}
