import {
  type CellAnswer,
  type ChartSize,
  type DrawnChart,
  type ExplorerCell,
  type ExplorerState,
  type Failure,
  isOutdated,
  isSameChart,
} from '../state/state.ts';
import type { Effect } from '../state/effects.ts';
import type { Message } from '../state/message.ts';
import { type Room, chartRoom } from '../state/screen-rooms.ts';
import { type Step, chain, notice, openingSaid, say, step, withCell } from '../state/step.ts';
import { changeAsk, pivotTable, runAll, toCell, withGrid } from './change-cells.ts';
import { withParts } from '../../../ask/cloneable.ts';
import { type Column, isTimePart } from '../../../plan/column.ts';
import { lineOf } from '../line/line-state.ts';
import { narrowestChart } from '../../../show/terminal/chart/draw-chart-options.ts';
import { oneLine, replaceText } from '../line/edit-line.ts';
import { addPasted, submit, suggest, typed, withPrompt } from './prompt.ts';
import { takeEdited } from './write-markdown.ts';
import { updateGrid } from '../grid/update-grid.ts';
/** Handles the result of an effect. Drops outdated results. */
export function receive(
  state: ExplorerState,
  message: Exclude<Message, { readonly kind: 'key' | 'resized' | 'tick' }>,
): Step {
  switch (message.kind) {
    case 'opened': {
      const [note] = message.workspace.notes;
      const isOpening = state.said?.text === openingSaid;
      const opened = {
        ...state,
        workspace: message.workspace,
        said: note !== undefined ? { text: note, tone: 'plain' as const } : isOpening ? undefined : state.said,
      };
      return state.focus === 'prompt' && state.prompt.line.text !== '' ? suggest(opened) : step(opened);
    }
    case 'open-failed':
      return step({ ...state, workspace: { kind: 'lost', failure: message.failure } });
    case 'answered':
      return answered(state, message);
    case 'report-answered':
      return reportAnswered(state, message);
    case 'run-failed':
      return failed(state, message.run, message.failure);
    case 'run-cancelled':
      return step(mapRun(state, message.run, (cell) => ({ ...cell, run: { kind: 'cancelled' } })));
    case 'run-waits':
      return step(
        mapRun(state, message.run, (cell) =>
          cell.run.kind === 'running' ? { ...cell, run: { ...cell.run, note: message.note } } : cell,
        ),
      );
    case 'first-rows':
      return step(
        mapRun(state, message.run, (cell) =>
          cell.run.kind === 'running' ? { ...cell, run: { ...cell.run, first: message.first } } : cell,
        ),
      );
    case 'grid':
      return gridMessage(state, message);
    case 'values-counted': {
      const { over } = state;
      if (over?.kind !== 'frequencies' || over.run !== message.run) return step(state);
      return step({ ...state, over: { ...over, counted: message.counted, problem: message.problem } });
    }
    case 'columns-read':
      // Nothing is asked if the user typed on or left the prompt meanwhile.
      return state.focus === 'prompt' && !state.over && state.prompt.line.text === message.line
        ? submit(state)
        : step(state);
    case 'values-found': {
      if (state.workspace.kind !== 'open') return step(state);
      const known = {
        ...state,
        workspace: {
          ...state.workspace,
          values: new Map([...state.workspace.values, [message.member, message.values]]),
        },
      };
      return state.focus === 'prompt' && state.prompt.line.text !== ''
        ? keepChoice(state, suggest(known))
        : step(known);
    }
    case 'empty-found':
      return state.workspace.kind === 'open'
        ? step({
            ...state,
            workspace: { ...state.workspace, empty: message.empty },
            // The list has other items now.
            over: state.over?.kind === 'catalog' ? { ...state.over, chosen: 0 } : state.over,
          })
        : step(state);
    case 'chart-drawn':
      return step(
        withChart(state, message.of, {
          lines: message.lines,
          words: message.words,
          reading: message.reading,
          problem: undefined,
        }),
      );
    case 'chart-failed':
      return step(
        withChart(state, message.of, { lines: undefined, words: undefined, reading: undefined, problem: message.why }),
      );
    case 'saved': {
      // Changes made while saving are not in the file.
      const written = (cell: ExplorerCell) =>
        message.cells.find(
          ({ id, ask, shows, pivot }) =>
            id === cell.id && ask === cell.ask && shows === cell.shows && pivot === cell.pivot,
        );
      const cells = state.cells.map((cell) => {
        const source = written(cell)?.source;
        return source === undefined ? cell : { ...cell, source, byItself: false };
      });
      return notice(
        { ...state, cells, file: message.file },
        [
          `Saved as ${message.file.shown}.`,
          ...(message.note === undefined ? [] : [message.note]),
          ...(message.run === undefined ? [] : [`To run it: ${message.run}`]),
        ].join(' '),
        message.note === undefined ? 'plain' : 'alert',
      );
    }
    case 'notebook-opened':
      return notebookOpened(state, message);
    case 'edited':
      return message.ask === undefined || !state.cells.some(({ id }) => id === message.cell)
        ? notice(state, 'Nothing was changed.')
        : message.ask.kind === 'text'
          ? takeEdited(state, message.cell, message.ask.source)
          : changeAsk(state, message.cell, message.ask);
    case 'typed-edited': {
      const line = message.text === undefined ? undefined : oneLine(message.text).trim();
      if (line === undefined) return notice(state, 'Nothing was changed.');
      return typed({ ...state, focus: 'prompt' }, replaceText(state.prompt.line, line, line.length));
    }
    case 'edit-refused':
      return textRefused(state, 'edited', message);
    case 'query-read':
      return addPasted(state, [message.ask]);
    case 'query-refused':
      return textRefused(state, 'pasted', message);
    case 'turned':
      return step({ ...state, over: { kind: 'text', title: message.title, text: message.text, scroll: 0 } });
    case 'exported':
      return notice(state, message.said);
    case 'copied':
      return notice(state, `Copied ${message.what}, if the terminal allows it.`);
    case 'history-read': {
      const { line } = state.prompt;
      return step(withPrompt(state, { line: { ...line, history: [...message.lines, ...line.history] } }));
    }
    case 'drafts-found':
      return message.drafts.length === 0
        ? notice(state, 'No other session left anything unsaved.')
        : step({ ...state, over: { kind: 'drafts', drafts: message.drafts, line: lineOf(''), chosen: 0 } });
    case 'draft-found':
      return step({ ...state, draft: message.draft });
    case 'effect-failed': {
      const [, ...more] = message.failure.message.split('\n');
      const failed: ExplorerState =
        more.length === 0
          ? state
          : { ...state, over: { kind: 'text', title: message.what, text: message.failure.message, scroll: 0 } };
      return notice(
        failed,
        `${message.what}: ${message.failure.message.split('\n')[0] ?? ''}${message.failure.hint === undefined ? '' : ` ${message.failure.hint}`}`,
        'error',
      );
    }
  }
}

