import { cellWidth, truncateToCells } from '../../../show/terminal/cell-width.ts';
import { sanitize } from '../../../show/sanitize.ts';
import type { Candidate } from '../complete/completion.ts';
import { composeLine, type ComposedLine } from '../line/compose-line.ts';
import type { Look } from '../paint.ts';
import type { ExplorerState } from '../state.ts';
import { promptLines } from '../screen-rooms.ts';
import { composeSaidLines } from './outer-lines.ts';
import { ellipsisOf, fitLines, fitStretches, type Stretch } from './paint-line.ts';

/** The line that is typed, and below it what is to be said: what is wrong with it, or what happened last. */
export function composePrompt(state: ExplorerState, look: Look): ComposedLine {
  const { prompt, size, cells, focus } = state;
  const editing = cells.findIndex(({ id }) => id === prompt.editing);
  const label = editing === -1 ? (prompt.below ? `below ${state.current + 1}? ` : '? ') : `edit ${editing + 1}? `;
  const placeholder = focus === 'prompt' ? 'count by eventType' : '';
  const { lines: [line = '', ...issues], cursor } = composeLine(prompt.line, { width: size.columns, look, label, issues: prompt.issues.slice(0, 1), placeholder, mostWords: 1 });
  const said = issues.length > 0 ? issues : aside(state, look);
  return { lines: [line, ...said], cursor };
}

/** Below the line that is typed. */
const asideLines = promptLines - 1;

function aside(state: ExplorerState, look: Look): readonly string[] {
  const { workspace, prompt, size, draft, said } = state;
  if (said) return composeSaidLines(state, asideLines, look);
  if (workspace.kind === 'lost') {
    const { message, hint } = workspace.failure;
    return [...fitLines(message.split('\n')[0] ?? '', 'error', size.columns, 1, look), ...fitLines(`:reconnect tries again. ${hint ?? ''}`.trim(), 'alert', size.columns, 1, look)];
  }
  if (draft) return fitLines('Kept from the last time, not saved: :restore brings it back, :discard drops it.', 'alert', size.columns, asideLines, look);
  const chosen = prompt.completion?.candidates[Math.max(0, prompt.completion.chosen)];
  return state.focus === 'prompt' && chosen ? [fitStretches([{ text: `  ${describe(chosen)}`, tone: 'quiet' }], size.columns, look)] : [];
}

function describe({ kind, title, description }: Candidate): string {
  return [kind, title, description].filter((part) => part !== '').join(': ');
}

/** So many candidates are in sight at once. */
const mostShown = 7;

/** What could stand at the cursor, as lines that cover the last ones of the body. */
export function composeCandidates({ prompt, size }: ExplorerState, room: number, look: Look): readonly string[] {
  const { completion } = prompt;
  if (!completion || completion.candidates.length === 0 || prompt.issues.some(({ severity }) => severity === 'error') && completion.chosen < 0 && prompt.line.text === '') return [];
  const count = Math.min(mostShown, room - 1, completion.candidates.length);
  if (count < 1) return [];
  const from = Math.max(0, Math.min(completion.chosen - Math.floor(count / 2), completion.candidates.length - count));
  const shown = completion.candidates.slice(from, from + count);
  const widest = Math.min(Math.floor(size.columns / 2), Math.max(...shown.map(({ label }) => cellWidth(sanitize(label)))));
  const rule = look.unicode ? '─' : '-';
  const place = completion.candidates.length > count ? ` ${from + 1} to ${from + count} of ${completion.candidates.length} ` : '';
  const lines = shown.map((candidate, index) => drawCandidate(candidate, from + index === completion.chosen, widest, size.columns, look));
  return [fitStretches([{ text: `${rule.repeat(2)}${place}${rule.repeat(Math.max(0, size.columns - 2 - place.length))}`, tone: 'quiet' }], size.columns, look), ...lines];
}

function drawCandidate({ label, title, description, kind }: Candidate, chosen: boolean, widest: number, width: number, look: Look): string {
  const shown = truncateToCells(sanitize(label), widest, ellipsisOf(look));
  const space = ' '.repeat(Math.max(0, widest - cellWidth(shown)) + 2);
  const more = [title === label ? '' : title, description].filter((part) => part !== '').join('. ') || kind;
  const stretches: readonly Stretch[] = [{ text: chosen ? (look.unicode ? '› ' : '> ') : '  ', tone: 'accent' }, { text: shown, tone: chosen ? 'selected' : 'accent' }, { text: `${space}${more}`, tone: 'quiet' }];
  return fitStretches(stretches, width, look);
}
