import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { tableFromIPC } from '@uwdata/flechette';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { InvalidInputError, writeResult } from '../../../src/use/index.ts';
import { openWithSession } from '../open-session.ts';
import { fewEvents, type Folder, now, openFolder } from '../run-in-folder.ts';

let folder: Folder;
beforeAll(() => {
  folder = openFolder({
    'events.ndjson': fewEvents,
    'queries/total.yaml': 'query: {measures: [TrackedEvents.count]}\n',
  });
});
afterAll(() => folder.remove());

const query = (...args: readonly string[]) => folder.sluice(['query', ...args, '--events', 'events.ndjson', '--quiet']);
const bytes = (name: string) => readFileSync(path.join(folder.root, name));
const asked = ['-m', 'count', '-d', 'docPath', '--order', 'docPath'];
const rows = [
  ['/', 3n],
  ['/docs', 2n],
];

async function parquetRows(name: string): Promise<readonly (readonly unknown[])[]> {
  await using engine = await openEngine({});
  return await engine.rows(`FROM '${path.join(folder.root, name)}'`);
}

function arrowRows(name: string): readonly (readonly unknown[])[] {
  return tableFromIPC(bytes(name), { useBigInt: true })
    .toArray()
    .map((row: object) => Object.values(row));
}

describe('the columns of an answer', () => {
  it('keep the requested order in every interface and format', async () => {
    await using sluice = await openWithSession({
      workspace: folder.root,
      events: 'events.ndjson',
      env: {},
      now: () => now,
    });
    const [day, page, type] = ['TrackedEvents.utcTime.day', 'TrackedEvents.docPath', 'TrackedEvents.eventType'];
    const orders = [
      [page, type, day],
      [day, page, type],
      [page, day, type],
    ];
    const asRows = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line): Record<string, unknown> => JSON.parse(line));
    /** The content of each row, whatever the order of its columns. */
    const sorted = (rows: readonly object[]) =>
      rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();
    const lineOf = (order: readonly string[]) =>
      `by ${order.map((key) => (key === day ? 'day' : key.split('.')[1])).join(', ')}`;
    for (const what of ['count', 'count share', 'count last 9 days', 'count top 1 with other']) {
      const [measures = '', clauses = ''] = what.split(/ (?=last|top)/);
      let plain: readonly string[] | undefined;
      for (const order of orders) {
        const line = `${measures} ${lineOf(order)} ${clauses}`;
        const result = await sluice.query(line);
        expect(
          result.columns.slice(0, 3).map(({ key }) => key),
          line,
        ).toEqual(order);
        plain ??= sorted(result.rows());
        expect(sorted(result.rows()), line).toEqual(plain);
        const streamed: object[] = [];
        for await (const row of sluice.stream(line)) streamed.push(row);
        expect(Object.keys(streamed[0] ?? {}).slice(0, 3), line).toEqual(order);
        expect(sorted(streamed), line).toEqual(plain);
        if (measures !== 'count' || clauses !== '') continue;
        for (const name of ['o.csv', 'o.ndjson', 'o.parquet']) await sluice.write(line, path.join(folder.root, name));
        const lines = bytes('o.csv').toString().trim().split(/\r?\n/);
        expect(lines[0], line).toBe([...order, 'TrackedEvents.count'].join(','));
        const cells = lines.slice(1).map((one) => one.split(','));
        expect(asRows(bytes('o.ndjson').toString()).map((row) => Object.values(row).map(String))).toEqual(cells);
        const isDay = order.map((key) => key === day);
        const stored = (await parquetRows('o.parquet')).map((row) =>
          row.map((cell, at) => (isDay[at] ? day : `${cell}`)),
        );
        expect(stored).toEqual(cells.map((row) => row.map((cell, at) => (isDay[at] ? day : cell))));
      }
    }
    // Both layouts of a comparison; the bucket of the earlier range is next to its own.
    const compared = `count by day, docPath last 3 days compare previous`;
    const keys = async (ranges: 'stacked' | 'beside') =>
      (await sluice.query(compared, { ranges })).columns.map(({ key }) => key);
    expect(await keys('stacked')).toEqual(['compareDateRange', day, page, 'TrackedEvents.count']);
    expect((await keys('beside')).slice(0, 3)).toEqual([day, `${day}.previous`, page]);
    // As on the wire, where the order is unknown.
    const body = { measures: ['TrackedEvents.count'], dimensions: [day, page], responseFormat: 'compact' };
    expect(JSON.stringify(await sluice.load({ query: body }))).toContain(
      JSON.stringify({ members: [page, day, 'TrackedEvents.utcTime', 'TrackedEvents.count'] }).slice(1, -1),
    );
  });

  it('come from a query file, too', async () => {
    const { stdout } = await query('-m', 'count', '-d', 'day,docPath', '-f', 'csv');
    expect(stdout).toMatch(/^TrackedEvents\.utcTime\.day,TrackedEvents\.docPath,/);
  });
});

