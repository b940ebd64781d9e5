import { didYouMean } from '../../../ask/suggest.ts';
import { editLine, lineLimits, replaceText } from '../line/edit-line.ts';
import { catalogEntries } from '../state/catalog-entries.ts';
import {
  frequencyRows,
  valueOfRow,
  type ListOverlay,
  drillChoicesOf,
  fittingCommands,
  fittingDrafts,
  listOf,
} from './overlay-lists.ts';
import { updateGrid } from '../grid/update-grid.ts';
import { lineOf } from '../line/line-state.ts';
import { commands, readCommand } from '../state/commands.ts';
import { conversions } from '../state/effects.ts';
import type { ExplorerState, Overlay } from '../state/state.ts';
import { fixedLines } from '../state/screen-rooms.ts';
import { currentCell, say, step, type Step, notice } from '../state/step.ts';
import { type Key, nameOfKey } from '../terminal/key.ts';
import { drillBy } from './follow-up.ts';
import { restoreDraft, saveAs } from './save-notebook.ts';
import { typed } from './prompt.ts';
import { runCommand, convertTo } from './run-command.ts';
import { pressInMarkdown } from './write-markdown.ts';
import { withGrid } from './change-cells.ts';

/** Handles a key in an overlay. */
export function pressInOverlay(state: ExplorerState, over: Overlay, key: Key): Step {
  const name = nameOfKey(key);
  if (over.kind === 'markdown') return pressInMarkdown(state, over, key);
  // Overlays with a line take these keys as letters.
  if (name === 'escape' || (!('line' in over) && (name === 'q' || name === '?' || name === 'f1')))
    return step({ ...state, over: undefined });
  switch (over.kind) {
    case 'palette':
      return pressInPalette(state, over, key);
    case 'catalog':
      return pressInCatalog(state, over, key);
    case 'save':
      return pressInSave(state, over, key);
    case 'frequencies':
      return pressInFrequencies(state, over, key);
    case 'drill':
      return pressInDrill(state, over, key);
    case 'params':
      return pressInParams(state, over, key);
    case 'history':
      return pressInHistory(state, over, key);
    case 'drafts':
      return pressInDrafts(state, over, key);
    case 'turn':
      return pressInTurn(state, over, name);
    case 'keys':
      return step({ ...state, over: { ...over, scroll: scrolled(over.scroll, name, state) } });
    case 'text':
      if (name === 'y') return step(state, { kind: 'copy', text: over.text, what: over.title });
      return step({ ...state, over: { ...over, scroll: scrolled(over.scroll, name, state) } });
  }
}

function explainUnknown(text: string): string {
  const [name = ''] = text.trim().split(/\s/);
  const near = didYouMean(
    name,
    commands.flatMap((each) => [each.name, ...each.also]),
  );
  return `Unknown command: ${text}.${near === undefined ? '' : ` ${near}`}`;
}

function pressInPalette(state: ExplorerState, over: Overlay & { readonly kind: 'palette' }, key: Key): Step {
  const name = nameOfKey(key);
  const fitting = fittingCommands(over.line.text);
  if (name === 'up' || name === 'down') {
    const chosen = Math.max(0, Math.min(over.chosen + (name === 'down' ? 1 : -1), fitting.length - 1));
    return step({ ...state, over: { ...over, chosen } });
  }
  if (name === 'enter') {
    const typed = readCommand(over.line.text);
    const closed = { ...state, over: undefined };
    // A fully typed name wins over other matches.
    if (typed && over.chosen === 0) return runCommand(closed, typed.command.name, typed.argument);
    const chosen = fitting[over.chosen];
    return chosen ? runCommand(closed, chosen.name) : notice(closed, explainUnknown(over.line.text), 'alert');
  }
  if (name === 'backspace' && over.line.text === '') return step({ ...state, over: undefined });
  if (name === 'tab') {
    const chosen = fitting[over.chosen];
    return chosen
      ? step({
          ...state,
          over: { ...over, chosen: 0, line: { ...over.line, text: `${chosen.name} `, cursor: chosen.name.length + 1 } },
        })
      : step(state);
  }
  return typeInList(state, over, key);
}

