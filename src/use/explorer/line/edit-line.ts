import { type Key, nameOfKey } from '../terminal/key.ts';
import {
  borderAfter,
  borderAt,
  borderBefore,
  borderBehind,
  stretchBefore,
  wordAfter,
  wordBefore,
} from './graphemes.ts';
import type { LineSearch, LineSnapshot, LineState } from './line-state.ts';

interface EditedLine {
  readonly state: LineState;
  /** False: the key means nothing to the line; the state may still be another (`enter` ends a search). */
  readonly handled: boolean;
  /** Why the text was not inserted, for people. */
  readonly refused?: string | undefined;
}

/** UTF-16 units that a line holds: a question, and what is short, such as a name, a filter or a text to search for. */
export const lineLimits = { question: 4 * 1024 * 1024, name: 1000 } as const;

/** So many steps can be undone if their texts are not longer than this together. The last step always can. */
const mostUndo = 200;
const mostUndoLength = 4 * lineLimits.question;

/**
 * The line after a key, with the habits of readline. A paste becomes one line. `most`: UTF-16 units that the line
 * holds.
 */
export function editLine(state: LineState, key: Key, most: number = lineLimits.question): EditedLine {
  const [length, limit] = state.search ? [state.search.query.length, lineLimits.name] : [state.text.length, most];
  if (key.text !== '' && length + key.text.length > limit) {
    return {
      state,
      handled: true,
      refused: `The text was not inserted. This line can have at most ${limit.toLocaleString('en')} characters.`,
    };
  }
  if (state.search) return pressInSearch(state, state.search, key);
  const name = nameOfKey(key);
  const edit = key.text === '' ? edits[others[name] ?? name] : undefined;
  if (edit) return { state: edit(state), handled: true };
  const text = key.name === 'paste' ? oneLine(key.text) : key.text;
  return text === ''
    ? { state, handled: key.name === 'paste' }
    : { state: insert(state, text, key.name !== 'paste'), handled: true };
}

/** The line with another text, as if somebody had typed it: it can be undone. */
export function replaceText(state: LineState, text: string, cursor = text.length): LineState {
  return {
    ...remember(state),
    text,
    cursor: borderAt(text, Math.max(0, Math.min(cursor, text.length))),
    ...calm,
    recall: undefined,
  };
}

type Edit = (state: LineState) => LineState;

const calm = { killing: false, typing: false } as const;

const edits: Readonly<Record<string, Edit>> = {
  left: (state) => moveTo(state, borderBefore(state.text, state.cursor)),
  right: (state) => moveTo(state, borderAfter(state.text, state.cursor)),
  home: (state) => moveTo(state, 0),
  end: (state) => moveTo(state, state.text.length),
  'alt-b': (state) => moveTo(state, wordBefore(state.text, state.cursor)),
  'alt-f': (state) => moveTo(state, wordAfter(state.text, state.cursor)),
  backspace: (state) => cut(state, borderBefore(state.text, state.cursor), state.cursor),
  delete: (state) => cut(state, state.cursor, borderAfter(state.text, state.cursor)),
  'ctrl-w': (state) => kill(state, stretchBefore(state.text, state.cursor), state.cursor),
  'alt-backspace': (state) => kill(state, wordBefore(state.text, state.cursor), state.cursor),
  'alt-d': (state) => kill(state, state.cursor, wordAfter(state.text, state.cursor)),
  'ctrl-u': (state) => kill(state, 0, state.cursor),
  'ctrl-k': (state) => kill(state, state.cursor, state.text.length),
  'ctrl-y': (state) => (state.killed === '' ? { ...state, ...calm } : insert(state, state.killed, false)),
  'ctrl-t': swap,
  'ctrl-_': undo,
  up: olderLine,
  down: newerLine,
  'ctrl-r': startSearch,
};

const others: Readonly<Record<string, string>> = {
  'ctrl-b': 'left',
  'ctrl-f': 'right',
  'ctrl-a': 'home',
  'ctrl-e': 'end',
  'ctrl-h': 'backspace',
  'ctrl-p': 'up',
  'ctrl-n': 'down',
  'ctrl-left': 'alt-b',
  'alt-left': 'alt-b',
  'ctrl-right': 'alt-f',
  'alt-right': 'alt-f',
  'ctrl-delete': 'alt-d',
  'ctrl-backspace': 'alt-backspace',
  'shift-backspace': 'backspace',
  'ctrl-d': 'delete',
};

function moveTo(state: LineState, cursor: number): LineState {
  return { ...state, cursor, ...calm };
}

function remember(state: LineState): LineState {
  const now: LineSnapshot = { text: state.text, cursor: state.cursor };
  const undo = [...state.undo, now].slice(-mostUndo);
  let room = mostUndoLength;
  const dropped = undo.findLastIndex(({ text }) => (room -= text.length) < 0);
  return { ...state, undo: undo.slice(Math.min(dropped + 1, undo.length - 1)) };
}

function insert(state: LineState, text: string, typed: boolean): LineState {
  const before = state.text.slice(0, state.cursor) + text;
  const whole = before + state.text.slice(state.cursor);
  // Words are undone one at a time.
  const joins = typed && state.typing && !/^\s/.test(text);
  // A combining mark joins the letter before it, and the cursor goes behind both.
  const cursor = borderBehind(whole, before.length);
  return {
    ...(joins ? state : remember(state)),
    text: whole,
    cursor,
    typing: typed,
    killing: false,
    recall: undefined,
  };
}

