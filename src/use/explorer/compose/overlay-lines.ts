import { plural } from '../../../ask/text.ts';
import { inSentence, labelOf, type Value } from '../../../plan/column.ts';
import { formatNumber, formatCount } from '../../../shape/format/format-number.ts';
import { formatValue } from '../../../shape/format/format.ts';
import { cellWidth, padToCells, truncateToCells } from '../../../show/labels/cell-width.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { breakLine, wrapWords } from '../../../show/labels/wrap-words.ts';
import { gridKeys } from '../grid/press-in-grid.ts';
import { composeLine } from '../line/compose-line.ts';
import type { LineState } from '../line/line-state.ts';
import { catalogEntries } from '../state/catalog-entries.ts';
import { frequencyRows, textOfRow } from '../state/frequency-rows.ts';
import type { NamedMember } from '../question/find-members.ts';
import { conversions } from '../state/effects.ts';
import { fixedLines } from '../state/screen-rooms.ts';
import type { ExplorerState, Overlay } from '../state/state.ts';
import type { TextLook } from '../../../show/terminal/paint.ts';
import { chartKeys } from '../update/press-in-chart.ts';
import { drillChoicesOf, fittingCommands, fittingDrafts, fittingHistory, fittingParams } from '../update/overlays.ts';
import { linesOf } from '../update/write-markdown.ts';
import { commandKeys, composeSaid } from './status-lines.ts';
import { drawBar } from '../../../show/terminal/glyphs.ts';
import { ellipsisOf, fitStretches, type Stretch } from './paint-line.ts';

export interface OverlayLines {
  readonly lines: readonly string[];
  readonly cursor?: { readonly x: number; readonly y: number } | undefined;
}