describe('a file of an answer', () => {
  it('is Parquet, an Arrow file or an Arrow stream by its extension', async () => {
    for (const name of ['a.parquet', 'a.arrow', 'a.arrows', 'a.feather'])
      expect(await query(...asked, '-o', name), name).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await parquetRows('a.parquet')).toEqual(rows);
    for (const name of ['a.arrow', 'a.arrows', 'a.feather']) expect(arrowRows(name)).toEqual(rows);
    expect(['a.arrow', 'a.feather', 'a.arrows'].map((name) => bytes(name).subarray(0, 6).toString('latin1'))).toEqual([
      'ARROW1',
      'ARROW1',
      expect.not.stringContaining('ARROW1'),
    ]);
  });

  it('is the same for few rows and for many that are written piece by piece', async () => {
    for (const ending of ['parquet', 'arrow', 'csv', 'json', 'ndjson', 'tsv']) {
      // The metadata contains the limit itself.
      await query(...asked, '--limit', '10001', '-o', `many.${ending}`);
      await using sluice = await openWithSession({
        workspace: folder.root,
        events: 'events.ndjson',
        env: {},
        now: () => now,
      });
      const {
        value: [plan],
      } = sluice.session.bind({
        measures: ['TrackedEvents.count'],
        dimensions: ['TrackedEvents.docPath'],
        order: [['TrackedEvents.docPath', 'asc']],
        limit: 10_001,
      }) as never as { value: [never] };
      await writeResult(await sluice.session.run(plan), path.join(folder.root, `whole.${ending}`));
      expect(bytes(`many.${ending}`).equals(bytes(`whole.${ending}`)), ending).toBe(true);
    }
  });

  it('has its columns even without rows', async () => {
    for (const limit of [
      ['--limit', '5'],
      ['--limit', '20000'],
    ]) {
      const none = [...asked, '--where', 'docPath = /nowhere', ...limit];
      for (const name of ['none.parquet', 'none.arrow']) expect((await query(...none, '-o', name)).code).toBe(0);
      await using engine = await openEngine({});
      expect(
        (await engine.rows(`DESCRIBE FROM '${path.join(folder.root, 'none.parquet')}'`)).map((row) => row.slice(0, 2)),
      ).toEqual([
        ['TrackedEvents.docPath', 'VARCHAR'],
        ['TrackedEvents.count', 'BIGINT'],
      ]);
      const table = tableFromIPC(bytes('none.arrow'));
      expect([table.numRows, table.schema.fields.map(({ name }) => name)]).toEqual([
        0,
        ['TrackedEvents.docPath', 'TrackedEvents.count'],
      ]);
    }
  });

  it('is compressed by its extension, also piece by piece', async () => {
    const plain = (await query(...asked, '-f', 'csv')).stdout;
    for (const limit of ['10', '20000']) {
      await query(...asked, '--limit', limit, '-o', 'packed.csv.gz');
      await query(...asked, '--limit', limit, '-o', 'packed.csv.zst');
      await query(...asked, '--limit', limit, '-f', 'csv', '-o', 'packed.gz');
      expect(
        [
          gunzipSync(bytes('packed.csv.gz')),
          zstdDecompressSync(bytes('packed.csv.zst')),
          gunzipSync(bytes('packed.gz')),
        ].map(String),
      ).toEqual([plain, plain, plain]);
    }
    expect(await query(...asked, '-o', 'a.parquet.gz')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/cannot be compressed again/),
    });
    expect(existsSync(path.join(folder.root, 'a.parquet.gz'))).toBe(false);
  });

  it('can be one of several in a folder', async () => {
    expect(await query(...asked, '-f', 'csv,parquet,arrow', '-o', 'all')).toMatchObject({ code: 0 });
    expect(await query(...asked, '--limit', '20000', '-f', 'csv,parquet,arrow', '-o', 'all-pieces')).toMatchObject({
      code: 0,
    });
    for (const into of ['all', 'all-pieces']) {
      expect(readdirSync(path.join(folder.root, into)).sort()).toEqual([
        'answer.arrow',
        'answer.csv',
        'answer.parquet',
      ]);
      expect([await parquetRows(`${into}/answer.parquet`), arrowRows(`${into}/answer.arrow`)]).toEqual([rows, rows]);
    }
    expect(await query('--all-saved', '-f', 'parquet', '-o', 'saved')).toMatchObject({ code: 0 });
    expect(await parquetRows('saved/total.parquet')).toEqual([[5n]]);
  });

  it('can be written by the library, too', async () => {
    await using sluice = await openWithSession({
      workspace: folder.root,
      events: 'events.ndjson',
      env: {},
      now: () => now,
    });
    const result = await sluice.query('count by docPath');
    await writeResult(result, path.join(folder.root, 'library.parquet'));
    expect(await parquetRows('library.parquet')).toEqual(rows);
    expect(await sluice.write('count by docPath', 'asked.arrow')).toMatchObject({ rows: 2 });
    expect(arrowRows('asked.arrow')).toEqual(rows);
    expect(
      await sluice.write({ dimensions: ['TrackedEvents.docPath'], ungrouped: true, limit: 1_000_000 }, 'asked', {
        format: 'csv',
      }),
    ).toMatchObject({ rows: 5, truncated: null });
    expect(String(bytes('asked'))).toBe('TrackedEvents.docPath\n/\n/\n/\n/docs\n/docs\n');
    await expect(sluice.write('count', 'asked.docx')).rejects.toBeInstanceOf(InvalidInputError);
  });

  it('is removed if it cannot be completed', async () => {
    const controller = new AbortController();
    controller.abort();
    expect(
      await folder.sluice(['query', ...asked, '--limit', '20000', '-o', 'cut.parquet', '--events', 'events.ndjson'], {
        signal: controller.signal,
      }),
    ).toMatchObject({ code: 130 });
    expect(readdirSync(folder.root).filter((name) => name.includes('cut'))).toEqual([]);
  });
});