/** Drops charts if the annotations changed. */
function withoutCharts(
  { cells, annotations }: ExplorerState,
  found: ExplorerState['annotations'],
): readonly ExplorerCell[] {
  return JSON.stringify(found) === JSON.stringify(annotations)
    ? cells
    : cells.map((cell) => ({ ...cell, chart: undefined }));
}

function mapRun(state: ExplorerState, number: number, change: (cell: ExplorerCell) => ExplorerCell): ExplorerState {
  // One run answers all blocks of a report.
  const isAsked = ({ run }: ExplorerCell) => run.kind === 'running' && run.number === number;
  return state.cells.some(isAsked)
    ? { ...state, cells: state.cells.map((cell) => (isAsked(cell) ? change(cell) : cell)) }
    : state;
}

function answered(
  state: ExplorerState,
  { run, answer, grid, elapsedMs, pivot, data }: Message & { readonly kind: 'answered' },
): Step {
  const cell = state.cells.find((each) => each.run.kind === 'running' && each.run.number === run);
  if (!cell) return step(state, { kind: 'release', answer: answer.number });
  const before =
    cell.answer && !isRemembered(state, cell.answer.number, cell.id)
      ? [{ kind: 'release' as const, answer: cell.answer.number }]
      : [];
  const next = withCell(
    withData(state, data?.now),
    cell.id,
    (each): ExplorerCell => ({
      ...each,
      // A table that was turned has the rows of before.
      data: data?.asked ?? each.data,
      answer: withoutShownNotes(answer, each.id, state),
      grid,
      chart: undefined,
      hidden: undefined,
      shows: each.byItself ? (showsBetterAsChart(answer, chartRoom(state)) ? 'chart' : 'table') : each.shows,
      run: { kind: 'done', elapsedMs },
    }),
  );
  if (cell.pivot === undefined || pivot === cell.pivot) return step(next, ...before);
  // Pivot the new rows as well, unless the column is gone or there are too many rows.
  const isThere = answer.drill.columns.some(({ key, kind }) => key === cell.pivot && kind !== 'measure');
  if (!isThere || answer.head.rowCount < answer.rowCount)
    return step(
      withCell(next, cell.id, (each) => ({ ...each, pivot: undefined })),
      ...before,
    );
  const { state: turning, effects } = pivotTable(next, cell.id);
  return step(turning, ...before, ...effects);
}

