import { describe, expect, it } from 'vitest';
import { composeScreen } from '../../../src/use/explorer/compose/screen.ts';
import type { Effect } from '../../../src/use/explorer/state/effects.ts';
import type { Message } from '../../../src/use/explorer/state/message.ts';
import type { ExplorerState } from '../../../src/use/explorer/state/state.ts';
import { keyOf, typedKey } from '../../../src/use/explorer/terminal/key.ts';
import { startState, update } from '../../../src/use/explorer/update.ts';

/** Somebody at the keys; effects are done by nobody. */
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
      params: [],
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
});
