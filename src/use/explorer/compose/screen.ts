import { composeGrid } from '../grid/compose-grid.ts';
import type { Look } from '../paint.ts';
import { bodyRows, fixedLines, promptLines } from '../screen-rooms.ts';
import type { ExplorerState } from '../state.ts';
import { currentCell } from '../step.ts';
import { composeCell } from './cell-lines.ts';
import { composeOverlay } from './overlay-lines.ts';
import { composeHead, composeHelp, composeSaid } from './outer-lines.ts';
import { composeCandidates, composePrompt } from './prompt-lines.ts';

/** What is on the screen. */
export interface Screen {
  /** One for each row of the screen, none wider than it; nothing in them is obeyed by a terminal but the colours of the look. */
  readonly lines: readonly string[];
  /** Where the cursor blinks, in cells from the top left; undefined: nowhere. */
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

/** The state as it is seen. Pure: the same state gives the same screen. */
export function composeScreen(state: ExplorerState, look: Look): Screen {
  const { columns, rows } = state.size;
  if (columns < 1 || rows < 1) return { lines: [], cursor: undefined };
  const head = composeHead(state, look);
  const help = composeHelp(state, look);
  if (state.over) {
    const room = Math.max(0, rows - fixedLines);
    const { lines, cursor } = composeOverlay(state, state.over, room, look);
    return fitRows([head, ...fill(lines, room), help], cursor && { x: cursor.x, y: cursor.y + 1 }, rows);
  }
  const cell = currentCell(state);
  if (state.focus === 'grid' && cell?.grid) {
    const [question = ''] = composeCell(cell, { index: state.current, chosen: true }, state, look);
    const said = state.said ? composeSaid(state, look) : undefined;
    return fitRows([head, question, ...composeGrid(cell.grid, look), said ?? help], undefined, rows);
  }
  const body = composeBody(state, look);
  const prompt = composePrompt(state, look);
  const over = state.focus === 'prompt' ? composeCandidates(state, body.length, look) : [];
  const covered = [...body.slice(0, body.length - over.length), ...over];
  const cursor = state.focus === 'prompt' ? { x: prompt.cursor, y: 1 + covered.length } : undefined;
  return fitRows([head, ...covered, ...fill(prompt.lines, promptLines), help], cursor, rows);
}

/** The lines of the cells that are in sight; only these cells are drawn. */
function composeBody(state: ExplorerState, look: Look): readonly string[] {
  const room = bodyRows(state);
  const lines: string[] = [];
  let at = 0;
  for (const [index, cell] of state.cells.entries()) {
    if (at >= state.top + room) break;
    const drawn = composeCell(cell, { index, chosen: index === state.current && state.focus !== 'prompt' }, state, look);
    if (at + drawn.length > state.top) lines.push(...drawn.slice(Math.max(0, state.top - at)));
    at += drawn.length;
  }
  return fill(lines, room);
}

function fill(lines: readonly string[], count: number): readonly string[] {
  return lines.length >= count ? lines.slice(0, count) : [...lines, ...new Array<string>(count - lines.length).fill('')];
}

/** On a screen too low for all of it, what stands at the top gives way: the prompt and its cursor stay. */
function fitRows(lines: readonly string[], cursor: Screen['cursor'], rows: number): Screen {
  const all = fill(lines, Math.max(rows, lines.length));
  const wanted = cursor ? Math.max(0, Math.min(all.length - rows, cursor.y)) : 0;
  const from = all.length > rows ? wanted : 0;
  const place = cursor && cursor.y - from < rows ? { x: cursor.x, y: cursor.y - from } : undefined;
  return { lines: all.slice(from, from + rows), cursor: place };
}
