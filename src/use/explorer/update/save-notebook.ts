import { lineOf } from '../line/line-state.ts';
import type { Effect } from '../state/effects.ts';
import type { Draft, ExplorerCell, ExplorerState } from '../state/state.ts';
import { say, step, type Step, notice, chain } from '../state/step.ts';
import { asArranged } from './follow-up.ts';
import { changeAsk, toSavedCells } from './change-cells.ts';

/** Saves as `name` or `name Its title`; asks for a name if the notebook has none. */
export function saveNotebook(state: ExplorerState, argument: string): Step {
  if (state.cells.length === 0) return notice(state, 'There is nothing to save yet.');
  if (argument === '' && !state.file)
    return step({ ...state, over: { kind: 'save', name: undefined, line: lineOf('') } });
  const [, name = '', title = ''] = /^(\S*)\s*([^]*)$/.exec(argument.trim()) ?? [];
  return saveAs(state, name, title);
}

/** Adds the filter and order of rows to the questions, so that the saved notebook shows the same rows. */
export function saveAs(state: ExplorerState, name: string, title: string): Step {
  const { asks, left } = asArranged(state);
  const changed = chain(
    step({ ...state, over: undefined }),
    ...[...asks].map(
      ([id, ask]) =>
        (next: ExplorerState) =>
          changeAsk(next, id, ask),
    ),
  );
  const lost = left.length === 0 ? '' : ` Not saved: the filter or order of rows. ${left.join(' ')}`;
  return step(say(changed.state, `Saving …${lost}`, left.length === 0 ? 'plain' : 'alert'), ...changed.effects, {
    kind: 'save',
    note: lost === '' ? undefined : lost.trim(),
    cells: toSavedCells(changed.state.cells),
    file: state.file,
    name: name === '' ? undefined : name,
    title: title === '' ? undefined : title,
  });
}

/** A draft replaces all cells, so unsaved ones are refused. The draft is kept until its cells are loaded. */
export function restoreDraft(state: ExplorerState, draft: Draft): Step {
  return isUnsaved(state)
    ? notice(state, 'The notebook has unsaved changes. Save them with `:save` first.', 'alert')
    : step(say(state, 'Restoring …'), { kind: 'restore-draft', draft });
}

/** True if there is unsaved work, including a typed line. */
export function isUnsaved(state: ExplorerState): boolean {
  return state.prompt.line.text.trim() !== '' || isChanged(state);
}

/** True if the notebook differs from its file. */
export function isChanged({ cells, file }: Pick<ExplorerState, 'cells' | 'file'>): boolean {
  return file
    ? cells.some(({ source }) => source === undefined) || fileText(cells, file.frontMatter) !== file.text
    : cells.length > 0;
}

function fileText(cells: readonly ExplorerCell[], frontMatter: string): string {
  return frontMatter + cells.map(({ source }) => source ?? '').join('');
}

/** Saves the changes between two states as a draft. */
export function keepDraft(before: ExplorerState, after: ExplorerState): readonly Effect[] {
  const typed = after.prompt.editing === undefined || after.prompt.line.text !== '' ? after.prompt.line.text : '';
  const changed =
    typed !== before.prompt.line.text ||
    after.file !== before.file ||
    after.cells.length !== before.cells.length ||
    after.cells.some(
      (cell, index) =>
        cell.ask !== before.cells[index]?.ask ||
        cell.shows !== before.cells[index]?.shows ||
        cell.pivot !== before.cells[index]?.pivot,
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
