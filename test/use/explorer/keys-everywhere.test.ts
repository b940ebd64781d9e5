import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { composeScreen } from '../../../src/use/explorer/compose/screen.ts';
import type { Effect } from '../../../src/use/explorer/state/effects.ts';
import type { Message } from '../../../src/use/explorer/state/message.ts';
import type { ExplorerState, OpenWorkspace } from '../../../src/use/explorer/state/state.ts';
import { typedKey } from '../../../src/use/explorer/terminal/key.ts';
import { startState, update } from '../../../src/use/explorer/update.ts';
import { keyOf } from './key-of.ts';

const workspace: OpenWorkspace = {
  kind: 'open',
  catalog: toCatalog(builtInModel),
  home: 'TrackedEvents',
  savedQueries: [{ name: 'top-pages' }],
  reports: ['weekly\u001b[2J'],
  zones: ['UTC'],
  source: 'e.ndjson',
  values: new Map(),
  notes: [],
};

/** An explorer with simulated keys; effects are not performed. */
function openDesk(size = { columns: 80, rows: 24 }) {
  let state: ExplorerState = startState(size, 0);
  let effects: readonly Effect[] = [];
  const tell = (message: Message) => {
    ({ state, effects } = update(state, message, 0));
  };
  return {
    get state() {
      return state;
    },
    get effects() {
      return effects.filter(({ kind }) => kind !== 'keep-draft');
    },
    tell,
    press: (...names: readonly string[]) => names.forEach((name) => tell({ kind: 'key', key: keyOf(name) })),
    type: (text: string) => Array.from(text).forEach((letter) => tell({ kind: 'key', key: typedKey(letter) })),
    screen: () => composeScreen(state, { depth: 'plain', unicode: true }).lines.join('\n'),
  };
}