/** Says that the data has changed if this makes cells outdated, unless some already were. */
function withData(state: ExplorerState, data: string | undefined): ExplorerState {
  if (data === undefined || data === state.data) return state;
  const next = { ...state, data };
  const isOld = (cell: ExplorerCell) => isOutdated(cell, data);
  const wasOld = state.cells.some((cell) => isOutdated(cell, state.data));
  if (wasOld || state.said || !state.cells.some(isOld)) return next;
  return say(next, 'The data has changed. `:run-all` asks all cells again.', 'alert');
}

/** Leaves out the notes on how the events are read that another cell shows. */
function withoutShownNotes(answer: CellAnswer, id: number, { cells, workspace }: ExplorerState): CellAnswer {
  const ofSource = (workspace.kind === 'open' && workspace.sourceNotes?.()) || [];
  const others = cells.filter((cell) => cell.id !== id);
  const shown = ofSource.filter((note) => others.some((cell) => cell.answer?.head.provenance.notes.includes(note)));
  if (shown.length === 0) return answer;
  const { provenance } = answer.head;
  const notes = provenance.notes.filter((note) => !shown.includes(note));
  return { ...answer, head: withParts(answer.head, { provenance: { ...provenance, notes } }) };
}

function reportAnswered(state: ExplorerState, message: Message & { readonly kind: 'report-answered' }): Step {
  const isAsked = ({ run }: ExplorerCell) => run.kind === 'running' && run.number === message.run;
  const asked = state.cells.filter(isAsked);
  const before = asked.flatMap(({ id, answer }) =>
    answer && !isRemembered(state, answer.number, id) ? answer.number : [],
  );
  const unseen = [...message.answers].flatMap(([id, { answer }]) =>
    asked.some((cell) => cell.id === id) ? [] : answer.number,
  );
  const seen = withData(state, message.data?.now);
  return step(
    {
      ...(message.changes === undefined ? seen : say(seen, message.changes, 'alert')),
      params: message.params,
      annotations: message.annotations,
      cells: withoutCharts(state, message.annotations).map((cell): ExplorerCell => {
        if (!isAsked(cell)) return cell;
        const { answer, grid } = message.answers.get(cell.id) ?? {};
        const run = { kind: 'done', elapsedMs: message.elapsedMs } as const;
        return { ...cell, told: message.told.get(cell.id), answer, grid, run, data: message.data?.asked };
      }),
    },
    ...[...before, ...unseen].map((answer): Effect => ({ kind: 'release', answer })),
  );
}

/** True if undo or redo could restore the answer. */
function isRemembered({ undo, redo, cells }: ExplorerState, answer: number, id: number): boolean {
  return (
    [...undo, ...redo].some((moment) => moment.cells.some((cell) => cell.answer?.number === answer)) ||
    cells.some((cell) => cell.id !== id && cell.answer?.number === answer)
  );
}

/** Drops the previous answer, which would look like the answer of the failed question. */
function failed(state: ExplorerState, run: number, failure: Failure): Step {
  let isFirst = true;
  const next = mapRun(state, run, (cell) => {
    const ended: ExplorerCell['run'] = isFirst ? { kind: 'failed', failure } : { kind: 'cancelled' };
    isFirst = false;
    return { ...cell, answer: undefined, grid: undefined, chart: undefined, told: undefined, run: ended };
  });
  if (next === state) return step(state);
  const lost: ExplorerState = failure.lost ? { ...next, workspace: { kind: 'lost', failure } } : next;
  return step(lost.focus === 'grid' && !lost.cells[lost.current]?.grid ? { ...lost, focus: 'cells' } : lost);
}

