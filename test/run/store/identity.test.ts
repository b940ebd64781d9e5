import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readStore } from '../../../src/run/store/store-contents.ts';
import { lines, scratchStore } from './scratch-store.ts';
import { realEvents } from '../../data/real-events.ts';

const real = realEvents;
const counting = 'SELECT count(*)::INTEGER FROM events';

describe('an event with an id', () => {
  it('is in the store once, whichever files bring it; the first one stays', async () => {
    const store = scratchStore();
    const one = store.write(
      'one.ndjson',
      lines({ eventId: 'a', docPath: '/1' }, { eventId: 'b', docPath: '/1' }, { eventId: 'a', docPath: '/1 again' }),
    );
    const two = store.write('two.ndjson', lines({ eventId: 'c', docPath: '/2' }, { eventId: 'b', docPath: '/2' }));
    const three = store.write('three.ndjson', lines({ eventId: 'c', docPath: '/3' }, { eventId: 'd', docPath: '/3' }));
    expect(await store.ingest([one, two])).toMatchObject({
      added: 3,
      known: 2,
      files: [
        { added: 2, known: 1 },
        { added: 1, known: 1 },
      ],
    });
    expect(await store.ingest([three])).toMatchObject({ added: 1, known: 1 });
    expect(await store.ask('SELECT event_id, doc_path FROM events ORDER BY 1')).toEqual([
      ['a', '/1'],
      ['b', '/1'],
      ['c', '/2'],
      ['d', '/3'],
    ]);
  });

  it('is another one in another project', async () => {
    const store = scratchStore();
    const file = store.write(
      'one.ndjson',
      lines(
        { eventId: 'a', projectId: '1' },
        { eventId: 'a', projectId: '2' },
        { eventId: 'a' },
        { eventId: 'a', projectId: '' },
      ),
    );
    expect(await store.ingest([file], { project: { value: '2', origin: 'flag --project' } })).toMatchObject({
      added: 2,
      known: 2,
    });
    expect(await store.ask('SELECT project_id FROM events ORDER BY 1')).toEqual([['1'], ['2']]);
  });

  it('counts as without one where its id is empty', async () => {
    const store = scratchStore();
    await store.ingest([store.write('one.ndjson', lines({ eventId: '' }, { eventId: '' }, {}, {}))]);
    expect(await store.ask(counting)).toEqual([[4]]);
  });
});

