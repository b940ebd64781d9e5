import { quote } from '../../../ask/text.ts';
import { namePattern } from '../../../tell/notebook/cell-kinds.ts';
import type { ExplorerCell, ExplorerState } from '../state/state.ts';
import { currentCell, say, step, type Step, withCell } from '../state/step.ts';
import { remembering } from './change-cells.ts';

/** The title that a report shows above the answer. */
export function giveTitle(state: ExplorerState, title: string): Step {
  return callCell(state, title, 'Specify a title: `:title Pages this week`.', ({ id, ask, own }) =>
    changeCell(
      state,
      id,
      'the title',
      ask.kind === 'query' ? { ask: { ...ask, saved: { ...ask.saved, title } } } : { own: { ...own, title } },
    ),
  );
}

/** The name by which text quotes figures. */
export function giveName(state: ExplorerState, name: string): Step {
  return callCell(state, name, 'Specify a name: `:name visits`.', ({ id, own }) => {
    if (!namePattern.test(name))
      return step(
        say(state, `${quote(name)} is not a valid cell name. Use letters, digits and _, such as page_views.`, 'alert'),
      );
    const { state: named } = changeCell(state, id, 'the name', { own: { ...own, name } });
    return step(say(named, `Text can show the figures of the cell: {{ ${name}.MEASURE }}.`));
  });
}

function callCell(state: ExplorerState, given: string, hint: string, give: (cell: ExplorerCell) => Step): Step {
  const cell = currentCell(state);
  if (!cell) return step(say(state, 'There is no cell.'));
  if (cell.ask.kind === 'text')
    return step(say(state, 'Only questions have titles and names here. Press e to edit the text.'));
  return given === '' ? step(say(state, hint)) : give(cell);
}

/** Something of a cell that its answer does not depend on. */
function changeCell(state: ExplorerState, id: number, what: string, change: Partial<ExplorerCell>): Step {
  const before = remembering({ ...state, said: undefined }, what);
  return step(withCell(before, id, (cell) => ({ ...cell, ...change, source: undefined })));
}
