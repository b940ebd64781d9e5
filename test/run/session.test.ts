import { linkSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Query } from '../../src/ask/query/query.ts';
import { AbortedError, BackendError } from '../../src/ask/sluice-error.ts';
import { bind } from '../../src/plan/bind/bind.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import type { Plan } from '../../src/plan/plan.ts';
import type { Backend } from '../../src/run/backend.ts';
import { openEmbedded } from '../../src/run/duckdb/answer/open-embedded.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { runStatement } from '../../src/run/duckdb/engine/run-statement.ts';
import { numberColumn, openFiles, scratchFolder } from './ask-sql.ts';

const folder = scratchFolder();
const event = (hour: number, further: object = {}) =>
  JSON.stringify({
    utcTime: `2024-03-01T${String(hour).padStart(2, '0')}:00:00.000`,
    userAnonymousId: `u${hour % 3}`,
    eventType: 'pageview',
    ...further,
  });
const day = Array.from({ length: 24 }, (_, hour) => event(hour)).join('\n');

const context = { now: Date.UTC(2024, 2, 2), limits: 'local' } as const;

function plan(query: Query): Plan {
  const outcome = bind(query, builtInModel, context);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.issues));
  return outcome.value[0]!;
}

async function rowsOf(backend: Backend, asked: Plan): Promise<readonly unknown[][]> {
  const rows: unknown[][] = [];
  for await (const batch of (await backend.run(asked)).batches) {
    for (let row = 0; row < batch.rowCount; row++) rows.push(batch.columns.map((column) => column[row]));
  }
  return rows;
}

