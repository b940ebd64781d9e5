import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { open, toText, writeResult, type AnswerNote } from '../../../src/use/index.ts';
import { drawResultChart } from '../../../src/use/explorer/perform/draw-result-chart.ts';
import { runs } from '../../runs.ts';
import { folderOf, now, type World } from '../run-in-folder.ts';

const row = (index: number, path: string, more: object = {}) =>
  `${JSON.stringify({
    'TrackedEvents.utcTime': `2024-03-0${5 + (index % 4)}T10:00:00.000`,
    'TrackedEvents.eventType': 'pageview',
    'TrackedEvents.docPath': path,
    'TrackedEvents.userAnonymousId': `u${index}`,
    ...more,
  })}\n`;
/** Three pages on four days up to the reference time, two events without a user, and an unreadable line. */
const events = [
  ...Array.from({ length: 12 }, (_, index) => row(index, `/${index % 3}`)),
  row(0, '/0', { 'TrackedEvents.userAnonymousId': '' }),
  row(1, '/1', { 'TrackedEvents.userAnonymousId': '' }),
  '{"broken": \n',
  row(2, '/2'),
].join('');

async function opened(options: Parameters<typeof open>[0] = {}) {
  const folder = folderOf({ 'events.ndjson': events });
  const notes: AnswerNote[] = [];
  const sluice = await open({
    workspace: folder.root,
    events: 'events.ndjson',
    env: {},
    now: () => now,
    onNote: (note) => notes.push(note),
    ...options,
  });
  return { folder, notes, sluice, [Symbol.asyncDispose]: () => sluice[Symbol.asyncDispose]() };
}

