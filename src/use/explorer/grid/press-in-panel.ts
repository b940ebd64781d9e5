import { nameOfKey, type Key } from '../key.ts';
import { editLine, lineLimits } from '../line/edit-line.ts';
import { bodyHeight } from './grid-height.ts';
import type { GridPanel, GridState, ViewWanted } from './grid-state.ts';
import { openView } from './open-view.ts';
import { clampScroll } from './panel-lines.ts';
import { readGridFilter } from './read-grid-filter.ts';

/** What a key does while something stands over the rows. A panel takes every key: none of them is for anybody else. */
export function pressInPanel(state: GridState, panel: GridPanel, key: Key): { readonly state: GridState; readonly want?: ViewWanted | undefined } {
  const name = nameOfKey(key);
  if (name === 'escape' || name === 'ctrl-g' || (panel.kind !== 'filter' && /^(?:q|i|v|enter)$/.test(name))) return { state: { ...state, panel: undefined } };
  if (panel.kind === 'filter') return pressInFilter(state, panel, key);
  const page = Math.max(1, bodyHeight(state) - 1);
  const steps: Readonly<Record<string, number>> = { up: -1, k: -1, wheelup: -3, down: 1, j: 1, wheeldown: 3, pageup: -page, pagedown: page, space: page, g: -Infinity, home: -Infinity };
  const step = steps[name];
  if (step === undefined) return { state };
  return { state: { ...state, panel: { ...panel, scroll: clampScroll(state, panel, bodyHeight(state), Math.max(0, panel.scroll + step)) } } };
}

function pressInFilter(state: GridState, panel: Extract<GridPanel, { kind: 'filter' }>, key: Key): { readonly state: GridState; readonly want?: ViewWanted | undefined } {
  if (nameOfKey(key) !== 'enter') {
    const { state: line, refused } = editLine(panel.line, key, lineLimits.name);
    return { state: { ...state, panel: { ...panel, line, problem: refused } } };
  }
  const { text } = panel.line;
  const read = readGridFilter(text, state.columns);
  if (!read.ok) {
    const [issue] = read.issues;
    return { state: { ...state, panel: { ...panel, problem: [issue?.message, issue?.hint].filter((part) => part !== undefined).join(' ') } } };
  }
  const closed = { ...state, panel: undefined };
  if (text.trim() === (state.opening?.filterText ?? state.filterText)) return { state: closed };
  return openView(closed, { filter: { text: text.trim(), filters: read.value } });
}