describe('the embedded backend', () => {
  it('answers a plan, and tells what stood beside it', async () => {
    const file = folder.write('plans/day.ndjson', `${day}\n{"utcTime":"2024-03-01T12:30:00.000"}\nbroken\n`);
    await using backend = await openEmbedded({ events: ['plans'], workingDirectory: folder.path });
    const asked = plan({
      measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
      limit: 5,
      total: true,
      timeDimensions: [
        { dimension: 'TrackedEvents.utcTime', granularity: 'hour', dateRange: ['2024-03-01', '2024-03-01'] },
      ],
    });
    const answer = await backend.run(asked);
    const batches = [];
    for await (const batch of answer.batches) batches.push(batch);
    expect(batches.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(5);
    expect(batches[0]!.columns[0]![0]).toBe('2024-03-01T00:00:00.000Z');
    expect(answer.facts()).toMatchObject({ total: 24, rejected: { count: 1, examples: [{ file, line: 26 }] } });
  });

  it('explains a plan without reading the data', async () => {
    folder.write('explained.ndjson', `${day.replace('{', '{"docPath": "/",')}\nbroken`);
    await using backend = await openEmbedded({ events: ['explained.ndjson'], workingDirectory: folder.path });
    const { statement, parameters, enginePlan } = await backend.explain(
      plan({
        measures: ['TrackedEvents.count'],
        filters: [{ member: 'TrackedEvents.docPath', operator: 'equals', values: ["it's"] }],
      }),
    );
    expect(statement).not.toContain("it's");
    expect(parameters).toContain("it's");
    expect(enginePlan).toContain('READ_JSON');
  });

  // Comparing each event with each touch takes minutes for 200,000 events.
  it('finds last touches with a sorted join, also in text files, whose size the engine cannot estimate', async () => {
    folder.write('touched.ndjson', day.replace('{', '{"docPath": "/",'));
    await using backend = await openEmbedded({ events: ['touched.ndjson'], workingDirectory: folder.path });
    const { enginePlan } = await backend.explain(
      plan({ measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.lastTouch.docPath'] }),
    );
    expect(enginePlan).toContain('ASOF_JOIN');
    expect(enginePlan).not.toContain('NESTED_LOOP_JOIN');
  });

  it('cuts long boxes of a plan, and says so', async () => {
    folder.write('zoned.ndjson', day);
    await using backend = await openEmbedded({ events: ['zoned.ndjson'], workingDirectory: folder.path });
    const { statement, enginePlan = '' } = await backend.explain(
      plan({
        measures: ['TrackedEvents.count'],
        timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' }],
        timezone: 'Europe/Berlin',
      }),
    );
    const lines = enginePlan.split('\n');
    expect([statement.match(/ELSE/g)!.length > 100, lines.length < 150]).toEqual([true, true]);
    expect(enginePlan).toMatch(/│ +… +│\n[└├]/);
    // The boxes stay whole.
    expect(new Set(lines.filter((line) => line !== '').map((line) => line.length))).toHaveProperty('size', 1);
    expect(enginePlan).toContain('READ_JSON');
  });

  it('leaves no folder behind, even where a file had to be mended', async () => {
    const temporary = `${folder.path}/temporary`;
    mkdirSync(temporary);
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const backend = await openEmbedded({
      events: [folder.write('left.ndjson', `${day}\nbroken\n`)],
      workingDirectory: folder.path,
    });
    expect(await rowsOf(backend, plan({ measures: ['TrackedEvents.count'] }))).toEqual([[24]]);
    expect(readdirSync(temporary, { recursive: true })).toContainEqual(expect.stringMatching(/mended-\d+\.ndjson$/));
    await backend[Symbol.asyncDispose]();
    await backend[Symbol.asyncDispose]();
    expect(readdirSync(temporary)).toEqual([]);
    await expect(backend.run(plan({ measures: ['TrackedEvents.count'] }))).rejects.toMatchObject({
      code: 'engine-closed',
    });
  });
});

describe('files that are not there', () => {
  it.each([['nothing/*.ndjson'], ['nothing.parquet'], ['empty folder']])(
    '%s is an error that names it and says what to type',
    async (pattern) => {
      folder.write('empty folder/readme.txt', '');
      await expect(openEmbedded({ events: [pattern], workingDirectory: folder.path })).rejects.toMatchObject({
        name: 'BackendError',
        code: 'events-not-found',
        message: expect.stringContaining(pattern),
        hint: expect.stringContaining('sluice sample'),
      });
    },
  );

  it('no events at all are an error at the first question', async () => {
    await using backend = await openEmbedded({ workingDirectory: folder.path });
    await expect(backend.run(plan({ measures: ['TrackedEvents.count'] }))).rejects.toMatchObject({
      code: 'events-not-found',
      hint: expect.stringContaining('--events'),
    });
  });

  it('a file that vanishes between opening and asking is named', async () => {
    const file = folder.write('vanishing.ndjson', day);
    await using backend = await openEmbedded({ events: [file], workingDirectory: folder.path });
    rmSync(file);
    const failure = await backend.run(plan({ measures: ['TrackedEvents.count'] })).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BackendError);
    expect(failure).toMatchObject({
      code: 'file-vanished',
      message: expect.stringContaining(file),
      cause: expect.any(Error),
    });
  });

  it('folders and patterns mean their data files, sorted, each once', async () => {
    for (const name of [
      'deep/b.ndjson',
      'deep/a/c.csv.gz',
      'deep/.hidden.ndjson',
      'deep/notes.md',
      'deep/a.ndjson.part',
    ])
      folder.write(name, name.endsWith('.ndjson') ? event(1) : '');
    const { findFiles } = await import('../../src/run/duckdb/reading/find-files.ts');
    const purpose = { code: 'events-not-found', what: 'events', hint: '' } as const;
    const expected = ['deep/a/c.csv.gz', 'deep/b.ndjson'].map((name) => `${folder.path}/${name}`);
    expect(await findFiles(['deep'], folder.path, purpose)).toEqual(expected);
    expect(
      await findFiles(
        ['deep/**/*.{ndjson,csv.gz}', 'deep/b.ndjson', `${folder.path}/deep/*`.replace('*', 'b.ndjson')],
        folder.path,
        purpose,
      ),
    ).toEqual(expected);
  });

  it('links to a file that is read mean it once: logs have one to their latest file', async () => {
    const log = folder.write('logs/2024-03.ndjson', event(1));
    symlinkSync(log, `${folder.path}/logs/current.ndjson`);
    symlinkSync(`${folder.path}/logs`, `${folder.path}/linked`);
    linkSync(log, `${folder.path}/logs/yesterday.ndjson`);
    for (const events of [['logs/*'], ['logs/2024-03.ndjson', 'logs/current.ndjson'], ['logs', 'linked']]) {
      await using backend = await openEmbedded({ events, workingDirectory: folder.path });
      const answer = await backend.run(plan({ measures: ['TrackedEvents.count'] }));
      const counts = [];
      for await (const { columns } of answer.batches) counts.push(...(columns[0] ?? []));
      expect([events, counts.map(Number)]).toEqual([events, [1]]);
    }
  });

  it('a file of another kind is refused by its columns', async () => {
    const file = folder.write('people.csv', 'name,plan\nann,pro\n');
    await expect(openEmbedded({ events: [file], workingDirectory: folder.path })).rejects.toMatchObject({
      code: 'events-without-time',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('name, plan'),
    });
  });
});

describe('tables of a model', () => {
  const table = (name: string) => ({ ...builtInModel.cubes[0]!, source: { kind: 'table', table: name } as const });
  const count = (name: string): Plan => {
    const cube = {
      ...table(name),
      measures: builtInModel.cubes[0]!.measures.filter((measure) => measure.name === 'count'),
    };
    const outcome = bind({ measures: [`${cube.name}.count`] }, { cubes: [cube] }, context);
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.issues));
    return outcome.value[0]!;
  };

  it('are views over their files, of any format and name', async () => {
    folder.write('t/a.csv', 'id,plan\n1,pro\n2,free\n');
    folder.write('t/b.ndjson', '{"id":3,"late":1}\n{"id":4,"plan":"pro"}\n');
    await using backend = await openEmbedded({
      tables: { 'my "table"': ['t/a.csv', 't/b.ndjson'], 'sales.users': 't/a.csv' },
      workingDirectory: folder.path,
    });
    expect(await rowsOf(backend, count('my "table"'))).toEqual([[4]]);
    expect(await rowsOf(backend, count('sales.users'))).toEqual([[2]]);
  });

  it('that are unknown are named, with the nearest one that there is', async () => {
    folder.write('u.csv', 'id\n1\n');
    await using backend = await openEmbedded({ tables: { users: 'u.csv' }, workingDirectory: folder.path });
    await expect(backend.run(count('user'))).rejects.toMatchObject({
      code: 'table-not-found',
      message: expect.stringContaining('user'),
      hint: expect.stringMatching(/Did you mean "users"\?.*tables:/),
    });
  });

  it('must not be called events beside raw events', async () => {
    folder.write('u.csv', 'id\n1\n');
    await expect(
      openEmbedded({ events: ['u.csv'], tables: { events: 'u.csv' }, workingDirectory: folder.path }),
    ).rejects.toMatchObject({ code: 'table-name-taken' });
  });

  it('without files are an error that names them', async () => {
    await expect(
      openEmbedded({ tables: { users: 'missing.parquet' }, workingDirectory: folder.path }),
    ).rejects.toMatchObject({
      code: 'table-files-not-found',
      message: expect.stringMatching(/users.*missing\.parquet/),
    });
  });
});

