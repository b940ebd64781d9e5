import { inSentence, labelOf, type Value } from '../../../plan/column.ts';
import { formatNumber, formatCount } from '../../../shape/format/format-number.ts';
import { formatValue } from '../../../shape/format/format.ts';
import { cellWidth, padToCells, truncateToCells } from '../../../show/labels/cell-width.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { breakLine, wrapWords } from '../../../show/labels/wrap-words.ts';
import { gridKeys } from '../grid/press-in-grid.ts';
import { composeLine } from '../line/compose-line.ts';
import type { LineState } from '../line/line-state.ts';
import { frequencyRows, textOfRow, fittingCommands, type ListOverlay, listOf } from '../update/overlay-lists.ts';
import { conversions } from '../state/effects.ts';
import { fixedLines } from '../state/screen-rooms.ts';
import type { ExplorerState, Overlay } from '../state/state.ts';
import type { TextLook } from '../../../show/terminal/paint.ts';
import { chartKeys } from '../update/press-in-chart.ts';
import { linesOf } from '../update/write-markdown.ts';
import { commandKeys, composeSaid } from './status-lines.ts';
import { drawBar } from '../../../show/terminal/glyphs.ts';
import { ellipsisOf, fitStretches, fitText, pointerOf, windowAround } from './paint-line.ts';

interface OverlayLines {
  readonly lines: readonly string[];
  readonly cursor?: { readonly x: number; readonly y: number } | undefined;
}

/** Lines of the overlay above the cells, at most `room`. */
export function composeOverlay(state: ExplorerState, over: Overlay, room: number, look: TextLook): OverlayLines {
  switch (over.kind) {
    case 'palette':
      return composePalette(state, over, room, look);
    case 'save':
      return over.name === undefined
        ? composeField(state, over.line, look, 'save as: ', 'a name, or enter for one with the date')
        : composeField(state, over.line, look, 'title: ', 'its heading');
    case 'frequencies':
      return composeFrequencies(state, over, room, look);
    case 'params':
      return over.name === undefined
        ? composeChoices(state, over, room, look)
        : composeField(state, over.line, look, `${over.name} = `);
    case 'catalog':
    case 'drill':
    case 'history':
    case 'drafts':
      return composeChoices(state, over, room, look);
    case 'markdown':
      return composeMarkdown(state, over, room, look);
    case 'turn':
      return {
        lines: [
          ...title('Convert the question to', state, look),
          ...conversions.map((into, index) =>
            choice({ text: turningTitles[into], aside: into }, index === over.chosen, state, look),
          ),
        ],
      };
    case 'keys':
      return { lines: scroll(keyLines(state, look), over.scroll, room, state, look) };
    case 'text':
      return {
        lines: [
          ...title(over.title, state, look),
          ...scroll(textLines(over.text, state, look), over.scroll, room - titleLines, state, look),
        ],
      };
  }
}

/** The lines around the edited one, as many as fit. */
function composeMarkdown(
  state: ExplorerState,
  over: Overlay & { readonly kind: 'markdown' },
  room: number,
  look: TextLook,
): OverlayLines {
  const width = state.size.columns;
  const where = over.cell === undefined ? `Markdown for a new cell ${over.at + 1}` : `Markdown of cell ${over.at + 1}`;
  const head = state.said ? [composeSaid(state, look), ''] : title(where, state, look);
  const count = Math.max(1, room - head.length);
  const { lines: typed, cursor } = composeLine(over.line, { width, look });
  const all = linesOf(over);
  const row = over.before.length;
  const { from, shown: around } = windowAround(all, row, count);
  const shown = around.map((line, index) =>
    from + index === row ? (typed[0] ?? '') : truncateToCells(sanitize(line), width, ellipsisOf(look)),
  );
  return { lines: [...head, ...shown], cursor: { x: cursor, y: head.length + row - from } };
}

const turningTitles: Readonly<Record<(typeof conversions)[number], string>> = {
  library: 'a program',
  load: 'a load body',
  sql: 'SQL',
  command: 'a command line',
};

/** A title and a blank line below it. */
const titleLines = 2;

function title(text: string, { size }: ExplorerState, look: TextLook): readonly string[] {
  return [fitText(text, 'heading', size.columns, look), ''];
}

function choice(
  { text, aside }: { readonly text: string; readonly aside: string },
  chosen: boolean,
  { size }: ExplorerState,
  look: TextLook,
): string {
  return fitStretches(
    [
      { text: pointerOf(chosen, look), tone: 'accent' },
      { text, tone: chosen ? 'selected' : 'plain' },
      { text: `  ${aside}`, tone: 'quiet' },
    ],
    size.columns,
    look,
  );
}