/** Shows a text that cannot be read, below its errors, so that nothing is lost. */
function textRefused(
  state: ExplorerState,
  how: 'edited' | 'pasted',
  { message, text }: { readonly message: string; readonly text: string },
): Step {
  return step({
    ...say(state, `The ${how} text has errors. It was kept.`, 'alert'),
    over: { kind: 'text', title: `The ${how} text`, text: `${message}\n\n${text}`, scroll: 0 },
  });
}

function gridMessage(state: ExplorerState, { answer, message }: Message & { readonly kind: 'grid' }): Step {
  const cell = state.cells.find((each) => each.answer?.number === answer);
  if (!cell?.grid) return step(state);
  return withGrid(state, cell, updateGrid(cell.grid, message));
}

function withChart(state: ExplorerState, of: ChartSize, drawn: Omit<DrawnChart, keyof ChartSize>): ExplorerState {
  const cell = state.cells.find(({ chart }) => chart && isSameChart(chart, of));
  if (!cell) return state;
  // If the user did not request a chart, fall back to the table.
  const shows = drawn.problem !== undefined && cell.byItself ? 'table' : cell.shows;
  return withCell(state, cell.id, (each) => ({ ...each, shows, chart: { ...of, ...drawn } }));
}

function keepChoice(before: ExplorerState, { state, effects }: Step): Step {
  const chosen = before.prompt.completion?.candidates[before.prompt.completion.chosen]?.text;
  const { completion } = state.prompt;
  const index =
    chosen === undefined || !completion ? -1 : completion.candidates.findIndex(({ text }) => text === chosen);
  return { state: completion ? withPrompt(state, { completion: { ...completion, chosen: index } }) : state, effects };
}

function notebookOpened(
  state: ExplorerState,
  { file, cells: opened, given = new Map(), typed, restored, note }: Message & { readonly kind: 'notebook-opened' },
): Step {
  const running = state.cells.flatMap(({ run }): readonly Effect[] =>
    run.kind === 'running' ? [{ kind: 'cancel', run: run.number }] : [],
  );
  const answers = [...state.cells, ...[...state.undo, ...state.redo].flatMap(({ cells }) => cells)].flatMap(
    ({ answer }) => answer?.number ?? [],
  );
  const cells = opened.map(({ ask, source, shows, pivot, own }, index) =>
    toCell(state.nextNumber + index, ask, { source, shows, pivot, own }),
  );
  const history = state.prompt.line.history;
  const next: ExplorerState = {
    ...state,
    cells,
    current: 0,
    top: 0,
    file,
    given,
    params: [],
    annotations: [],
    undo: [],
    redo: [],
    deleting: undefined,
    nextNumber: state.nextNumber + cells.length,
    focus: cells.length === 0 ? 'prompt' : 'cells',
    over: undefined,
    prompt: { line: lineOf(typed, history), editing: undefined, below: false, completion: undefined, issues: [] },
    said: undefined,
    draft: state.draft?.id === restored ? undefined : state.draft,
  };
  const asked = chain(
    step(next, ...running, ...[...new Set(answers)].map((answer): Effect => ({ kind: 'release', answer }))),
    runAll,
  );
  return note === undefined ? asked : { ...asked, state: say(asked.state, note, 'alert') };
}

/** With fewer buckets, figures are easier to read than a chart. */
const leastBuckets = 3;

/**
 * True if an answer is shown as a chart by default: figures over time, or by hour or weekday, that are not all zero.
 */
function showsBetterAsChart(
  { head, rowCount, saved }: Pick<CellAnswer, 'head' | 'rowCount' | 'saved'>,
  { width }: Room,
): boolean {
  if (width < narrowestChart || saved.chart === 'none' || saved.query.ungrouped || head.rowCount < rowCount)
    return false;
  const time = head.columns.find(
    (column) => (column.kind === 'time' && column.granularity !== undefined) || isTimePart(column),
  );
  const countValues = ({ key }: Column) => new Set(Array.from(head.values(key))).size;
  if (!time || countValues(time) < leastBuckets) return false;
  // A chart of several series has no room for the earlier range.
  const compares = saved.query.timeDimensions?.some(({ compareDateRange }) => compareDateRange !== undefined) === true;
  if (compares && head.columns.some((each) => each.kind === 'dimension' && each !== time && countValues(each) > 1))
    return false;
  return head.columns.some(
    ({ kind, type, key }) =>
      kind === 'measure' && type === 'number' && Array.from(head.values(key)).some((value) => Number(value) !== 0),
  );
}
