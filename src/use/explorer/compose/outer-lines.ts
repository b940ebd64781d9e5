import { commands } from '../commands.ts';
import type { Look, Tone } from '../paint.ts';
import type { ExplorerState } from '../state.ts';
import { isUnsaved } from '../update/save-notebook.ts';
import { ellipsisOf, fitSides, fitStretches, type Stretch } from './paint-line.ts';

/** The line at the top: which notebook, and where its answers come from. */
export function composeHead(state: ExplorerState, look: Look): string {
  const { workspace, file, size } = state;
  const unsaved = state.cells.length > 0 && isUnsaved(state) ? ' (not saved)' : '';
  const source: Stretch = workspace.kind === 'open' ? { text: workspace.source, tone: 'quiet' }
    : workspace.kind === 'opening' ? { text: `opening ${ellipsisOf(look)}`, tone: 'quiet' } : { text: 'the data cannot be reached', tone: 'error' };
  return fitSides([{ text: 'sluice', tone: 'heading' }, { text: `  ${file?.shown ?? 'new notebook'}${unsaved}`, tone: 'quiet' }], [source], size.columns, look);
}

const tones: Readonly<Record<NonNullable<ExplorerState['said']>['tone'], Tone>> = { plain: 'plain', alert: 'alert', error: 'error' };

/** What was said last, in one line. */
export function composeSaid({ said, size }: ExplorerState, look: Look): string {
  return said ? fitStretches([{ text: said.text, tone: tones[said.tone] }], size.columns, look) : '';
}

type Hint = readonly [key: string, what: string];

/** The line at the bottom: what the keys do where one stands, the commonest first, as many as there is room for. */
export function composeHelp(state: ExplorerState, look: Look): string {
  const { columns } = state.size;
  const stretches: Stretch[] = [];
  let used = 0;
  for (const [key, what] of hintsFor(state)) {
    const cells = key.length + 1 + what.length + (stretches.length === 0 ? 0 : 2);
    if (used + cells > columns) break;
    stretches.push({ text: `${stretches.length === 0 ? '' : '  '}${key}`, tone: 'heading' }, { text: ` ${what}`, tone: 'quiet' });
    used += cells;
  }
  return fitStretches(stretches, columns, look);
}

function hintsFor({ over, focus, cells, current, prompt, draft }: ExplorerState): readonly Hint[] {
  if (over) return overlayHints[over.kind];
  if (focus === 'grid') return cells[current]?.grid?.panel ? [['esc', 'back']] : [['esc', 'back'], ['s', 'sort'], ['/', 'filter'], ['i', 'column'], ['v', 'cell'], ['o', 'drill down'], ['p', 'pivot'], ['f', 'freeze'], ['?', 'all keys']];
  if (focus === 'cells') return [['enter', 'ask'], ['tab', 'look'], ['o', 'new'], ['i', 'edit'], ['t', 'chart'], ['d', 'delete'], ['u', 'undo'], ['s', 'save'], ['x', 'turn'], ['?', 'all keys']];
  if (prompt.completion && prompt.completion.candidates.length > 0) return [['tab', 'take'], ['↓', 'next'], ['enter', 'ask'], ['esc', 'close'], ['f1', 'keys']];
  return [['enter', 'ask'], ['tab', 'complete'], ...(cells.length > 0 ? [['esc', 'to the answers'] as const] : []), ...(draft ? [[':restore', 'what was not saved'] as const] : []), [':', 'commands'], ['f1', 'keys'], ['ctrl-c twice', 'leave']];
}

const overlayHints: Readonly<Record<NonNullable<ExplorerState['over']>['kind'], readonly Hint[]>> = {
  palette: [['enter', 'do it'], ['↓ ↑', 'choose'], ['tab', 'complete'], ['esc', 'close']],
  turn: [['enter', 'take'], ['↓ ↑', 'choose'], ['esc', 'close']],
  keys: [['↓ ↑', 'scroll'], ['esc', 'close']],
  text: [['y', 'copy'], ['↓ ↑', 'scroll'], ['esc', 'close']],
};

/** The keys that commands have where one stands, for the list of keys. */
export function commandKeys(focus: ExplorerState['focus']): readonly Hint[] {
  return commands.flatMap(({ keys, what }) => (keys[focus] ? [[keys[focus].join(' '), what] as const] : []));
}
