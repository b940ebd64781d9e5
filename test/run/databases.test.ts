import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unpackDatabase } from '../../src/run/duckdb/reading/database/unpack-database.ts';
import { sourceName } from '../../src/run/file/source-copy.ts';
import { openDataIdentity } from '../../src/run/kept/data-identity.ts';
import { open } from '../../src/use/open.ts';
import { runs } from '../runs.ts';
import { type Folder, folderOf } from '../use/run-in-folder.ts';

type Rows = readonly Readonly<Record<string, SQLInputValue>>[];

/** Creates tables of a database in a folder. Columns have no types, so values keep theirs. */
function databaseIn({ root }: Folder, name: string, tables: Readonly<Record<string, Rows>>): DatabaseSync {
  const database = new DatabaseSync(path.join(root, name));
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  for (const [table, rows] of Object.entries(tables)) {
    const names = Object.keys(rows[0] ?? { a: 1 });
    database.exec(`CREATE TABLE ${inSql(table)} (${names.map(inSql).join(', ')})`);
    addRows(database, table, rows);
  }
  return database;
}

function addRows(database: DatabaseSync, table: string, rows: Rows): void {
  database.exec('BEGIN');
  for (const row of rows) {
    const names = Object.keys(row);
    database
      .prepare(
        `INSERT INTO ${inSql(table)} (${names.map(inSql).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      )
      .run(...Object.values(row));
  }
  database.exec('COMMIT');
}

const inSql = (name: string) => `"${name.replaceAll('"', '""')}"`;

const ask = async (folder: Folder, question: string, file: string, ...flags: readonly string[]) => {
  const { code, stdout, stderr } = await folder.sluice(['query', question, '--events', file, '-f', 'csv', ...flags]);
  return { code, rows: stdout.trim().split('\n').slice(1), stderr };
};

const hits = [
  { created_at: '2026-10-24 10:20:30', visitor: 'ann', path: '/', amount: 1.5 },
  { created_at: '2026-10-24 23:59:59', visitor: 'bob', path: '/pricing', amount: 2 },
  { created_at: '2026-10-25 00:00:00', visitor: 'ann', path: '/', amount: null },
];

describe('a SQLite database', () => {
  it.each(['app.db', 'app.sqlite3', 'app', 'it is #1?.db'])('is read like its table as NDJSON: %s', async (name) => {
    const folder = folderOf({ 'hits.ndjson': hits.map((row) => `${JSON.stringify(row)}\n`).join('') });
    databaseIn(folder, name, { hits, settings: [{ key: 'theme', value: 'dark' }] }).close();
    for (const question of ['count, users by day', 'sum(amount) by path', 'count by visitor']) {
      const expected = await ask(folder, question, 'hits.ndjson');
      expect(expected.code).toBe(0);
      for (const file of [name, `${name}/hits`]) {
        const found = await ask(folder, question, file);
        expect([question, file, found.code, found.rows]).toEqual([question, file, 0, expected.rows]);
      }
    }
    expect(
      readdirSync(folder.root)
        .filter((file) => file !== '.sluice')
        .sort(),
    ).toEqual(['hits.ndjson', name].sort());
  });

  it('with several tables of events names them, and reads the one that a path names', async () => {
    const folder = folderOf();
    const database = databaseIn(folder, 'app.db', {
      hits: [{ path_id: 1, created_at: '2026-10-24 10:00:00' }],
      paths: [{ id: 1, path: '/pricing' }],
      users: [{ id: 1, email: 'ann@example.org', created_at: '2026-10-01 10:00:00' }],
      // Its column has only the values of a time.
      bills: [{ id: 1, due: '2026-10-01 10:00:00' }],
      schema_migrations: [{ version: 1, applied_at: '2026-10-01 10:00:00' }],
    });
    database.exec('CREATE VIEW events AS SELECT created_at, path FROM hits JOIN paths ON paths.id = hits.path_id');
    database.exec('CREATE VIEW broken AS SELECT * FROM gone');
    database.close();
    for (const command of [
      ['query', 'count', '--events', 'app.db'],
      ['ingest', 'app.db'],
      ['init', 'app.db', '--yes'],
    ]) {
      const { code, stdout, stderr } = await folder.sluice(command);
      expect([command[0], code !== 0, stdout, stderr]).toEqual([
        command[0],
        true,
        '',
        expect.stringMatching(
          /app\.db has several tables whose rows have times:\n {2}hits: path_id, created_at\n {2}users: id, email, created_at\n {2}bills: id, due\n.*app\.db\/hits/s,
        ),
      ]);
      expect(stderr).not.toContain('migrations');
    }
    expect((await ask(folder, 'count by path_id', 'app.db/hits')).rows).toEqual(['1,1']);
    expect((await ask(folder, 'count by docPath', 'app.db/EVENTS')).rows).toEqual(['/pricing,1']);
    const absent = await ask(folder, 'count', 'app.db/none');
    expect([absent.code, absent.stderr]).toEqual([
      2,
      expect.stringMatching(/has no table "none"\.\n.*\n {2}paths: id, path\n.*events \(view\): created_at, path/s),
    ]);
    expect((await ask(folder, 'count', 'app.db/broken')).stderr).toMatch(/app\.db cannot be read: no such table/);
    expect((await ask(folder, 'count', 'app.db/paths')).code).not.toBe(0);
  });

  it('with one table of events says so if it has others', async () => {
    const folder = folderOf();
    databaseIn(folder, 'app.db', { hits, settings: [{ key: 'theme', value: 'dark' }] }).close();
    const said = 'Of the tables of "app.db", only "hits" is read, because it has times.';
    expect((await ask(folder, 'count', 'app.db')).stderr).toContain(said);
    expect((await ask(folder, 'count', 'app.db/hits')).stderr).not.toContain(said);
    expect((await ask(folder, 'count', '*.db')).rows).toEqual(['3']);
    const twice = ['query', 'count', '--events', 'app.db', '--events', 'app.db/hits', '-f', 'csv'];
    expect((await folder.sluice(twice)).stdout).toContain('\n3\n');
  });

  it('is a source of a configuration, of a model and of the store', async () => {
    const folder = folderOf({
      'sluice.yaml':
        'sources: [{files: app.db/hits, columns: {utcTime: created_at, userId: visitor}}]\ntables: {prices: shop.db, hits: app.db/hits}\nmodel: model.yaml\n',
      'model.yaml': `cubes:
  - {name: Prices, sql_table: prices, measures: [{name: total, sql: price, type: sum}]}
  - {name: Hits, sql_table: hits, measures: [{name: total, sql: amount, type: sum}]}
`,
    });
    const database = databaseIn(folder, 'app.db', {
      hits,
      users: [{ created_at: '2026-10-24 10:00:00', name: 'ann' }],
    });
    databaseIn(folder, 'shop.db', { prices: [{ item: 'tea', price: 3 }] }).close();
    const value = async (...question: readonly string[]) => {
      const { stdout, stderr } = await folder.sluice(['query', ...question, '-f', 'csv']);
      return stdout.trim().split('\n')[1] ?? stderr;
    };
    expect(await value('TrackedEvents.count, users')).toBe('3,2');
    expect(await value('Prices.total')).toBe('3');
    expect(await value('Hits.total')).toBe('3.5');
    const store = ['--store', 'store'];
    expect((await folder.sluice(['ingest', 'app.db/hits', ...store])).stderr).toContain('3 events added');
    expect((await folder.sluice(['ingest', 'app.db/hits', ...store])).stderr).toContain('was loaded on');
    // New rows, rows that change, and rows that go: the store has the table as it is.
    addRows(database, 'hits', [{ created_at: '2026-10-26 00:00:00', visitor: 'cy', path: '/', amount: 4 }]);
    expect((await folder.sluice(['ingest', 'app.db/hits', ...store])).code).toBe(0);
    expect(await value('TrackedEvents.count, sum(amount)', ...store)).toBe('4,7.5');
    database.exec("UPDATE hits SET amount = 10 WHERE visitor = 'bob'");
    expect((await folder.sluice(['ingest', 'app.db/hits', ...store])).code).toBe(0);
    expect(await value('TrackedEvents.count, sum(amount)', ...store)).toBe('4,15.5');
    database.exec("DELETE FROM hits WHERE visitor = 'bob'");
    expect((await folder.sluice(['ingest', 'app.db/hits', ...store])).code).toBe(0);
    expect(await value('TrackedEvents.count, sum(amount)', ...store)).toBe('3,5.5');
  });

  it('is proposed with its table', async () => {
    const folder = folderOf();
    databaseIn(folder, 'app.db', { hits, settings: [{ key: 'theme', value: 'dark' }] }).close();
    const { code, stdout, stderr } = await folder.sluice(['init', 'app.db', '--yes']);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('app.db/hits')]);
    expect((await folder.sluice(['query', 'count by docPath', '-f', 'csv'])).stdout).toContain('/pricing,1');
  });
});

describe('a hostile name', () => {
  it.each(['a"b; DROP TABLE hits; --', '\u001b[31mred', 'up/over', "it's", 'a.csv', 'x'.repeat(300), '*', 'ü 日'])(
    'of a table is only a name: %j',
    async (table) => {
      const folder = folderOf();
      const columns = { created_at: '2026-10-24 10:00:00', [`${table} `]: 'v', '$.a"b': '\u001b[2J' };
      databaseIn(folder, 'app.db', { [table]: [columns], settings: [{ key: 'a' }] }).close();
      const { code, rows, stderr } = await ask(folder, 'count by day', 'app.db');
      expect([code, rows]).toEqual([0, [expect.stringMatching(/^2026-10-24.*,1$/)]]);
      databaseIn(folder, 'more.db', { [table]: [columns], other: [columns] }).close();
      const told = [
        stderr,
        (await ask(folder, 'count', 'more.db')).stderr,
        (await ask(folder, 'count', 'more.db/x')).stderr,
      ];
      expect(told.join('')).not.toContain('\u001b');
      expect(told[1]).toContain('has several tables whose rows have times');
    },
  );
});

describe('a database that another program writes to', () => {
  it.each(['WAL', 'DELETE'])(
    'is read as it is at one moment, with the journal %s',
    { timeout: 60_000 },
    async (mode) => {
      const folder = folderOf();
      const file = path.join(folder.root, 'app.db');
      const database = databaseIn(folder, 'app.db', { hits });
      database.exec(
        `PRAGMA journal_mode = ${mode}; DELETE FROM hits WHERE visitor = 'bob'; UPDATE hits SET amount = 0`,
      );
      database.close();
      // Each transaction adds two rows and changes all of them, so that a moment has an even number of rows of one
      // amount.
      const writer = spawn(process.execPath, [
        '--no-warnings',
        '-e',
        `const { DatabaseSync } = require('node:sqlite');
      const database = new DatabaseSync(${JSON.stringify(file)});
      database.exec('PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 20');
      const add = (n) => {
        database.exec(\`BEGIN IMMEDIATE; INSERT INTO hits VALUES ('2026-10-24 10:00:00', 'a', '/', 0), ('2026-10-24 11:00:00', 'b', '/', 0);
          UPDATE hits SET amount = \${n}; COMMIT\`);
        setTimeout(add, 20, n + 1);
      };
      add(1);`,
      ]);
      try {
        let before = 0;
        for (let attempt = 0; attempt < 5; attempt += 1) {
          const { code, rows, stderr } = await ask(folder, 'count, min(amount), max(amount)', 'app.db/hits');
          // It may also be refused, but is never torn.
          if (code !== 0) {
            expect(stderr).toMatch(/is locked|changed while it was read/);
            continue;
          }
          const [count, least, most] = rows[0]!.split(',').map(Number) as [number, number, number];
          expect([count % 2, least, count >= before]).toEqual([0, most, true]);
          before = count;
        }
        expect(before).toBeGreaterThan(2);
      } finally {
        const ended = once(writer, 'exit');
        writer.kill();
        await ended;
      }
    },
  );
});

describe('a write-ahead log', () => {
  it('counts, whether a program has it open or not, and no files are left beside it', async () => {
    const folder = folderOf();
    const database = databaseIn(folder, 'app.db', {});
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE hits (created_at, path)');
    database.exec('CREATE TABLE other (a)');
    const add = (path: string) => addRows(database, 'hits', [{ created_at: '2026-10-24 10:00:00', path }]);
    add('/');
    expect((await ask(folder, 'count', 'app.db')).rows).toEqual(['1']);
    add('/more');
    expect((await ask(folder, 'count', 'app.db')).rows).toEqual(['2']);
    // A transaction that is not committed does not count.
    database.exec("BEGIN; INSERT INTO hits VALUES ('2026-10-24 11:00:00', '/')");
    expect((await ask(folder, 'count', 'app.db')).rows).toEqual(['2']);
    database.exec('COMMIT');
    expect((await ask(folder, 'count', 'app.db')).rows).toEqual(['3']);
    // A copy of both files, as after a crash.
    mkdirSync(path.join(folder.root, 'copy'));
    for (const name of ['app.db', 'app.db-wal'])
      copyFileSync(path.join(folder.root, name), path.join(folder.root, 'copy', name));
    expect((await ask(folder, 'count', 'copy/app.db')).rows).toEqual(['3']);
    expect(readdirSync(path.join(folder.root, 'copy')).sort()).toEqual(['app.db', 'app.db-wal']);
    database.close();
    expect((await ask(folder, 'count', 'app.db')).rows).toEqual(['3']);
    expect(
      readdirSync(folder.root)
        .filter((name) => name !== '.sluice')
        .sort(),
    ).toEqual(['app.db', 'copy']);
  });

  it('makes kept answers obsolete when it changes', async () => {
    const folder = folderOf();
    const database = databaseIn(folder, 'app.db', {});
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE hits (created_at, path)');
    const add = () => addRows(database, 'hits', [{ created_at: '2026-10-24 10:00:00', path: '/' }]);
    add();
    for (const place of ['app.db', 'app.db/hits', '*.db']) {
      const events = [path.join(folder.root, place)];
      const at = (now: number) => openDataIdentity({ events, store: undefined, now: () => now })();
      const before = await at(Date.now() + 10_000);
      expect([place, before?.isSettled]).toEqual([place, true]);
      // Reading changes nothing.
      const { rows } = await ask(folder, 'count', place);
      expect((await at(Date.now() + 10_000))?.text).toBe(before?.text);
      add();
      const after = await at(Date.now());
      expect([place, after?.text === before?.text, after?.isSettled]).toEqual([place, false, false]);
      expect((await ask(folder, 'count', place)).rows).toEqual([String(Number(rows[0]) + 1)]);
    }
  });

  it('is followed by an opened library, whose old copies are removed', async () => {
    const folder = folderOf();
    const database = databaseIn(folder, 'app.db', {});
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE hits (created_at, path)');
    const add = () => addRows(database, 'hits', [{ created_at: '2026-10-24 10:00:00', path: '/' }]);
    add();
    await using sluice = await open({ events: path.join(folder.root, 'app.db'), workspace: folder.root });
    for (let count = 1; count < 6; count += 1) {
      expect([...(await sluice.query('count')).values('TrackedEvents.count')].map(Number)).toEqual([count]);
      add();
    }
    const copies = globSync(`${tmpdir()}/sluice-*-*/*/table.ndjson`).filter(
      (file) => readFileSync(file, 'utf8').includes('2026-10-24 10:00:00","path":"/"') && isOf(file),
    );
    expect(copies.length).toBeLessThanOrEqual(2);
    function isOf(file: string) {
      return sourceName(file) === path.join(folder.root, 'app.db/hits');
    }
  });
});

describe('a database that cannot be read whole', () => {
  const events = Array.from({ length: 5_000 }, (_, at) => ({
    created_at: new Date(Date.UTC(2026, 9, 1) + at * 60_000).toISOString(),
    path: `/page/${at}`,
  }));

  it('is refused, or its rows are all there, wherever it is cut or damaged', async () => {
    const folder = folderOf();
    databaseIn(folder, 'whole.db', { hits: events }).close();
    const whole = readFileSync(path.join(folder.root, 'whole.db'));
    const damaged: Record<string, Buffer> = {};
    for (const share of [0.05, 0.3, 0.5, 0.95]) damaged[`cut-${share}.db`] = whole.subarray(0, whole.length * share);
    for (const page of [1, 2, 7, 20]) {
      const changed = Buffer.from(whole);
      changed.fill(0xa5, page * 4096, page * 4096 + 200);
      damaged[`page-${page}.db`] = changed;
    }
    damaged['header.db'] = Buffer.concat([whole.subarray(0, 16), Buffer.alloc(4_080, 7)]);
    for (const [name, bytes] of Object.entries(damaged)) {
      folder.write(name, bytes);
      const { code, rows, stderr } = await ask(folder, 'count', name);
      expect([name, code, rows, stderr]).toEqual([
        name,
        5,
        [],
        expect.stringMatching(/\.db is (?:damaged|not a SQLite)/),
      ]);
    }
  });

  it('is named if it is encrypted', async () => {
    const folder = folderOf({ 'app.db': randomBytes(8_192) });
    const { code, stderr } = await ask(folder, 'count', 'app.db');
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining('app.db is not a SQLite database, or it is encrypted.'),
    ]);
  });

  it('is refused while a program is in the midst of writing it', async () => {
    const folder = folderOf();
    const database = databaseIn(folder, 'app.db', { hits: events });
    database.exec("PRAGMA cache_size = 1; BEGIN EXCLUSIVE; UPDATE hits SET path = '/other'");
    mkdirSync(path.join(folder.root, 'hot'));
    for (const name of ['app.db', 'app.db-journal'])
      copyFileSync(path.join(folder.root, name), path.join(folder.root, 'hot', name));
    expect(await ask(folder, 'count', 'app.db')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('app.db is locked: another program writes to it.'),
    });
    expect(await ask(folder, 'count', 'hot/app.db')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('app.db has changes that a program began and did not finish.'),
    });
    database.exec('ROLLBACK');
    expect((await ask(folder, 'count', 'app.db')).rows).toEqual(['5000']);
  });
});