describe('the notes of an answer in the library', () => {
  it('go to the listener, each with its kind', async () => {
    await using world = await opened();
    const { sluice, notes } = world;
    await sluice.query('uniqueUsersCount by docPath day last 10 days top 1');
    expect(new Set(notes.map(({ kind }) => kind))).toEqual(
      new Set(['late', 'limit', 'rejected', 'uncounted', 'filled']),
    );
    notes.length = 0;
    await sluice.query('count by day this week');
    expect(notes).toContainEqual({ kind: 'partial', text: 'The range or the current time cuts off 3 time buckets.' });
    notes.length = 0;
    await sluice.write('count by docPath top 2', path.join(world.folder.root, 'top.csv'));
    expect(notes.map(({ kind }) => kind)).toContain('limit');
    notes.length = 0;
    await sluice.load({ query: { measures: ['TrackedEvents.count'] } });
    expect(notes.map(({ kind }) => kind)).toEqual(['rejected']);
  });

  it('say that the end of the data cuts figures, if it lies before the present', async () => {
    await using world = await opened({ asOf: '2024-03-12' });
    await world.sluice.query('count by day last 10 days');
    expect(world.notes).toContainEqual({
      kind: 'partial',
      text: 'The range or the end of the data cuts off 3 time buckets.',
    });
  });

  it('say that some events are in the future, where no range leaves them out', async () => {
    const ahead = row(1, '/1', { 'TrackedEvents.utcTime': '2029-05-06T10:00:00.000' });
    const folder = folderOf({ 'events.ndjson': events + ahead });
    const told = { kind: 'note', text: expect.stringContaining('in the future, up to 2029-05-01') as string };
    for (const [question, isTold] of [
      ['count by month', true],
      ['Sessions.count by month', true],
      ['count by month last 3 months', false],
      ['count by docPath', false],
    ] as const) {
      const notes: AnswerNote[] = [];
      const options = { workspace: folder.root, events: 'events.ndjson', env: {}, now: () => now };
      await using sluice = await open({ ...options, onNote: (note) => notes.push(note) });
      await sluice.query(question);
      if (isTold) expect(notes, question).toContainEqual(told);
      else expect(notes, question).not.toContainEqual(told);
    }
  });

  it('say what the events lack, also if a line far below the first ones cannot be read', async () => {
    const others = Array.from({ length: 4_000 }, (_, index) =>
      row(index, '/', { 'TrackedEvents.eventType': 'open', pad: 'x'.repeat(200) }),
    );
    const folder = folderOf({ 'events.ndjson': [...others, '{"broken": \n', row(1, '/')].join('') });
    for (const [question, told] of [
      ['count by agentName', 'The events have no browser'],
      ['count where agentName = Firefox', 'The events have no browser'],
    ] as const) {
      const notes: AnswerNote[] = [];
      const options = { workspace: folder.root, events: 'events.ndjson', env: {}, now: () => now };
      await using sluice = await open({ ...options, onNote: (note) => notes.push(note) });
      await sluice.query(question);
      expect(notes.map(({ text }) => text)).toContainEqual(expect.stringContaining(told));
      expect(notes.map(({ kind }) => kind)).toContain('rejected');
    }
  });

  it('become warnings of the process without a listener, each once', async () => {
    const warned: (Error & { readonly code?: string })[] = [];
    const listen = (warning: Error) => warned.push(warning);
    process.on('warning', listen);
    try {
      await using world = await opened({ onNote: undefined });
      for (const _ of [1, 2, 3]) await world.sluice.query('count by docPath top 2');
      await new Promise(setImmediate);
    } finally {
      process.off('warning', listen);
    }
    const own = warned.filter(({ name }) => name === 'SluiceNote');
    expect(own.map(({ code }) => code)).toEqual(['SLUICE_LIMIT', 'SLUICE_REJECTED']);
  });

  it('are warnings if an asynchronous listener fails, and end no process', async () => {
    const warned: Error[] = [];
    const unhandled: unknown[] = [];
    const listen = (warning: Error) => warned.push(warning);
    const count = (error: unknown) => unhandled.push(error);
    process.on('warning', listen);
    process.on('unhandledRejection', count);
    try {
      await using world = await opened({ onNote: () => Promise.reject(new Error('no network')) });
      await world.sluice.query('count by docPath top 2');
      await new Promise(setImmediate);
    } finally {
      process.off('warning', listen);
      process.off('unhandledRejection', count);
    }
    expect(warned.map(({ message }) => message)).toContain('onNote() failed: no network');
    expect(unhandled).toEqual([]);
  });

  it('are printed once by a command', async () => {
    await using world = await opened();
    const { stderr } = await world.folder.sluice([
      'query',
      'count by docPath top 2',
      '--events',
      'events.ndjson',
      '-f',
      'csv',
    ]);
    expect(stderr.match(/Limit of 2 rows/g)).toHaveLength(1);
    expect(stderr.match(/events\.ndjson:15/g)).toHaveLength(1);
  });

  it('make a strict session refuse incomplete results', async () => {
    await using world = await opened({ strict: true });
    await expect(world.sluice.query('count')).rejects.toMatchObject({
      code: 'incomplete-answer',
      message: expect.stringContaining('line') as string,
    });
    const clean = folderOf({ 'events.ndjson': events.replace('{"broken": \n', '') });
    await using sluice = await open({
      workspace: clean.root,
      events: 'events.ndjson',
      env: {},
      now: () => now,
      strict: true,
      onNote: () => undefined,
    });
    expect((await sluice.query('count by docPath')).rowCount).toBe(3);
    for (const cut of ['count by docPath top 2', 'count by day this week', 'count this week']) {
      await expect(sluice.query(cut), cut).rejects.toMatchObject({ code: 'incomplete-answer' });
      await expect(sluice.write(cut, path.join(clean.root, 'x.csv')), cut).rejects.toMatchObject({
        code: 'incomplete-answer',
      });
    }
    expect(() => readFileSync(path.join(clean.root, 'x.csv'))).toThrow('ENOENT');
    expect((await sluice.query('count by docPath top 2', { strict: false })).rowCount).toBe(2);
  });
});

