import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { toCanonicalQuery } from '../../../src/ask/query/canonical-query.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { cellWidth } from '../../../src/show/labels/cell-width.ts';
import { composeScreen } from '../../../src/use/explorer/compose/screen.ts';
import { composeReaderLines } from '../../../src/use/explorer/compose/screen-reader-lines.ts';
import { type GridFeed, openGridFeed } from '../../../src/use/explorer/grid/grid-feed.ts';
import { sourceOfResult } from '../../../src/use/explorer/grid/grid-source.ts';
import { commands } from '../../../src/use/explorer/state/commands.ts';
import type { Effect } from '../../../src/use/explorer/state/effects.ts';
import type { Message } from '../../../src/use/explorer/state/message.ts';
import type { ChartReading } from '../../../src/use/explorer/state/chart-reading.ts';
import type { ChartSize, ExplorerState, OpenWorkspace } from '../../../src/use/explorer/state/state.ts';
import { typedKey } from '../../../src/use/explorer/terminal/key.ts';
import { startState, update } from '../../../src/use/explorer/update.ts';
import { dayColumn, exampleResult, hostileTexts, numberColumn, textColumn } from '../../show/example-result.ts';
import { runs } from '../../runs.ts';
import { keyOf } from './key-of.ts';

const rowCount = 40;
const result = exampleResult([
  [
    dayColumn('utcTime', 'Utc Time'),
    Array.from({ length: rowCount }, (_, index) => `2024-03-${String((index % 28) + 1).padStart(2, '0')}T00:00:00.000`),
  ],
  [
    textColumn('pageTitle', 'Page Title'),
    Array.from({ length: rowCount }, (_, index) =>
      index % 7 === 0 ? null : hostileTexts[index % hostileTexts.length]!,
    ),
  ],
  [numberColumn('count', 'Count'), Float64Array.from({ length: rowCount }, (_, index) => index * 1234.5)],
]);
const workspace: OpenWorkspace = {
  kind: 'open',
  catalog: toCatalog(builtInModel),
  home: 'TrackedEvents',
  savedQueries: [{ name: 'top-pages' }],
  reports: ['weekly\u001b[2J'],
  zones: ['UTC', 'Europe/Berlin'],
  source: 'e\u001b[2J.ndjson',
  values: new Map(),
  notes: [],
};
const failure = { message: 'It is gone\n  \u001b[2J here\n  ^^^^', hint: 'Look again 漢字.', lost: false };
const lines = [
  'count by eventType',
  'count by docPath day last 30 days',
  ':save x',
  'nonsense \u202e 漢字',
  'top-pages',
];
const names = [
  'enter',
  'enter',
  'tab',
  'escape',
  'up',
  'down',
  'left',
  'right',
  'home',
  'end',
  'pageup',
  'pagedown',
  'backspace',
  'delete',
  'ctrl-c',
  'ctrl-z',
  'ctrl-r',
  'ctrl-u',
  'ctrl-s',
  'ctrl-x',
  'wheelup',
  'wheeldown',
  'f1',
  'alt-b',
  ...commands.flatMap(({ keys }) => Object.values(keys).flat()),
  ...'svgGf<>=-+i/?:oucptxyqzmM',
  'space',
];

/** A possible chart reading, over as many places as there are cells; some places are outside of the picture. */
function readingFor({ width, height, answer }: ChartSize): ChartReading | undefined {
  if (answer % 5 === 0) return undefined;
  const count = 1 + (width % 30);
  const values = Array.from({ length: count }, (_, place) => (place % 4 === 3 ? null : place * 7));
  return {
    places: values.map((_, place) => ({
      label: `place ${place} \u001b[2J`,
      bucket: place % 3 === 2 ? undefined : `2024-03-${String((place % 28) + 1).padStart(2, '0')}T00:00:00.000`,
    })),
    series: hostileTexts.slice(0, 1 + (answer % 7)).map((label, index) => ({
      label,
      hidden: index === 3,
      values,
      texts: values.map(String),
      rows: values.map((_, place) => (place % 5) - 1),
    })),
    plots: [
      { top: 1, height: height - 1, columns: values.map((_, place) => (place % 6 === 5 ? undefined : place % width)) },
      // Small plots side by side.
      { top: 1, height: 3, columns: values.map((_, place) => (width - 1 - place < 0 ? undefined : width - 1 - place)) },
    ],
    time: answer % 4 === 3 ? undefined : result.columns[0]?.key,
  };
}

