import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { open } from '../../src/use/open.ts';
import { type Folder, folderOf } from '../use/run-in-folder.ts';

/** Runs statements on a database in a folder, which is created if it does not exist, and closes it. */
async function change({ root }: Folder, name: string, ...statements: readonly string[]): Promise<void> {
  const database = await DuckDBInstance.create(path.join(root, name));
  const connection = await database.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  database.closeSync();
}

const ask = async (folder: Folder, question: string, file: string, ...flags: readonly string[]) => {
  const { code, stdout, stderr } = await folder.sluice(['query', question, '--events', file, '-f', 'csv', ...flags]);
  return { code, rows: stdout.trim().split('\n').slice(1), stderr };
};

const filesIn = (folder: string) => readdirSync(folder).filter((name) => name !== '.sluice');

const createHits = `CREATE TABLE hits AS FROM (VALUES
  (TIMESTAMP '2026-10-24 10:20:30', 'ann', '/', 1.5), (TIMESTAMP '2026-10-24 23:59:59', 'bob', '/pricing', 2),
  (TIMESTAMP '2026-10-25 00:00:00', 'ann', '/', NULL)) AS t(created_at, visitor, path, amount)`;

describe('a DuckDB database', () => {
  it.each(['app.duckdb', 'app.db', 'it is #1?.db'])('is read like its table as NDJSON: %s', async (name) => {
    const folder = folderOf();
    const ndjson = path.join(folder.root, 'hits.ndjson');
    await change(folder, name, createHits, 'CREATE TABLE settings AS SELECT 1 AS a', `COPY hits TO '${ndjson}'`);
    for (const question of ['count, users by day', 'sum(amount) by path', 'count by visitor']) {
      const expected = await ask(folder, question, 'hits.ndjson');
      expect(expected.code).toBe(0);
      for (const file of [name, `${name}/hits`, `${name}/HITS`]) {
        const found = await ask(folder, question, file);
        expect([question, file, found.code, found.rows]).toEqual([question, file, 0, expected.rows]);
      }
    }
    expect((await ask(folder, 'count', name)).stderr).toContain(
      `Of the tables of "${name}", only "hits" is read, because it has times.`,
    );
    expect(filesIn(folder.root).sort()).toEqual(['hits.ndjson', name].sort());
  });

  it('with several tables of events names them, and those of other schemas with theirs', async () => {
    const folder = folderOf();
    await change(
      folder,
      'app.duckdb',
      createHits,
      'CREATE SCHEMA shop',
      "CREATE TABLE shop.orders AS SELECT DATE '2026-10-24' AS ordered_at, 7 AS total",
      'CREATE TABLE paths AS SELECT 1 AS id',
      'CREATE VIEW pro AS SELECT created_at, path FROM hits WHERE amount > 1',
      'CREATE TABLE gone AS SELECT 1 AS a',
      'CREATE VIEW broken AS SELECT * FROM gone',
      'DROP TABLE gone',
    );
    const { code, rows, stderr } = await ask(folder, 'count', 'app.duckdb');
    expect([code, rows, stderr]).toEqual([
      2,
      [],
      expect.stringMatching(
        /app\.duckdb has several tables whose rows have times:\n {2}hits: created_at, visitor, path, amount\n {2}shop\.orders: ordered_at, total\n.*app\.duckdb\/hits/s,
      ),
    ]);
    expect((await ask(folder, 'sum(total)', 'app.duckdb/shop.orders')).rows).toEqual(['7']);
    expect((await ask(folder, 'count by path', 'app.duckdb/pro')).rows).toEqual(['/,1', '/pricing,1']);
    const absent = await ask(folder, 'count', 'app.duckdb/none');
    expect([absent.code, absent.stderr]).toEqual([
      2,
      expect.stringMatching(/has no table "none"\.\n.*\n {2}paths: id\n.*broken \(view\): cannot be read/s),
    ]);
    expect(await ask(folder, 'count', 'app.duckdb/broken')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('app.duckdb cannot be read: Catalog Error: Table with name gone does not exist'),
    });
  });

  it('is a source of a configuration, of a model and of the store', async () => {
    const folder = folderOf({
      'sluice.yaml':
        'sources: [{files: app.duckdb/hits, columns: {utcTime: created_at, userId: visitor}}]\ntables: {prices: app.duckdb/prices}\nmodel: model.yaml\n',
      'model.yaml': 'cubes:\n  - {name: Prices, sql_table: prices, measures: [{name: total, sql: price, type: sum}]}\n',
    });
    await change(folder, 'app.duckdb', createHits, 'CREATE TABLE prices AS SELECT 3 AS price');
    const value = async (...question: readonly string[]) => {
      const { stdout, stderr } = await folder.sluice(['query', ...question, '-f', 'csv']);
      return stdout.trim().split('\n')[1] ?? stderr;
    };
    expect(await value('TrackedEvents.count, users')).toBe('3,2');
    expect(await value('Prices.total')).toBe('3');
    const store = ['--store', 'store'];
    expect((await folder.sluice(['ingest', 'app.duckdb/hits', ...store])).stderr).toContain('3 events added');
    expect((await folder.sluice(['ingest', 'app.duckdb/hits', ...store])).stderr).toContain('was loaded on');
    for (const [statement, expected] of [
      ["INSERT INTO hits VALUES (TIMESTAMP '2026-10-26 00:00:00', 'cy', '/', 4)", '4,7.5'],
      ["UPDATE hits SET amount = 10 WHERE visitor = 'bob'", '4,15.5'],
      ["DELETE FROM hits WHERE visitor = 'bob'", '3,5.5'],
    ] as const) {
      await change(folder, 'app.duckdb', statement);
      expect((await folder.sluice(['ingest', 'app.duckdb/hits', ...store])).code).toBe(0);
      expect([statement, await value('TrackedEvents.count, sum(amount)', ...store)]).toEqual([statement, expected]);
      expect(await value('TrackedEvents.count, sum(amount)')).toBe(expected);
    }
  });

  it('is proposed with its table', async () => {
    const folder = folderOf();
    await change(folder, 'app.duckdb', createHits);
    const { code, stdout, stderr } = await folder.sluice(['init', 'app.duckdb', '--yes']);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('app.duckdb/hits')]);
    expect((await folder.sluice(['query', 'count by docPath', '-f', 'csv'])).stdout).toContain('/pricing,1');
  });

  it('is followed by an opened library', async () => {
    const folder = folderOf();
    await change(folder, 'app.duckdb', createHits);
    await using sluice = await open({ events: path.join(folder.root, 'app.duckdb'), workspace: folder.root });
    for (let count = 3; count < 6; count += 1) {
      expect([...(await sluice.query('count')).values('TrackedEvents.count')].map(Number)).toEqual([count]);
      await change(folder, 'app.duckdb', "INSERT INTO hits VALUES (TIMESTAMP '2026-10-24 10:00:00', 'cy', '/', 1)");
    }
  });
});