describe('every form of a result', () => {
  const said = [/Limit of 2 rows reached/, /1 line could not be read/, /2 events without a user are not counted/];

  it.each([
    ['a series', 'uniqueUsersCount by docPath day 2024-03-04..2024-03-07 top 2'],
    ['a comparison', 'uniqueUsersCount by docPath top 2 compare 2024-03-06..2024-03-07 with 2024-03-04..2024-03-05'],
    ['a ranking', 'uniqueUsersCount by docPath top 2'],
  ])('has its notes: %s', async (_, line) => {
    await using world = await opened();
    const { folder, sluice } = world;
    const result = await sluice.query(line, { ranges: 'beside' });
    const texts = new Map<string, string>();
    for (const file of ['a.txt', 'a.chart.txt', 'a.svg', 'a.html', 'a.md', 'a.vl.json']) {
      await writeResult(result, path.join(folder.root, file));
      texts.set(file, readFileSync(path.join(folder.root, file), 'utf8').replaceAll(/<[^>]*>/g, ' '));
    }
    texts.set('toText', await toText(result));
    texts.set(
      'explorer',
      (
        await drawResultChart(
          result,
          {},
          { width: 100, height: 30 },
          { look: { depth: 'plain', unicode: true }, chart: { colours: 0, dark: true, ascii: false } },
        )
      ).lines.join('\n'),
    );
    for (const [form, text] of texts) {
      const flat = text.replaceAll(/["\s,]+/g, ' ');
      for (const sentence of said) expect(flat, form).toMatch(sentence);
    }
  });
});

describe('a filter value that no row has', () => {
  const row = fc.record({
    'TrackedEvents.utcTime': fc.constantFrom('2024-03-01T10:00:00.000', '2024-03-05T10:00:00.000'),
    'TrackedEvents.eventType': fc.constantFrom('pageview', 'click', 'custom'),
    'TrackedEvents.docPath': fc.constantFrom('/a', '/b/c', '/b'),
    'TrackedEvents.userAnonymousId': fc.constantFrom('u1', 'u2'),
  });
  const asked = fc.constantFrom('pageview', 'pagevew', 'click', 'custom', '/a', '/b', '/c', 'U1');
  const test = fc.record({
    member: fc.constantFrom('TrackedEvents.eventType', 'TrackedEvents.docPath'),
    operator: fc.constantFrom('equals' as const, 'notEquals' as const, 'in' as const, 'notIn' as const),
    values: fc.array(asked, { minLength: 1, maxLength: 3 }),
  });
  const filter = fc.oneof(test, fc.record({ or: fc.array(test, { minLength: 1, maxLength: 2 }) }));
  const questions = fc.record({
    filters: fc.array(filter, { minLength: 1, maxLength: 2 }),
    dimensions: fc.constantFrom([], ['TrackedEvents.docPath']),
    timeDimensions: fc.constantFrom(
      [],
      [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' as const, dateRange: ['2024-03-04', '2024-03-06'] }],
    ),
  });

  it('is named, with the nearest value, whatever the figures and the notation', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.array(questions, { minLength: 4, maxLength: 4 }),
        async (rows, all) => {
          await using world = await openRows(rows);
          for (const question of all) {
            const query = { measures: ['TrackedEvents.count'], ...question };
            const tests = question.filters.flatMap((one) => ('or' in one ? one.or : [one]));
            const unknown = tests.flatMap(({ member, values }) =>
              values
                .filter((value) => !rows.some((each) => (each as Record<string, unknown>)[member] === value))
                .map((value) => `${member.replace('TrackedEvents.', '')} has no value "${value}".`),
            );
            const result = await world.sluice.query(query);
            const told = (result.provenance.lacking ?? []).map((text) => /^\w+ has no value "[^"]*"\./.exec(text)?.[0]);
            expect([...told].sort(), JSON.stringify({ rows, query })).toEqual([...new Set(unknown)].sort());
            world.notes.length = 0;
            for await (const _ of world.sluice.stream(query));
            expect(world.notes.filter(({ kind }) => kind === 'lacking')).toHaveLength(told.length);
          }
        },
      ),
      { numRuns: runs(24) },
    );
  });

  it('is not checked if a row proves it, nor for more values than people type', async () => {
    await using world = await opened();
    const { sluice } = world;
    const said = async (line: string) => (await sluice.query(line)).provenance.lacking ?? [];
    expect(await said('count where eventType = pagevew')).toEqual([
      'eventType has no value "pagevew". Did you mean "pageview"?',
    ]);
    expect(await said('count by docPath where eventType = zzzzzzzz')).toEqual([
      'eventType has no value "zzzzzzzz". Values are "pageview".',
    ]);
    expect(await said("count where docPath contains 'nowhere'")).toEqual(['No docPath contains "nowhere".']);
    expect(await said("count where docPath matches '^/no[a-z]+$'")).toEqual(['No docPath matches "^/no[a-z]+$".']);
    expect(await said("count where docPath startsWith '/0' last 400 days")).toEqual([]);
    // The value exists, but not in the range: 0 is correct.
    expect(await said('count where eventType = pageview from 2020-01-01 to 2020-01-02')).toEqual([]);
    const many = Array.from({ length: 30 }, (_, index) => `x${index}`);
    const filters = [{ member: 'TrackedEvents.docPath', operator: 'equals' as const, values: many }];
    expect((await sluice.query({ measures: ['TrackedEvents.count'], filters })).provenance.lacking).toBeUndefined();
    const strict = { strict: true } as const;
    await using careful = await opened(strict);
    await expect(careful.sluice.query('count where docPath = /9 last 400 days')).rejects.toThrow(
      'docPath has no value "/9"',
    );
  });
});