/** A random event: a key, a typed line, a resize, passing time, or the result of a pending effect. */
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names).map((name) => ({ kind: 'press' as const, name })) },
  { weight: 2, arbitrary: fc.constantFrom(...lines).map((text) => ({ kind: 'type' as const, text })) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      columns: fc.integer({ min: 1, max: 140 }),
      rows: fc.integer({ min: 1, max: 50 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('count\ncount by day', 'x'.repeat(5000), '\u001b[2J\n漢字', 'count by\n day', 'top-pages\r\ncount')
      .map((text) => ({ kind: 'paste' as const, text })),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 5000 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('finish' as const), which: fc.nat(), well: fc.boolean() }) },
  // Go straight to the rows of an answer or to its chart, which random keys seldom reach.
  { weight: 1, arbitrary: fc.constantFrom('tab', 'right').map((by) => ({ kind: 'look' as const, by })) },
);

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const press = (...pressed: readonly string[]): readonly Happening[] => pressed.map((name) => ({ kind: 'press', name }));

/** Visits every focus and overlay, so that coverage does not depend on chance. */
const everywhere: Happening[] = [
  ...press(':', ...'drafts', 'enter'),
  { kind: 'finish', which: 1, well: true },
  ...press('x', 'backspace', 'down', 'delete', 'escape'),
  ...press(':', ...'open', 'space', 'x', 'enter'),
  { kind: 'look', by: 'tab' },
  { kind: 'look', by: 'tab' },
  ...press('escape'),
  { kind: 'type', text: 'count by eventType' },
  { kind: 'look', by: 'tab' },
  ...press('down', 'i', 'escape', 'escape', 'x', 'down', 'enter'),
  // The chart, then the text.
  { kind: 'finish', which: 0, well: true },
  { kind: 'finish', which: 0, well: true },
  ...press('escape', '?', 'escape', ':', 'escape'),
  { kind: 'look', by: 'tab' },
  ...press('escape', 'm', 'a', 'enter', 'b', 'up', 'backspace', 'down', 'backspace', 'delete', '`', '`', '`', 'escape'),
  ...press('backspace', 'backspace', 'backspace', 'escape', 'i', 'ctrl-c', 'u'),
  // The answer is over time: it is shown as a chart at once, and its figures have no filtered row.
  { kind: 'look', by: 'right' },
  ...press('left', 'v', 'left', 'space', 'm', 'up', 'o', 'escape', 'escape', 'escape'),
  { kind: 'look', by: 'tab' },
  ...press('?', 'escape', 'space', 'space', 'C', 'F', 'down', 'x', 'backspace'),
  { kind: 'finish', which: 0, well: true },
  ...press('down', 'enter', 'Q', 'F', 'escape', 'o', 'a', 'down', 'enter'),
  ...press(
    'f2',
    'f2',
    'b',
    'down',
    'escape',
    ':',
    ...'export',
    'space',
    'x',
    'enter',
    'f2',
    'enter',
    'escape',
    'escape',
  ),
  { kind: 'look', by: 'tab' },
  ...press('f3', 'c', 'down', 'enter', 'f4', 'escape', 'escape', 'escape'),
  { kind: 'look', by: 'tab' },
  ...press(':', ...'theme', 'space', ...'none', 'enter'),
  ...press('s', 'x', 'enter', 'x', 'escape', 'J', 'K', 'D', 'u', 'U', 'd', 'x', 'r', 'escape', 'r'),
  { kind: 'finish', which: 0, well: false },
  { kind: 'finish', which: 0, well: false },
  { kind: 'finish', which: 0, well: false },
];

