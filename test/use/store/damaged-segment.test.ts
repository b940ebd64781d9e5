import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../runs.ts';
import { type Folder, folderOf } from '../run-in-folder.ts';

const lines = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, index) =>
      `${JSON.stringify({ utcTime: new Date(Date.parse('2024-03-01') + (from + index) * 60_000).toISOString(), eventId: `e${from + index}`, userId: `u${index % 7}`, eventType: 'pageview', docPath: `/${index % 30}`, amount: index })}\n`,
  ).join('');

async function stored(): Promise<{ readonly folder: Folder; readonly segment: string }> {
  const folder = folderOf({ 'a.ndjson': lines(0, 500) });
  expect((await folder.sluice(['ingest', 'a.ndjson'])).code).toBe(0);
  const [name] = readdirSync(path.join(folder.root, '.sluice/store/segments'));
  return { folder, segment: path.join('.sluice/store/segments', name!) };
}

const told = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) =>
  (stdout + stderr).replaceAll(/\s+/g, ' ');

it('doctor names a segment with any flipped bit; commands that fail because of it do, too', async () => {
  const { folder, segment } = await stored();
  const whole = readFileSync(path.join(folder.root, segment));
  const damage = `${path.basename(segment)} was changed since it was written`;
  expect(told(await folder.sluice(['doctor']))).not.toContain('damaged');
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(7), async (at, bit) => {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 1 << bit;
      folder.write(segment, damaged);
      const doctor = await folder.sluice(['doctor']);
      expect([doctor.code, told(doctor)]).toEqual([2, expect.stringContaining(damage)]);
      const query = await folder.sluice(['query', 'sum(amount), count by docPath']);
      if (query.code !== 0) expect([query.code, told(query)]).toEqual([2, expect.stringContaining(damage)]);
    }),
    { numRuns: runs(160) },
  );
  // The footer and the pages of this column.
  folder.write(segment, Buffer.concat([whole.subarray(0, 4), Buffer.alloc(whole.length - 4)]));
  for (const argv of [['query', 'sum(amount)'], ['doctor'], ['store', 'forget', 'u3']])
    expect(told(await folder.sluice(argv)), argv[0]).toContain(damage);
});

it('a damaged segment is not written again under a new check sum', async () => {
  const { folder, segment } = await stored();
  const damaged = readFileSync(path.join(folder.root, segment));
  // A byte between the pages and the footer, which no statement reads.
  const footer = damaged.readUInt32LE(damaged.length - 8);
  damaged[damaged.length - 8 - footer - 1]! ^= 1;
  writeFileSync(path.join(folder.root, segment), damaged);
  const manifest = readFileSync(path.join(folder.root, '.sluice/store/manifest.json'), 'utf8');
  for (const argv of [
    ['store', 'forget', 'u3'],
    ['store', 'prune', '--before', '2024-03-01T01:00'],
  ]) {
    const { code, stdout, stderr } = await folder.sluice(argv);
    expect([code, told({ stdout, stderr })]).toEqual([2, expect.stringContaining('was changed since it was written')]);
  }
  expect(readFileSync(path.join(folder.root, '.sluice/store/manifest.json'), 'utf8')).toBe(manifest);
});

it('doctor says that segments of earlier versions are not verified', async () => {
  const { folder } = await stored();
  const manifest = path.join(folder.root, '.sluice/store/manifest.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/("segments":\[[^]*?"bytes":\d+),"check":\d+/, '$1'));
  const doctor = await folder.sluice(['doctor']);
  expect(told(doctor)).toContain('1 of its 1 segment have no check sum');
  expect(doctor.code).toBe(0);
});

it.each(['segments/', 'sources-'])(
  'a file that the system does not let be read is not said to be damaged: %s',
  async (named) => {
    const { folder } = await stored();
    const store = path.join(folder.root, '.sluice/store');
    const name = readdirSync(store, { recursive: true, encoding: 'utf8' }).find((one) => one.startsWith(named))!;
    // Root may read every file, but not a link to itself.
    rmSync(path.join(store, name));
    symlinkSync(path.basename(name), path.join(store, name));
    for (const argv of [['doctor'], ['query', 'sum(amount)'], ['store', 'stats']]) {
      const text = told(await folder.sluice(argv));
      expect(text).toContain(`cannot be read: ${name}: its links form a loop (ELOOP).`);
      expect(text).not.toContain('ingest the files again');
    }
  },
);
