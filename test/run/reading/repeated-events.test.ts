import { utimesSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { type EventFiles, openEventFiles } from '../../../src/run/duckdb/reading/event-files.ts';
import { openFactKeeper } from '../../../src/run/kept/keep-facts.ts';
import { openKeptFiles } from '../../../src/run/kept/kept-files.ts';
import { runs } from '../../runs.ts';
import { openFiles, scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const at = '2024-03-08T10:00:00Z';
type Event = Readonly<Record<string, string | number>>;
const ndjson = (events: readonly Event[]) =>
  events.map((event) => `${JSON.stringify({ utcTime: at, ...event })}\n`).join('');
const csv = (events: readonly Event[]) =>
  `utcTime,event_id,projectId\n${events.map((event) => `${at},${event['event_id'] ?? ''},${event['projectId'] ?? ''}\n`).join('')}`;

async function notes(files: Readonly<Record<string, string | Uint8Array>>, statement = 'SELECT count(*) FROM events') {
  const written = Object.entries(files).map(([name, text]) => folder.write(name, text));
  const paths = written.filter((path) => !path.endsWith('.manifest.json'));
  await using asked = await openFiles(paths);
  const [[count]] = (await asked.ask(statement)) as [[number]];
  return { count: Number(count), notes: asked.facts().repeated ?? [] };
}

const repeatsOf = async ({ survey }: EventFiles) => (await survey({ ends: false, sessions: false })).repeated;

const sentence = (count: number) =>
  new RegExp(
    `^${count} events? repeats? the ID of another one and (is|are) counted\\. Load .*sluice ingest.*eventId: \\{value: null\\}`,
  );

describe('events of files that have the ID of another one', () => {
  it('are counted, and told of, as often as a look at each pair finds them', async () => {
    const event = fc.record({ event_id: fc.constantFrom('', 'a', 'b', 'c'), projectId: fc.constantFrom('', '1', '2') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 8 }),
        fc.array(event, { minLength: 1, maxLength: 8 }),
        async (one, other) => {
          const all = [...one, ...other];
          const repeats = all.filter(
            ({ event_id, projectId }, index) =>
              event_id !== '' &&
              all.slice(0, index).some((before) => before.event_id === event_id && before.projectId === projectId),
          ).length;
          const found = await notes({ 'one.ndjson': ndjson(one), 'other.csv': csv(other) });
          expect(found.count).toBe(all.length);
          expect(found.notes).toEqual(repeats === 0 ? [] : [expect.stringMatching(sentence(repeats)) as string]);
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it('are told of whatever a question asks, and beside lines that cannot be read', async () => {
    const text = ndjson([{ event_id: 'a' }, { event_id: 'a' }]);
    const filtered = await notes({ 'a.ndjson': text }, "SELECT count(*) FROM events WHERE event_type = 'x'");
    expect(filtered).toEqual({ count: 0, notes: [expect.stringMatching(sentence(1))] });
    const broken = await notes({ 'b.ndjson': `${text}oops\n` });
    expect(broken).toEqual({ count: 2, notes: [expect.stringMatching(sentence(1))] });
  });

  it('are looked for once while the files stay the same, and never where there are no IDs', async () => {
    await using engine = await openEngine({ threads: 1 });
    let looked = 0;
    const counting = {
      ...engine,
      rows: (...[text, values]: Parameters<typeof engine.rows>) => {
        if (text.includes('hash(')) looked += 1;
        return engine.rows(text, values);
      },
    };
    const path = folder.write('once.ndjson', ndjson([{ event_id: 'a' }, { event_id: 'a' }]));
    const events = await openEventFiles(counting, [path], 'anonymous');
    const told = await repeatsOf(events);
    expect([await repeatsOf(events), looked]).toEqual([told, 1]);
    expect(told).toEqual([expect.stringMatching(sentence(1))]);
    folder.write('once.ndjson', ndjson([{ event_id: 'a' }, { event_id: 'a' }, { event_id: 'a' }]));
    await events.refresh();
    expect(await repeatsOf(events)).toEqual([expect.stringMatching(sentence(2))]);
    const without = await openEventFiles(counting, [folder.write('no.ndjson', ndjson([{ kind: 'a' }]))], 'anonymous');
    expect([await repeatsOf(without), looked]).toEqual([[], 2]);
  });

  it('that are no IDs are declared as such', async () => {
    const path = folder.write('none.ndjson', ndjson([{ event_id: 'a' }, { event_id: 'a' }]));
    await using asked = await openFiles([path], 'anonymous', {
      mappingOf: () => ({ columns: { utcTime: 'utcTime', eventId: { value: null } } }),
    });
    expect(await asked.ask('SELECT count(*) FROM events')).toEqual([[2]]);
    expect(asked.facts().repeated).toBeUndefined();
  });
});

it('keeps a fact beyond the process for the same bytes alone', async () => {
  const now = () => Date.now() + 60_000;
  const keeper = openFactKeeper(openKeptFiles({ folder: `${folder.path}/kept`, now }), 'circumstances', now);
  const path = folder.write('kept.csv', 'a');
  let found = 0;
  const find = () => Promise.resolve(String((found += 1)));
  expect([await keeper.keep('x', [path], find), await keeper.keep('x', [path], find)]).toEqual(['1', '1']);
  expect(await keeper.keep('y', [path], find)).toBe('2');
  const other = openFactKeeper(openKeptFiles({ folder: `${folder.path}/kept`, now }), 'others', now);
  expect(await other.keep('x', [path], find)).toBe('3');
  utimesSync(path, 1, 1);
  expect(await keeper.keep('x', [path], find)).toBe('4');
  // A file that changed just now may change again without a trace.
  const hasty = openFactKeeper(openKeptFiles({ folder: `${folder.path}/kept`, now }), 'hasty', () => Date.now());
  folder.write('kept.csv', 'b');
  expect([await hasty.keep('x', [path], find), await hasty.keep('x', [path], find)]).toEqual(['5', '6']);
});

describe('files with the same content', () => {
  const rows = Array.from({ length: 200 }, (_, index) => ({ docPath: `/${index}` }));
  const told = (...names: readonly string[]) => `${names.map((name) => `"${name}"`).join(', ')} have the same content`;

  it('are counted each, and named', async () => {
    const text = ndjson(rows);
    const found = await notes({
      'export.ndjson': text,
      'export (1).ndjson': text,
      'other.ndjson': text.replace('/199', '/198'),
    });
    expect(found).toEqual({ count: 600, notes: [expect.stringContaining(told('export.ndjson', 'export (1).ndjson'))] });
    const packed = await notes({ 'a/x.csv': csv([{}, {}]), 'b/x.csv': csv([{}, {}]) });
    expect(packed.notes).toEqual([expect.stringMatching(/a\/x\.csv", "[^"]*b\/x\.csv" have the same content/)]);
  });

  it('are found if one of them is packed', async () => {
    const text = ndjson(rows);
    const found = await notes({ 'a.ndjson': text, 'a.ndjson.gz': gzipSync(text), 'b.ndjson.gz': gzipSync(`${text} `) });
    expect(found.notes).toEqual([expect.stringContaining(told('a.ndjson', 'a.ndjson.gz'))]);
  });

  it('are windows of an export, which may be alike', async () => {
    const manifest = JSON.stringify({});
    const text = ndjson(rows);
    const names = ['1.ndjson', '2.ndjson'].flatMap((name) => [
      [name, text],
      [`${name}.manifest.json`, manifest],
    ]);
    expect((await notes(Object.fromEntries(names) as Record<string, string>)).notes).toEqual([]);
  });

  it('are not told of if they have no events', async () => {
    expect(
      (await notes({ 'a.csv': csv([]), 'b.csv': csv([]), 'c.ndjson': '', 'd.ndjson': '', 'e.csv': csv([{}]) })).notes,
    ).toEqual([]);
  });

  it('are those that a comparison of each pair finds', async () => {
    const content = fc.constantFrom('a', 'b', 'ab', 'ba').map((path) => ndjson([...rows, { docPath: path }]));
    await fc.assert(
      fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 6 }), async (contents) => {
        const copies = contents.filter((text, index) =>
          contents.some((other, at) => at !== index && other === text),
        ).length;
        const files = Object.fromEntries(contents.map((text, index) => [`f${index}.ndjson`, text]));
        const named = (await notes(files)).notes.flatMap((note) => note.match(/f\d\.ndjson/g) ?? []);
        expect(named).toHaveLength(copies);
      }),
      { numRuns: runs(40) },
    );
  });
});