async function openRows(events: readonly Readonly<Record<string, unknown>>[]) {
  const notes: AnswerNote[] = [];
  const sluice = await open({ events, env: {}, now: () => now, onNote: (note) => notes.push(note) });
  return { sluice, notes, [Symbol.asyncDispose]: () => sluice[Symbol.asyncDispose]() };
}

describe('a column without values', () => {
  const fields = ['utcTime', 'eventType', 'userAnonymousId', 'docPath', 'referer'];
  const rows = [0, 1].map((index) => [`2024-03-05T1${index}:00:00Z`, 'pageview', 'ann', '/a', '']);
  const asCsv = (of: readonly (readonly string[])[]) =>
    [fields, ...of].map((cells) => `${cells.map((cell) => cell && `"${cell}"`).join(',')}\n`).join('');
  const asJson = (of: readonly (readonly string[])[]) =>
    of
      .map((cells) => `${JSON.stringify(Object.fromEntries(fields.map((name, at) => [name, cells[at] || null])))}\n`)
      .join('');

  it.each([
    ['CSV', 'csv', asCsv],
    ['NDJSON', 'ndjson', asJson],
  ])('is reported like a missing one: %s', async (_, ending, write) => {
    const file = `events.${ending}`;
    const folder = folderOf({ [file]: write(rows) });
    const filled = [...rows, ['2024-03-06T10:00:00Z', 'pageview', 'bob', '/b', 'https://search.example/']];
    const said = async (events: string) => {
      await using sluice = await open({ workspace: folder.root, events, env: {}, now: () => now, onNote: () => {} });
      return (await sluice.query('count by referer')).provenance.lacking ?? [];
    };
    expect(await said(file)).toEqual([
      expect.stringMatching(/^The events have no referrer: figures about it are empty\./),
    ]);
    expect(await said(folder.write(`filled.${ending}`, write(filled)))).toEqual([]);
    expect(await said(folder.write(`none.${ending}`, write([])))).toEqual([
      expect.stringMatching(/^none\.\w+ is empty: there are no events to count\./),
    ]);
  });
});

describe('lines that cannot be read', () => {
  const broken = '1 line could not be read and is not included.';
  const listed = /events\.ndjson:15: .*\n1 line is not counted \(exit code 5\)\n/;
  const terminal = { columns: 100, rows: 30 };
  const asked = async (args: readonly string[], world: World) => {
    const folder = folderOf({ 'events.ndjson': events });
    const { code, stdout, stderr } = await folder.sluice(
      ['query', 'count', '--events', 'events.ndjson', ...args],
      world,
    );
    expect(code).toBe(5);
    return { isNoted: stdout.includes(broken), isListed: listed.test(stderr) };
  };

  it.each([
    ['by the note of a table on a terminal', [], { terminal }, { isNoted: true, isListed: false }],
    ['by the note of a chart on a terminal', ['-f', 'chart'], { terminal }, { isNoted: true, isListed: false }],
    ['on stderr if a program reads the answer', ['-f', 'csv'], { terminal }, { isNoted: false, isListed: true }],
    ['on stderr if the answer is in a file', ['-o', 'a.md'], { terminal }, { isNoted: false, isListed: true }],
    ['in both places if the table goes elsewhere', [], {}, { isNoted: true, isListed: true }],
    ['in both places if details are asked for', ['--verbose'], { terminal }, { isNoted: true, isListed: true }],
  ])('are told %s', async (_, args, world, told) => {
    expect(await asked(args, world)).toEqual(told);
  });
});