function cut(state: LineState, from: number, to: number): LineState {
  if (from === to) return { ...state, ...calm };
  const text = state.text.slice(0, from) + state.text.slice(to);
  // What stood apart may be one grapheme now.
  return { ...remember(state), text, cursor: borderAt(text, from), ...calm, recall: undefined };
}

/** Cuts that follow each other can be put in again as one. */
function kill(state: LineState, from: number, to: number): LineState {
  if (from === to) return { ...state, typing: false };
  const text = state.text.slice(from, to);
  const killed = !state.killing
    ? text
    : to === state.cursor && from !== state.cursor
      ? text + state.killed
      : state.killed + text;
  return { ...cut(state, from, to), killed, killing: true };
}

/** The two graphemes around the cursor change places; at the end the last two. */
function swap(state: LineState): LineState {
  const { text } = state;
  const middle = state.cursor === text.length ? borderBefore(text, text.length) : state.cursor;
  const start = borderBefore(text, middle);
  const end = borderAfter(text, middle);
  if (start === middle || middle === end) return { ...state, ...calm };
  const swapped = text.slice(0, start) + text.slice(middle, end) + text.slice(start, middle) + text.slice(end);
  return { ...remember(state), text: swapped, cursor: borderAt(swapped, end), ...calm, recall: undefined };
}

function undo(state: LineState): LineState {
  const last = state.undo.at(-1);
  return last
    ? { ...state, ...last, undo: state.undo.slice(0, -1), ...calm, recall: undefined }
    : { ...state, ...calm };
}

/** A text of several lines as one. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/g, (blanks) => (/[\r\n\u2028\u2029]/.test(blanks) ? ' ' : blanks.replaceAll('\t', ' ')));
}

/** The earlier line that begins with what was typed, however often this is asked for. */
function olderLine(state: LineState): LineState {
  const recall = state.recall ?? {
    at: state.history.length,
    draft: { text: state.text, cursor: state.cursor },
    prefix: state.text.slice(0, state.cursor),
  };
  for (let at = recall.at - 1; at >= 0; at -= 1) {
    const line = state.history[at] ?? '';
    if (line.startsWith(recall.prefix) && line !== state.text)
      return show(state, { text: line, cursor: line.length }, { ...recall, at });
  }
  return { ...state, killing: false, typing: false };
}

/** Back towards the present; after the latest line comes what was typed before. */
function newerLine(state: LineState): LineState {
  const { recall } = state;
  if (!recall) return { ...state, killing: false, typing: false };
  for (let at = recall.at + 1; at < state.history.length; at += 1) {
    const line = state.history[at] ?? '';
    if (line.startsWith(recall.prefix) && line !== state.text)
      return show(state, { text: line, cursor: line.length }, { ...recall, at });
  }
  return show(state, recall.draft, undefined);
}

function show(state: LineState, { text, cursor }: LineSnapshot, recall: LineState['recall']): LineState {
  return { ...state, text, cursor, recall, killing: false, typing: false };
}

/** Begins to look for an earlier line that holds what will be typed. */
function startSearch(state: LineState): LineState {
  return {
    ...state,
    search: { query: '', at: undefined, draft: { text: state.text, cursor: state.cursor } },
    recall: undefined,
    killing: false,
    typing: false,
  };
}

/**
 * `ctrl-r` goes on to the next earlier line, `ctrl-s` back, `escape` and `ctrl-g` give up; every other key that types
 * nothing ends the search with the line that was found and then does what it does elsewhere.
 */
function pressInSearch(
  state: LineState,
  search: LineSearch,
  key: Key,
): { readonly state: LineState; readonly handled: boolean } {
  const name = nameOfKey(key);
  if (name === 'escape' || name === 'ctrl-g' || name === 'ctrl-c') {
    return { state: { ...state, ...search.draft, search: undefined }, handled: true };
  }
  if (name === 'ctrl-r')
    return { state: find(state, search, search.query, (search.at ?? state.history.length) - 1, -1), handled: true };
  if (name === 'ctrl-s') return { state: find(state, search, search.query, (search.at ?? -1) + 1, 1), handled: true };
  if (name === 'backspace' || name === 'ctrl-h') {
    const query = [...search.query].slice(0, -1).join('');
    return { state: find(state, search, query, state.history.length - 1, -1), handled: true };
  }
  if (key.text !== '')
    return {
      state: find(
        state,
        search,
        search.query + key.text.replace(/\s+/g, ' '),
        search.at ?? state.history.length - 1,
        -1,
      ),
      handled: true,
    };
  return { state: { ...state, search: undefined }, handled: name === 'left' || name === 'right' || name === 'tab' };
}

function find(state: LineState, search: LineSearch, query: string, from: number, step: 1 | -1): LineState {
  if (query === '') return { ...state, ...search.draft, search: { ...search, query, at: undefined } };
  const wanted = query.toLowerCase();
  for (let at = from; at >= 0 && at < state.history.length; at += step) {
    const line = state.history[at] ?? '';
    const found = line.toLowerCase().indexOf(wanted);
    // The same line again would look as if the key had done nothing.
    if (found !== -1 && !(line === state.text && search.query === query && at !== search.at))
      return { ...state, text: line, cursor: found, search: { ...search, query, at } };
  }
  // Nothing earlier: the line that was found stays. With a longer text it is not found any more.
  return { ...state, search: { ...search, query, at: query === search.query ? search.at : undefined } };
}
