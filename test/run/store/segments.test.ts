import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openStoreEvents } from '../../../src/run/duckdb/store/store-events.ts';
import { readStore } from '../../../src/run/store/store-contents.ts';
import { lines, scratchStore, type ScratchStore } from './scratch-store.ts';

async function segmentsOf(store: ScratchStore) {
  return (await readStore(store.folder))!.segments;
}

const hour = (index: number) =>
  lines({ minute: 60 * index, docPath: `/${index}` }, { minute: 60 * index + 30, docPath: `/${index}` });

describe('segments', () => {
  it('are few, however many files one command takes in', async () => {
    const store = scratchStore();
    const files = Array.from({ length: 60 }, (_, index) =>
      store.writeWindow(`h${index}.ndjson`, hour(index), { query: `q${index}` }),
    );
    expect(await store.ingest(files)).toMatchObject({ added: 120, events: 120 });
    expect(await segmentsOf(store)).toHaveLength(1);
    expect(
      await store.ask(
        "SELECT count(*)::INTEGER FROM events WHERE utc_time >= TIMESTAMP '2024-03-07 00:00:00' AND utc_time < TIMESTAMP '2024-03-08 00:00:00'",
      ),
    ).toEqual([[48]]);
  });

  it('are put together where commands pile them up, and nothing is lost', async () => {
    const store = scratchStore();
    const counts: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      await store.ingest([store.write(`h${index}.ndjson`, hour(index))]);
      counts.push((await segmentsOf(store)).length);
    }
    expect(Math.max(...counts)).toBeLessThan(8);
    expect(await store.ask('SELECT count(*)::INTEGER, count(DISTINCT doc_path)::INTEGER FROM events')).toEqual([
      [24, 12],
    ]);
  });

  it('hold rows in the order of time where the files did not', async () => {
    const store = scratchStore();
    const count = 150_000;
    const file = store.write(
      'mixed.ndjson',
      Array.from({ length: count }, (_, index) => lines({ minute: (index * 7919) % count })).join(''),
    );
    await store.ingest([file]);
    const [segment] = await segmentsOf(store);
    const groups = await store.ask(
      `SELECT stats_min_value, stats_max_value FROM parquet_metadata('${segment!.path}') WHERE path_in_schema = 'utc_time' ORDER BY row_group_id`,
    );
    expect(groups.length).toBeGreaterThan(1);
    for (const [index, group] of groups.slice(1).entries())
      expect(String(group[0]) > String(groups[index]![1])).toBe(true);
  });

  it('that lie wholly before a day are dropped as they are', async () => {
    const store = scratchStore();
    await store.ingest([store.write('old.ndjson', hour(0))]);
    await store.ingest([store.write('cut.ndjson', hour(5) + hour(7))]);
    await store.ingest([store.write('new.ndjson', hour(9))]);
    const before = await segmentsOf(store);
    expect(await store.prune(Date.parse('2024-03-06T07:00:00Z'))).toMatchObject({
      removed: 4,
      events: 4,
      dropped: 1,
      rewritten: 1,
    });
    const after = await segmentsOf(store);
    expect(after).toHaveLength(2);
    expect(before.map(({ name }) => name)).toContain(after.at(-1)!.name);
  });
});

it('an open store tells what its events lack after a writer has replaced its segments', async () => {
  await using engine = await openEngine({ threads: 1 });
  const store = scratchStore();
  await store.ingest([store.write('a.ndjson', lines({ userId: 'ann', docPath: '/' }, { docPath: '/' }))]);
  const events = await openStoreEvents(engine, store.folder, { user: 'anonymous' });
  const asked = 'SELECT user_id, doc_path FROM events';
  expect(await events.lacking(asked)).toEqual([]);
  await store.forget('ann');
  expect(await events.lacking(asked)).toEqual([expect.stringContaining('userId')]);
});