describe('a file', () => {
  it('is known by its content, whatever it is called and whatever project is given', async () => {
    const store = scratchStore();
    const content = lines({ docPath: '/a' }, { docPath: '/a' });
    const one = store.write('one.ndjson', content);
    expect(await store.ingest([one], { project: { value: '7', origin: 'flag --project' } })).toMatchObject({
      added: 2,
    });
    const two = store.write('two.ndjson', content);
    const again = await store.ingest([one, two], { project: { value: '8', origin: 'flag --project' } });
    expect(again).toMatchObject({
      added: 0,
      files: [
        { outcome: 'known', project: '8', earlier: { file: one, project: '7', time: '2024-03-08T12:00:00.000Z' } },
        { outcome: 'known' },
      ],
    });
    expect(await store.ask('SELECT project_id FROM events')).toEqual([['7'], ['7']]);
  });

  it('is known within one command', async () => {
    const store = scratchStore();
    const files = ['one', 'two'].map((name) => store.write(`${name}.ndjson`, lines({ docPath: '/a' })));
    expect(await store.ingest(files)).toMatchObject({ added: 1, files: [{ outcome: 'added' }, { outcome: 'known' }] });
  });

  it('of real events keeps its twenty pairs of equal ones', async () => {
    const store = scratchStore();
    const truth = gunzipSync(readFileSync(real)).toString('utf8').trim().split('\n');
    expect(truth.length - new Set(truth).size).toBe(20);
    expect(await store.ingest([real])).toMatchObject({ added: 4393, known: 0, rejected: 0 });
    expect(await store.ingest([real])).toMatchObject({ added: 0, files: [{ outcome: 'known' }] });
    const pages = Map.groupBy(
      truth.map((line) => JSON.parse(line) as Record<string, string>),
      (event) => event['TrackedEvents.docPath']!,
    );
    const expected = [...pages].map(([path, events]) => [path, events.length]).sort();
    expect((await store.ask('SELECT doc_path, count(*)::INTEGER FROM events GROUP BY 1')).toSorted()).toEqual(expected);
    expect(
      await store.ask(`SELECT (SELECT count(*) FROM events) - (SELECT count(*) FROM (SELECT DISTINCT * FROM events))`),
    ).toEqual([[20n]]);
  });

  it('that changes while it is read is refused, and nothing of it is added', async () => {
    const store = scratchStore();
    const good = store.write('good.ndjson', lines({ docPath: '/good' }));
    const growing = store.write(
      'growing.ndjson',
      lines(...Array.from({ length: 20_000 }, () => ({ docPath: '/growing'.padEnd(100, '.') }))),
    );
    const report = await store.ingest([growing, good], {
      onProgress: ({ file, bytes }) => {
        if (file === 1 && bytes > 0) appendFileSync(growing, lines({ docPath: '/late' }));
      },
    });
    expect(report).toMatchObject({
      added: 1,
      files: [{ outcome: 'refused', error: { code: 'file-changed' } }, { outcome: 'added' }],
    });
    expect(await store.ask('SELECT doc_path FROM events')).toEqual([['/good']]);
  });

  it('that the system does not read is refused by its own name', async () => {
    const store = scratchStore();
    const good = store.write('good.ndjson', lines({ docPath: '/good' }));
    const folder = path.join(path.dirname(good), 'folder.ndjson');
    mkdirSync(folder);
    const locked = store.write('locked.ndjson', lines({ docPath: '/locked' }));
    chmodSync(locked, 0o000);
    const isRoot = process.getuid?.() === 0;
    const { files } = await store.ingest([folder, ...(isRoot ? [] : [locked]), good]);
    for (const refused of files.slice(0, -1))
      expect(refused).toMatchObject({
        outcome: 'refused',
        error: { code: 'file-unreadable', message: expect.stringContaining(refused.file) as string },
      });
    expect(files.at(-1)).toMatchObject({ outcome: 'added' });
  });

  it('that is touched while it is read is refused', async () => {
    const store = scratchStore();
    const file = store.write('a.ndjson', lines({ docPath: '/a' }));
    const report = await store.ingest([file], {
      onProgress: ({ bytes }) => {
        if (bytes > 0) utimesSync(file, 1, 1);
      },
    });
    expect(report).toMatchObject({ added: 0, files: [{ outcome: 'refused', error: { code: 'file-changed' } }] });
    expect(await readStore(store.folder)).toBeUndefined();
  });

  it('keeps its fields that have no column', async () => {
    const store = scratchStore();
    await store.ingest([
      store.write(
        'a.ndjson',
        lines({ docPath: '/a', plan: 'gold', 'another one': [1, { b: null }] }, { docPath: '/b' }),
      ),
    ]);
    const rows = await store.ask('SELECT doc_path, further FROM events ORDER BY 1');
    expect(JSON.parse(String(rows[0]![1]))).toEqual({ plan: 'gold', 'another one': [1, { b: null }] });
    expect(rows[1]).toEqual(['/b', null]);
  });
});