function composePalette(
  state: ExplorerState,
  over: Overlay & { readonly kind: 'palette' },
  room: number,
  look: TextLook,
): OverlayLines {
  const field = composeField(state, over.line, look, ': ', 'a command');
  const { from, shown } = windowAround(fittingCommands(over.line.text), over.chosen, Math.max(1, room - 2));
  const lines = shown.map(({ name, argument, what }, index) =>
    choice({ text: `${name} ${argument}`.trimEnd(), aside: what }, from + index === over.chosen, state, look),
  );
  const none = fitText('  There is no such command.', 'quiet', state.size.columns, look);
  return { ...field, lines: [...field.lines, ...(lines.length === 0 ? [none] : lines)] };
}

/** All values of a column with their counts, and bars in proportion. */
function composeFrequencies(
  state: ExplorerState,
  over: Overlay & { readonly kind: 'frequencies' },
  room: number,
  look: TextLook,
): OverlayLines {
  const { columns: width } = state.size;
  const {
    lines: [line = '', said = ''],
    cursor,
  } = composeField(state, over.line, look, 'find: ', 'a value');
  const { counted, problem } = over;
  const waiting = problem === undefined ? `counting ${ellipsisOf(look)}` : problem;
  if (!counted)
    return { lines: [line, '', fitText(waiting, problem === undefined ? 'quiet' : 'error', width, look)], cursor };
  const [of, measure] = counted.columns;
  if (!of || !measure) return { lines: [line], cursor };
  const figures = counted.values(measure.key);
  const total = measure.additive ? sumOf(figures) : 0;
  const most = Math.max(0, ...Array.from(figures, Number).filter(Number.isFinite));
  const rows = frequencyRows(over);
  const { from, shown: shownRows } = windowAround(rows, over.chosen, Math.max(1, room - 3));
  const shown = shownRows.map((row) => {
    const figure = figures[row] ?? null;
    const share = total > 0 ? `${formatNumber(Math.round((Number(figure) / total) * 1000) / 10)}%` : '';
    return { text: sanitize(textOfRow(over, row)), figure: formatValue(figure, measure), share, size: Number(figure) };
  });
  const widest = (texts: readonly string[], limit: number) => Math.min(limit, Math.max(0, ...texts.map(cellWidth)));
  const texts = widest(
    shown.map(({ text }) => text),
    Math.floor(width / 2),
  );
  const numbers = widest(
    shown.map(({ figure }) => figure),
    width,
  );
  const shares = widest(
    shown.map(({ share }) => share),
    8,
  );
  const bars = Math.max(0, Math.min(50, width - texts - numbers - shares - 8));
  const truncated = counted.provenance.truncated ? ', cut at the limit' : '';
  const heading = `${labelOf(of)} by ${inSentence(measure)}: ${formatCount(rows.length, 'value')}${truncated}`;
  return {
    lines: [
      line,
      state.said ? said : fitText(heading, 'heading', width, look),
      ...shown.map(({ text, figure, share, size }, index) => {
        const chosen = from + index === over.chosen;
        return fitStretches(
          [
            { text: pointerOf(chosen, look), tone: 'accent' },
            {
              text: padToCells(truncateToCells(text, texts, ellipsisOf(look)), texts, 'left'),
              tone: chosen ? 'selected' : 'plain',
            },
            { text: `  ${padToCells(figure, numbers, 'right')}`, tone: 'plain' },
            { text: shares === 0 ? '' : `  ${padToCells(share, shares, 'right')}`, tone: 'quiet' },
            { text: `  ${drawBar(size, most, bars, look.unicode)}`, tone: 'accent' },
          ],
          width,
          look,
        );
      }),
    ],
    cursor,
  };
}

function sumOf(values: ArrayLike<Value>): number {
  return Array.from(values, Number).reduce((sum, value) => sum + (Number.isFinite(value) ? value : 0), 0);
}

/** An input line, with the last message below it. */
function composeField(
  state: ExplorerState,
  typed: LineState,
  look: TextLook,
  label: string,
  placeholder?: string,
): OverlayLines {
  const { lines, cursor } = composeLine(typed, { width: state.size.columns, look, label, placeholder });
  return { lines: [lines[0] ?? '', composeSaid(state, look)], cursor: { x: cursor, y: 0 } };
}

/** An input line, with the matching things below it: title, name and description in columns. */
function composeChoices(state: ExplorerState, over: ListOverlay, room: number, look: TextLook): OverlayLines {
  const { columns } = state.size;
  const { label, placeholder, things, below = '' } = listOf(state, over);
  const field = composeField(state, over.line, look, label, placeholder);
  const { from, shown } = windowAround(things, over.chosen, Math.max(1, room - 2));
  const widest = Math.min(
    Math.floor(columns / 2),
    Math.max(0, ...shown.map(({ title: text }) => cellWidth(sanitize(text)))),
  );
  const lines = shown.map(({ title: text, name, description }, index) =>
    choice(
      {
        text: padToCells(truncateToCells(sanitize(text), widest, ellipsisOf(look)), widest, 'left'),
        aside: [name === text ? '' : name, description].filter((part) => part !== '').join('  '),
      },
      from + index === over.chosen,
      state,
      look,
    ),
  );
  const [line = '', said = ''] = field.lines;
  return {
    ...field,
    lines: [
      line,
      state.said || below === '' ? said : fitText(below, 'quiet', columns, look),
      ...(lines.length === 0 ? [fitText('  Nothing fits.', 'quiet', columns, look)] : lines),
    ],
  };
}