describe('any state that can be reached', () => {
  let feed: GridFeed;
  beforeAll(async () => {
    feed = await openGridFeed(sourceOfResult(result), { width: 80, height: 20 }, String);
  });

  /** Possible results of an effect. */
  async function outcomes(effect: Effect, well: boolean, nextAnswer: () => number): Promise<readonly Message[]> {
    const failed: Message = { kind: 'effect-failed', what: 'It failed', failure };
    switch (effect.kind) {
      case 'open':
        return [well ? { kind: 'opened', workspace } : { kind: 'open-failed', failure: { ...failure, lost: true } }];
      case 'run':
      case 'pivot': {
        if (!well)
          return [
            { kind: 'run-waits', run: effect.run, note: 'at work' },
            { kind: 'run-failed', run: effect.run, failure: { ...failure, lost: effect.run % 3 === 0 } },
          ];
        const query = toCanonicalQuery(result.provenance.query);
        const drill = {
          query,
          columns: result.columns,
          zone: 'UTC',
          weekStart: undefined,
          ranges: [],
          compared: [],
          measures: new Set<string>(),
          timeMember: 'TrackedEvents.utcTime',
        };
        return [
          {
            kind: 'answered',
            run: effect.run,
            elapsedMs: 12,
            grid: feed.opening,
            pivot: effect.kind === 'pivot' ? effect.key : undefined,
            answer: { number: nextAnswer(), head: result, rowCount: result.rowCount, drill, saved: { query } },
          },
        ];
      }
      case 'cancel':
        return [{ kind: 'run-cancelled', run: effect.run }];
      case 'grid':
        return [{ kind: 'grid', answer: effect.answer, message: await feed.fetch(effect.wanted) }];
      case 'count-values':
        return [
          well
            ? { kind: 'values-counted', run: effect.run, counted: result, problem: undefined }
            : { kind: 'values-counted', run: effect.run, counted: undefined, problem: 'It failed \u001b[2J' },
        ];
      case 'edit-typed':
        return [{ kind: 'typed-edited', text: well ? 'count\n by day \u001b[2J' : undefined }];
      case 'find-empty':
        return well
          ? [{ kind: 'empty-found', empty: { members: new Set(['TrackedEvents.docPath']), events: 3 } }]
          : [failed];
      case 'await-columns':
        return [{ kind: 'columns-read', line: effect.line }];
      case 'find-values':
        return well
          ? [{ kind: 'values-found', member: effect.member, values: ['pageview', '\u001b[2J', "it's"] }]
          : [failed];
      case 'draw-chart': {
        const { of } = effect;
        const { width, height } = of;
        return [
          well
            ? {
                kind: 'chart-drawn',
                of,
                reading: readingFor(of),
                lines: Array.from({ length: height }, () => '▄'.repeat(width)),
                words: 'a chart \u001b[2J',
              }
            : { kind: 'chart-failed', of, why: 'nothing to draw' },
        ];
      }
      case 'save': {
        const file = {
          path: '/r/x.md',
          shown: 'reports/x.md',
          frontMatter: '',
          text: effect.cells.map(({ id }) => `${id}\n`).join(''),
        };
        return well
          ? [
              {
                kind: 'saved',
                file,
                note: undefined,
                cells: effect.cells.map(({ id, ask, shows }) => ({ id, ask, shows, source: `${id}\n` })),
              },
            ]
          : [failed];
      }
      case 'open-notebook':
      case 'restore-draft':
        return well
          ? [
              {
                kind: 'notebook-opened',
                file: undefined,
                typed: '',
                cells: [
                  { ask: { kind: 'text', source: '# Title\n\u001b[2J' }, source: '# Title\n', shows: 'table' },
                  { ask: { kind: 'line', line: 'count' }, source: 'x', shows: 'chart' },
                ],
              },
            ]
          : [failed];
      case 'edit':
        return [
          well
            ? { kind: 'edited', cell: effect.cell, ask: { kind: 'line', line: 'count' } }
            : { kind: 'edit-refused', cell: effect.cell, message: 'wrong', text: 'query: \u001b[2J' },
        ];
      case 'turn':
        return [{ kind: 'turned', title: 'SQL', text: 'SELECT 1\n'.repeat(80) }];
      case 'export':
        return [well ? { kind: 'exported', said: 'Exported \u001b[2J.' } : failed];
      case 'copy':
        return [{ kind: 'copied', what: effect.what }];
      case 'discard-draft':
        return [{ kind: 'draft-found', draft: { id: 'd', cells: [], typed: 'count', file: undefined } }];
      case 'list-drafts':
        return [
          {
            kind: 'drafts-found',
            drafts: hostileTexts
              .slice(0, well ? 3 : 0)
              .map((typed, index) => ({ id: `d${index}`, cells: [], typed, file: typed })),
          },
        ];
      case 'remember':
        return [{ kind: 'history-read', lines: ['count', 'count by day'] }];
      default:
        return [];
    }
  }

  function check(state: ExplorerState): void {
    const { lines: drawn, cursor } = composeScreen(state, { depth: 'plain', unicode: true });
    const { columns, rows } = state.size;
    if (drawn.length !== rows) throw new Error(`${drawn.length} lines on ${rows} rows`);
    for (const line of drawn) {
      if (cellWidth(line) > columns) throw new Error(`wider than ${columns}: ${JSON.stringify(line)}`);
      if (/\p{Cc}/u.test(line)) throw new Error(`is obeyed: ${JSON.stringify(line)}`);
    }
    if (cursor && !(cursor.x >= 0 && cursor.x < columns && cursor.y >= 0 && cursor.y < rows))
      throw new Error(`the cursor is at ${JSON.stringify(cursor)} of ${columns} × ${rows}`);
    if (state.cells.length > 0 && !state.cells[state.current]) throw new Error(`no cell ${state.current}`);
    if (new Set(state.cells.map(({ id }) => id)).size !== state.cells.length)
      throw new Error('two cells of one number');
    for (const line of composeReaderLines(state))
      if (/\p{Cc}/u.test(line)) throw new Error(`is obeyed: ${JSON.stringify(line)}`);
  }

  it('can be drawn on its screen, and nothing in it is obeyed by a terminal', async () => {
    const seen = { focus: new Set<string>(), over: new Set<string>(), run: new Set<string>() };
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 50 }), async (happenings) => {
        let now = 0;
        let answers = 0;
        let state = startState({ columns: 80, rows: 24 }, now);
        const pending: Effect[] = [{ kind: 'open' }];
        const tell = (message: Message) => {
          const next = update(state, message, now);
          state = next.state;
          pending.push(...next.effects.filter(({ kind }) => kind !== 'keep-draft'));
          check(state);
          seen.focus.add(state.focus);
          if (state.over) seen.over.add(state.over.kind);
          for (const { run } of state.cells) seen.run.add(run.kind);
        };
        for (const each of happenings) {
          if (each.kind === 'press') tell({ kind: 'key', key: keyOf(each.name) });
          else if (each.kind === 'paste') tell({ kind: 'key', key: { ...keyOf('paste'), text: each.text } });
          else if (each.kind === 'type') {
            for (const { segment } of new Intl.Segmenter().segment(each.text))
              tell({ kind: 'key', key: typedKey(segment) });
            tell({ kind: 'key', key: keyOf('enter') });
          } else if (each.kind === 'resize')
            tell({ kind: 'resized', size: { columns: each.columns, rows: each.rows } });
          else if (each.kind === 'wait') {
            now += each.ms;
            tell({ kind: 'tick' });
          } else if (each.kind === 'look') {
            for (const effect of pending.splice(0))
              for (const message of await outcomes(effect, true, () => (answers += 1))) tell(message);
            for (let presses = 0; presses < 4 && (state.over || state.focus === 'prompt'); presses += 1)
              tell({ kind: 'key', key: keyOf('escape') });
            tell({ kind: 'key', key: keyOf(each.by) });
          } else if (pending.length > 0) {
            const [effect] = pending.splice(each.which % pending.length, 1);
            for (const message of await outcomes(effect!, each.well, () => (answers += 1))) tell(message);
          }
        }
      }),
      { numRuns: runs(70), examples: [[everywhere]] },
    );
    // Every focus and overlay was visited.
    expect([...seen.focus].sort()).toEqual(['cells', 'chart', 'grid', 'prompt']);
    expect([...seen.over].sort()).toEqual([
      'catalog',
      'drafts',
      'drill',
      'frequencies',
      'history',
      'keys',
      'markdown',
      'palette',
      'save',
      'text',
      'turn',
    ]);
    expect([...seen.run].sort()).toEqual(['cancelled', 'done', 'failed', 'none', 'running']);
  });
});
