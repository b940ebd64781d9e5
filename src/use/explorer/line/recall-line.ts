import type { LineSnapshot, LineState } from './line-state.ts';

/** The earlier line that begins with what was typed, however often this is asked for. */
export function olderLine(state: LineState): LineState {
  const recall = state.recall ?? { at: state.history.length, draft: { text: state.text, cursor: state.cursor }, prefix: state.text.slice(0, state.cursor) };
  for (let at = recall.at - 1; at >= 0; at -= 1) {
    const line = state.history[at] ?? '';
    if (line.startsWith(recall.prefix) && line !== state.text) return show(state, { text: line, cursor: line.length }, { ...recall, at });
  }
  return { ...state, killing: false, typing: false };
}

/** Back towards the present; after the latest line comes what was typed before. */
export function newerLine(state: LineState): LineState {
  const { recall } = state;
  if (!recall) return { ...state, killing: false, typing: false };
  for (let at = recall.at + 1; at < state.history.length; at += 1) {
    const line = state.history[at] ?? '';
    if (line.startsWith(recall.prefix) && line !== state.text) return show(state, { text: line, cursor: line.length }, { ...recall, at });
  }
  return show(state, recall.draft, undefined);
}

function show(state: LineState, { text, cursor }: LineSnapshot, recall: LineState['recall']): LineState {
  return { ...state, text, cursor, recall, killing: false, typing: false };
}
