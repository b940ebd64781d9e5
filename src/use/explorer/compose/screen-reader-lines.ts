import { sayIssue } from '../../../ask/outcome.ts';
import { plural } from '../../../ask/text.ts';
import { formatValue } from '../../../shape/format/format.ts';
import { toHeadings } from '../../../show/labels/headings.ts';
import { toNotes } from '../../../show/labels/notes.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { cellAt } from '../grid/grid-pages.ts';
import { commands } from '../state/commands.ts';
import { conversions } from '../state/effects.ts';
import { type CellAnswer, type ExplorerCell, type ExplorerState, isOutdated, type Told } from '../state/state.ts';
import { currentCell } from '../state/step.ts';
import type { ChartCursor, ChartReading } from '../state/chart-reading.ts';
import { catalogEntries, firstQuestions } from '../state/catalog-entries.ts';
import { frequencyRows, textOfRow, drillChoicesOf, fittingCommands, listOf } from '../update/overlay-lists.ts';
import { linesOf } from '../update/write-markdown.ts';
import { readingOf } from '../update/chart-cursor.ts';
import { askText, titleOf } from '../state/ask-text.ts';
import { commandKeys } from './status-lines.ts';

/** Maximum number of rows read out per answer. */
const mostRows = 10;
/** Maximum length of a question that is read out, in UTF-16 units. */
const mostSpoken = 2000;

/** The state as sentences for a screen reader, without decorative characters. All lines are sanitized. */
export function composeReaderLines(state: ExplorerState): readonly string[] {
  return [...whereSpoken(state), ...(state.said ? [state.said.text] : [])].map(sanitize);
}

function whereSpoken(state: ExplorerState): readonly string[] {
  const { over, focus, prompt, workspace } = state;
  const cell = currentCell(state);
  if (over?.kind === 'palette')
    return [
      `Command: ${over.line.text}`,
      ...fittingCommands(over.line.text)
        .slice(over.chosen, over.chosen + 1)
        .map(({ name, what }) => `Enter runs: ${name}, ${what}`),
    ];
  if (over?.kind === 'catalog' && workspace.kind === 'open') {
    const things = catalogEntries(workspace, over.line.text, over.all);
    const thing = things[over.chosen];
    return [
      `Find: ${over.line.text}`,
      ...(thing ? [`Enter takes: ${thing.title}, ${thing.kind}. ${thing.description}`] : ['Nothing fits.']),
    ];
  }
  if (over?.kind === 'save') return [`${over.name === undefined ? 'Save as' : 'Title'}: ${over.line.text}`];
  if (over?.kind === 'frequencies') {
    const rows = frequencyRows(over);
    const row = rows[over.chosen];
    const measure = over.counted?.columns[1];
    return [
      over.problem ??
        (over.counted ? `${rows.length} ${plural(rows.length, 'value')}. Find: ${over.line.text}` : 'Counting.'),
      ...(row === undefined || !measure
        ? []
        : [
            `${textOfRow(over, row)}: ${formatValue(over.counted?.values(measure.key)[row] ?? null, measure)}. ` +
              'Enter filters by it.',
          ]),
    ];
  }
  if (over?.kind === 'drill') {
    const chosen = drillChoicesOf(state, over.line.text)[over.chosen];
    return [
      `Drill down by what? ${over.line.text}`,
      ...(chosen ? [`Enter takes: ${chosen.title}. ${chosen.description}`] : ['Nothing fits.']),
    ];
  }
  if (over?.kind === 'params' && over.name !== undefined) return [`${over.name}: ${over.line.text}. Enter sets it.`];
  if (over?.kind === 'history' || over?.kind === 'drafts' || over?.kind === 'params') {
    const chosen = listOf(state, over).things[over.chosen];
    return [
      `Find: ${over.line.text}`,
      ...(chosen ? [`Enter takes: ${chosen.title}. ${chosen.description}`] : ['Nothing fits.']),
    ];
  }
  if (over?.kind === 'markdown')
    return [`Line ${over.before.length + 1} of ${linesOf(over).length}. Escape takes the text.`, over.line.text];
  if (over?.kind === 'turn')
    return [`Convert the question to ${conversions[over.chosen] ?? ''}. Press Enter to accept, Down for the next.`];
  if (over?.kind === 'keys')
    return [
      ...commandKeys(focus).map(([key, what]) => `${key}: ${what}`),
      `Commands start with a colon: ${commands.map(({ name }) => name).join(', ')}`,
    ];
  if (over?.kind === 'text') return [`${over.title}:`, ...over.text.trimEnd().split('\n')];
  if (focus === 'grid' && cell?.grid) return gridSpoken(cell);
  const reading = readingOf(state);
  if (focus === 'chart' && reading) return readingSpoken(reading, state.cursor);
  if (focus === 'cells' && cell)
    return [
      `Cell ${state.current + 1} of ${state.cells.length}: ${namedSpoken(cell)}`,
      ...answerSpoken(cell, state.data),
    ];
  const chosen = prompt.completion?.candidates[prompt.completion.chosen];
  const latest = state.cells.at(-1);
  const editing = state.cells.findIndex(({ id }) => id === prompt.editing);
  return [
    ...(workspace.kind === 'opening'
      ? ['Opening the data.']
      : workspace.kind === 'lost'
        ? [`The data is not available: ${workspace.failure.message}`]
        : []),
    ...(latest && prompt.line.text === '' && editing === -1
      ? [`Cell ${state.cells.length}: ${namedSpoken(latest)}`, ...answerSpoken(latest, state.data)]
      : []),
    ...(workspace.kind === 'open' && state.cells.length === 0 && prompt.line.text === ''
      ? [`Questions to begin with: ${firstQuestions(workspace).join('; ')}. Press its number to take one.`]
      : []),
    ...(state.draft
      ? ['Unsaved changes from the last session are available. Type colon restore, or colon discard.']
      : []),
    ...(editing === -1 ? [] : [`Editing cell ${editing + 1}. Press enter to ask, escape to go back.`]),
    `Question: ${prompt.line.text.slice(0, mostSpoken)}` +
      (prompt.line.text.length > mostSpoken ? ` and ${prompt.line.text.length - mostSpoken} more characters` : ''),
    ...(chosen
      ? [`Candidate: ${chosen.label}, ${chosen.kind}${chosen.description === '' ? '' : `, ${chosen.description}`}`]
      : []),
    ...prompt.issues.map(sayIssue),
  ];
}

