import { plural } from '../../../ask/text.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { cellWidth, truncateToCells } from '../../../show/labels/cell-width.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import type { Candidate } from '../complete/rank-candidates.ts';
import { composeGrid } from '../grid/compose-grid.ts';
import { type ComposedLine, composeLine } from '../line/compose-line.ts';
import { catalogEntries, firstQuestions } from '../state/catalog-entries.ts';
import { bodyRows, fixedLines, indent, promptLines } from '../state/screen-rooms.ts';
import type { ExplorerState } from '../state/state.ts';
import type { ChartReading } from '../state/chart-reading.ts';
import { currentCell } from '../state/step.ts';
import { readingOf } from '../update/chart-cursor.ts';
import { composeReading, withCursor } from './chart-lines.ts';
import type { TextLook } from '../../../show/terminal/paint.ts';
import { composeCell } from './cell-lines.ts';
import { composeHead, composeHints, composeSaid, composeSaidLines } from './status-lines.ts';
import { composeOverlay } from './overlay-lines.ts';
import { ellipsisOf, fitLines, fitStretches, type Stretch, fitText, pointerOf, windowAround } from './paint-line.ts';

/** The prompt, and below it its errors or the last message. */
function composePrompt(state: ExplorerState, look: TextLook): ComposedLine {
  const reading = state.focus === 'chart' ? readingOf(state) : undefined;
  if (reading) {
    const room = { width: state.size.columns, height: promptLines - (state.said ? 1 : 0) };
    const read = composeReading(reading, state.cursor, room, look);
    return { lines: [...read, ...(state.said ? [composeSaid(state, look)] : [])], cursor: 0 };
  }
  const { prompt, size, cells, focus } = state;
  const editing = cells.findIndex(({ id }) => id === prompt.editing);
  const label = editing === -1 ? (prompt.below ? `below ${state.current + 1}? ` : '? ') : `edit ${editing + 1}? `;
  const placeholder = focus === 'prompt' ? 'count by eventType' : '';
  const {
    lines: [line = '', ...issues],
    cursor,
  } = composeLine(prompt.line, {
    width: size.columns,
    look,
    label,
    issues: prompt.issues.slice(0, 1),
    placeholder,
    // While one types, nothing moves.
    mostWords: prompt.completion ? 1 : Math.max(1, Math.min(mostIssueLines, bodyRows(state))),
  });
  const said = issues.length > 0 ? issues : aside(state, look);
  return { lines: [line, ...said], cursor };
}

/** Maximum number of lines for the message about a refused line. Those without room below the prompt cover the body. */
const mostIssueLines = 6;

/** Lines below the prompt. */
const asideLines = promptLines - 1;

function aside(state: ExplorerState, look: TextLook): readonly string[] {
  const { workspace, prompt, size, draft, said } = state;
  if (said) return composeSaidLines(state, asideLines, look);
  if (workspace.kind === 'lost') {
    const { message, hint } = workspace.failure;
    return [
      ...fitLines(message.split('\n')[0] ?? '', 'error', size.columns, 1, look),
      ...fitLines(`:reconnect tries again. ${hint ?? ''}`.trim(), 'alert', size.columns, 1, look),
    ];
  }
  // Show the notice only until the first question or input.
  if (draft && state.cells.length === 0 && prompt.line.text === '')
    return fitLines(
      'Unsaved changes from the last session: :restore loads them, :discard deletes them.',
      'alert',
      size.columns,
      asideLines,
      look,
    );
  const chosen = prompt.completion?.candidates[Math.max(0, prompt.completion.chosen)];
  return state.focus === 'prompt' && chosen ? [fitText(`  ${describe(chosen)}`, 'quiet', size.columns, look)] : [];
}

function describe({ kind, title, description }: Candidate): string {
  return [kind, title, description].filter((part) => part !== '').join(': ');
}

/** Maximum number of visible candidates. */
const mostShown = 7;

/** The candidates as lines that cover the end of the body. */
function composeCandidates({ prompt, size }: ExplorerState, room: number, look: TextLook): readonly string[] {
  const { completion } = prompt;
  if (
    !completion ||
    completion.candidates.length === 0 ||
    (prompt.issues.some(({ severity }) => severity === 'error') && completion.chosen < 0 && prompt.line.text === '')
  )
    return [];
  const count = Math.min(mostShown, room - 1, completion.candidates.length);
  if (count < 1) return [];
  const { from, shown } = windowAround(completion.candidates, completion.chosen, count);
  const widest = Math.min(
    Math.floor(size.columns / 2),
    Math.max(...shown.map(({ label }) => cellWidth(sanitize(label)))),
  );
  const rule = look.unicode ? '─' : '-';
  const place =
    completion.candidates.length > count ? ` ${from + 1} to ${from + count} of ${completion.candidates.length} ` : '';
  const lines = shown.map((candidate, index) =>
    drawCandidate(candidate, from + index === completion.chosen, widest, size.columns, look),
  );
  return [
    fitText(
      `${rule.repeat(2)}${place}${rule.repeat(Math.max(0, size.columns - 2 - place.length))}`,
      'quiet',
      size.columns,
      look,
    ),
    ...lines,
  ];
}

