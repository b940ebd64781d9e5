import { appendFileSync, copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openStoreEvents } from '../../../src/run/duckdb/store/store-events.ts';
import { readStore } from '../../../src/run/store/store-contents.ts';
import { runs } from '../../runs.ts';
import { lines, type ScratchStore, scratchStore } from './scratch-store.ts';

const hour = (count: number) => Date.parse('2024-03-08T00:00:00Z') + count * 3_600_000;

/** The pages of the events that the store had at a time, in order. */
async function pagesAt(engine: Engine, { folder }: ScratchStore, knownAt?: number): Promise<readonly string[]> {
  await openStoreEvents(engine, folder, { user: 'anonymous', knownAt });
  return (await engine.rows('SELECT doc_path FROM events ORDER BY 1')).map(([page]) => String(page));
}

const events = (names: string, ids: boolean) =>
  lines(...Array.from(names, (name, minute) => ({ minute, docPath: name, ...(ids && { eventId: name }) })));

it('the store has the files of a commit from its end on, although they were read before', async () => {
  await using engine = await openEngine({ threads: 1 });
  const store = scratchStore();
  let clock = hour(0);
  const now = () => (clock += 60_000);
  const timeOfStore = async () => Date.parse((await readStore(store.folder))!.time);
  const log = store.write('log.ndjson', events('a', true));
  const grown = store.write('log.ndjson.1', events('ab', true));
  await store.ingest([log, grown, store.write('other.ndjson', events('c', true))], { now });
  const first = await timeOfStore();
  expect(await pagesAt(engine, store, first - 1)).toEqual([]);
  expect(await pagesAt(engine, store, first)).toEqual(['a', 'b', 'c']);
  await store.ingest([store.write('d.ndjson', events('d', true)), store.write('e.ndjson', events('e', true))], {
    now,
    batchRows: 1,
  });
  const last = await timeOfStore();
  expect(await pagesAt(engine, store, first)).toEqual(['a', 'b', 'c']);
  expect((await pagesAt(engine, store, last - 1)).length).toBeLessThan(5);
  expect(await pagesAt(engine, store, last)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('a file keeps its time if the clock is set back before users are forgotten', async () => {
  await using engine = await openEngine({ threads: 1 });
  const store = scratchStore();
  await store.ingest([store.write('a.ndjson', events('a', true))], { now: () => hour(9) });
  const ann = lines({ userId: 'ann', docPath: 'b', eventId: 'b' }, { docPath: 'c', eventId: 'c' });
  await store.ingest([store.write('b.ndjson', `${ann}{"userId": "ann", "utcTime": "never"}\n`)], {
    now: () => hour(1),
  });
  await store.forget('ann');
  expect(await pagesAt(engine, store, hour(1) - 1)).toEqual([]);
  expect(await pagesAt(engine, store, hour(1))).toEqual(['c']);
  expect(await pagesAt(engine, store, hour(9) - 1)).toEqual(['c']);
  expect(await pagesAt(engine, store, hour(9))).toEqual(['a', 'c']);
});

it.each([
  ['with ids', true],
  ['without ids', false],
])('the first rows of a file that has grown keep the time at which they were loaded, %s', async (_, ids) => {
  await using engine = await openEngine({ threads: 1 });
  const store = scratchStore();
  const file = store.write('events.ndjson', events('abc', ids));
  await store.ingest([file], { now: () => hour(1) });
  appendFileSync(file, events('de', ids));
  await store.ingest([file], { now: () => hour(2) });
  renameSync(file, `${file}.1`);
  appendFileSync(`${file}.1`, events('f', ids));
  await store.ingest([`${file}.1`], { now: () => hour(3) });
  expect(await pagesAt(engine, store, hour(0))).toEqual([]);
  expect(await pagesAt(engine, store, hour(1))).toEqual([...'abc']);
  expect(await pagesAt(engine, store, hour(2))).toEqual([...'abcde']);
  expect(await pagesAt(engine, store, hour(3))).toEqual([...'abcdef']);
  expect(await pagesAt(engine, store)).toEqual([...'abcdef']);
});

it('a file that was loaded again with another mapping has lost what was known before', async () => {
  await using engine = await openEngine({ threads: 1 });
  const store = scratchStore();
  const file = store.write('events.ndjson', events('abc', false));
  await store.ingest([file], { now: () => hour(1) });
  const mapping = { columns: { utcTime: 'utcTime', docPath: { sql: "concat('/', docPath)" } } };
  appendFileSync(file, events('d', false));
  await store.ingest([file], { now: () => hour(2), mappingOf: () => mapping });
  appendFileSync(file, events('e', false));
  await store.ingest([file], { now: () => hour(3), mappingOf: () => mapping });
  expect(await pagesAt(engine, store, hour(0))).toEqual([]);
  await expect(pagesAt(engine, store, hour(1))).rejects.toMatchObject({ code: 'known-at-lost' });
  expect(await pagesAt(engine, store, hour(2))).toEqual(['/a', '/b', '/c', '/d']);
  expect(await pagesAt(engine, store, hour(3))).toEqual(['/a', '/b', '/c', '/d', '/e']);
});

it('a grown file that is replaced as a whole leaves no row', async () => {
  await using engine = await openEngine({ threads: 1 });
  const store = scratchStore();
  const file = store.write('events.ndjson', events('abc', true));
  await store.ingest([file], { now: () => hour(1) });
  appendFileSync(file, events('d', true));
  await store.ingest([file], { now: () => hour(2) });
  const mapping = { columns: { utcTime: 'utcTime', docPath: { sql: "concat('/', docPath)" } } };
  await store.ingest([file], { now: () => hour(3), mappingOf: () => mapping });
  expect(await pagesAt(engine, store)).toEqual(['/a', '/b', '/c', '/d']);
});

it('an event that two grown files have keeps the time at which the first of them was loaded', async () => {
  await using engine = await openEngine({ threads: 1 });
  const store = scratchStore();
  const older = store.write('b.ndjson', events('ab', true));
  await store.ingest([older], { now: () => hour(1) });
  const newer = store.write('a.ndjson', events('bc', true));
  await store.ingest([newer], { now: () => hour(2) });
  appendFileSync(newer, events('d', true));
  appendFileSync(older, events('e', true));
  await store.ingest([newer, older], { now: () => hour(3) });
  expect(await pagesAt(engine, store, hour(1))).toEqual([...'ab']);
  expect(await pagesAt(engine, store, hour(2))).toEqual([...'abc']);
  expect(await pagesAt(engine, store, hour(3))).toEqual([...'abcde']);
});

it('an event that another file had, and lost, keeps the time at which it came back', async () => {
  await using engine = await openEngine({ threads: 1 });
  const store = scratchStore();
  const first = store.write('b.ndjson', events('ab', true));
  await store.ingest([first], { now: () => hour(1) });
  const second = store.write('a.ndjson', events('bc', true));
  await store.ingest([second], { now: () => hour(2) });
  const mapping = { columns: { utcTime: 'utcTime', docPath: 'docPath', eventId: { sql: "concat('x', eventId)" } } };
  await store.ingest([first], { now: () => hour(3), mappingOf: () => mapping });
  appendFileSync(second, events('d', true));
  await store.ingest([second], { now: () => hour(4) });
  await expect(pagesAt(engine, store, hour(2))).rejects.toMatchObject({ code: 'known-at-lost' });
  await expect(pagesAt(engine, store, hour(3))).rejects.toMatchObject({ code: 'known-at-lost' });
  expect(await pagesAt(engine, store, hour(4))).toEqual([...'abbcd']);
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), log: fc.nat(1), count: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('bad line' as const), log: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('half a line' as const), log: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rotate' as const),
      log: fc.nat(1),
      packed: fc.boolean(),
      dated: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('ingest' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('both' as const), log: fc.nat(1) }) },
);

it('logs that grow and rotate: at each time, the store had what was loaded until then', async () => {
  await using engine = await openEngine({ threads: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), fc.boolean(), async (steps, ids) => {
      const store = scratchStore();
      const logs = ['one.ndjson', 'two.ndjson'].map((name) => store.write(name, ''));
      const halves = new Map<string, string>();
      /** The pages of whole lines, by file, and the hour at which each was loaded. */
      const written = new Map<string, string[]>(logs.map((log) => [log, []]));
      const loaded = new Map<string, number>();
      let [page, now] = [0, 0];
      const add = (log: string) => {
        const name = String((page += 1)).padStart(4, '0');
        const text = lines({ minute: page, docPath: name, ...(ids && { eventId: name }) });
        appendFileSync(log, (halves.get(log) ?? '') + text);
        if (halves.delete(log)) written.get(log)!.push(String(page - 1).padStart(4, '0'));
        written.get(log)!.push(name);
      };
      const rotate = (log: string, packed: boolean, dated: boolean) => {
        if (halves.has(log)) add(log);
        if (written.get(log)!.length === 0) return;
        for (let number = dated ? 0 : 9; number >= 1; number--)
          for (const ending of ['', '.gz'])
            if (existsSync(`${log}.${number}${ending}`)) {
              renameSync(`${log}.${number}${ending}`, `${log}.${number + 1}${ending}`);
              written.set(`${log}.${number + 1}${ending}`, written.get(`${log}.${number}${ending}`)!);
              written.delete(`${log}.${number}${ending}`);
            }
        const to = `${log}${dated ? `-2024${String(page).padStart(4, '0')}` : '.1'}${packed ? '.gz' : ''}`;
        if (packed) writeFileSync(to, gzipSync(readFileSync(log)));
        else copyFileSync(log, to);
        rmSync(log);
        writeFileSync(log, '');
        written.set(to, written.get(log)!);
        written.set(log, []);
      };
      const ingest = async (files: readonly string[]) => {
        now += 1;
        const some = files.filter((file) => readFileSync(file).length > 0);
        if (some.length === 0) return;
        await store.ingest(some, { now: () => hour(now) });
        for (const file of some) for (const name of written.get(file)!) if (!loaded.has(name)) loaded.set(name, now);
      };
      for (const each of steps) {
        if (each.kind === 'ingest') await ingest([...written.keys()]);
        else if (each.kind === 'append') for (let left = each.count; left > 0; left--) add(logs[each.log]!);
        else if (each.kind === 'rotate') rotate(logs[each.log]!, each.packed, each.dated);
        else if (each.kind === 'bad line') {
          if (!halves.has(logs[each.log]!)) appendFileSync(logs[each.log]!, 'no event\n');
        } else if (each.kind === 'half a line') {
          const log = logs[each.log]!;
          if (halves.has(log)) continue;
          const name = String((page += 1)).padStart(4, '0');
          const text = lines({ minute: page, docPath: name, ...(ids && { eventId: name }) });
          appendFileSync(log, text.slice(0, 20));
          halves.set(log, text.slice(20));
          // The next event completes it, so that its number is the one before.
        } else {
          // Two states of a log that grows, in one command.
          const log = logs[each.log]!;
          const copy = path.join(path.dirname(log), `${path.basename(log)}.99`);
          if (written.get(log)!.length === 0 || halves.has(log)) continue;
          copyFileSync(log, copy);
          written.set(copy, [...written.get(log)!]);
          add(log);
          await ingest([copy, log]);
          written.delete(copy);
          rmSync(copy);
        }
      }
      if (loaded.size === 0) return;
      for (let at = 0; at <= now; at++) {
        const expected = [...loaded].filter(([, since]) => since <= at).map(([name]) => name);
        expect(await pagesAt(engine, store, hour(at))).toEqual(expected.sort());
      }
      expect(await pagesAt(engine, store)).toEqual([...loaded.keys()].sort());
    }),
    { numRuns: runs(80) },
  );
}, 300_000);

it('a window that was first loaded at a later revision has lost nothing', async () => {
  await using engine = await openEngine({ threads: 1 });
  const store = scratchStore();
  await store.ingest([store.write('first.ndjson', events('a', true))], { now: () => hour(1) });
  const window = (names: string, revision: number) =>
    store.writeWindow('window.ndjson', events(names, true), { revision });
  await store.ingest([window('b', 2)], { now: () => hour(2) });
  expect(await pagesAt(engine, store, hour(1))).toEqual(['a']);
  expect(await pagesAt(engine, store, hour(2))).toEqual(['a', 'b']);
  await store.ingest([window('c', 3)], { now: () => hour(3) });
  expect(await pagesAt(engine, store, hour(1))).toEqual(['a']);
  await expect(pagesAt(engine, store, hour(2))).rejects.toMatchObject({ code: 'known-at-lost' });
  expect(await pagesAt(engine, store, hour(3))).toEqual(['a', 'c']);
});
