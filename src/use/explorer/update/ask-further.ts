import { writeNotation } from '../../../ask/notation/write-notation.ts';
import type { Outcome } from '../../../ask/outcome.ts';
import type { CanonicalQuery } from '../../../ask/query/query.ts';
import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import type { Value } from '../../../plan/column.ts';
import { cellAt } from '../grid/cell-at.ts';
import { compareWithPrevious } from '../question/compare-with-previous.ts';
import { drillDown } from '../../answer/drill-down.ts';
import type { Ask, ExplorerCell, ExplorerState } from '../state/state.ts';
import { currentCell, say, step, type Step, withCell } from '../state/step.ts';
import { addCell } from './change-cells.ts';

/** A cell below that asks about the row of the grid. */
export function drillCell(state: ExplorerState): Step {
  const cell = currentCell(state);
  const { answer, grid } = cell ?? {};
  if (!answer || !grid) return step(say(state, 'Run the cell before you drill down.'));
  if (grid.rowCount === 0) return step(say(state, 'The answer has no row to drill down into.'));
  const values = new Map<string, Value>();
  for (const [index, { column }] of grid.columns.entries()) {
    const found = cellAt(grid, grid.row, index);
    const isGroup = column.kind === 'dimension' || column.kind === 'time';
    if (!found && isGroup) return step(say(state, 'The row is still being read.'));
    if (found) values.set(column.key, found.value);
  }
  if (answer.drill.columns.some(({ key, kind }) => kind !== 'measure' && !values.has(key)))
    return step(
      say(state, 'A row of a pivot covers several rows. Press p to undo the pivot, then drill down.', 'alert'),
    );
  return addBelow(
    state,
    drillDown(answer.drill, (key) => values.get(key) ?? null),
    answer.saved,
  );
}

/** A cell below that asks the same, beside the stretch of time before. */
export function compareCell(state: ExplorerState): Step {
  const answer = currentCell(state)?.answer;
  if (!answer) return step(say(state, 'Run the cell before you compare.'));
  return addBelow(state, compareWithPrevious(answer.drill), answer.saved);
}

function addBelow(state: ExplorerState, further: Outcome<CanonicalQuery>, { fill, fillWith }: SavedQuery): Step {
  if (!further.ok)
    return step(
      say(
        state,
        further.issues.map(({ message, hint }) => (hint === undefined ? message : `${message} ${hint}`)).join(' '),
        'alert',
      ),
    );
  const saved: SavedQuery = {
    query: further.value,
    ...(fill && { fill }),
    ...(fillWith !== undefined && { fillWith }),
  };
  return addCell({ ...state, focus: 'cells' }, toAsk(saved, state), state.current + 1);
}

/** A line where one can say all of it. */
export function toAsk(saved: SavedQuery, { workspace }: Pick<ExplorerState, 'workspace'>): Ask {
  const { query, ...rest } = saved;
  if (workspace.kind !== 'open' || Object.values(rest).some((part) => part !== undefined))
    return { kind: 'query', saved };
  const line = writeNotation(query, { members: workspace.catalog, defaultCube: workspace.home });
  return line === undefined ? { kind: 'query', saved } : { kind: 'line', line };
}

/** The values of the grid's column as columns, or the answer as it was before. */
export function pivotCell(state: ExplorerState): Step {
  const cell = currentCell(state);
  const { answer, grid } = cell ?? {};
  if (!cell || !answer || !grid) return step(say(state, 'Run the cell before you pivot.'));
  if (answer.drill.columns.length > 0 && answer.head.rowCount < answer.rowCount)
    return step(say(state, 'There are too many rows to turn into columns.', 'alert'));
  const pivoted = grid.columns.some(({ column }) => !answer.drill.columns.some(({ key }) => key === column.key));
  const column = grid.columns[grid.column]?.column;
  if (!pivoted && (!column || column.kind === 'measure'))
    return step(say(state, 'Only a dimension or time column can be pivoted. Move to one of them.', 'alert'));
  const run = state.nextNumber;
  const running = withCell(
    { ...state, nextNumber: run + 1 },
    cell.id,
    (each): ExplorerCell => ({ ...each, run: { kind: 'running', number: run, since: state.now, note: undefined } }),
  );
  return step(running, { kind: 'pivot', answer: answer.number, run, key: pivoted ? undefined : column?.key });
}
