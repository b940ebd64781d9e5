import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { folderOf } from './run-in-folder.ts';

const ids = Array.from({ length: 2000 }, (_, index) => `u${(index * 7919) % 2003}`);
const csv = `userAnonymousId,utcTime,pageTitle\n${ids.map((id, index) => `${id},2024-03-01T00:00:00.000,"title ${index}"\n`).join('')}`;
const ndjson = ids.map((id) => `{"utcTime":"2024-03-01T00:00:00.000","userAnonymousId":"${id}"}\n`).join('');
const half = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1);

/** Each is cut off, or followed by foreign bytes. */
const files: Readonly<Record<string, string | Uint8Array>> = {
  'cut.csv.gz': half(gzipSync(csv)),
  'cut.csv.zst': half(zstdCompressSync(csv)),
  'cut.ndjson.gz': half(gzipSync(ndjson)),
  'cut.ndjson.zst': half(zstdCompressSync(ndjson)),
  'summed.csv.gz': gzipSync(csv).subarray(0, -3),
  'followed.csv.gz': Buffer.concat([gzipSync(csv), Buffer.from('not gzip')]),
  'second.csv.gz': Buffer.concat([gzipSync(csv), half(gzipSync(csv.slice(csv.indexOf('\n') + 1)))]),
  'headless.csv.gz': gzipSync(csv).subarray(0, 11),
  'empty.ndjson.zst': '',
  'quoted.csv': csv.slice(0, -4),
  'half.csv': csv.slice(0, -30),
  'half.ndjson': ndjson.slice(0, -8),
  'half.json': `[${ndjson.trimEnd().replaceAll('\n', ',')}`.slice(0, -8),
};
const shop = 'cubes:\n  - name: Orders\n    sql_table: orders\n    measures: [{name: n, type: count}]\n';

describe('a truncated file', () => {
  for (const [name, contents] of Object.entries(files)) {
    it(`${name} is reported with exit code 5 by query, ingest and tables`, async () => {
      const folder = folderOf({
        [name]: contents,
        'shop/sluice.yaml': `model: shop.yaml\ntables: {orders: ../${name}}\n`,
        'shop/shop.yaml': shop,
      });
      const asked = await folder.sluice(['query', 'count', '--events', name, '-f', 'csv']);
      const taken = await folder.sluice(['ingest', name]);
      const counted = await folder.sluice(['query', '-m', 'Orders.n', '-f', 'csv'], { cwd: 'shop' });
      for (const { code, stderr } of [asked, taken, counted]) {
        expect(stderr).toContain(name);
        expect(code).toBe(5);
      }
      expect(counted.stdout).toBe('');
    });
  }

  it('is reported along with the answer of a query that skips it', async () => {
    const folder = folderOf({ 'cut.csv.gz': files['cut.csv.gz']! });
    const { code, stderr } = await folder.sluice([
      'query',
      'count where docPath = /nowhere',
      '--events',
      'cut.csv.gz',
      '-f',
      'csv',
    ]);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(/cut\.csv\.gz:\d+: the gzip data is damaged/),
    });
  });
});
