import { afterAll, describe, expect, it } from 'vitest';
import { answerAsk } from '../../../src/use/explorer/world/answer-ask.ts';
import type { Result } from '../../../src/shape/result/result.ts';
import { openWithSession } from '../open-session.ts';
import { openFolder } from '../run-in-folder.ts';
import { openTerminal, sent } from './terminal.ts';

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
    await using asked = await answerAsk(
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
    const { first, asked } = await firstOf('raw events');
    // They come before the whole, or not at all.
    expect(first.length).toBeLessThanOrEqual(1);
    expect(asked.answer.rowCount).toBe(rows);
    for (const found of first) {
      expect(found.rowCount).toBe(100);
      expect(found.provenance.truncated).toBeNull();
      const [head] = [asked.answer.head];
      for (const { key } of found.columns) expect([...found.values(key)]).toEqual([...head.values(key)]);
    }
  });

  it('do not come for groups, for few rows, or after the question was stopped', async () => {
    expect((await firstOf('count by docPath')).first).toEqual([]);
    expect((await firstOf('raw events limit 500')).first).toEqual([]);
    await using sluice = await openWithSession({ workspace: folder.root, env: {}, onNote: () => {} });
    const stop = new AbortController();
    const first: Result[] = [];
    const asking = answerAsk(
      sluice.session,
      { kind: 'line', line: 'raw events' },
      { signal: stop.signal, cwd: folder.root, onWait: () => {}, onFirst: (found) => first.push(found) },
    );
    stop.abort();
    await expect(asking).rejects.toMatchObject({ code: 'aborted' });
    expect(first).toEqual([]);
  });

  it('are on the screen until the others are here', async () => {
    await using terminal = openTerminal(folder, { columns: 100, rows: 30 });
    await terminal.press(...'raw events', sent.enter);
    const screen = await terminal.see(/of 10,000 rows shown/);
    expect(screen).not.toContain('on their way');
    expect(screen).toContain('/29999');
  });
});
