import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { lineOf } from '../../../src/use/explorer/line/line-state.ts';
import type { ExplorerState, Overlay } from '../../../src/use/explorer/state/state.ts';
import { startState, update } from '../../../src/use/explorer/update.ts';
import { keyOf } from './key-of.ts';

function open(over: Overlay): ExplorerState {
  return {
    ...startState({ columns: 80, rows: 24 }, 0),
    workspace: {
      kind: 'open',
      catalog: toCatalog(builtInModel),
      home: 'TrackedEvents',
      savedQueries: [],
      reports: [],
      zones: [],
      source: '',
      values: new Map(),
      notes: [],
    },
    over,
  };
}

function type(state: ExplorerState, text: string): ExplorerState {
  return [...text].reduce((before, key) => update(before, { kind: 'key', key: keyOf(key) }, 0).state, state);
}

describe('where text is typed over the cells', () => {
  it.each<Overlay>([
    { kind: 'save', name: undefined, line: lineOf('') },
    { kind: 'save', name: 'quarter', line: lineOf('') },
    { kind: 'catalog', line: lineOf(''), chosen: 0, all: false },
    { kind: 'history', line: lineOf(''), chosen: 0 },
    { kind: 'palette', line: lineOf(''), chosen: 0 },
  ])('letters of commands are letters: $kind', (over) => {
    expect(type(open(over), 'q?')).toMatchObject({ over: { kind: over.kind, line: { text: 'q?' } } });
  });

  it('q closes what only shows', () => {
    expect(type(open({ kind: 'keys', scroll: 0 }), 'q').over).toBeUndefined();
    expect(type(open({ kind: 'text', title: '', text: '', scroll: 0 }), 'q').over).toBeUndefined();
  });

  it('a mistyped command is told with the nearest one', () => {
    const typed = type(open({ kind: 'palette', line: lineOf(''), chosen: 0 }), 'titel Visits');
    const { state } = update(typed, { kind: 'key', key: keyOf('enter') }, 0);
    expect(state.said?.text).toBe('Unknown command: titel Visits. Did you mean "title"?');
  });
});
