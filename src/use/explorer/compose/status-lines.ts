import { cellWidth, truncateToCells } from '../../../show/labels/cell-width.ts';
import { commands } from '../state/commands.ts';
import type { ExplorerState } from '../state/state.ts';
import type { TextLook } from '../../../show/terminal/paint.ts';
import { quote } from '../../../ask/text.ts';
import { suggestionOf } from '../update/apply-suggestion.ts';
import { isChanged } from '../update/save-notebook.ts';
import { ellipsisOf, fitLines, fitSides, fitStretches, type Stretch, fitText } from './paint-line.ts';

/** The top line: the notebook and the source of its answers. */
export function composeHead(state: ExplorerState, look: TextLook): string {
  const { workspace, file, params, size } = state;
  const unsaved = state.cells.length > 0 && isChanged(state) ? ' (not saved)' : '';
  const source: Stretch =
    workspace.kind === 'open'
      ? { text: workspace.source, tone: 'quiet' }
      : workspace.kind === 'opening'
        ? { text: `opening ${ellipsisOf(look)}`, tone: 'quiet' }
        : { text: 'the data is not available', tone: 'error' };
  return fitSides(
    [
      { text: 'sluice', tone: 'heading' },
      { text: `  ${file?.shown ?? 'new notebook'}${unsaved}`, tone: 'quiet' },
      ...(params.length === 0
        ? []
        : [{ text: `  ${params.map(({ name, text }) => `${name}=${text}`).join('  ')}`, tone: 'accent' as const }]),
    ],
    [source],
    size.columns,
    look,
  );
}

/** The last message, in one line. */
export function composeSaid({ said, size }: ExplorerState, look: TextLook): string {
  return said ? fitText(said.text, said.tone, size.columns, look) : '';
}

/** The last message, in at most `most` lines. */
export function composeSaidLines({ said, size }: ExplorerState, most: number, look: TextLook): readonly string[] {
  return said ? fitLines(said.text, said.tone, size.columns, most, look) : [];
}

type Hint = readonly [key: string, what: string];

/**
 * The bottom line: hints for the keys in the current focus, most common first, as many as fit. The hint for the list of
 * all keys always has room.
 */
export function composeHints(state: ExplorerState, look: TextLook): string {
  const { columns } = state.size;
  const hints = hintsFor(state);
  const list = hints.find(([key]) => key === '?' || key === 'f1');
  const shown: Hint[] = [];
  const sign = ` ${modeSign(state)} `;
  let left = columns - cellWidth(sign) - (list ? widthOf(list) : 0);
  for (const hint of hints) {
    if (hint !== list && widthOf(hint) > left) break;
    if (hint !== list) left -= widthOf(hint);
    shown.push(hint);
  }
  if (list && !shown.includes(list)) shown.push(list);
  const stretches = shown.flatMap(([key, what]): readonly Stretch[] => [
    { text: `${between}${key}`, tone: 'heading' },
    { text: ` ${what}`, tone: 'quiet' },
  ]);
  return fitStretches([{ text: sign, tone: 'match' }, ...stretches], columns, look);
}

/** The name of the current input mode. */
function modeSign({ over, focus }: ExplorerState): string {
  return over ? over.kind : focus === 'prompt' ? 'ask' : focus === 'grid' ? 'rows' : focus;
}

const between = '  ';

function widthOf([key, what]: Hint): number {
  return cellWidth(key) + 1 + cellWidth(what) + between.length;
}