function toldSpoken(piece: Told): readonly string[] {
  if (piece.kind === 'text') return piece.text.split('\n').filter((line) => line.trim() !== '');
  return rowsSpoken({ head: piece.result, rowCount: piece.result.rowCount });
}

function namedSpoken(cell: ExplorerCell): string {
  const title = titleOf(cell);
  return title === undefined ? askText(cell.ask) : `${title}: ${askText(cell.ask)}`;
}

/** A chart in words. */
function chartSpoken(chart: ExplorerCell['chart']): readonly string[] {
  if (chart?.problem !== undefined) return [`No chart: ${chart.problem}`];
  return chart?.words === undefined ? ['Drawing the chart.'] : [chart.words];
}

function answerSpoken(cell: ExplorerCell, data: string | undefined): readonly string[] {
  const outdated = isOutdated(cell, data) ? ['Outdated: the data has changed since.'] : [];
  return [...outdated, ...ownAnswerSpoken(cell)];
}

function ownAnswerSpoken({ ask, run, answer, told, shows, chart }: ExplorerCell): readonly string[] {
  switch (run.kind) {
    case 'none':
      return ask.kind === 'text' ? [] : ['Not run yet.'];
    case 'running':
      return [run.first ? 'Running. The first rows are here; the rest is loading.' : 'Running.'];
    case 'cancelled':
      return ['Stopped.'];
    case 'failed':
      return [
        'It failed.',
        ...run.failure.message.split('\n'),
        ...(run.failure.hint === undefined ? [] : [run.failure.hint]),
      ];
    case 'done':
      if (answer && shows === 'chart') return [...chartSpoken(chart), ...notesSpoken(answer)];
      return answer && !told ? rowsSpoken(answer) : (told ?? []).flatMap(toldSpoken);
  }
}

function rowsSpoken({ head, rowCount }: Pick<CellAnswer, 'head' | 'rowCount'>): readonly string[] {
  const headings = toHeadings(head.columns);
  const rows = Array.from({ length: Math.min(mostRows, head.rowCount) }, (_, row) =>
    head.columns
      .map((column, index) => `${headings[index] ?? ''} ${formatValue(head.values(column.key)[row] ?? null, column)}`)
      .join(', '),
  );
  const more =
    rowCount > rows.length ? [`The first ${rows.length} of ${rowCount} rows; press tab to read them one by one.`] : [];
  return [`Answer: ${rowCount} ${plural(rowCount, 'row')}.`, ...rows, ...more, ...notesSpoken({ head })];
}

function notesSpoken({ head }: Pick<CellAnswer, 'head'>): readonly string[] {
  return toNotes(head.provenance).map(({ text }) => text);
}

/** One value and its position. */
function readingSpoken(
  { places, series }: ChartReading,
  { place, series: chosen, mark }: ChartCursor,
): readonly string[] {
  const read = series[chosen];
  return [
    `${places[place]?.label ?? ''}, ${place + 1} of ${places.length}. ${read?.label ?? ''}: ${read?.hidden ? 'left out' : (read?.texts[place] ?? '')}`,
    ...(series.length > 1 ? [`Series ${chosen + 1} of ${series.length}.`] : []),
    ...(mark === undefined ? [] : [`A range is marked from ${places[mark]?.label ?? ''}. Enter zooms into it.`]),
  ];
}

function gridSpoken({ grid }: ExplorerCell): readonly string[] {
  if (!grid) return [];
  const cell = cellAt(grid, grid.row, grid.column);
  const column = grid.columns[grid.column];
  const value = column && cell ? formatValue(cell.value, column.column) : 'being read';
  return [
    `Row ${Math.min(grid.row + 1, grid.rowCount)} of ${grid.rowCount}, ${column?.heading ?? 'no column'}: ${value}`,
  ];
}