const long = {
  text: 'SELECT count(*) FROM range(200000) a, range(200000) b WHERE (a.range * b.range) % 7 = 3',
  parameters: [],
  columns: [numberColumn],
  counters: 0,
  zone: 'UTC',
};
const short = { ...long, text: 'SELECT 42' };

describe('stopping', () => {
  it('ends a statement that is at work, and the connection serves the next', async () => {
    await using engine = await openEngine({ threads: 2 });
    const stop = new AbortController();
    const running = runStatement(engine, long, stop.signal).then(async ({ batches }) => batches.next());
    setTimeout(() => stop.abort(), 50);
    await expect(running).rejects.toBeInstanceOf(AbortedError);
    const { batches } = await runStatement(engine, short);
    expect((await batches.next()).value).toMatchObject({ rowCount: 1 });
  });

  it('before the start is noticed at once, and between batches too', async () => {
    await using engine = await openEngine({});
    await expect(runStatement(engine, short, AbortSignal.abort())).rejects.toBeInstanceOf(AbortedError);
    const stop = new AbortController();
    const { batches } = await runStatement(
      engine,
      { ...short, text: 'SELECT i FROM range(1000000) r(i)' },
      stop.signal,
    );
    await batches.next();
    stop.abort();
    await expect(batches.next()).rejects.toBeInstanceOf(AbortedError);
  });

  it('by closing the engine ends what runs', async () => {
    const engine = await openEngine({ threads: 2 });
    const running = runStatement(engine, long).then(async ({ batches }) => batches.next());
    const ended = expect(running).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await engine[Symbol.asyncDispose]();
    await ended;
  });
});

