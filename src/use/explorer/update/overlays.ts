import { editLine, lineLimits, replaceText } from '../line/edit-line.ts';
import { type DrillChoice, drillChoices } from '../question/drill-choices.ts';
import { plural } from '../../../ask/text.ts';
import { findNamed, type NamedMember } from '../question/find-members.ts';
import { catalogEntries } from '../state/catalog-entries.ts';
import { frequencyRows, valueOfRow } from '../state/frequency-rows.ts';
import { updateGrid } from '../grid/update-grid.ts';
import { lineOf } from '../line/line-state.ts';
import { type Command, commands, readCommand } from '../state/commands.ts';
import { conversions, type Effect } from '../state/effects.ts';
import { askText } from '../state/ask-text.ts';
import type { Draft, ExplorerState, Overlay } from '../state/state.ts';
import { fixedLines } from '../state/screen-rooms.ts';
import { currentCell, say, step, type Step, withCell } from '../state/step.ts';
import { type Key, nameOfKey } from '../terminal/key.ts';
import { drillBy } from './follow-up.ts';
import { restoreDraft, saveAs } from './save-notebook.ts';
import { typed } from './prompt.ts';
import { runCommand, convertTo } from './run-command.ts';
import { pressInMarkdown } from './write-markdown.ts';

/** A key for what stands over the cells. */
export function pressInOverlay(state: ExplorerState, over: Overlay, key: Key): Step {
  const name = nameOfKey(key);
  if (over.kind === 'markdown') return pressInMarkdown(state, over, key);
  if (
    name === 'escape' ||
    (over.kind !== 'palette' &&
      over.kind !== 'drill' &&
      over.kind !== 'frequencies' &&
      over.kind !== 'history' &&
      over.kind !== 'params' &&
      over.kind !== 'drafts' &&
      (name === 'q' || name === '?' || name === 'f1'))
  )
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

/** The commands that fit what is typed: those whose names begin so, then those that speak of it. */
export function fittingCommands(text: string): readonly Command[] {
  const wanted = /\S*/.exec(text.trimStart())?.[0].toLowerCase() ?? '';
  const begins = commands.filter(({ name, also }) => [name, ...also].some((each) => each.startsWith(wanted)));
  const speaks = commands.filter(
    (command) =>
      !begins.includes(command) &&
      wanted.length > 1 &&
      `${command.name} ${command.what}`.toLowerCase().includes(wanted),
  );
  return [...begins, ...speaks].filter(({ name }) => name !== 'palette');
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
    // What is typed in full is meant, whatever else would fit.
    if (typed && over.chosen === 0) return runCommand(closed, typed.command.name, typed.argument);
    const chosen = fitting[over.chosen];
    return chosen ? runCommand(closed, chosen.name) : step(say(closed, `Unknown command: ${over.line.text}`, 'alert'));
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
  const { state: line, refused } = editLine(over.line, key, lineLimits.name);
  return step({
    ...(refused === undefined ? state : say(state, refused, 'alert')),
    over: { ...over, line, chosen: line.text === over.line.text ? over.chosen : 0 },
  });
}

function pressInCatalog(state: ExplorerState, over: Overlay & { readonly kind: 'catalog' }, key: Key): Step {
  const { workspace } = state;
  if (workspace.kind !== 'open') return step({ ...state, over: undefined });
  if (nameOfKey(key) === 'f2') return step({ ...state, over: { ...over, all: !over.all, chosen: 0 } });
  const things = catalogEntries(workspace, over.line.text, over.all);
  const done = pressInList(state, over, things.length, key, (closed) => {
    const thing = things[over.chosen];
    if (!thing) return undefined;
    if (thing.kind === 'report') return runCommand(closed, 'open', thing.name);
    const { line } = closed.prompt;
    const before = line.text.slice(0, line.cursor);
    const space = before === '' || /\s$/.test(before) ? '' : ' ';
    const text = `${before}${space}${thing.written} ${line.text.slice(line.cursor).trimStart()}`;
    return typed(
      { ...closed, focus: 'prompt' },
      replaceText(line, text, before.length + space.length + thing.written.length + 1),
    );
  });
  // Values of what is chosen now are samples of it.
  const shown = done.state.over;
  const member =
    shown?.kind === 'catalog' ? catalogEntries(workspace, shown.line.text, shown.all)[shown.chosen]?.member : undefined;
  const wants: readonly Effect[] =
    member !== undefined && !workspace.values.has(member) ? [{ kind: 'find-values', member }] : [];
  return step(done.state, ...done.effects, ...wants);
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

/** `weekly-overview` as people write it. */
function toTitle(name: string): string {
  const words = name.replace(/\.md$/i, '').replaceAll(/[-_]+/g, ' ').trim();
  return words === '' ? '' : words[0]!.toUpperCase() + words.slice(1);
}

function pressInDrill(state: ExplorerState, over: Overlay & { readonly kind: 'drill' }, key: Key): Step {
  const choices = drillChoicesOf(state, over.line.text);
  return pressInList(state, over, choices.length, key, (closed) => {
    const chosen = choices[over.chosen];
    return chosen && drillBy(closed, chosen.by);
  });
}

function pressInFrequencies(state: ExplorerState, over: Overlay & { readonly kind: 'frequencies' }, key: Key): Step {
  const rows = frequencyRows(over);
  return pressInList(state, over, rows.length, key, (closed) => {
    const row = rows[over.chosen];
    const cell = currentCell(closed);
    if (row === undefined || !cell?.grid || !cell.answer) return undefined;
    const { number: answer } = cell.answer;
    const { state: grid, wants } = updateGrid(cell.grid, {
      kind: 'narrowed',
      column: over.column,
      value: valueOfRow(over, row),
    });
    return step(
      withCell(closed, cell.id, (each) => ({ ...each, grid })),
      ...wants.map((wanted): Effect => ({ kind: 'grid', answer, wanted })),
    );
  });
}

/** Earlier questions that fit what is typed, the latest first where nothing is. */
export function fittingHistory({ prompt }: Pick<ExplorerState, 'prompt'>, typed: string): readonly NamedMember[] {
  const lines = [...new Set(prompt.line.history.toReversed())];
  return findNamed(
    lines.map((name) => ({ name, title: name, description: '' })),
    typed,
  );
}

function pressInHistory(state: ExplorerState, over: Overlay & { readonly kind: 'history' }, key: Key): Step {
  const fitting = fittingHistory(state, over.line.text);
  return pressInList(state, over, fitting.length, key, (closed) => {
    const line = fitting[over.chosen]?.name;
    if (line === undefined) return undefined;
    return typed({ ...closed, focus: 'prompt' }, replaceText(closed.prompt.line, line, line.length));
  });
}

/** Parameters of the report that fit what is typed, with their values. */
export function fittingParams({ params }: Pick<ExplorerState, 'params'>, typed: string): readonly NamedMember[] {
  return findNamed(
    params.map(({ name, title, text }) => ({ name, title: `${name} = ${text}`, description: title })),
    typed,
  );
}

/** First which one, then its value. */
function pressInParams(state: ExplorerState, over: Overlay & { readonly kind: 'params' }, key: Key): Step {
  if (over.name === undefined) {
    const fitting = fittingParams(state, over.line.text);
    return pressInList(state, over, fitting.length, key, (closed) => {
      const name = fitting[over.chosen]?.name;
      const param = state.params.find((each) => each.name === name);
      return param && step({ ...closed, over: { ...over, name, line: lineOf(param.text) } });
    });
  }
  if (nameOfKey(key) === 'enter')
    return runCommand({ ...state, over: undefined }, 'set', `${over.name}=${over.line.text}`);
  const { state: line, refused } = editLine(over.line, key, lineLimits.name);
  return step({ ...(refused === undefined ? state : say(state, refused, 'alert')), over: { ...over, line } });
}

/** Drafts that fit what is typed. */
export function fittingDrafts(
  { drafts }: Pick<Overlay & { readonly kind: 'drafts' }, 'drafts'>,
  typed: string,
): readonly (NamedMember & { readonly draft: Draft })[] {
  return findNamed(
    drafts.map((draft) => {
      const asks = draft.cells.map(({ ask }) => askText(ask)).filter((text) => text !== '');
      const title = asks[0] ?? (draft.typed === '' ? draft.id : draft.typed);
      const name = `${draft.cells.length} ${plural(draft.cells.length, 'cell')}`;
      return {
        draft,
        title,
        name,
        description: [...asks.slice(1), draft.file ?? ''].filter((text) => text !== '').join('; '),
      };
    }),
    typed,
  );
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
  return pressInList(state, over, fitting.length, key, (closed) => {
    return chosen && restoreDraft(closed, chosen);
  });
}

/** A key for a line above a list that it narrows. `take`: what Enter does; undefined: there is nothing to take. */
function pressInList(
  state: ExplorerState,
  over: Overlay & { readonly kind: 'drill' | 'frequencies' | 'catalog' | 'history' | 'drafts' | 'params' },
  count: number,
  key: Key,
  take: (closed: ExplorerState) => Step | undefined,
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
    return step({ ...state, over: { ...over, chosen: Math.max(0, Math.min(over.chosen + move, count - 1)) } });
  if (name === 'enter')
    return (
      take({ ...state, over: undefined }) ?? step(say(state, 'Nothing fits. Delete letters, or press esc.', 'alert'))
    );
  if (name === 'backspace' && over.line.text === '') return step({ ...state, over: undefined });
  const { state: line, refused } = editLine(over.line, key, lineLimits.name);
  const next = refused === undefined ? state : say(state, refused, 'alert');
  return step({ ...next, over: { ...over, line, chosen: line.text === over.line.text ? over.chosen : 0 } });
}

const titleLines = 2;

/** By what the figure of the grid can be drilled into, narrowed by what is typed. */
export function drillChoicesOf(state: ExplorerState, typed: string): readonly DrillChoice[] {
  const answer = currentCell(state)?.answer;
  return answer && state.workspace.kind === 'open' ? drillChoices(answer.drill, state.workspace.catalog, typed) : [];
}

function pressInTurn(state: ExplorerState, over: Overlay & { readonly kind: 'turn' }, name: string): Step {
  const byLetter = conversions.find((into) => into.startsWith(name) && name.length === 1);
  if (byLetter) return convertTo(state, byLetter);
  if (name === 'enter') return convertTo(state, conversions[over.chosen] ?? conversions[0]);
  const by = name === 'down' || name === 'tab' ? 1 : name === 'up' ? -1 : 0;
  return step({ ...state, over: { ...over, chosen: (over.chosen + by + conversions.length) % conversions.length } });
}

/** Where its end is is settled afterwards. */
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
