import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { lineLimits } from '../line/edit-line.ts';
import { type DecodedKeys, decodeKeys, pasteEnd, pasteStart, settleKeys } from '../terminal/decode-keys.ts';
import { type Key, namedKey } from '../terminal/key.ts';

/** How long the rest of a sequence is waited for: an escape by itself is a key, too. */
const patienceMs = 30;

/**
 * Tells each key that comes in, until it is closed.
 *
 * Ink 8.0 has hooks for this, `useInput` and `usePaste`, which the explorer cannot use: they drop what the mouse sends,
 * give function keys and `insert` without their names, type what a terminal answers to a question into the prompt, and
 * wait without end for the end of a paste, ctrl-c included. `test/use/explorer/ink-hooks.test.ts` shows each of these.
 * A terminal without escape sequences is read without Ink, too.
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
  // One that was paused by hand does not flow again by itself.
  input.resume();
  return {
    close() {
      clearTimeout(waiting);
      input.off('data', onData);
      input.pause();
    },
  };
}

/** Text that is being pasted, piece by piece. */
interface Paste {
  /** What ends it. undefined: a terminal that does not bracket pastes; a pause or a key that is no text ends it. */
  readonly end: string | undefined;
  /** What comes behind its end; undefined: it goes on. */
  add(text: string): string | undefined;
  /** No more than is needed to see that no line holds it. */
  text(): string;
}

function openPaste(end: string | undefined): Paste {
  const parts: string[] = [];
  let length = 0;
  /** Perhaps the first part of the end. */
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
      // Nobody may be locked in by a paste whose end is lost.
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

/** Without control characters but blanks and line ends. */
const isText = /^[^\0-\x08\x0b\x0c\x0e-\x1f\x7f]*$/;

/** So much text at once nobody types: not in one line, and not with line ends, which are Enter when they are typed. */
const mostTyped = { line: 64, lines: 512 } as const;

function isPasted(text: string): boolean {
  return (
    text.length >= mostTyped.line && isText.test(text) && (text.length >= mostTyped.lines || !/[\r\n\t]/.test(text))
  );
}
