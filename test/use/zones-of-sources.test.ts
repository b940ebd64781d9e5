import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open } from '../../src/use/index.ts';
import { writeEvents } from '../run/sources/write-events.ts';
import { runs } from '../runs.ts';
import { type Folder, folderOf, now, openFolder } from './run-in-folder.ts';
import {
  columnsOfTimed,
  sorted,
  sourceZones,
  timedEvents,
  timeQuestions,
  toRows,
  usual,
  zones,
} from './time-questions.ts';

const scratch = openFolder();
const engine = await openEngine({ threads: 1 });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  scratch.remove();
});
let worlds = 0;

const sources = fc
  .uniqueArray(fc.constantFrom(...sourceZones), { minLength: 1, maxLength: 3 })
  .chain((declared) => fc.tuple(...declared.map((zone) => fc.tuple(fc.constant(zone), timedEvents))));

describe('the zone that a source declares', () => {
  it('is that of all its times without one, in files and in a store', { timeout: 200_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        sources,
        fc.constantFrom('ndjson' as const, 'csv' as const, 'parquet' as const),
        fc.boolean(),
        fc.constantFrom(...zones),
        async (given, format, stored, timezone) => {
          worlds += 1;
          const root = `${scratch.root}/w${worlds}`;
          const lines: string[] = [];
          for (const [index, [zone, events]] of given.entries()) {
            const name = `s${index}.${format}`;
            scratch.write(`w${worlds}/keep`, '');
            // `toRows` adds an event with times that have a zone.
            const rows = toRows(events).map((row) => ({ ...row, at: row.utcTime, utcTime: undefined }));
            const columns = ['at', ...columnsOfTimed.slice(1)];
            const place = {
              path: root,
              write: (file: string, content: string | Uint8Array) => scratch.write(`w${worlds}/${file}`, content),
            };
            await writeEvents(engine, place, `s${index}`, format, 'none', rows, columns);
            const declared = zone === undefined ? '' : `, timezone: ${zone}`;
            lines.push(`  - {files: ${name}, columns: {utcTime: at}${declared}}\n`);
          }
          scratch.write(`w${worlds}/sluice.yaml`, `sources:\n${lines.join('')}`);
          if (stored) {
            const files = given.map((_, index) => `s${index}.${format}`);
            const ingested = await scratch.sluice(['ingest', ...files, '--store', 'store'], { cwd: `w${worlds}` });
            expect(ingested.code, ingested.stderr).toBe(0);
          }
          await using sluice = await open({
            ...(stored && { store: `${root}/store` }),
            workspace: root,
            now: () => now,
            onNote: () => undefined,
          });
          const all = given.flatMap(([source, events]) => [...events.map((event) => ({ ...event, source })), usual]);
          for (const [line, expected] of timeQuestions(all.slice(0, -1), timezone)) {
            const result = await sluice.query(line, { timezone, fill: 'none' });
            const keys = result.columns.map(({ key }) => key);
            const rows = result.rows().map((row) => keys.map((key) => row[key] as string));
            expect(sorted(rows), `${line} in ${timezone}`).toEqual(sorted(expected));
          }
        },
      ),
      { numRuns: runs(32) },
    ),
  );

  const files = {
    'shop.csv':
      'created_at,finished_at\n2024-03-01 00:30:00,2024-03-02 00:30:00\n2024-07-01 00:30:00,2024-07-02 00:30:00Z\n',
    'own.ndjson': `${JSON.stringify({ utcTime: '2024-03-01 00:30:00', userId: 'a', sold: [{ at: '2024-03-02 00:30:00', n: 1 }] })}\n`,
  };
  const settings = (file: string, more: string) => `sources: [{files: ${file}, timezone: Europe/Berlin${more}}]\n`;
  const mapped = { ...files, 'sluice.yaml': settings('shop.csv', ', columns: {utcTime: created_at}') };

  it('needs no mapping of columns that are recognised by name', async () => {
    const folder = folderOf({ ...files, 'sluice.yaml': settings('own.ndjson', '') });
    expect((await folder.sluice(['query', 'count by hour', '-f', 'csv'])).stdout).toContain(
      '2024-02-29T23:00:00.000Z,1',
    );
    const keys = (await folder.sluice(['query', 'sum(nothing)'])).stderr;
    expect(keys).not.toContain('utcTime');
  });

  it('holds for the values of lists, also in conditions and analyses', async () => {
    const folder = folderOf({ ...files, 'sluice.yaml': settings('own.ndjson', '') });
    const ask = async (line: string) =>
      (await folder.sluice(['query', line, '-f', 'csv'])).stdout.trimEnd().split('\n');
    expect(await ask('sum(sold.n) by sold.at hour')).toEqual([expect.anything(), '2024-03-01T23:00:00.000Z,1']);
    expect((await ask('max(sold.at)'))[1]).toBe('2024-03-01T23:30:00.000Z');
    expect((await ask('count where sold.at before 2024-03-02'))[1]).toBe('1');
    expect(await ask('lifecycle of any where sold.at before 2024-03-02 by month last 1 month')).toContain(
      'new,2024-02-01T00:00:00.000,1',
    );
  });

  it('is told to load again what an earlier version loaded, which did not keep it', async () => {
    const folder = folderOf(mapped);
    await folder.sluice(['ingest', 'shop.csv', '--store', 'store']);
    const manifest = JSON.parse(readFileSync(`${folder.root}/store/manifest.json`, 'utf8')) as { ledger: string };
    const ledger = `${folder.root}/store/${manifest.ledger}`;
    const source = JSON.parse(readFileSync(ledger, 'utf8')) as Record<string, unknown>;
    const mapping = { columns: { utcTime: 'created_at' }, timezone: 'Europe/Berlin' };
    const before = createHash('sha256').update(JSON.stringify(mapping)).digest('hex').slice(0, 16);
    folder.write(`store/${manifest.ledger}`, `${JSON.stringify({ ...source, zone: undefined, mapping: before })}\n`);
    folder.write('store/manifest.json', JSON.stringify({ ...manifest, zones: undefined }));
    const ask = () =>
      folder.sluice(['query', 'max(finished_at) where finished_at before 2024-04-01', '--store', 'store', '-f', 'csv']);
    expect(await ask()).toMatchObject({
      stdout: expect.stringContaining('2024-03-02T00:30:00.000Z'),
      stderr: expect.stringContaining(
        'loaded with another mapping than the configured one. To apply it: sluice ingest shop.csv',
      ),
    });
    await folder.sluice(['ingest', 'shop.csv', '--store', 'store']);
    expect(await ask()).toMatchObject({ stdout: expect.stringContaining('2024-03-01T23:30:00.000Z'), stderr: '' });
  });

  it('leaves out the note on times that are read as UTC', async () => {
    const ask = (folder: Folder) =>
      folder.sluice(['query', 'count by finished_at day', '--timezone', 'Europe/Berlin', '-f', 'csv']);
    expect((await ask(folderOf(mapped))).stderr).toBe('');
    const none = folderOf({ ...files, 'sluice.yaml': 'events: shop.csv\ncolumns: {utcTime: created_at}\n' });
    expect((await ask(none)).stderr).toContain('Times of "finished_at" without a zone are read as UTC.');
  });
});
