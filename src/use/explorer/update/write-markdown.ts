import { withoutProseEnd } from '../../../tell/notebook/edit-notebook.ts';
import { readNotebook } from '../../../tell/notebook/read-notebook.ts';
import { editLine, lineLimits } from '../line/edit-line.ts';
import { lineOf } from '../line/line-state.ts';
import type { Ask, ExplorerState, Overlay } from '../state/state.ts';
import { currentCell, step, type Step, withCell, notice } from '../state/step.ts';
import { type Key, nameOfKey } from '../terminal/key.ts';
import { remembering, runCell, toCell } from './change-cells.ts';

type Markdown = Overlay & { readonly kind: 'markdown' };

/** Opens the editor for new Markdown below the chosen cell. */
export function writeBelow(state: ExplorerState): Step {
  const at = state.cells.length === 0 ? 0 : state.current + 1;
  return step({
    ...state,
    said: undefined,
    over: { kind: 'markdown', cell: undefined, at, before: [], line: lineOf(''), after: [] },
  });
}

/** Opens the text of the chosen cell, cursor at its end; undefined if it is not text. */
export function writeChosen(state: ExplorerState): Step | undefined {
  const cell = currentCell(state);
  if (cell?.ask.kind !== 'text') return undefined;
  return step({ ...state, said: undefined, over: toOverlay(bodyOf(cell.ask.source), cell.id, state.current) });
}

/** Takes the text from the system editor; if a block is not closed, opens it in the overlay. */
export function takeEdited(state: ExplorerState, cell: number, source: string): Step {
  const at = state.cells.findIndex(({ id }) => id === cell);
  return takeMarkdown(state, toOverlay(source.replaceAll(/\r\n?/g, '\n').trimEnd(), cell, at));
}

function toOverlay(text: string, cell: number, at: number): Markdown {
  const lines = text.split('\n');
  return { kind: 'markdown', cell, at, before: lines.slice(0, -1), line: lineOf(lines.at(-1)), after: [] };
}

/** The text without the separator from the next cell. */
function bodyOf(source: string): string {
  return withoutProseEnd(source).trimEnd();
}

/** All edited lines. */
export function linesOf({ before, line, after }: Pick<Markdown, 'before' | 'line' | 'after'>): readonly string[] {
  return [...before, line.text, ...after];
}

/** Handles a key in the Markdown editor; escape accepts the text. */
export function pressInMarkdown(state: ExplorerState, over: Markdown, key: Key): Step {
  const { before, line, after } = over;
  const name = nameOfKey(key);
  const put = (change: Partial<Markdown>): Step => step({ ...state, over: { ...over, ...change } });
  const [head, tail] = [line.text.slice(0, line.cursor), line.text.slice(line.cursor)];
  const at = (text: string, cursor = text.length) => ({ ...lineOf(text), cursor });
  switch (name) {
    case 'escape':
      return takeMarkdown(state, over);
    case 'enter':
      return put({ before: [...before, head], line: at(tail, 0) });
    case 'up':
      return before.length === 0
        ? step(state)
        : put({ before: before.slice(0, -1), line: at(before.at(-1) ?? ''), after: [line.text, ...after] });
    case 'down':
      return after.length === 0
        ? step(state)
        : put({ before: [...before, line.text], line: at(after[0] ?? ''), after: after.slice(1) });
    case 'backspace': {
      const last = before.at(-1);
      if (line.cursor > 0 || last === undefined) break;
      return put({ before: before.slice(0, -1), line: at(last + tail, last.length) });
    }
    case 'delete':
      if (tail !== '' || after.length === 0) break;
      return put({ line: at(head + (after[0] ?? ''), head.length), after: after.slice(1) });
  }
  const length = linesOf(over).reduce((sum, each) => sum + each.length + 1, 0);
  if (length + key.text.length > lineLimits.question)
    return notice(state, 'The text was not inserted: the cell would be too long.', 'alert');
  if (key.name === 'paste') {
    const [first = '', ...more] = `${head}${key.text.replaceAll(/\r\n?/g, '\n')}`.split('\n');
    const last = more.at(-1);
    if (last === undefined) return put({ line: at(first + tail, first.length) });
    return put({ before: [...before, first, ...more.slice(0, -1)], line: at(last + tail, last.length) });
  }
  return put({ line: editLine(line, key).state });
}

/** Turns the edited text into a new cell or the text of an existing one, and answers it as part of its report. */
export function takeMarkdown(state: ExplorerState, over: Markdown): Step {
  const closed: ExplorerState = { ...state, over: undefined };
  const text = linesOf(over).join('\n').replace(/\s+$/, '');
  const old = closed.cells.find(({ id }) => id === over.cell)?.ask;
  if (text.trim() === '' || (old?.kind === 'text' && bodyOf(old.source) === text))
    return notice(closed, 'Nothing was changed.');
  if (!isClosed(text))
    return notice(
      { ...state, over },
      'A code block or a comment has no end: it would take in the cells below. End it first.',
      'alert',
    );
  const ask: Ask = { kind: 'text', source: `${text}\n` };
  const id = over.cell ?? closed.nextNumber;
  const next: ExplorerState =
    over.cell === undefined
      ? {
          ...remembering(closed, 'the new text'),
          cells: closed.cells.toSpliced(over.at, 0, toCell(id, ask)),
          current: over.at,
          nextNumber: id + 1,
          focus: 'cells',
        }
      : withCell(remembering(closed, 'the edit'), id, (cell) => ({ ...cell, ask, source: undefined, told: undefined }));
  // Without a report, show the text as written.
  return next.file ? runCell(next, id) : step(next);
}

const probe = '```query\nfrom: probe\n```\n';

/** True if a cell after the text is still read as a cell. */
function isClosed(text: string): boolean {
  const read = readNotebook(`${text}\n\n${probe}`);
  const blocks = read.ok ? read.value.blocks : (read.whatIsThere?.blocks ?? []);
  return blocks.at(-1)?.kind !== 'prose' && blocks.at(-1)?.source.trim() === probe.trim();
}