function drawCandidate(
  { label, title, description, kind }: Candidate,
  chosen: boolean,
  widest: number,
  width: number,
  look: TextLook,
): string {
  const shown = truncateToCells(sanitize(label), widest, ellipsisOf(look));
  const space = ' '.repeat(Math.max(0, widest - cellWidth(shown)) + 2);
  const more = [title === label ? '' : title, description].filter((part) => part !== '').join('. ') || kind;
  const stretches: readonly Stretch[] = [
    { text: pointerOf(chosen, look), tone: 'accent' },
    { text: shown, tone: chosen ? 'selected' : 'accent' },
    { text: `${space}${more}`, tone: 'quiet' },
  ];
  return fitStretches(stretches, width, look);
}

/** The contents of the screen. */
export interface Screen {
  /** One line for each row of the screen, none wider than it. The only escape sequences are the colours of the look. */
  readonly lines: readonly string[];
  /** The position of the cursor, in cells from the top left; undefined if it is hidden. */
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

/** Draws the state. Pure: the same state gives the same screen. */
export function composeScreen(state: ExplorerState, look: TextLook): Screen {
  const { columns, rows } = state.size;
  if (columns < 1 || rows < 1) return { lines: [], cursor: undefined };
  const head = composeHead(state, look);
  const help = composeHints(state, look);
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
  const body = state.cells.length === 0 ? composeStart(state, look) : composeBody(state, look);
  const prompt = composePrompt(state, look);
  const over = state.focus === 'prompt' ? composeCandidates(state, body.length, look) : [];
  const surplus = Math.max(0, prompt.lines.length - promptLines);
  const covered = [...body.slice(0, Math.max(0, body.length - over.length - surplus)), ...over];
  const cursor = state.focus === 'prompt' ? { x: prompt.cursor, y: 1 + covered.length } : undefined;
  return fitRows([head, ...covered, ...fill(prompt.lines, promptLines + surplus), help], cursor, rows);
}

/** The body before the first question: available data and example questions. */
function composeStart(state: ExplorerState, look: TextLook): readonly string[] {
  const { workspace, size } = state;
  const room = bodyRows(state);
  if (workspace.kind !== 'open') return fill([], room);
  const counts = new Map<string, number>();
  for (const { kind } of catalogEntries(workspace, '')) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const many: readonly (readonly [string, string])[] = [
    ['report', 'reports'],
    ['saved query', 'saved queries'],
    ['measure', 'measures'],
    ['dimension', 'dimensions'],
  ];
  const there = many.flatMap(([kind, all]) => {
    const count = counts.get(kind) ?? 0;
    return count === 0 ? [] : `${formatNumber(count)} ${plural(count, kind, all)}`;
  });
  const line = (...stretches: readonly Stretch[]) => fitStretches(stretches, size.columns, look);
  const lines = [
    '',
    line(
      { text: `  ${there.join(', ')}.  `, tone: 'plain' },
      { text: 'f2', tone: 'heading' },
      { text: ' lists them.', tone: 'quiet' },
    ),
    '',
    line({ text: '  Questions to begin with:', tone: 'quiet' }),
    ...firstQuestions(workspace).map((question, index) =>
      line({ text: `    ${index + 1}  `, tone: 'heading' }, { text: question, tone: 'accent' }),
    ),
    ...(workspace.reports.length === 0
      ? []
      : [
          '',
          line({ text: '  Reports to open:', tone: 'quiet' }),
          ...workspace.reports.slice(0, 6).map((name) => line({ text: `    :open ${name}`, tone: 'accent' })),
        ]),
  ];
  return fill(lines, room);
}

/** The lines of the visible cells; other cells are not drawn. */
function composeBody(state: ExplorerState, look: TextLook): readonly string[] {
  const room = bodyRows(state);
  const lines: string[] = [];
  let at = 0;
  for (const [index, cell] of state.cells.entries()) {
    if (at >= state.top + room) break;
    const drawn = composeCell(
      cell,
      { index, chosen: index === state.current && state.focus !== 'prompt' },
      state,
      look,
    );
    const reading = state.focus === 'chart' && index === state.current ? readingOf(state) : undefined;
    const read = reading ? [drawn[0] ?? '', ...withCursor(drawn.slice(1), inBody(reading), state.cursor, look)] : drawn;
    if (at + drawn.length > state.top) lines.push(...read.slice(Math.max(0, state.top - at)));
    at += drawn.length;
  }
  return fill(lines, room);
}

/** Shift by the indent of answers below their questions. */
function inBody(reading: ChartReading): ChartReading {
  const plots = reading.plots.map((plot) => ({
    ...plot,
    columns: plot.columns.map((column) => (column !== undefined ? column + indent : column)),
  }));
  return { ...reading, plots };
}

function fill(lines: readonly string[], count: number): readonly string[] {
  return lines.length >= count
    ? lines.slice(0, count)
    : [...lines, ...new Array<string>(count - lines.length).fill('')];
}

/** If the screen is too low, cut lines at the top, so that the prompt and its cursor stay visible. */
function fitRows(lines: readonly string[], cursor: Screen['cursor'], rows: number): Screen {
  const all = fill(lines, Math.max(rows, lines.length));
  const wanted = cursor ? Math.max(0, Math.min(all.length - rows, cursor.y)) : 0;
  const from = all.length > rows ? wanted : 0;
  const place = cursor && cursor.y - from < rows ? { x: cursor.x, y: cursor.y - from } : undefined;
  return { lines: all.slice(from, from + rows), cursor: place };
}
