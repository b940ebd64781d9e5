import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openWriter } from '../../../src/run/duckdb/store/open-writer.ts';
import type { EventFiles } from '../../../src/run/duckdb/reading/event-files.ts';
import { openStoreEvents } from '../../../src/run/duckdb/store/store-events.ts';
import { readStore } from '../../../src/run/store/store-contents.ts';
import { ingestInChild } from './child-writer.ts';
import { lines, scratchStore, type ScratchStore } from './scratch-store.ts';

const counting = 'SELECT count(*)::INTEGER FROM events';
const lastOf = async (events: EventFiles) => (await events.survey({ ends: false, sessions: false })).span.last;
const isRoot = process.getuid?.() === 0;

async function filled(): Promise<ScratchStore> {
  const store = scratchStore();
  await store.ingest([
    store.write(
      'a.ndjson',
      lines({ docPath: '/a', userAnonymousId: 'ann' }, { docPath: '/b', userAnonymousId: 'bob' }),
    ),
  ]);
  return store;
}

describe('a place that cannot be written, or should not be', () => {
  it('is told as such, with what to do, and the store stays as it was', async () => {
    const store = await filled();
    const before = store.files();
    const next = store.write('b.ndjson', lines({ docPath: '/c' }));
    // The child is another user: a store belongs to its owner alone.
    for (const file of before) chmodSync(file, 0o644);
    for (const folder of [store.folder, join(store.folder, 'segments')]) chmodSync(folder, 0o555);
    const dirs = [dirname(dirname(store.folder)), dirname(store.folder)];
    for (const dir of dirs) chmodSync(dir, 0o755);
    // Its temporary files are not what it cannot write.
    if (isRoot) chmodSync(tmpdir(), 0o1777);
    try {
      const { said } = await ingestInChild(store.folder, 1000, [next], undefined, isRoot ? { uid: 65_534 } : {});
      expect(said).toMatch(/cannot be written: (?:Permission denied|permission is denied)/);
      expect(said).toContain('store-unwritable');
    } finally {
      for (const folder of [store.folder, join(store.folder, 'segments')]) chmodSync(folder, 0o755);
    }
    expect(store.files()).toEqual(before);
    expect(await store.ask(counting)).toEqual([[2]]);
  });

  it('is no store where a file is in its place', async () => {
    const store = scratchStore();
    mkdirSync(dirname(store.folder), { recursive: true });
    writeFileSync(store.folder, '');
    await expect(store.ingest([store.write('a.ndjson', lines({}))])).rejects.toMatchObject({
      code: 'store-unwritable',
    });
  });

  it('is no store where other things are in it, and these stay as they are', async () => {
    for (const name of ['segments/thesis.parquet', 'film.part', 'sources-list', 'notes.txt']) {
      const store = scratchStore();
      const precious = join(store.folder, name);
      mkdirSync(dirname(precious), { recursive: true });
      writeFileSync(precious, 'precious');
      await expect(store.ingest([store.write('a.ndjson', lines({}))])).rejects.toMatchObject({
        code: 'store-foreign',
        message: expect.stringContaining(name) as string,
      });
      expect(store.files()).toEqual([precious]);
    }
  });

  it('keeps what somebody put into a store', async () => {
    const store = await filled();
    const precious = ['segments/thesis.parquet', 'film.part', 'sources-list', 'notes.txt'].map((name) =>
      join(store.folder, name),
    );
    for (const file of precious) writeFileSync(file, 'precious');
    await store.ingest([store.write('b.ndjson', lines({ docPath: '/c' }))]);
    await store.forget('bob');
    expect(precious.map((file) => existsSync(file))).toEqual([true, true, true, true]);
    expect(await store.ask(counting)).toEqual([[2]]);
  });

  it('that is full is told as such; nothing half-written stays, and with room the same command works', async () => {
    const store = await filled();
    const before = store.files();
    const many = store.write(
      'many.ndjson',
      lines(
        ...Array.from({ length: 20_000 }, (_, index) => ({
          docPath: `/${index * 7919}`,
          eventId: `${index}-${(index * 104_729) % 999_983}`,
        })),
      ),
    );
    const said = ingestWithLittleRoom(store.folder, many);
    expect(said).toContain('disk-full');
    expect(store.files()).toEqual(before);
    expect(await store.ask(counting)).toEqual([[2]]);
    expect(await store.ingest([many])).toMatchObject({ added: 20_000 });
  });
});

/**
 * Ingests in a process whose files cannot grow beyond the size of a lock: the system refuses as it does on a full disk.
 */
