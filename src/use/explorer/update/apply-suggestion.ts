import { writeValue } from '../../../ask/notation/write-value.ts';
import { toNotes } from '../../../show/labels/notes.ts';
import { replaceText } from '../line/edit-line.ts';
import type { ExplorerState } from '../state/state.ts';
import { currentCell, step, type Step, notice } from '../state/step.ts';
import { changeAsk } from './change-cells.ts';
import { typed } from './prompt.ts';

/** A line in which a suggested word replaces a wrong one. */
interface Suggestion {
  readonly word: string;
  readonly line: string;
}

/** The "Did you mean" suggestion for the prompt or the chosen cell. */
export function suggestionOf(state: ExplorerState): Suggestion | undefined {
  if (state.focus === 'prompt') {
    const { line, issues } = state.prompt;
    for (const { span, hint } of issues) {
      const [, word] = /Did you mean "([^"]+)"\?/.exec(hint ?? '') ?? [];
      if (span && word !== undefined)
        return { word, line: line.text.slice(0, span.start) + word + line.text.slice(span.end) };
    }
    return undefined;
  }
  const cell = currentCell(state);
  if (state.focus !== 'cells' || cell?.ask.kind !== 'line') return undefined;
  const { line } = cell.ask;
  const texts =
    cell.run.kind === 'failed'
      ? [`${cell.run.failure.message} ${cell.run.failure.hint ?? ''}`]
      : cell.answer
        ? toNotes(cell.answer.head.provenance).map(({ text }) => text)
        : [];
  for (const text of texts) {
    const [, wrong, word] = /"([^"]+)"[^"]*?Did you mean "([^"]+)"\?/s.exec(text) ?? [];
    const at = wrong === undefined ? -1 : line.indexOf(wrong);
    // The wrong word occurs twice, so its position is unknown.
    if (wrong === undefined || word === undefined || at === -1 || line.includes(wrong, at + 1)) continue;
    const isQuoted = /["']/.test(line[at - 1] ?? '');
    const written = isQuoted ? word : writeValue(word);
    return { word, line: line.slice(0, at) + written + line.slice(at + wrong.length) };
  }
  return undefined;
}

/** Applies the suggestion to the prompt, or to the cell and runs it. */
export function correct(state: ExplorerState): Step {
  const correction = suggestionOf(state);
  if (!correction) return notice(state, 'There is nothing to correct here.');
  const { line } = correction;
  if (state.focus === 'prompt') return typed(state, replaceText(state.prompt.line, line, line.length));
  const cell = currentCell(state);
  return cell ? changeAsk(state, cell.id, { kind: 'line', line }, 'the correction') : step(state);
}