describe('a file that is packed or has grown', () => {
  const some = lines({ docPath: '/a' }, { docPath: '/b' });
  const more = `${some}${lines({ docPath: '/c' })}`;
  const many = lines(...Array.from({ length: 200 }, (_, index) => ({ docPath: `/${index}` })));
  const pages = 'SELECT doc_path FROM events ORDER BY 1';

  it.each([
    ['gzip', gzipSync, 'access.ndjson.2.gz'],
    ['zstd', zstdCompressSync, 'access.ndjson.2.zst'],
  ] as const)('is known by its content after %s, and before', async (_name, pack, name) => {
    const store = scratchStore();
    const plain = store.write('access.ndjson.1', some);
    const packed = store.write(name, pack(some));
    await store.ingest([plain]);
    expect(await store.ingest([packed])).toMatchObject({ added: 0, files: [{ outcome: 'known' }] });
    const other = scratchStore();
    await other.ingest([packed]);
    expect(await other.ingest([plain])).toMatchObject({ added: 0, files: [{ outcome: 'known' }] });
    const both = scratchStore();
    expect(await both.ingest([plain, packed])).toMatchObject({
      added: 2,
      files: [{ outcome: 'added' }, { outcome: 'known' }],
    });
  });

  it('is known by the hash of its stored bytes in stores of older versions', async () => {
    const store = scratchStore();
    const packed = store.write('a.ndjson.gz', gzipSync(many));
    const plain = store.write('b.ndjson', some);
    await store.ingest([packed, plain]);
    const ledger = store.files().find((file) => readFileSync(file, 'utf8').includes('"sha256"'))!;
    const old = readFileSync(ledger, 'utf8').replaceAll(/,"unpacked":\{[^}]*\}|,"head":"[^"]*"/g, '');
    expect(old).not.toBe(readFileSync(ledger, 'utf8'));
    writeFileSync(ledger, old);
    expect(await store.ingest([packed, store.write('b.ndjson.gz', gzipSync(some))])).toMatchObject({
      added: 0,
      files: [{ outcome: 'known' }, { outcome: 'known' }],
    });
  });

  it('replaces what was loaded of it, whichever name it has after a rotation', async () => {
    const store = scratchStore();
    await store.ingest([store.write('access.ndjson', some)]);
    const grown = { outcome: 'replaced', grown: true };
    expect(await store.ingest([store.write('access.ndjson', more)])).toMatchObject({ removed: 2, files: [grown] });
    const rotated = store.write('access.ndjson.1.gz', gzipSync(`${more}${lines({ docPath: '/d' })}`));
    const next = store.write('access.ndjson', lines({ docPath: '/e' }));
    expect(await store.ingest([rotated, next])).toMatchObject({
      added: 5,
      removed: 3,
      files: [grown, { outcome: 'added' }],
    });
    expect(await store.ask(pages)).toEqual([['/a'], ['/b'], ['/c'], ['/d'], ['/e']]);
  });

  it('replaces its last line if that was not whole', async () => {
    const store = scratchStore();
    const whole = 'utcTime,amount,docPath\n2024-03-06T10:00:00,1,/a\n2024-03-06T11:00:00,1,/b';
    await store.ingest([store.write('a.csv', whole)]);
    expect(await store.ingest([store.write('a.csv', `${whole}cd\n`)])).toMatchObject({ files: [{ grown: true }] });
    expect(await store.ask(pages)).toEqual([['/a'], ['/bcd']]);
  });

  it('of another name is the same one if it begins with much of it', async () => {
    const store = scratchStore();
    await store.ingest([store.write('orders.ndjson', many), store.write('few.ndjson', some)]);
    expect(await store.ingest([store.write('orders (1).ndjson', `${many}${more}`)])).toMatchObject({
      removed: 200,
      files: [{ outcome: 'replaced', grown: true }],
    });
    expect(await store.ingest([store.write('other.ndjson', more)])).toMatchObject({ added: 3, removed: 0 });
  });

  it.each([
    ['access-20240501.log', false],
    ['access.log-20240501', false],
    ['access.log.2024-05-01', false],
    ['access.log-1714521600.gz', true],
    ['access.log.bak', false],
    ['old/access.log', false],
  ])('is the same one under the name %s if it was rotated away, however short it is', async (name, isPacked) => {
    const store = scratchStore();
    const log = store.write('access.log', some);
    await store.ingest([log, store.write('other.ndjson', lines({ docPath: '/o' }))]);
    const rotated = store.write(name, isPacked ? gzipSync(more) : more);
    const fresh = store.write('access.log', lines({ docPath: '/d' }));
    expect(await store.ingest([fresh, rotated])).toMatchObject({
      added: 4,
      removed: 2,
      files: [{ outcome: 'added' }, { outcome: 'replaced', grown: true, earlier: { file: log } }],
    });
    expect(await store.ask(pages)).toEqual([['/a'], ['/b'], ['/c'], ['/d'], ['/o']]);
  });

  it.each([
    ['a symbolic link', symlinkSync],
    ['a hard link', linkSync],
  ])('is the same one by %s, however short it is', async (_what, link) => {
    const store = scratchStore();
    const log = store.write('events.ndjson', some);
    const other = store.write('other.ndjson', some);
    await store.ingest([log]);
    const current = path.join(path.dirname(log), 'current.ndjson');
    link(log, current);
    appendFileSync(log, lines({ docPath: '/c' }));
    expect(await store.ingest([current])).toMatchObject({ added: 3, removed: 2, files: [{ grown: true }] });
    appendFileSync(log, lines({ docPath: '/d' }));
    expect(await store.ingest([log])).toMatchObject({ added: 4, removed: 3, files: [{ grown: true }] });
    appendFileSync(other, lines({ docPath: '/c' }));
    expect(await store.ingest([other])).toMatchObject({ added: 3, removed: 0 });
  });

  it('is the same one under another name if no file has its old one', async () => {
    const store = scratchStore();
    const log = store.write('events.ndjson', some);
    await store.ingest([log]);
    rmSync(log);
    await store.ingest([store.write('events-20240501.ndjson', more)]);
    expect(await store.ask(pages)).toEqual([['/a'], ['/b'], ['/c']]);
  });

  it('replaces what could be read of its damaged copy', async () => {
    const store = scratchStore();
    const whole = gzipSync(many);
    await store.ingest([store.write('a.ndjson.gz', whole.subarray(0, whole.length / 2))]);
    expect(await store.ask('SELECT count(*) > 50 FROM events')).toEqual([[true]]);
    expect(await store.ingest([store.write('a.ndjson.gz', whole)])).toMatchObject({
      files: [{ outcome: 'replaced', grown: true, added: 200, rejected: 0 }],
    });
    expect(await store.ask('SELECT count(*)::INTEGER FROM events')).toEqual([[200]]);
  });

  it('replaces its damaged copy even if all of its lines could be read, so that the damage is no longer told', async () => {
    const store = scratchStore();
    const whole = gzipSync(many);
    const damaged = store.write('a.ndjson.gz', Buffer.concat([whole, Buffer.from('other bytes')]));
    expect(await store.ingest([damaged])).toMatchObject({ added: 200, rejected: 1 });
    expect(await store.ingest([damaged])).toMatchObject({ files: [{ outcome: 'known' }] });
    expect(await store.ingest([store.write('a.ndjson.gz', whole)])).toMatchObject({
      added: 200,
      files: [{ outcome: 'replaced' }],
    });
    expect((await readStore(store.folder))!.sources).toMatchObject([{ rejected: 0 }]);
    expect(store.rejected()).toEqual([]);
    expect(await store.ask('SELECT count(*)::INTEGER FROM events')).toEqual([[200]]);
    expect(await store.ingest([store.write('b.ndjson.gz', damaged)])).toMatchObject({ added: 0 });
  });

  it('replaces what is known of a damaged archive, whose damage is told', async () => {
    const store = scratchStore();
    await store.ingest([store.write('a.ndjson', many)]);
    const damaged = Buffer.concat([gzipSync(many), gzipSync(more).subarray(0, 12)]);
    expect(await store.ingest([store.write('b.ndjson.gz', damaged)])).toMatchObject({ added: 200, rejected: 1 });
    expect(await store.ask('SELECT count(*)::INTEGER FROM events')).toEqual([[200]]);
  });

  it('is not known because nothing can be read of it', async () => {
    const store = scratchStore();
    const log = store.write('access.log', some);
    await store.ingest([store.write('none.ndjson', ''), log]);
    rmSync(log);
    const damaged = store.write('damaged.ndjson.gz', gzipSync(some).subarray(0, 12));
    expect(await store.ingest([damaged, store.write('b.ndjson', lines({ docPath: '/z' }))])).toMatchObject({
      files: [{ added: 0, rejected: 1 }, { added: 1 }],
    });
  });

  it('is another one beside a short file that it begins with', async () => {
    const store = scratchStore();
    await store.ingest([store.write('a.ndjson', some)]);
    const copy = store.write('copy.ndjson', more);
    expect(await store.ingest([store.write('a.ndjson', more), copy])).toMatchObject({
      added: 3,
      files: [{ grown: true }, { outcome: 'known' }],
    });
    const beside = scratchStore();
    await beside.ingest([beside.write('a.ndjson', some)]);
    expect(await beside.ingest([beside.write('copy.ndjson', more)])).toMatchObject({ added: 3, removed: 0 });
  });

  it('that was written anew adds its events, and the report counts those that equal earlier ones', async () => {
    const store = scratchStore();
    const day = (date: number) => ({ utcTime: `2024-03-0${date}T10:00:00`, docPath: `/${date}`, plan: 'pro' });
    const file = store.write('a.ndjson', lines(day(1), day(2), { ...day(3), eventId: 'c' }));
    await store.ingest([file]);
    const earlier = { file, number: 1 };
    store.write('a.ndjson', lines(day(4), { ...day(3), eventId: 'c' }, day(2), day(2), { ...day(1), plan: 'free' }));
    expect(await store.ingest([file])).toMatchObject({ added: 4, files: [{ repeated: { count: 2, earlier } }] });
    store.write('a.ndjson', lines(day(5)));
    const next = store.write('b.ndjson', lines(day(1)));
    expect((await store.ingest([file, next])).files.map(({ repeated }) => repeated)).toEqual([undefined, undefined]);
  });

  it('counts once in one command, too', async () => {
    const store = scratchStore();
    await store.ingest([store.write('a.ndjson.1', some), store.write('a.ndjson', more)]);
    expect(await store.ask(pages)).toEqual([['/a'], ['/b'], ['/c']]);
  });

  it('does not bring back pruned events', async () => {
    const store = scratchStore();
    const day = (date: number) => ({ utcTime: `2024-03-0${date}T10:00:00`, docPath: `/${date}` });
    await store.ingest([store.write('a.ndjson', lines(day(1), day(2)))]);
    await store.prune(Date.UTC(2024, 2, 2));
    await store.ingest([store.write('a.ndjson', lines(day(1), day(2), day(3)))]);
    expect(await store.ask(pages)).toEqual([['/2'], ['/3']]);
  });
});