describe('forgetting a user', () => {
  it('removes every event by any id, the rejected lines too, and tells what is left', async () => {
    const store = scratchStore();
    const broken = '{"userId": "ann", "utcTime": "never"}\n{"userId": "joanna", "utcTime": "never"}\n';
    const events = lines(
      { userAnonymousId: 'ann', userId: 'ann@example.com' },
      { userId: 'ann' },
      { idsAjsAnonymousId: 'ann' },
      { userHashedAnonymousId: 'ann', userAnonymousId: 'x1' },
      { userAnonymousId: 'bob', docPath: '/users/ann' },
      { userAnonymousId: 'Ann' },
      { userAnonymousId: 'cyd', plan: 'of ann' },
    );
    await store.ingest([store.write('a.ndjson', events + broken)]);
    expect(await store.forget('ann', true)).toMatchObject({
      dryRun: true,
      before: 7,
      removed: 4,
      after: 3,
      removedLines: 1,
    });
    const report = await store.forget('ann');
    expect(report).toEqual({
      users: [{ id: 'ann', events: 4 }],
      dryRun: false,
      before: 7,
      removed: 4,
      after: 3,
      removedLines: 1,
      otherIds: ['ann@example.com', 'x1'],
      moreIds: 0,
      traces: [
        { place: 'doc_path', count: 1 },
        { place: 'further', count: 1 },
        { place: 'rejected lines', count: 1 },
      ],
    });
    expect(store.rejected().map(({ text }) => text)).toEqual(['{"userId": "joanna", "utcTime": "never"}']);
    const again = await store.ingest([
      store.write('b.ndjson', `${events}${broken}${lines({ userAnonymousId: 'dan' })}`),
    ]);
    expect(again).toMatchObject({ added: 4, forgotten: 4, rejected: 2 });
    expect(JSON.stringify(store.rejected())).not.toContain('"ann');
    expect(await store.forget('ann')).toMatchObject({ removed: 0, removedLines: 0 });
  });

  it('finds whoever it is, whatever the id is made of and however a line writes it', async () => {
    const ids = [
      `O'Brien "q"`,
      '100%_*?',
      'a\\b',
      'tab\there',
      'line\nbreak',
      'nul\0x',
      '\u001b[31mred',
      'ß🛍️',
      '{"json":1}',
      'x;y,z|w',
      "'; DROP TABLE x; --",
      ' spaced ',
    ];
    const store = scratchStore();
    const broken = (id: string) => [
      JSON.stringify({ userId: id, utcTime: 'never' }),
      `{"userId":"${[...Array(id.length).keys()].map((index) => `\\u${id.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')}"}`,
    ];
    const quoted = (id: string) => `"${id.replaceAll('"', '""')}"`;
    await store.ingest([
      store.write(
        'a.ndjson',
        lines(...ids.flatMap((id) => [{ userAnonymousId: id }, { userId: id }]), { userId: 'bob' }) +
          ids
            .flatMap(broken)
            .map((line) => `${line}\n`)
            .join(''),
      ),
      store.write(
        'b.csv',
        `userId,utcTime\n${ids.map((id) => `${quoted(id)},2024-03-06\n${quoted(id)},${quoted(id)}\n`).join('')}`,
      ),
    ]);
    for (const id of ids) expect(await store.forget(id), id).toMatchObject({ removed: 3, removedLines: 3, traces: [] });
    expect(await store.ask('SELECT user_id FROM events')).toEqual([['bob']]);
    expect(store.rejected()).toEqual([]);
    const again =
      lines(...ids.map((id) => ({ userId: id, docPath: '/again' }))) +
      ids
        .flatMap((id) => [broken(id)[0]!, JSON.stringify({ userId: id, utcTime: id })])
        .map((line) => `${line}\n`)
        .join('');
    expect(await store.ingest([store.write('c.ndjson', again)])).toMatchObject({
      added: 0,
      forgotten: ids.length,
      rejected: 2 * ids.length,
    });
    expect(
      await store.ingest([
        store.write('d.csv', `userId,utcTime,docPath\n${ids.map((id) => `${quoted(id)},never,/\n`).join('')}`),
      ]),
    ).toMatchObject({ rejected: ids.length });
    const texts = store.rejected().flatMap(({ text, reason }) => [String(text), String(reason)]);
    for (const id of ids)
      expect(
        texts.filter((text) => text.includes(id) || text.includes(JSON.stringify(id).slice(1, -1))),
        id,
      ).toEqual([]);
  });

  it('finds several at once as it does one by one, to the same bytes', async () => {
    const users = ['ann', '%', 'c.d|e', 'nul\0x', 'nobody'];
    const inputs = [0, 1].map((file) => {
      const of = (index: number) => users[(index * 7 + file * 3) % users.length]!;
      const events = Array.from({ length: 40 }, (_, index) => ({
        userId: index % 3 === 0 ? of(index) : `guest ${index}`,
        ...(index % 5 === 0 && { userAnonymousId: of(index + 1) }),
        docPath: index % 11 === 0 ? `/of-${of(index)}-page` : `/${index}`,
        minute: 100 * file + index,
        eventId: `${file}-${index}`,
      }));
      const broken = users.map((id) => JSON.stringify({ userId: id, utcTime: 'never' }));
      return `${lines(...events)}${broken.join('\n')}\n`;
    });
    const [together, inTurn] = [scratchStore(), scratchStore()];
    for (const store of [together, inTurn])
      for (const [index, text] of inputs.entries()) await store.ingest([store.write(`${index}.ndjson`, text)]);
    const report = await together.forget(users);
    const reports = [];
    for (const user of users) reports.push(await inTurn.forget(user));
    expect([report.removed, report.removedLines]).toEqual([
      reports.reduce((sum, { removed }) => sum + removed, 0),
      reports.reduce((sum, { removedLines }) => sum + removedLines, 0),
    ]);
    expect(report.after).toBe(reports.at(-1)!.after);
    const contentsOf = (store: ScratchStore) =>
      store
        .files()
        .filter((file) => /\/(?:segments|rejected|projections)\//.test(file))
        .map((file) => createHash('sha256').update(readFileSync(file)).digest('hex'))
        .sort();
    expect(contentsOf(together).length).toBeGreaterThan(2);
    expect(contentsOf(together)).toEqual(contentsOf(inTurn));
    const again = [];
    for (const store of [together, inTurn])
      again.push((await store.ingest([store.write('again.ndjson', inputs.join(''))])).forgotten);
    expect(again).toEqual([report.removed, report.removed]);
  });

  it('takes an id without letters for no more than a whole field', async () => {
    const store = scratchStore();
    const rejected = [
      '{"utcTime": "never", "docPath": "100 % of", "userId": "x"}',
      '{"utcTime": "never", "userId": "%"}',
      '{"utcTime": "never", "docSearch": "?q=%"}',
    ];
    await store.ingest([store.write('a.ndjson', `${lines({ userId: 'x' })}${rejected.join('\n')}\n`)]);
    expect(await store.forget('%')).toMatchObject({
      removed: 0,
      removedLines: 1,
      traces: [{ place: 'rejected lines', count: 2 }],
    });
    expect(store.rejected()).toHaveLength(2);
  });

  it('tells where a file that was taken in is called by it', async () => {
    const store = scratchStore();
    await store.ingest([store.write('of-person-4711.ndjson', lines({ userId: 'person-4711' }))]);
    expect(await store.forget('person-4711')).toMatchObject({
      removed: 1,
      traces: [{ place: 'names of files', count: 1 }],
    });
  });

  it('leaves none of the bytes that held it', async () => {
    const store = scratchStore();
    await store.ingest([
      store.write('a.ndjson', lines({ userAnonymousId: 'person-4711' }, { userAnonymousId: 'bob' })),
    ]);
    const before = store.files();
    await store.forget('person-4711');
    expect(store.files().filter((file) => file.endsWith('.parquet') && before.includes(file))).toEqual([]);
  });
});