/** What stands over the cells, in so many lines at most. */
export function composeOverlay(state: ExplorerState, over: Overlay, room: number, look: TextLook): OverlayLines {
  switch (over.kind) {
    case 'palette':
      return composePalette(state, over, room, look);
    case 'catalog':
      return composeCatalog(state, over, room, look);
    case 'save': {
      const asked = over.name === undefined;
      const {
        lines: [line = ''],
        cursor,
      } = composeLine(over.line, {
        width: state.size.columns,
        look,
        label: asked ? 'save as: ' : 'title: ',
        placeholder: asked ? 'a name, or enter for one with the date' : 'its heading',
      });
      return { lines: [line, composeSaid(state, look)], cursor: { x: cursor, y: 0 } };
    }
    case 'frequencies':
      return composeFrequencies(state, over, room, look);
    case 'drill':
      return composeChoices(
        state,
        { line: over.line, label: 'by what? ', placeholder: 'a dimension, time, events', chosen: over.chosen },
        drillChoicesOf(state, over.line.text),
        room,
        look,
      );
    case 'params': {
      if (over.name === undefined)
        return composeChoices(
          state,
          { line: over.line, label: 'change: ', placeholder: 'a parameter', chosen: over.chosen },
          fittingParams(state, over.line.text),
          room,
          look,
        );
      const { lines, cursor } = composeLine(over.line, { width: state.size.columns, look, label: `${over.name} = ` });
      return { lines: [lines[0] ?? '', composeSaid(state, look)], cursor: { x: cursor, y: 0 } };
    }
    case 'history':
      return composeChoices(
        state,
        { line: over.line, label: 'find: ', placeholder: 'letters of an earlier question', chosen: over.chosen },
        fittingHistory(state, over.line.text),
        room,
        look,
      );
    case 'drafts':
      return composeChoices(
        state,
        { line: over.line, label: 'find: ', placeholder: 'a word of its questions', chosen: over.chosen },
        fittingDrafts(over, over.line.text),
        room,
        look,
      );
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

/** The lines around the one that is typed, as many as there is room for. */
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
  const from = Math.max(0, Math.min(row - Math.floor(count / 2), all.length - count));
  const shown = all
    .slice(from, from + count)
    .map((line, index) =>
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
  return [fitStretches([{ text, tone: 'heading' }], size.columns, look), ''];
}

function choice(
  { text, aside }: { readonly text: string; readonly aside: string },
  chosen: boolean,
  { size }: ExplorerState,
  look: TextLook,
): string {
  const mark = chosen ? (look.unicode ? '› ' : '> ') : '  ';
  return fitStretches(
    [
      { text: mark, tone: 'accent' },
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
  const {
    lines: [line = ''],
    cursor,
  } = composeLine(over.line, { width: state.size.columns, look, label: ': ', placeholder: 'a command' });
  const fitting = fittingCommands(over.line.text);
  const count = Math.max(1, room - 2);
  const from = Math.max(0, Math.min(over.chosen - Math.floor(count / 2), fitting.length - count));
  const shown = fitting
    .slice(from, from + count)
    .map((command, index) =>
      choice(
        { text: `${command.name}${command.argument === '' ? '' : ` ${command.argument}`}`, aside: command.what },
        from + index === over.chosen,
        state,
        look,
      ),
    );
  return {
    lines: [
      line,
      composeSaid(state, look),
      ...(shown.length === 0
        ? [fitStretches([{ text: '  There is no such command.', tone: 'quiet' }], state.size.columns, look)]
        : shown),
    ],
    cursor: { x: cursor, y: 0 },
  };
}

/** What there is to ask for; of the chosen dimension some of its values. */
function composeCatalog(
  state: ExplorerState,
  over: Overlay & { readonly kind: 'catalog' },
  room: number,
  look: TextLook,
): OverlayLines {
  const { workspace } = state;
  if (workspace.kind !== 'open') return { lines: [] };
  const things = catalogEntries(workspace, over.line.text, over.all);
  const hidden = workspace.empty?.members.size ?? 0;
  const quiet =
    hidden === 0 || over.line.text.trim() !== ''
      ? ''
      : over.all
        ? 'f2 hides those without values.'
        : `${formatCount(hidden, 'dimension')} without values in the latest ${formatNumber(workspace.empty?.events ?? 0)} ${plural(workspace.empty?.events ?? 0, 'event')} hidden; f2 shows them.`;
  const member = things[over.chosen]?.member;
  const values = member === undefined ? undefined : workspace.values.get(member)?.slice(0, 12);
  return composeChoices(
    state,
    {
      line: over.line,
      label: 'find: ',
      placeholder: 'a name, or a word of a description',
      chosen: over.chosen,
      below: values === undefined ? quiet : values.length === 0 ? 'No values.' : `Values: ${values.join(', ')}`,
    },
    things.map(({ kind, ...thing }) => ({
      ...thing,
      description: `${kind}${thing.description === '' ? '' : `: ${thing.description}`}`,
    })),
    room,
    look,
  );
}

/** All values of a column with their figures, and bars as long as these are large. */
function composeFrequencies(
  state: ExplorerState,
  over: Overlay & { readonly kind: 'frequencies' },
  room: number,
  look: TextLook,
): OverlayLines {
  const { columns: width } = state.size;
  const {
    lines: [line = ''],
    cursor,
  } = composeLine(over.line, { width, look, label: 'find: ', placeholder: 'a value' });
  const { counted } = over;
  const drawn = { line, cursor: { x: cursor, y: 0 } };
  const quiet = (text: string, tone: Stretch['tone'] = 'quiet') => fitStretches([{ text, tone }], width, look);
  if (!counted)
    return {
      lines: [
        line,
        '',
        over.problem === undefined ? quiet(`counting ${ellipsisOf(look)}`) : quiet(over.problem, 'error'),
      ],
      cursor: drawn.cursor,
    };
  const [of, measure] = counted.columns;
  if (!of || !measure) return { lines: [line], cursor: drawn.cursor };
  const figures = counted.values(measure.key);
  const total = measure.additive ? sumOf(figures) : 0;
  const most = Math.max(0, ...Array.from(figures, Number).filter(Number.isFinite));
  const rows = frequencyRows(over);
  const count = Math.max(1, room - 3);
  const from = Math.max(0, Math.min(over.chosen - Math.floor(count / 2), rows.length - count));
  const shown = rows.slice(from, from + count).map((row) => {
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
      state.said ? composeSaid(state, look) : fitStretches([{ text: heading, tone: 'heading' }], width, look),
      ...shown.map(({ text, figure, share, size }, index) => {
        const chosen = from + index === over.chosen;
        return fitStretches(
          [
            { text: chosen ? (look.unicode ? '› ' : '> ') : '  ', tone: 'accent' },
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
    cursor: drawn.cursor,
  };
}

function sumOf(values: ArrayLike<Value>): number {
  return Array.from(values, Number).reduce((sum, value) => sum + (Number.isFinite(value) ? value : 0), 0);
}

interface ChoiceLine {
  readonly line: LineState;
  readonly label: string;
  readonly placeholder: string;
  readonly chosen: number;
  /** To be known of the chosen one. */
  readonly below?: string | undefined;
}

/** A line that is typed, and below it the things that fit it: title, name and description in columns. */
function composeChoices(
  state: ExplorerState,
  { line: typed, label, placeholder, chosen, below = '' }: ChoiceLine,
  things: readonly NamedMember[],
  room: number,
  look: TextLook,
): OverlayLines {
  const {
    lines: [line = ''],
    cursor,
  } = composeLine(typed, { width: state.size.columns, look, label, placeholder });
  const count = Math.max(1, room - 2);
  const from = Math.max(0, Math.min(chosen - Math.floor(count / 2), things.length - count));
  const shown = things.slice(from, from + count);
  const widest = Math.min(
    Math.floor(state.size.columns / 2),
    Math.max(0, ...shown.map(({ title: text }) => cellWidth(sanitize(text)))),
  );
  return {
    lines: [
      line,
      state.said || below === ''
        ? composeSaid(state, look)
        : fitStretches([{ text: below, tone: 'quiet' }], state.size.columns, look),
      ...(shown.length === 0
        ? [fitStretches([{ text: '  Nothing fits.', tone: 'quiet' }], state.size.columns, look)]
        : shown.map(({ title: text, name, description }, index) =>
            choice(
              {
                text: padToCells(truncateToCells(sanitize(text), widest, ellipsisOf(look)), widest, 'left'),
                aside: [name === text ? '' : name, description].filter((part) => part !== '').join('  '),
              },
              from + index === chosen,
              state,
              look,
            ),
          )),
    ],
    cursor: { x: cursor, y: 0 },
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
  // Wrapped by cells, not by words: this is to be copied as it stands.
  return text
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((line) => [...breakLine(sanitize(line), size.columns)])
    .map((line): string =>
      fitStretches([{ text: line, tone: 'plain' }] satisfies readonly Stretch[], size.columns, look),
    );
}

/** The state with what stands over the cells scrolled no further than to its end. */
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
  return [
    ...shown.slice(0, -1),
    fitStretches([{ text: `${ellipsisOf(look)} ${left + 1} more`, tone: 'quiet' }], size.columns, look),
  ];
}