it('no file brings events of the time that was pruned, be it new, grown, or loaded again', async () => {
  const day = (date: number) => ({ utcTime: `2024-03-0${date}T10:00:00`, docPath: `/${date}` });
  const mapping = { columns: { utcTime: 'utcTime', eventType: 'docPath' } };
  const store = scratchStore();
  const window = store.writeWindow('w.ndjson', lines(day(1)), { revision: 1 });
  const file = store.write('a.ndjson', lines(day(1), day(2)));
  await store.ingest([window, file]);
  await store.prune(Date.UTC(2024, 2, 2));
  await store.ingest([store.writeWindow('w.ndjson', lines(day(1), day(3)), { revision: 2 })]);
  await store.ingest([file], { mappingOf: () => mapping });
  const appended = store.write('a.ndjson', lines(day(1), day(2), { ...day(1), docPath: '/late' }));
  const fresh = store.write('b.ndjson', lines({ ...day(1), docPath: '/new' }));
  const left = { added: 0, pruned: 1 };
  expect(await store.ingest([appended, fresh], { mappingOf: () => mapping })).toMatchObject({
    added: 1,
    pruned: 3,
    prunedBefore: '2024-03-02T00:00:00.000Z',
    files: [{ added: 1, pruned: 2 }, left],
  });
  store.write('b.ndjson', lines({ ...day(1), docPath: '/new' }, { ...day(1), docPath: '/newer' }));
  expect(await store.ingest([fresh], { mappingOf: () => mapping })).toMatchObject({
    files: [{ outcome: 'replaced', grown: true, added: 0, pruned: 2 }],
  });
  expect(await store.ask('SELECT coalesce(doc_path, event_type) AS at FROM events ORDER BY 1')).toEqual([
    ['/2'],
    ['/3'],
  ]);
});