function pressInCatalog(state: ExplorerState, over: Overlay & { readonly kind: 'catalog' }, key: Key): Step {
  const { workspace } = state;
  if (workspace.kind !== 'open') return step({ ...state, over: undefined });
  if (nameOfKey(key) === 'f2') return step({ ...state, over: { ...over, all: !over.all, chosen: 0 } });
  const entries = catalogEntries(workspace, over.line.text, over.all);
  const done = pressInList(state, over, entries, key, (closed, { kind, name, written }) => {
    if (kind === 'report') return runCommand(closed, 'open', name);
    const { line } = closed.prompt;
    const before = line.text.slice(0, line.cursor);
    const space = before === '' || /\s$/.test(before) ? '' : ' ';
    const text = `${before}${space}${written} ${line.text.slice(line.cursor).trimStart()}`;
    return typed(
      { ...closed, focus: 'prompt' },
      replaceText(line, text, before.length + space.length + written.length + 1),
    );
  });
  // Load sample values of the chosen dimension.
  const shown = done.state.over;
  const member =
    shown?.kind === 'catalog' ? catalogEntries(workspace, shown.line.text, shown.all)[shown.chosen]?.member : undefined;
  return member === undefined || workspace.values.has(member)
    ? done
    : step(done.state, ...done.effects, { kind: 'find-values', member });
}

function pressInSave(state: ExplorerState, over: Overlay & { readonly kind: 'save' }, key: Key): Step {
  const { text } = over.line;
  if (nameOfKey(key) === 'enter') {
    if (over.name !== undefined) return saveAs(state, over.name, text.trim());
    return step({ ...state, over: { ...over, name: text.trim(), line: lineOf(toTitle(text.trim())) } });
  }
  const { state: line, refused } = editLine(over.line, key, lineLimits.name);
  return step({ ...(refused === undefined ? state : say(state, refused, 'alert')), over: { ...over, line } });
}

/** A title for a file name: `weekly-overview` becomes "Weekly overview". */
function toTitle(name: string): string {
  const words = name.replace(/\.md$/i, '').replaceAll(/[-_]+/g, ' ').trim();
  return words === '' ? '' : words[0]!.toUpperCase() + words.slice(1);
}

function pressInDrill(state: ExplorerState, over: Overlay & { readonly kind: 'drill' }, key: Key): Step {
  return pressInList(state, over, drillChoicesOf(state, over.line.text), key, (closed, { by }) => drillBy(closed, by));
}

function pressInFrequencies(state: ExplorerState, over: Overlay & { readonly kind: 'frequencies' }, key: Key): Step {
  return pressInList(state, over, frequencyRows(over), key, (closed, row) => {
    const cell = currentCell(closed);
    if (!cell?.grid || !cell.answer) return undefined;
    const value = valueOfRow(over, row);
    return withGrid(closed, cell, updateGrid(cell.grid, { kind: 'narrowed', column: over.column, value }));
  });
}

function pressInHistory(state: ExplorerState, over: Overlay & { readonly kind: 'history' }, key: Key): Step {
  return pressInList(state, over, listOf(state, over).things, key, (closed, { name }) =>
    typed({ ...closed, focus: 'prompt' }, replaceText(closed.prompt.line, name, name.length)),
  );
}

/** Chooses a parameter first, then edits its value. */
function pressInParams(state: ExplorerState, over: Overlay & { readonly kind: 'params' }, key: Key): Step {
  if (over.name === undefined)
    return pressInList(state, over, listOf(state, over).things, key, (closed, { name }) => {
      const param = state.params.find((each) => each.name === name);
      return param && step({ ...closed, over: { ...over, name, line: lineOf(param.text) } });
    });
  if (nameOfKey(key) === 'enter')
    return runCommand({ ...state, over: undefined }, 'set', `${over.name}=${over.line.text}`);
  const { state: line, refused } = editLine(over.line, key, lineLimits.name);
  return step({ ...(refused === undefined ? state : say(state, refused, 'alert')), over: { ...over, line } });
}