describe('a database of another program', () => {
  /** A process that keeps a database open, with rows that are only in its write-ahead log. */
  async function writer(folder: Folder, name: string) {
    const client = import.meta.resolve('@duckdb/node-api');
    const script = `
      const { DuckDBInstance } = await import(${JSON.stringify(client)});
      const connection = await (await DuckDBInstance.create(${JSON.stringify(path.join(folder.root, name))})).connect();
      await connection.run(${JSON.stringify(`${createHits}; CHECKPOINT`)});
      await connection.run("INSERT INTO hits VALUES (TIMESTAMP '2026-10-26 00:00:00', 'cy', '/', 4)");
      console.log('ready');
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  }

  it('is refused while it is open there, and its write-ahead log counts afterwards', async () => {
    const folder = folderOf();
    const child = await writer(folder, 'app.duckdb');
    expect(await ask(folder, 'count', 'app.duckdb')).toMatchObject({
      code: 1,
      rows: [],
      stderr: expect.stringContaining('app.duckdb is locked: another program writes to it.'),
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(filesIn(folder.root).sort()).toEqual(['app.duckdb', 'app.duckdb.wal']);
    expect((await ask(folder, 'count', 'app.duckdb')).rows).toEqual(['4']);
    mkdirSync(path.join(folder.root, 'copy'));
    for (const name of ['app.duckdb', 'app.duckdb.wal'])
      copyFileSync(path.join(folder.root, name), path.join(folder.root, 'copy', name));
    expect((await ask(folder, 'count', 'copy/app.duckdb')).rows).toEqual(['4']);
    expect(filesIn(path.join(folder.root, 'copy')).sort()).toEqual(['app.duckdb', 'app.duckdb.wal']);
    await change(folder, 'app.duckdb', "INSERT INTO hits VALUES (TIMESTAMP '2026-10-26 00:00:00', 'cy', '/', 4)");
    expect((await ask(folder, 'count', 'app.duckdb')).rows).toEqual(['5']);
  });

  it('cannot read files of this machine with its views', async () => {
    const folder = folderOf({ 'secret.csv': 'created_at,word\n2026-10-24 10:00:00,password\n' });
    const secret = path.join(folder.root, 'secret.csv');
    await change(folder, 'app.duckdb', `CREATE VIEW hits AS SELECT * FROM read_csv('${secret}')`);
    const { code, rows, stderr } = await ask(folder, 'count by word', 'app.duckdb/hits');
    expect([code, rows, stderr]).toEqual([
      1,
      [],
      expect.stringContaining('app.duckdb has a view that reads other files, which sluice does not allow.'),
    ]);
    expect(stderr).not.toContain('password');
  });

  it('is refused, or its rows are all there, wherever it is cut or damaged', { timeout: 120_000 }, async () => {
    const folder = folderOf();
    await change(
      folder,
      'whole.duckdb',
      "CREATE TABLE hits AS SELECT TIMESTAMP '2026-10-01' + to_minutes(i) AS created_at, '/page/' || i AS path, i FROM range(5000) AS t(i)",
    );
    const whole = readFileSync(path.join(folder.root, 'whole.duckdb'));
    const expected = (await ask(folder, 'count, distinct(path), sum(i)', 'whole.duckdb')).rows;
    expect(expected[0]).toMatch(/^5000,5000,/);
    let refused = 0;
    const place = path.join(folder.root, 'damaged.duckdb');
    for (let at = 1; at < 40; at += 1) {
      const damaged = Buffer.from(whole);
      const from = Math.floor((whole.length * at) / 40);
      if (at % 4 > 0) damaged.fill(0xa5, from, from + 200);
      writeFileSync(place, at % 4 > 0 ? damaged : whole.subarray(0, from));
      const { code, rows, stderr } = await ask(folder, 'count, distinct(path), sum(i)', 'damaged.duckdb');
      if (code === 0) {
        expect([at, rows]).toEqual([at, expected]);
      } else {
        refused += 1;
        expect([at, code, rows, stderr]).toEqual([at, 5, [], expect.stringContaining('damaged.duckdb is damaged')]);
      }
    }
    expect(refused).toBeGreaterThan(10);
  });

  it('is named if its form is newer than this one', async () => {
    const folder = folderOf();
    await change(folder, 'app.duckdb', createHits);
    const file = path.join(folder.root, 'app.duckdb');
    const bytes = readFileSync(file);
    expect(bytes.readBigUInt64LE(0)).toBe(checksum(bytes));
    bytes.writeBigUInt64LE(200n, 12);
    bytes.writeBigUInt64LE(checksum(bytes), 0);
    writeFileSync(file, bytes);
    expect(await ask(folder, 'count', 'app.duckdb')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('app.duckdb was written by another version of DuckDB'),
    });
  });
});

/** The check sum of the first block, which stands in its first eight bytes. */
function checksum(bytes: Buffer): bigint {
  let sum = 5381n;
  for (let at = 8; at < 4096; at += 8) sum ^= BigInt.asUintN(64, bytes.readBigUInt64LE(at) * 0xbf58476d1ce4e5b9n);
  return sum;
}

describe('values of a DuckDB database', () => {
  /** Expressions, and what an answer shows of them. */
  const values = [
    ['170141183460469231731777', '::HUGEINT'],
    ['9223372036854775807', '::BIGINT'],
    ['18446744073709551615', '::UBIGINT'],
    ['12345.123456789', '::DECIMAL(38,9)'],
  ] as const;

  it('keep all digits of numbers', async () => {
    const folder = folderOf();
    const columns = values.map(([digits, type], at) => `'${digits}'${type} AS n${at}`).join(', ');
    await change(folder, 'app.duckdb', `CREATE TABLE hits AS SELECT TIMESTAMP '2026-10-24' AS created_at, ${columns}`);
    const question = values.map((_, at) => `sum(n${at}), max(n${at})`).join(', ');
    const { rows, stderr } = await ask(folder, question, 'app.duckdb');
    expect([rows, stderr]).toEqual([[values.map(([digits]) => `${digits},${digits}`).join(',')], expect.any(String)]);
  });

  it('of other types are shown as DuckDB shows them', async () => {
    const folder = folderOf();
    const columns = {
      state: ["'on'::ENUM('on', 'off')", 'on'],
      id: ["'7a1f0c1e-0000-4000-8000-00000000000a'::UUID", '7a1f0c1e-0000-4000-8000-00000000000a'],
      flag: ['true', 'true'],
      day: ["DATE '2026-10-24'", '2026-10-24'],
      clock: ["TIME '10:20:30'", '10:20:30'],
      pause: ["INTERVAL '90 minutes'", '01:30:00'],
      bits: ["'0101'::BIT", '0101'],
      choice: ['union_value(num := 7)', '7'],
      'plan name': ["'pro'", 'pro'],
      'meta.plan': ["{'plan': 'basic'}", 'basic'],
      'doc.tier': [`'{"tier": "gold"}'::JSON`, 'gold'],
      'tags[]': ["['eu']", 'eu'],
    } as const;
    const created = Object.entries(columns).map(
      ([name, [sql]]) => `${sql} AS "${name.replace(/^(meta|doc)\..*|\[\]$/, '$1')}"`,
    );
    await change(
      folder,
      'app.duckdb',
      `CREATE TABLE hits AS SELECT TIMESTAMP '2026-10-24' AS created_at, ${created.join(', ')}`,
    );
    for (const [name, [, shown]] of Object.entries(columns)) {
      const { rows, stderr } = await ask(folder, `count by "${name}"`, 'app.duckdb');
      expect([name, rows, stderr]).toEqual([name, [`${shown},1`], expect.any(String)]);
    }
  });

  it('that are times count as they are, to the nanosecond and in any zone', async () => {
    const folder = folderOf();
    for (const [at, sql] of [
      "TIMESTAMP '2026-10-24 23:59:59.999999'",
      "TIMESTAMPTZ '2026-10-24 23:59:59+00'",
      "'2026-10-24 23:59:59.999999999'::TIMESTAMP_NS",
      "'2026-10-24 23:59:59'::TIMESTAMP_S",
      "'2026-10-24 23:59:59.999'::TIMESTAMP_MS",
    ].entries()) {
      const name = `app${at}.duckdb`;
      await change(folder, name, `CREATE TABLE hits AS SELECT ${sql} AS created_at, 1 AS n`);
      expect([sql, (await ask(folder, 'count by day', name)).rows]).toEqual([sql, ['2026-10-24T00:00:00.000,1']]);
    }
  });
});
