import type { Effect } from '../state/effects.ts';
import type { ExplorerCell, ExplorerState } from '../state/state.ts';
import { say, step, type Step } from '../state/step.ts';
import { toSavedCells } from './change-cells.ts';

export function saveNotebook(state: ExplorerState, name: string): Step {
  if (state.cells.length === 0) return step(say(state, 'There is nothing to save yet.'));
  return step(say(state, 'Saving …'), {
    kind: 'save',
    cells: toSavedCells(state.cells),
    file: state.file,
    name: name === '' ? undefined : name,
  });
}

/** Whether there is something that no file holds. */
export function isUnsaved({ cells, prompt, file }: ExplorerState): boolean {
  if (prompt.line.text.trim() !== '') return true;
  return file
    ? cells.some(({ source }) => source === undefined) || fileText(cells, file.frontMatter) !== file.text
    : cells.length > 0;
}

function fileText(cells: readonly ExplorerCell[], frontMatter: string): string {
  return frontMatter + cells.map(({ source }) => source ?? '').join('');
}

/** Keeps what changed between two states and lies in no file yet. */
export function keepDraft(before: ExplorerState, after: ExplorerState): readonly Effect[] {
  const typed = after.prompt.editing === undefined || after.prompt.line.text !== '' ? after.prompt.line.text : '';
  const changed =
    typed !== before.prompt.line.text ||
    after.file !== before.file ||
    after.cells.length !== before.cells.length ||
    after.cells.some(
      (cell, index) => cell.ask !== before.cells[index]?.ask || cell.shows !== before.cells[index]?.shows,
    );
  if (!changed) return [];
  const unsaved = isUnsaved(after);
  return [
    {
      kind: 'keep-draft',
      cells: unsaved ? toSavedCells(after.cells) : [],
      typed: unsaved ? typed : '',
      file: after.file?.path,
    },
  ];
}