describe('keys of the explorer', () => {
  it('escape stops what runs, from the prompt too, before it moves to the answers', () => {
    const desk = openDesk();
    desk.type('count');
    desk.press('enter', 'escape');
    expect(desk.effects).toMatchObject([{ kind: 'cancel' }]);
    expect([desk.state.focus, desk.state.cells[0]?.run.kind]).toEqual(['prompt', 'cancelled']);
    desk.press('escape');
    expect(desk.state.focus).toBe('cells');
  });

  it('ctrl-z suspends wherever one stands, and ctrl-_ undoes in a line', () => {
    const desk = openDesk();
    desk.type('count by day');
    desk.press('ctrl-z');
    expect(desk.effects).toEqual([{ kind: 'suspend' }]);
    desk.press('ctrl-r', 'ctrl-z');
    expect(desk.effects).toEqual([{ kind: 'suspend' }]);
    expect(desk.state.prompt.line.text).toBe('count by day');
    desk.press('escape', 'ctrl-_');
    expect(desk.state.prompt.line.text).toBe('count by');
  });

  it('ctrl-x opens the typed line in the editor, and what was edited is typed then', () => {
    const desk = openDesk();
    desk.type('count by dya');
    desk.press('ctrl-x');
    expect(desk.effects).toEqual([{ kind: 'edit-typed', text: 'count by dya' }]);
    desk.tell({ kind: 'typed-edited', text: 'count\n  by day\n' });
    expect(desk.state.prompt.line.text).toBe('count by day');
    expect(desk.state.cells).toEqual([]);
    desk.tell({ kind: 'typed-edited', text: undefined });
    expect([desk.state.prompt.line.text, desk.state.said?.text]).toEqual(['count by day', 'Nothing was changed.']);
  });

  it('f1 lists the keys and ctrl-s saves, whatever stands over the cells', () => {
    for (const open of [[], ['escape'], ['escape', ':'], ['escape', 'x'], ['escape', '?']]) {
      const desk = openDesk();
      desk.type('count');
      desk.press('enter', 'escape', ...open);
      if (!open.includes('?')) desk.press('f1');
      expect(desk.state.over?.kind, open.join(' ')).toBe('keys');
      desk.press('ctrl-s');
      expect(desk.state.over?.kind, open.join(' ')).not.toBe('keys');
      expect(`${desk.effects.map(({ kind }) => kind).join(' ')} ${desk.state.over?.kind ?? ''}`).toMatch(/save/);
    }
  });

  it('a cell that is higher than the screen is scrolled to its end, line by line, before the next one is chosen', () => {
    const desk = openDesk({ columns: 40, rows: 12 });
    const text = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
    desk.tell({
      kind: 'notebook-opened',
      file: { path: '/r/x.md', shown: 'x.md', frontMatter: '', text },
      cells: [
        { ask: { kind: 'text', source: text }, source: text, shows: 'table' },
        { ask: { kind: 'line', line: 'count' }, source: 'x', shows: 'table' },
      ],
      typed: '',
    });
    const asked = desk.effects.find((effect) => effect.kind === 'answer-report');
    desk.tell({
      kind: 'report-answered',
      run: asked?.run ?? 0,
      told: new Map([[desk.state.cells[0]?.id ?? 0, [{ kind: 'text', tone: 'plain', text }]]]),
      answers: new Map(),
      params: [],
      annotations: [],
      elapsedMs: 1,
    });
    const seen = new Set<string>();
    for (let pressed = 0; desk.state.current === 0 && pressed < 100; pressed += 1) {
      for (const [line] of desk.screen().matchAll(/line \d+/g)) seen.add(line);
      desk.press('down');
    }
    expect(seen.size).toBe(30);
    expect(desk.state.current).toBe(1);
    desk.press('up');
    expect(desk.screen()).toContain('line 30');
    for (let pressed = 0; pressed < 100; pressed += 1) desk.press('pageup');
    expect(desk.screen()).toMatch(/line 1$/m);
  });

  it('offers unsaved changes of before until something else is begun', () => {
    const desk = openDesk();
    desk.tell({ kind: 'draft-found', draft: { id: 'd', cells: [], typed: 'count', file: undefined } });
    expect(desk.screen()).toContain(':restore loads them');
    desk.type('c');
    expect(desk.screen()).not.toContain(':restore loads them');
    desk.type('ount');
    desk.press('enter');
    expect(desk.screen()).not.toContain(':restore loads them');
  });

  it('a question that is typed in cells mode deletes nothing; d and Enter do', () => {
    const desk = openDesk();
    for (const line of ['count', 'uniqueUsersCount']) {
      desk.type(line);
      desk.press('enter');
    }
    // Two questions are running: each escape stops one.
    desk.press('escape', 'escape', 'escape');
    for (const letter of 'ddad') desk.press(letter);
    desk.press('escape');
    expect(desk.state.cells).toHaveLength(2);
    desk.press('escape', 'd');
    expect(desk.screen()).toContain('Delete cell 2? Enter deletes it');
    desk.press('enter');
    expect(desk.state.cells).toHaveLength(1);
    desk.press('b');
    expect(desk.screen()).toContain('Letters are commands here.');
  });

  it('undoes and redoes whatever was done to the cells, in any order', () => {
    const shapeOf = (state: ExplorerState) =>
      JSON.stringify(state.cells.map(({ id, ask, shows }) => ({ id, ask, shows })));
    const act = fc.constantFrom('J', 'K', 'D', 't', 'add', 'delete', 'edit', 'paste');
    fc.assert(
      fc.property(fc.array(act, { maxLength: 25 }), fc.array(fc.boolean(), { maxLength: 60 }), (acts, walk) => {
        const desk = openDesk();
        desk.tell({ kind: 'opened', workspace });
        desk.type('count');
        desk.press('enter', 'escape', 'escape');
        const moments = [shapeOf(desk.state)];
        for (const each of acts) {
          if (each === 'add')
            desk.tell({ kind: 'key', key: { ...keyOf('paste'), text: 'count\nuniqueUsersCount by day' } });
          else if (each === 'paste')
            desk.tell({ kind: 'key', key: { ...keyOf('paste'), text: 'count\ncount by day' } });
          else if (each === 'delete') desk.press('d', 'enter');
          else if (each === 'edit' && desk.state.cells[desk.state.current])
            desk.tell({
              kind: 'edited',
              cell: desk.state.cells[desk.state.current]!.id,
              ask: { kind: 'line', line: `count by day limit ${moments.length}` },
            });
          else desk.press(each);
          if (desk.state.cells.length === 0) break;
          if (shapeOf(desk.state) !== moments.at(-1)) moments.push(shapeOf(desk.state));
        }
        if (desk.state.cells.length === 0) return;
        let at = moments.length - 1;
        for (const back of [...walk, ...moments.map(() => true), ...moments.map(() => false)]) {
          desk.press(back ? 'u' : 'U');
          at = Math.max(0, Math.min(at + (back ? -1 : 1), moments.length - 1));
          // Undoing the first cell leaves no cells to continue with.
          if (desk.state.cells.length === 0) return;
          expect(shapeOf(desk.state)).toBe(moments[at]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('a new notebook is asked for its name and its title', () => {
    const desk = openDesk();
    desk.type('count');
    desk.press('enter', 'escape', 'escape', 's');
    desk.type('weekly-visits');
    desk.press('enter');
    expect(desk.screen()).toContain('title: Weekly visits');
    desk.press('enter');
    expect(desk.effects).toMatchObject([{ kind: 'save', name: 'weekly-visits', title: 'Weekly visits' }]);
    desk.press('s', 'escape');
    expect(desk.state.over).toBeUndefined();
  });

  it('makes a cell of each pasted line that is a question', () => {
    const desk = openDesk();
    desk.tell({ kind: 'opened', workspace });
    const paste = (text: string) => desk.tell({ kind: 'key', key: { ...keyOf('paste'), text } });
    paste('count by day\r\nuniqueUsersCount\n\ntop-pages\n');
    expect(desk.state.cells.map(({ ask }) => (ask.kind === 'line' ? ask.line : ''))).toEqual([
      'count by day',
      'uniqueUsersCount',
      'top-pages',
    ]);
    expect(desk.effects.filter(({ kind }) => kind === 'run')).toHaveLength(3);
    paste('count\nby day\nlast 7 days');
    expect([desk.state.cells.length, desk.state.prompt.line.text]).toEqual([3, 'count by day last 7 days']);
  });

  it.each([
    '{"query": {"measures": ["TrackedEvents.count"]}}',
    '{\n  "measures": ["count"],\n  "dimensions": ["eventType"]\n}\n',
    'title: Events\nquery: count by day\n',
    'query:\n  measures: [count]\n',
  ])('makes a cell of a pasted query file: %j', (text) => {
    const desk = openDesk();
    desk.tell({ kind: 'opened', workspace });
    // Terminals paste the ends of lines as carriage returns.
    desk.tell({ kind: 'key', key: { ...keyOf('paste'), text: text.replaceAll('\n', '\r') } });
    expect([desk.effects.at(-1), desk.state.prompt.line.text]).toEqual([{ kind: 'read-query', text }, '']);
    desk.tell({ kind: 'query-read', ask: { kind: 'line', line: 'count' } });
    expect([desk.state.cells.map(({ ask }) => ask), desk.effects.at(-1)?.kind]).toEqual([
      [{ kind: 'line', line: 'count' }],
      'run',
    ]);
    desk.tell({ kind: 'query-refused', message: 'No measure.', text });
    expect(desk.screen()).toMatch(/The pasted text[^]*No measure\./);
  });

  it('f3 finds earlier questions by their letters, and f4 takes the word that was meant', () => {
    const desk = openDesk();
    desk.tell({ kind: 'opened', workspace });
    desk.tell({ kind: 'history-read', lines: ['count by day', 'uniqueUsersCount by eventType', 'top-pages'] });
    desk.press('f3');
    // Latest first.
    expect(desk.screen()).toMatch(/› top-pages[^]*uniqueUsersCount by eventType[^]*count by day/);
    desk.type('uniq');
    expect(desk.screen()).not.toContain('top-pages');
    desk.press('enter');
    expect([desk.state.prompt.line.text, desk.state.focus]).toEqual(['uniqueUsersCount by eventType', 'prompt']);
    desk.press('ctrl-u');
    desk.type('count by evntType, docPath');
    desk.press('enter');
    expect(desk.screen()).toContain('f4 take "eventType"');
    desk.press('f4');
    expect(desk.state.prompt.line.text).toBe('count by eventType, docPath');
    desk.press('f4');
    expect(desk.state.said?.text).toBe('There is nothing to correct here.');
    desk.press('enter', 'escape', 'escape');
    const run = desk.state.cells[0]?.run;
    desk.press('enter');
    const asked = desk.effects.find((effect) => effect.kind === 'run');
    expect(run?.kind).toBe('cancelled');
    desk.tell({
      kind: 'run-failed',
      run: asked?.run ?? 0,
      failure: { message: 'There is no "docPath" there.', hint: 'Did you mean "Docs.path"?', lost: false },
    });
    desk.press('f4');
    expect(desk.state.cells[0]?.ask).toEqual({ kind: 'line', line: 'count by eventType, Docs.path' });
    desk.press('u');
    expect(desk.state.cells[0]?.ask).toEqual({ kind: 'line', line: 'count by eventType, docPath' });
  });

  it(':drafts lists what other sessions left, restores one, and discards another', () => {
    const desk = openDesk();
    desk.tell({ kind: 'opened', workspace });
    desk.press(':');
    desk.type('drafts');
    desk.press('enter');
    expect(desk.effects).toEqual([{ kind: 'list-drafts' }]);
    const drafts = ['count', 'count by day', 'top-pages'].map((line, index) => ({
      id: `draft-${index}-1`,
      cells: [{ ask: { kind: 'line' as const, line }, source: undefined, shows: 'table' as const }],
      typed: '',
      file: undefined,
    }));
    desk.tell({ kind: 'drafts-found', drafts });
    expect(desk.screen()).toMatch(/› count +1 cell[^]*count by day[^]*top-pages/);
    desk.press('delete');
    expect(desk.effects).toEqual([{ kind: 'discard-draft', id: 'draft-0-1' }]);
    desk.type('pages');
    desk.press('enter');
    expect(desk.effects).toEqual([{ kind: 'restore-draft', draft: drafts[2] }]);
    desk.tell({ kind: 'drafts-found', drafts: [] });
    expect(desk.state.said?.text).toBe('No other session left anything unsaved.');
  });

  it('P chooses among several parameters, then takes a value', () => {
    const desk = openDesk();
    desk.tell({ kind: 'opened', workspace });
    const file = { path: '/r/x.md', shown: 'x.md', frontMatter: '', text: 'Text.' };
    desk.tell({
      kind: 'notebook-opened',
      file,
      cells: [{ ask: { kind: 'text', source: 'Text.' }, source: 'Text.', shows: 'table' }],
      typed: '',
    });
    const asked = desk.effects.find((effect) => effect.kind === 'answer-report');
    const params = ['week', 'country\u001b[2J'].map((name) => ({ name, title: `The ${name}`, text: `1 ${name}` }));
    const answered = {
      kind: 'report-answered',
      told: new Map(),
      answers: new Map(),
      annotations: [],
      elapsedMs: 1,
    } as const;
    desk.tell({ ...answered, run: asked?.run ?? 0, params });
    desk.press('P');
    expect(desk.screen()).toMatch(/› week = 1 week[^]*country/);
    expect(desk.screen()).not.toContain('\u001b');
    desk.press('down', 'up', 'enter', 'backspace', 'backspace');
    desk.type('ll');
    expect(desk.screen()).toContain('week = 1 well');
    desk.press('enter');
    expect(desk.effects).toMatchObject([
      { kind: 'open-notebook', name: '/r/x.md', given: new Map([['week', '1 well']]) },
    ]);
  });
});
