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
  /** False if the key has no meaning for the line; the state may still change (`enter` ends a search). */
  readonly handled: boolean;
  /** Message for people if the text was not inserted. */
  readonly refused?: string | undefined;
}

/** Maximum lengths in UTF-16 units: of a question, and of short texts such as a name, a filter or a search. */
export const lineLimits = { question: 4 * 1024 * 1024, name: 1000 } as const;

/** Maximum number of undo steps, and the total length of their texts. The last step is always kept. */
const mostUndo = 200;
const mostUndoLength = 4 * lineLimits.question;

/**
 * Applies a key to the line, with the key bindings of readline. A paste becomes one line. `most`: maximum length in
 * UTF-16 units.
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

/** Replaces the text as an edit that can be undone. */
export function replaceText(state: LineState, text: string, cursor: number): LineState {
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
  // Each word is one undo step.
  const joins = typed && state.typing && !/^\s/.test(text);
  // A combining mark joins the letter before it; the cursor goes after both.
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
  // The texts on both sides may now form one grapheme.
  return { ...remember(state), text, cursor: borderAt(text, from), ...calm, recall: undefined };
}

/** Consecutive cuts are pasted as one. */
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

/** Swaps the two graphemes around the cursor, or the last two at the end. */
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

/** Joins the lines of a text. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/g, (blanks) => (/[\r\n\u2028\u2029]/.test(blanks) ? ' ' : blanks.replaceAll('\t', ' ')));
}

/** The next earlier line that begins with the text before the cursor. */
function olderLine(state: LineState): LineState {
  const recall = state.recall ?? {
    at: state.history.length,
    draft: { text: state.text, cursor: state.cursor },
    prefix: state.text.slice(0, state.cursor),
  };
  return recalled(state, recall, -1) ?? { ...state, killing: false, typing: false };
}

/** The next later line; after the latest comes the draft. */
function newerLine(state: LineState): LineState {
  const { recall } = state;
  if (!recall) return { ...state, killing: false, typing: false };
  return recalled(state, recall, 1) ?? show(state, recall.draft, undefined);
}

/** The nearest line in one direction that begins with the prefix; undefined if there is none. */
function recalled(state: LineState, recall: NonNullable<LineState['recall']>, step: 1 | -1): LineState | undefined {
  for (let at = recall.at + step; at >= 0 && at < state.history.length; at += step) {
    const line = state.history[at] ?? '';
    if (line.startsWith(recall.prefix) && line !== state.text)
      return show(state, { text: line, cursor: line.length }, { ...recall, at });
  }
  return undefined;
}

function show(state: LineState, { text, cursor }: LineSnapshot, recall: LineState['recall']): LineState {
  return { ...state, text, cursor, recall, killing: false, typing: false };
}

/** Starts a search of the history. */
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
 * `ctrl-r` finds the next earlier line, `ctrl-s` the next later one, `escape` and `ctrl-g` cancel. Any other key that
 * types nothing accepts the found line and then has its usual effect.
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
    // Skip a line with the same text: the key would seem to do nothing.
    if (found !== -1 && !(line === state.text && search.query === query && at !== search.at))
      return { ...state, text: line, cursor: found, search: { ...search, query, at } };
  }
  // No earlier match: keep the found line. With a changed query, no line is found any more.
  return { ...state, search: { ...search, query, at: query === search.query ? search.at : undefined } };
}