describe('several questions at once', () => {
  it('get their own answers on one session, while a broken file is mended for all of them', async () => {
    const broken = folder.write('shared-broken.ndjson', `${day}\n{}\n`);
    await using session = await openFiles([broken]);
    const hours = Array.from({ length: 24 }, (_, hour) => hour);
    const counts = await Promise.all(
      hours.map((hour) =>
        session.ask('SELECT count(*), $1::INTEGER FROM events WHERE hour(utc_time) <= $1::INTEGER', {
          parameters: [BigInt(hour)],
        }),
      ),
    );
    expect(counts).toEqual(hours.map((hour) => [[hour + 1, hour]]));
    expect(session.facts().rejected).toMatchObject({ count: 1, examples: [{ line: 25 }] });
  });

  it('give every good row of a large answer once and in order, whatever breaks in the middle', async () => {
    // About twenty batches per file.
    const linesOfAFile = 40_000;
    const lines = (place: number) =>
      Array.from(
        { length: linesOfAFile },
        (_, index) => `{"utcTime":"2024-03-01T00:00:00.000","docPath":"${place * linesOfAFile + index}"}`,
      );
    const files = [0, 1, 2].map((place) =>
      folder.write(
        `large/${place}.ndjson`,
        lines(place)
          .concat(place === 1 ? ['broken'] : [])
          .join('\n'),
      ),
    );
    await using backend = await openEmbedded({ events: ['large'], workingDirectory: folder.path });
    const answer = await backend.run({
      ...plan({ dimensions: ['TrackedEvents.docPath'], ungrouped: true }),
      limit: undefined,
      order: [],
    });
    let next = 0;
    for await (const { columns, rowCount } of answer.batches) {
      for (let row = 0; row < rowCount; row++)
        if (columns[0]![row] !== String(next++)) expect.unreachable(`row ${next}`);
    }
    expect(next).toBe(3 * linesOfAFile);
    expect(answer.facts().rejected).toMatchObject({ count: 1, examples: [{ file: files[1], line: linesOfAFile + 1 }] });
  });
});

describe('the engine', () => {
  it('has no network, runs in UTC and cannot be set otherwise', async () => {
    await using engine = await openEngine({});
    expect(
      await engine.rows(
        "SELECT current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions'), current_setting('TimeZone'), current_setting('lock_configuration')",
      ),
    ).toEqual([[false, false, 'UTC', true]]);
    await expect(engine.rows("SET TimeZone = 'Asia/Tokyo'")).rejects.toThrow(/locked/);
    await expect(engine.rows("SELECT * FROM read_csv('https://example.org/a.csv')")).rejects.toThrow();
  });

  it('takes threads and a limit of memory, and says so where they make no sense', async () => {
    await using engine = await openEngine({ threads: 1, memoryLimit: '300MB' });
    expect(await engine.rows("SELECT current_setting('threads'), current_setting('memory_limit')")).toEqual([
      [1n, '286.1 MiB'],
    ]);
    await expect(openEngine({ memoryLimit: 'much' })).rejects.toMatchObject({ code: 'engine-unavailable' });
  });

  it('begins with one thread where it may have more, until there is much to read', async () => {
    await using engine = await openEngine({ threads: { upTo: 3 } });
    const threads = () => engine.rows("SELECT current_setting('threads')");
    await engine.widen(1000);
    expect(await threads()).toEqual([[1n]]);
    await Promise.all([engine.widen(2 ** 30), engine.widen(2 ** 30)]);
    expect(await threads()).toEqual([[3n]]);
  });

  it('has the functions of plans for whoever calls them first, in any letters and many at once', async () => {
    await using engine = await openEngine({ threads: 1 });
    const text = "SELECT traffic_source(NULL, 'utm_source=a', NULL, NULL), HOST_OF('https://b.example/')";
    const found = await Promise.all([1, 2, 3].map(() => engine.rows(text)));
    expect(found).toEqual(found.map(() => [['a', 'b.example']]));
  });
});