describe('values of a database', () => {
  it('keep their types and digits', { timeout: 120_000 }, async () => {
    const text = fc.oneof(
      fc.constantFrom(
        'a\0b',
        '\0',
        '🙂\n"',
        '{"a":1}',
        '{"a": "\\ud800"}',
        '{',
        '[1, 2]',
        '007',
        "'; DROP TABLE x;--",
        '\u001b[31m',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    const value = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true }),
      text,
      fc.uint8Array({ maxLength: 20 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      fc.constant(null),
    );
    const folder = folderOf();
    let drawn = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 20 }), text, async (values, name) => {
        fc.pre(name !== '' && !name.includes('\0') && name.toLowerCase() !== 'created_at');
        drawn += 1;
        const file = `${drawn}.db`;
        const rows = values.map((one) => ({ created_at: '2026-10-24 10:00:00', [name]: one }));
        databaseIn(folder, file, { [name]: rows }).close();
        const { path: copy } = await unpackDatabase(
          { kind: 'sqlite', file: path.join(folder.root, file), table: undefined },
          'events',
        );
        const lines = readFileSync(copy, 'utf8').trimEnd().split('\n');
        expect(lines.map((line) => readBack(line, name))).toEqual(values.map(expected));
      }),
      { numRuns: runs(200) },
    );
    /** An independent reading: digits as they stand in the line. */
    function readBack(line: string, name: string): unknown {
      const { created_at: time, ...rest } = JSON.parse(line) as Record<string, unknown>;
      expect([time, Object.keys(rest)]).toEqual(['2026-10-24 10:00:00', [name]]);
      const [found] = Object.values(rest);
      const digits = /:(-?\d+)\}$/.exec(line)?.[1];
      return digits === undefined ? found : BigInt(digits);
    }
    function expected(given: SQLInputValue): unknown {
      if (typeof given === 'number') return floatOf(given);
      if (typeof given === 'string' && given === '{"a":1}') return { a: 1 };
      if (!(given instanceof Uint8Array)) return given;
      const hex = [...given].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      const uuid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
      return given.length === 16 ? uuid : hex;
    }
    function floatOf(given: number): unknown {
      if (!Number.isFinite(given)) return String(given);
      return Number.isSafeInteger(given) ? BigInt(given) : given;
    }
  });

  it('are counted like those of NDJSON', async () => {
    const values = [9_007_199_254_740_993n, 9_223_372_036_854_775_807n, 1n];
    const folder = folderOf({
      'a.ndjson': values.map((n) => `{"created_at":"2026-10-24 10:00:00","n":${n},"meta":{"plan":"pro"}}\n`).join(''),
    });
    databaseIn(folder, 'a.db', {
      hits: values.map((n) => ({ created_at: 1_792_843_200_000n, n, meta: '{"plan": "pro"}' })),
    }).close();
    for (const question of ['sum(n), max(n), min(n)', 'count by n order by n', 'count by meta.plan', 'count by day']) {
      const expected = await ask(folder, question, 'a.ndjson');
      expect(await ask(folder, question, 'a.db')).toMatchObject({ code: 0, rows: expected.rows });
    }
  });

  it('are text in UTF-8, whatever the encoding of other files', async () => {
    const folder = folderOf();
    databaseIn(folder, 'a.db', { hits: [{ created_at: '2026-10-24 10:00:00', path: '/für–日' }] }).close();
    expect((await ask(folder, 'count by path', 'a.db', '--encoding', 'windows-1252')).rows).toEqual(['/für–日,1']);
  });
});
