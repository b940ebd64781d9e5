import { afterAll, describe, expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { composeScreen } from '../../../src/use/explorer/compose/screen.ts';
import type { Effect } from '../../../src/use/explorer/state/effects.ts';
import type { Message } from '../../../src/use/explorer/state/message.ts';
import type { OpenWorkspace } from '../../../src/use/explorer/state/state.ts';
import { typedKey } from '../../../src/use/explorer/terminal/key.ts';
import { startState, update } from '../../../src/use/explorer/update.ts';
import { answerCell } from '../../../src/use/explorer/perform/answer-cell.ts';
import type { Result } from '../../../src/shape/result/result.ts';
import { openWithSession } from '../open-session.ts';
import { openFolder } from '../run-in-folder.ts';
import { openTerminal, sent } from './terminal.ts';
import { keyOf } from './key-of.ts';

const workspace: OpenWorkspace = {
  kind: 'open',
  catalog: toCatalog(builtInModel),
  home: 'TrackedEvents',
  savedQueries: [],
  reports: [],
  zones: ['UTC'],
  source: '',
  values: new Map(),
  notes: [],
};
const rows = 30_000;
const event = (index: number) =>
  `${JSON.stringify({
    utcTime: new Date(Date.UTC(2024, 2, 1) + index * 1000).toISOString(),
    eventType: 'pageview',
    userAnonymousId: `u${index % 97}`,
    docPath: `/${index}`,
  })}\n`;

describe('the first rows of a long list of events', () => {
  const folder = openFolder({
    'e.ndjson': Array.from({ length: rows }, (_, index) => event(index)).join(''),
    'sluice.yaml': 'events: e.ndjson\ntimezone: UTC\n',
  });
  afterAll(() => folder.remove());

  const firstOf = async (line: string) => {
    await using sluice = await openWithSession({ workspace: folder.root, env: {}, onNote: () => {} });
    const first: Result[] = [];
    await using asked = await answerCell(
      sluice.session,
      { kind: 'line', line },
      {
        signal: new AbortController().signal,
        cwd: folder.root,
        onWait: () => {},
        onFirst: (found) => first.push(found),
      },
    );
    return { first, asked };
  };

  it('are those of the whole, without the word that a limit was reached', async () => {
    let seen = 0;
    // The first rows come before the whole or not at all: on a busy machine all rows may be ready as soon.
    for (let attempt = 0; attempt < 5 && seen === 0; attempt += 1) {
      const { first, asked } = await firstOf('raw events');
      expect(first.length).toBeLessThanOrEqual(1);
      expect(asked.answer.rowCount).toBe(rows);
      for (const found of first) {
        expect(found.rowCount).toBe(100);
        expect(found.provenance.truncated).toBeNull();
        for (const { key } of found.columns) expect([...found.values(key)]).toEqual([...asked.answer.head.values(key)]);
      }
      seen += first.length;
    }
    expect(seen).toBe(1);
  });

  it('do not come for groups, for few rows, or after the question was stopped', async () => {
    expect((await firstOf('count by docPath')).first).toEqual([]);
    expect((await firstOf('raw events limit 500')).first).toEqual([]);
    await using sluice = await openWithSession({ workspace: folder.root, env: {}, onNote: () => {} });
    const stop = new AbortController();
    const first: Result[] = [];
    const asking = answerCell(
      sluice.session,
      { kind: 'line', line: 'raw events' },
      { signal: stop.signal, cwd: folder.root, onWait: () => {}, onFirst: (found) => first.push(found) },
    );
    stop.abort();
    await expect(asking).rejects.toMatchObject({ code: 'aborted' });
    expect(first).toEqual([]);
  });

  it('stand in the cell while it runs, and leave it when it is stopped', async () => {
    await using sluice = await openWithSession({ workspace: folder.root, env: {}, onNote: () => {} });
    const first = await sluice.query('raw events limit 3');
    let state = startState({ columns: 100, rows: 30 }, 0);
    const effects: Effect[] = [];
    const tell = (message: Message) => {
      const next = update(state, message, 0);
      ({ state } = next);
      effects.push(...next.effects);
      return composeScreen(state, { depth: 'plain', unicode: true }).lines.join('\n');
    };
    tell({ kind: 'opened', workspace });
    for (const letter of 'raw events') tell({ kind: 'key', key: typedKey(letter) });
    tell({ kind: 'key', key: keyOf('enter') });
    const run = effects.find((effect) => effect.kind === 'run')?.run ?? -1;
    const shown = tell({ kind: 'first-rows', run, first });
    expect(shown).toContain('/29999');
    expect(shown).toContain('First 3 rows shown; the rest is loading.');
    expect(tell({ kind: 'first-rows', run: run + 1, first })).toBe(shown);
    expect(tell({ kind: 'run-cancelled', run })).not.toContain('/29999');
  });

  it('are on the screen until the others are here', async () => {
    await using terminal = openTerminal(folder, { columns: 100, rows: 30 });
    await terminal.press(...'raw events', sent.enter);
    const screen = await terminal.see(/of 10,000 rows shown/);
    expect(screen).not.toContain('is loading');
    expect(screen).toContain('/29999');
  });
});