function hintsFor(state: ExplorerState): readonly Hint[] {
  const { over, focus, cells, current, cursor, prompt, draft, params } = state;
  const correction = over ? undefined : suggestionOf(state);
  const isBlock = cells[current]?.ask.kind === 'text';
  const correcting: readonly Hint[] = correction
    ? [['f4', `take ${quote(truncateToCells(correction.word, 20, '…'))}`]]
    : [];
  if (over) return overlayHints[over.kind];
  if (focus === 'grid')
    return cells[current]?.grid?.panel
      ? cells[current].grid.panel.kind === 'filter'
        ? [
            ['enter', 'filter'],
            ['tab', 'complete'],
            ['esc', 'take it back'],
          ]
        : [['esc', 'back']]
      : [
          ['esc', 'back'],
          ['s', 'sort'],
          ['/', 'filter'],
          ['i', 'column'],
          ['v', 'cell'],
          ['o', 'drill down'],
          ['space', 'choose'],
          ['F', 'frequencies'],
          ['Q', 'into the question'],
          ['p', 'pivot'],
          ['f', 'freeze'],
          ['?', 'all keys'],
        ];
  if (focus === 'chart')
    return [
      ['esc', 'back'],
      ['← →', 'read'],
      ...(cursor.mark === undefined ? [['v', 'mark'] as const] : [['enter', 'zoom in'] as const]),
      ['o', 'drill down'],
      ['↑ ↓', 'series'],
      ['space', 'leave it out'],
      ['z', 'zoom'],
      ['u', 'undo'],
      ['m M', 'least, greatest'],
      ['tab', 'rows'],
      ['t', 'table'],
      ['?', 'all keys'],
    ];
  if (focus === 'cells' && cells.length === 0)
    return [
      ['u U', 'undo, redo'],
      ['o', 'new'],
      ['esc', 'ask'],
      ['?', 'all keys'],
    ];
  if (focus === 'cells')
    return [
      ...correcting,
      ['enter', 'ask'],
      ...(isBlock && !cells[current]?.answer ? [] : [['tab', 'look'] as const]),
      ...(cells[current]?.shows === 'chart' ? [['→', 'read the chart'] as const] : []),
      ['o', 'new'],
      ['i', 'edit'],
      ['m', 'text'],
      ...(isBlock ? [] : [['t', cells[current]?.shows === 'chart' ? 'table' : 'chart'] as const]),
      ...(params.length > 0 ? [['P', 'parameters'] as const] : []),
      ['s', 'save'],
      ['d', 'delete'],
      ['u U', 'undo, redo'],
      ['J K', 'move'],
      ['x', 'turn'],
      ['?', 'all keys'],
    ];
  if (!correction && prompt.completion && prompt.completion.candidates.length > 0)
    return [
      ['tab', 'take'],
      ['↓', 'next'],
      ['enter', 'ask'],
      ['esc', 'close'],
      ['f1', 'keys'],
    ];
  return [
    ...correcting,
    ['enter', 'ask'],
    ['tab', 'complete'],
    ...(cells.some(({ run }) => run.kind === 'running')
      ? [['esc', 'stop the query'] as const]
      : cells.length > 0
        ? [['esc', 'move to the answers'] as const]
        : []),
    ...(draft ? [[':restore', 'unsaved changes'] as const] : []),
    [':', 'commands'],
    ['f2', 'catalog'],
    ['f3', 'history'],
    ['f1', 'keys'],
    ['ctrl-c twice', 'leave'],
  ];
}

const choosing: readonly Hint[] = [
  ['↓ ↑', 'choose'],
  ['esc', 'close'],
];
const scrolling: readonly Hint[] = [
  ['↓ ↑', 'scroll'],
  ['esc', 'close'],
];

const overlayHints: Readonly<Record<NonNullable<ExplorerState['over']>['kind'], readonly Hint[]>> = {
  palette: [
    ['enter', 'do it'],
    ['↓ ↑', 'choose'],
    ['tab', 'complete'],
    ['esc', 'close'],
  ],
  frequencies: [['enter', 'filter by it'], ...choosing],
  catalog: [
    ['enter', 'into the line'],
    ['↓ ↑', 'choose'],
    ['f2', 'without values, too'],
    ['esc', 'close'],
  ],
  save: [
    ['enter', 'go on'],
    ['esc', 'close'],
  ],
  params: [['enter', 'take'], ...choosing],
  history: [['enter', 'into the line'], ...choosing],
  drafts: [['enter', 'restore'], ['delete', 'discard'], ...choosing],
  drill: [['enter', 'drill down'], ...choosing],
  turn: [['enter', 'take'], ...choosing],
  markdown: [
    ['esc', 'take it'],
    ['enter', 'new line'],
    ['ctrl-s', 'take and save'],
  ],
  keys: [...scrolling],
  text: [['y', 'copy'], ...scrolling],
};

/** The keys of commands in this focus, for the list of keys. */
export function commandKeys(focus: ExplorerState['focus']): readonly Hint[] {
  return commands.flatMap(({ keys, what }) => (keys[focus] ? [[keys[focus].join(' '), what] as const] : []));
}
