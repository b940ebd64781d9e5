import { expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { lineOf } from '../../../src/use/explorer/line/line-state.ts';
import type { ExplorerState, OpenWorkspace } from '../../../src/use/explorer/state/state.ts';
import { typedKey } from '../../../src/use/explorer/terminal/key.ts';
import { startState, update } from '../../../src/use/explorer/update.ts';
import { keyOf } from './key-of.ts';

const line = 'count by Plan contratado';
const start = startState({ columns: 80, rows: 24 }, 0);
let isReading = true;
const workspace: OpenWorkspace = {
  kind: 'open',
  catalog: toCatalog(builtInModel),
  isReading: () => isReading,
  home: 'TrackedEvents',
  savedQueries: [],
  reports: [],
  zones: ['UTC'],
  source: '',
  values: new Map(),
  notes: [],
};

const enter = (text: string, over: Partial<OpenWorkspace> = {}) => {
  const state: ExplorerState = {
    ...start,
    workspace: { ...workspace, ...over },
    prompt: { ...start.prompt, line: lineOf(text) },
  };
  return update(state, { kind: 'key', key: keyOf('enter') }, 0);
};

it('refuses no name before the columns are known, and judges the line once they are', () => {
  isReading = true;
  const early = enter(line);
  expect([early.state.cells, early.state.prompt.issues]).toEqual([[], []]);
  expect(early.effects).toEqual([{ kind: 'await-columns', line }]);

  const typedOn = update(early.state, { kind: 'key', key: typedKey('x') }, 0).state;
  isReading = false;
  const later = update(early.state, { kind: 'columns-read', line }, 0).state;
  expect(later.prompt.issues[0]?.message).toBe('There is no member "Plan contratado".');
  expect(update(typedOn, { kind: 'columns-read', line }, 0).state.cells).toEqual([]);
});

it('looks for events of an unknown name once, and only then', () => {
  isReading = false;
  let lacksEvents = true;
  const lacking = { lacksEvents: () => lacksEvents };
  expect(enter('count by day from', lacking).effects).toEqual([]);
  const early = enter('number of purchases', lacking);
  expect(early.effects).toEqual([{ kind: 'await-columns', line: 'number of purchases' }]);
  lacksEvents = false;
  const { state, effects } = update(early.state, { kind: 'columns-read', line: 'number of purchases' }, 0);
  expect([state.prompt.issues.length, effects]).toEqual([1, []]);
});

it('asks a line of known names at once', () => {
  isReading = true;
  expect(enter('count by day').state.cells).toHaveLength(1);
});
