import { nameOfKey, type Key } from '../key.ts';
import type { LineSearch, LineState } from './line-state.ts';

/** Begins to look for an earlier line that holds what will be typed. */
export function startSearch(state: LineState): LineState {
  return { ...state, search: { query: '', at: undefined, draft: { text: state.text, cursor: state.cursor } }, recall: undefined, killing: false, typing: false };
}

/**
 * `ctrl-r` goes on to the next earlier line, `ctrl-s` back, `escape` and `ctrl-g` give up; every other key that types nothing ends the
 * search with the line that was found and then does what it does elsewhere.
 */
export function pressInSearch(state: LineState, search: LineSearch, key: Key): { readonly state: LineState; readonly handled: boolean } {
  const name = nameOfKey(key);
  if (name === 'escape' || name === 'ctrl-g' || name === 'ctrl-c') {
    return { state: { ...state, ...search.draft, search: undefined }, handled: true };
  }
  if (name === 'ctrl-r') return { state: find(state, search, search.query, (search.at ?? state.history.length) - 1, -1), handled: true };
  if (name === 'ctrl-s') return { state: find(state, search, search.query, (search.at ?? -1) + 1, 1), handled: true };
  if (name === 'backspace' || name === 'ctrl-h') {
    const query = [...search.query].slice(0, -1).join('');
    return { state: find(state, search, query, state.history.length - 1, -1), handled: true };
  }
  if (key.text !== '') return { state: find(state, search, search.query + key.text.replace(/\s+/g, ' '), search.at ?? state.history.length - 1, -1), handled: true };
  return { state: { ...state, search: undefined }, handled: name === 'left' || name === 'right' || name === 'tab' };
}

function find(state: LineState, search: LineSearch, query: string, from: number, step: 1 | -1): LineState {
  if (query === '') return { ...state, ...search.draft, search: { ...search, query, at: undefined } };
  const wanted = query.toLowerCase();
  for (let at = from; at >= 0 && at < state.history.length; at += step) {
    const line = state.history[at] ?? '';
    const found = line.toLowerCase().indexOf(wanted);
    // The same line again would look as if the key had done nothing.
    if (found !== -1 && !(line === state.text && search.query === query && at !== search.at)) return { ...state, text: line, cursor: found, search: { ...search, query, at } };
  }
  // Nothing earlier: the line that was found stays. With a longer text it is not found any more.
  return { ...state, search: { ...search, query, at: query === search.query ? search.at : undefined } };
}