const lineKeys: readonly (readonly [string, string])[] = [
  ['ctrl-a ctrl-e', 'to the start, to the end'],
  ['alt-b alt-f', 'previous word, next word'],
  ['ctrl-w ctrl-u ctrl-k', 'cut the word, the line before, the line after'],
  ['ctrl-y ctrl-_', 'paste what was cut, undo'],
  ['↑ ↓', 'earlier lines with this prefix'],
  ['ctrl-r', 'search earlier lines'],
];

const movingKeys: readonly (readonly [string, string])[] = [
  ['↑ ↓ k j', 'move'],
  ['g G', 'first, last'],
  ['d', 'delete the cell, if Enter follows'],
  ['esc', 'to the prompt'],
];

function keyLines(state: ExplorerState, look: TextLook): readonly string[] {
  const { focus } = state;
  const groups: readonly (readonly [string, readonly (readonly [string, string])[]])[] =
    focus === 'grid'
      ? [
          [
            'In the rows',
            [
              ...commandKeys('grid'),
              ['t y x', 'chart, copy the value, convert the question'],
              ...gridKeys,
              ['esc', 'back'],
            ],
          ],
        ]
      : focus === 'chart'
        ? [
            ['In the chart', [...chartKeys, ...commandKeys('chart'), ['esc', 'no range any more; back']]],
            ['Everywhere', everywhere],
          ]
        : focus === 'cells'
          ? [
              ['In the cells', [...commandKeys('cells'), ...movingKeys]],
              ['Everywhere', everywhere],
            ]
          : [
              [
                'In the prompt',
                [
                  ['enter', 'ask'],
                  ['tab', 'show completions; accept'],
                  ...commandKeys('prompt'),
                  ...lineKeys,
                  [':', 'commands, if the line is empty'],
                  ['esc', 'move to the answers'],
                ],
              ],
              ['Everywhere', everywhere],
            ];
  const widest = Math.max(...groups.flatMap(([, keys]) => keys.map(([key]) => cellWidth(key))));
  return groups.flatMap(([heading, keys], index) => [
    ...(index === 0 ? [] : ['']),
    ...title(heading, state, look).slice(0, 1),
    ...keys.flatMap(([key, what]) =>
      wrapWords(what, Math.max(1, state.size.columns - widest - 4), { ellipsis: ellipsisOf(look) }).map((text, line) =>
        fitStretches(
          [
            { text: `  ${padToCells(line === 0 ? key : '', widest + 2, 'left')}`, tone: 'accent' },
            { text, tone: 'plain' },
          ],
          state.size.columns,
          look,
        ),
      ),
    ),
  ]);
}

const everywhere: readonly (readonly [string, string])[] = [
  ['ctrl-c', 'stop the query, clear the line; twice: quit'],
  ['ctrl-z', 'suspend; fg resumes'],
];

function textLines(text: string, { size }: ExplorerState, look: TextLook): readonly string[] {
  // Wrap by cells, not by words, so that the text can be copied unchanged.
  return text
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((line) => [...breakLine(sanitize(line), size.columns)])
    .map((line) => fitText(line, 'plain', size.columns, look));
}

/** The state with the scroll position of the overlay limited to its last lines. */
export function settleScroll(state: ExplorerState): ExplorerState {
  const { over } = state;
  if ((over?.kind !== 'keys' && over?.kind !== 'text') || over.scroll === 0) return state;
  const room = Math.max(0, state.size.rows - fixedLines) - (over.kind === 'text' ? titleLines : 0);
  const count =
    over.kind === 'keys' ? keyLines(state, plainLook).length : textLines(over.text, state, plainLook).length;
  const last = Math.max(0, count - room);
  return over.scroll <= last ? state : { ...state, over: { ...over, scroll: last } };
}

const plainLook: TextLook = { depth: 'plain', unicode: true };

function scroll(
  lines: readonly string[],
  wanted: number,
  room: number,
  { size }: ExplorerState,
  look: TextLook,
): readonly string[] {
  const from = Math.max(0, Math.min(wanted, lines.length - room));
  const shown = lines.slice(from, from + Math.max(0, room));
  const left = lines.length - from - room;
  if (left <= 0 || room < 2) return shown;
  return [...shown.slice(0, -1), fitText(`${ellipsisOf(look)} ${left + 1} more`, 'quiet', size.columns, look)];
}