describe('an export window', () => {
  const first = lines({ docPath: '/1' }, { docPath: '/1' });
  const second = lines({ docPath: '/2' }, { docPath: '/2' }, { docPath: '/2' });

  it('is skipped where it is there; a higher revision replaces it, a lower one is left out', async () => {
    const store = scratchStore();
    const one = store.writeWindow('w1.ndjson', first, { revision: 1 });
    const two = store.writeWindow('w2.ndjson', second, { revision: 2 });
    const other = store.writeWindow('other.ndjson', first, { query: 'other' });
    await store.ingest([one]);
    expect(await store.ingest([one])).toMatchObject({ files: [{ outcome: 'known' }] });
    expect(await store.ingest([two])).toMatchObject({
      added: 3,
      removed: 2,
      files: [{ outcome: 'replaced', earlier: { window: { revision: 1 } } }],
    });
    expect(await store.ingest([one, other])).toMatchObject({
      added: 2,
      files: [{ outcome: 'older' }, { outcome: 'added' }],
    });
    expect(
      await store.ask('SELECT doc_path, count(*)::INTEGER, any_value(project_id) FROM events GROUP BY 1 ORDER BY 1'),
    ).toEqual([
      ['/1', 2, '42'],
      ['/2', 3, '42'],
    ]);
  });

  it('is replaced within one command, too, and by nothing where the newer one is empty', async () => {
    const store = scratchStore();
    const files = [
      store.writeWindow('w1.ndjson', first, { revision: 1 }),
      store.writeWindow('w2.ndjson', second, { revision: 2 }),
      store.writeWindow('w3.ndjson', '', { revision: 3 }),
    ];
    expect(await store.ingest(files.slice(0, 2))).toMatchObject({ events: 3 });
    expect(await store.ingest(files)).toMatchObject({ events: 0, removed: 3 });
  });

  it('whose file is not the one that its manifest tells of is refused by name', async () => {
    const store = scratchStore();
    const file = store.writeWindow('w1.ndjson', first, { sha256: '0'.repeat(64) });
    const { files } = await store.ingest([file]);
    expect(files[0]).toMatchObject({ outcome: 'refused', error: { code: 'window-damaged' } });
    expect(files[0]!.error!.message).toContain('w1.ndjson');
  });

  it('of another project than a flag says is an error, and nothing is added', async () => {
    const store = scratchStore();
    const files = [store.write('a.ndjson', second), store.writeWindow('w1.ndjson', first, {})];
    await expect(store.ingest(files, { project: { value: '7', origin: 'flag --project' } })).rejects.toMatchObject({
      code: 'project-contradicted',
    });
    expect(await readStore(store.folder)).toBeUndefined();
    expect(await store.ingest(files, { project: { value: '7', origin: 'sluice.yaml:3' } })).toMatchObject({
      projects: ['42', '7'],
    });
  });

  it('of one revision with two contents is refused', async () => {
    const store = scratchStore();
    await store.ingest([store.writeWindow('w1.ndjson', first, {})]);
    expect(await store.ingest([store.writeWindow('w1.ndjson', second, {})])).toMatchObject({
      added: 0,
      files: [{ outcome: 'refused', error: { code: 'window-contradicted' } }],
    });
  });

  it('that was taken in as a bare file is known, and from then on by its window', async () => {
    const store = scratchStore();
    await store.ingest([store.write('bare.ndjson', first)]);
    expect(await store.ingest([store.writeWindow('w1.ndjson', first, {})])).toMatchObject({
      added: 0,
      files: [{ outcome: 'known' }],
    });
    expect(await store.ingest([store.writeWindow('w2.ndjson', second, { revision: 2 })])).toMatchObject({
      added: 3,
      removed: 2,
      events: 3,
    });
  });

  it('that is replaced by one without some of its events asks for the files that had them, too', async () => {
    const store = scratchStore();
    const wide = store.write(
      'wide.ndjson',
      lines({ eventId: 'a', projectId: '42' }, { eventId: 'b', projectId: '42' }, { docPath: '/no-id' }),
    );
    await store.ingest([store.writeWindow('w1.ndjson', lines({ eventId: 'a' }), {}), wide]);
    const report = await store.ingest([store.writeWindow('w2.ndjson', lines({ eventId: 'c' }), { revision: 2 })]);
    expect(report).toMatchObject({ again: [wide], events: 3 });
    expect(await store.ingest([wide])).toMatchObject({ again: [], events: 4, files: [{ outcome: 'replaced' }] });
    expect(await store.ask('SELECT event_id FROM events ORDER BY 1')).toEqual([['a'], ['b'], ['c'], [null]]);
  });
});

describe('rejected lines', () => {
  it('lie beside the store with their text, once', async () => {
    const store = scratchStore();
    const file = store.write(
      'a.ndjson',
      `${lines({ docPath: '/a' })}{"utcTime": "never"}\n{broken\n${lines({ docPath: '/b' })}`,
    );
    expect(await store.ingest([file])).toMatchObject({
      added: 2,
      rejected: 2,
      files: [{ rejectedExamples: [{ line: 2 }, { line: 3 }] }],
    });
    const told = [
      { file, line: 2, text: '{"utcTime": "never"}' },
      { file, line: 3, text: '{broken' },
    ];
    expect(store.rejected()).toMatchObject(told);
    await store.ingest([file]);
    expect(store.rejected()).toMatchObject(told);
  });
});