function pressInDrafts(state: ExplorerState, over: Overlay & { readonly kind: 'drafts' }, key: Key): Step {
  const fitting = fittingDrafts(over, over.line.text);
  const chosen = fitting[over.chosen]?.draft;
  if (nameOfKey(key) === 'delete' && chosen) {
    const drafts = over.drafts.filter((draft) => draft !== chosen);
    const left: ExplorerState = {
      ...state,
      draft: state.draft?.id === chosen.id ? undefined : state.draft,
      over: drafts.length === 0 ? undefined : { ...over, drafts, chosen: Math.min(over.chosen, fitting.length - 2) },
    };
    return step(say(left, 'Discarded.'), { kind: 'discard-draft', id: chosen.id });
  }
  return pressInList(state, over, fitting, key, (closed, { draft }) => restoreDraft(closed, draft));
}

/** Handles a key in a list with a filter line. `take` handles Enter on the chosen item. */
function pressInList<T>(
  state: ExplorerState,
  over: ListOverlay | (Overlay & { readonly kind: 'frequencies' }),
  things: readonly T[],
  key: Key,
  take: (closed: ExplorerState, chosen: T) => Step | undefined,
): Step {
  const name = nameOfKey(key);
  const page = Math.max(1, state.size.rows - fixedLines - titleLines);
  const by: Readonly<Record<string, number>> = {
    up: -1,
    down: 1,
    wheelup: -3,
    wheeldown: 3,
    pageup: -page,
    pagedown: page,
  };
  const move = by[name];
  if (move !== undefined)
    return step({ ...state, over: { ...over, chosen: Math.max(0, Math.min(over.chosen + move, things.length - 1)) } });
  if (name === 'enter') {
    const chosen = things[over.chosen];
    const taken = chosen === undefined ? undefined : take({ ...state, over: undefined }, chosen);
    return taken ?? notice(state, 'Nothing fits. Delete letters, or press esc.', 'alert');
  }
  if (name === 'backspace' && over.line.text === '') return step({ ...state, over: undefined });
  return typeInList(state, over, key);
}

/** Types into the line of an overlay; a change chooses the first match. */
function typeInList(
  state: ExplorerState,
  over: ListOverlay | (Overlay & { readonly kind: 'palette' | 'frequencies' }),
  key: Key,
): Step {
  const { state: line, refused } = editLine(over.line, key, lineLimits.name);
  const chosen = line.text === over.line.text ? over.chosen : 0;
  return step({
    ...(refused === undefined ? state : say(state, refused, 'alert')),
    over: { ...over, line, chosen },
  });
}

const titleLines = 2;

function pressInTurn(state: ExplorerState, over: Overlay & { readonly kind: 'turn' }, name: string): Step {
  const byLetter = conversions.find((into) => into.startsWith(name) && name.length === 1);
  if (byLetter) return convertTo(state, byLetter);
  if (name === 'enter') return convertTo(state, conversions[over.chosen] ?? conversions[0]);
  const by = name === 'down' || name === 'tab' ? 1 : name === 'up' ? -1 : 0;
  return step({ ...state, over: { ...over, chosen: (over.chosen + by + conversions.length) % conversions.length } });
}

/** Moves the scroll position; `settleScroll` limits it later. */
function scrolled(scroll: number, name: string, { size }: ExplorerState): number {
  const page = Math.max(1, size.rows - 6);
  const by: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    pageup: -page,
    pagedown: page,
    space: page,
    wheelup: -3,
    wheeldown: 3,
    home: -Infinity,
    g: -Infinity,
    end: Infinity,
    G: Infinity,
  };
  return Math.max(0, scroll + (by[name] ?? 0));
}