describe('stdout', () => {
  it('accepts Parquet and Arrow on a pipe, and refuses them on a terminal', async () => {
    for (const format of ['parquet', 'arrow']) {
      expect(
        await folder.sluice(['query', ...asked, '-f', format, '--events', 'events.ndjson'], {
          terminal: { columns: 80, rows: 24 },
        }),
      ).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`A terminal cannot show ${format}[^]*-o answer.${format}`)),
      });
    }
    expect((await query(...asked, '-f', 'parquet')).stdout).toMatch(/^PAR1[^]*PAR1$/);
    expect((await query(...asked, '-f', 'arrow')).stdout).not.toContain('ARROW1');
  });

  it('prints the same notes for streamed and whole answers', async () => {
    const told = async (limit: string) =>
      await folder.sluice([
        'query',
        '--ungrouped',
        '-d',
        'docPath',
        '--limit',
        limit,
        '-f',
        'csv',
        '--events',
        'broken.ndjson',
      ]);
    folder.write('broken.ndjson', `${fewEvents}not an event\n`);
    const [whole, pieces] = [await told('10000'), await told('10001')];
    expect(pieces).toEqual(whole);
    expect(whole).toMatchObject({ code: 5, stderr: expect.stringContaining('broken.ndjson:6') });
  });
});