function ingestWithLittleRoom(folder: string, file: string): string {
  const child = new URL('ingest-child.ts', import.meta.url).pathname;
  const script = `trap '' XFSZ; ulimit -f 64; exec "$0" --disable-warning=ExperimentalWarning "$@"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, child, folder, '1000', file], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe('a writer that is told to stop', () => {
  it('leaves the store as it was, and nothing beside it', async () => {
    const store = await filled();
    const before = store.files();
    const controller = new AbortController();
    const many = store.write(
      'many.ndjson',
      Array.from({ length: 50_000 }, (_, index) => lines({ docPath: `/${index}` })).join(''),
    );
    const stopped = store.ingest([many], {
      signal: controller.signal,
      onProgress: ({ bytes }) => {
        if (bytes > 0) controller.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    expect(store.files()).toEqual(before);
    expect(await store.ask(counting)).toEqual([[2]]);
  });
});

describe('what a killed writer had put aside', () => {
  it('goes with the next one, and nothing else goes, whatever the store says of it', async () => {
    const store = await filled();
    const left = mkdtempSync(join(tmpdir(), 'sluice-'));
    writeFileSync(join(left, 'lines.json'), '{"userId": "ann"}');
    const other = dirname(store.write('other/kept.txt', ''));
    const note = join(store.folder, 'scratch');
    for (const folder of [left, other]) {
      writeFileSync(note, folder);
      await store.forget('nobody');
      expect(existsSync(note)).toBe(false);
    }
    expect([existsSync(left), existsSync(join(other, 'kept.txt'))]).toEqual([false, true]);
  });

  it('is noted while it writes', async () => {
    const store = await filled();
    await using writer = await openWriter({
      folder: store.folder,
      now: () => 0,
      randomText: () => 'x1',
      holder: 'this test',
    });
    expect(readFileSync(join(store.folder, 'scratch'), 'utf8')).toBe(writer.engine.folder);
  });
});

describe('a damaged store', () => {
  it.each([
    ['{"sluice": "store", "version": 2', 'store-damaged', 'not valid JSON'],
    ['[]', 'store-damaged', 'is not the manifest of a store'],
    ['{"sluice": "store", "version": 2, "revision": -1}', 'store-damaged', 'is incomplete'],
    ['{"sluice": "store", "version": 3}', 'store-too-new', 'layout 3'],
    ['{"sluice": "store", "version": 1}', 'store-damaged', 'is incomplete'],
  ])('is refused by every command: %s', async (manifest, code, words) => {
    const store = await filled();
    writeFileSync(join(store.folder, 'manifest.json'), manifest);
    const told = { code, message: expect.stringContaining(words) as string };
    const before = store.files();
    await expect(store.ask(counting)).rejects.toMatchObject(told);
    await expect(store.ingest([store.write('b.ndjson', lines({}))])).rejects.toMatchObject(told);
    await expect(store.prune(0)).rejects.toMatchObject(told);
    await expect(store.forget('ann')).rejects.toMatchObject(told);
    expect(store.files()).toEqual(before);
  });

  it('that has lost its manifest is not taken for an empty one', async () => {
    const store = await filled();
    rmSync(join(store.folder, 'manifest.json'));
    const before = store.files();
    await expect(store.ingest([store.write('b.ndjson', lines({}))])).rejects.toMatchObject({
      code: 'store-damaged',
      message: expect.stringContaining('manifest.json is missing') as string,
    });
    expect(store.files()).toEqual(before);
  });

  it('names no file outside of itself', async () => {
    const store = await filled();
    const manifest = join(store.folder, 'manifest.json');
    const written = readFileSync(manifest, 'utf8');
    const names = [...written.matchAll(/"name":"(?=\d)/g)];
    // A segment, its projections, the codes of users, and their sessions.
    expect(names.length).toBeGreaterThan(4);
    for (const { index } of names) {
      writeFileSync(manifest, `${written.slice(0, index)}"name":"../../${written.slice(index + '"name":"'.length)}`);
      await expect(readStore(store.folder)).rejects.toMatchObject({ code: 'store-damaged' });
    }
  });

  it('lacks a segment, or has it cut: that is told by name', async () => {
    for (const harm of [(path: string) => rmSync(path), (path: string) => truncateSync(path, 100)]) {
      const store = await filled();
      const path = store.files().find((file) => file.includes('/segments/'))!;
      harm(path);
      await expect(store.ask(counting)).rejects.toMatchObject({
        code: 'store-damaged',
        message: expect.stringContaining('.parquet') as string,
      });
    }
  });
});

describe('a reader', () => {
  it('notices what is taken in, pruned and forgotten while it is open', async () => {
    const store = await filled();
    await using engine = await openEngine({ threads: 2 });
    const events = await openStoreEvents(engine, store.folder, { user: 'anonymous' });
    const count = async () => {
      await events.refresh();
      return (await engine.rows(counting))[0]![0];
    };
    expect([await count(), await lastOf(events)]).toEqual([2, '2024-03-06T00:00:00.000Z']);
    await store.ingest([store.write('b.ndjson', lines({ docPath: '/c', minute: 90 }))]);
    expect([await count(), await lastOf(events)]).toEqual([3, '2024-03-06T01:30:00.000Z']);
    await store.forget('ann');
    expect(await count()).toBe(2);
    await store.prune(Date.parse('2024-03-06T01:00:00Z'));
    expect(await count()).toBe(1);
    await store.prune(Date.parse('2024-03-07T00:00:00Z'));
    expect([await count(), await lastOf(events)]).toEqual([0, undefined]);
  });

  it('whose segment vanishes under it makes up for it', async () => {
    const store = await filled();
    await using engine = await openEngine({ threads: 2 });
    const events = await openStoreEvents(engine, store.folder, { user: 'anonymous' });
    await store.forget('ann');
    await expect(engine.rows(counting)).rejects.toThrow();
    const before = events.generation;
    expect(await events.mend()).toBe(true);
    expect(events.generation).toBeGreaterThan(before);
    expect(await engine.rows(counting)).toEqual([[1]]);
  });
});
