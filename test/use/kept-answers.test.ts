import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDataIdentity } from '../../src/run/kept/data-identity.ts';
import { type Folder, fewEvents, folderOf } from './run-in-folder.ts';

const later = fewEvents.replaceAll('2024-03-0', '2024-02-0').replaceAll('"bob"', '"cleo"');

async function storeOf(): Promise<Folder> {
  const folder = folderOf({ 'a.ndjson': fewEvents, 'b.ndjson': later });
  expect((await folder.sluice(['ingest', 'a.ndjson'])).code).toBe(0);
  return folder;
}

const keptIn = ({ root }: Folder) => {
  try {
    return readdirSync(path.join(root, '.sluice', 'cache')).filter((name) => name.endsWith('.answer'));
  } catch {
    return [];
  }
};

async function isKept(folder: Folder, argv: readonly string[]): Promise<boolean> {
  const { stderr } = await folder.sluice([...argv, '--verbose', '-f', 'json']);
  return stderr.includes('kept since');
}

const count = ['query', 'count by eventType'];

describe('cached answers', () => {
  it('are reused, in other formats, too, and state their time', async () => {
    const folder = await storeOf();
    const first = await folder.sluice([...count, '-f', 'json']);
    expect(keptIn(folder)).toHaveLength(1);
    expect(await isKept(folder, count)).toBe(true);
    expect((await folder.sluice([...count, '-f', 'json'])).stdout).toBe(first.stdout);
    const csv = await folder.sluice([...count, '-f', 'csv']);
    expect(csv.stdout).toBe((await folder.sluice([...count, '-f', 'csv', '--no-cache'])).stdout);
    for (const format of ['chart', 'markdown', 'vega-lite']) {
      const { code, stderr } = await folder.sluice([...count, '-f', format, '--verbose']);
      expect([format, code, stderr]).toEqual([format, 0, expect.stringContaining('kept since')]);
    }
    expect(keptIn(folder)).toHaveLength(1);
  });

  it('include funnels, at any reference time, with the same figures as computed ones', async () => {
    const folder = await storeOf();
    const steps = ['funnel', 'run', '--step', '/', '--step', '/docs', '--step', '/none'];
    for (const more of [
      [],
      ['--by-entry'],
      ['--breakdown', 'TrackedEvents.eventType'],
      ['--trend', 'day'],
      ['--within', '5 minutes'],
    ]) {
      const computed = await folder.sluice([...steps, ...more, '-f', 'json', '--no-cache']);
      expect([computed.code, computed.stderr]).toEqual([0, expect.any(String)]);
      const before = keptIn(folder).length;
      expect(await folder.sluice([...steps, ...more, '-f', 'json'])).toEqual(computed);
      expect(keptIn(folder).length).toBe(before + (more[0] === '--trend' ? 0 : 1));
      expect(await folder.sluice([...steps, ...more, '-f', 'json'])).toEqual(computed);
      expect(await isKept(folder, [...steps, ...more])).toBe(more[0] !== '--trend');
    }
  });

  it.each([
    ['count by docPath', 'sum(price) by plan', 'count by visitor', 'distinct(plan) where price > 1'],
    ['Sessions.count by day', 'funnel / then /docs', 'retention by day', 'paths from /', 'stickiness by day'],
    ['avg(price), median(price), p90(price)', 'min(price) by day', 'sum(price) / count by plan', 'sum(price * price)'],
    [
      'bounceRate by week',
      'averageDurationMinutes',
      'ReturningUsers.count',
      'count by day last 2 days versus previous period',
    ],
  ])('include those on files with mapped columns: %s …', async (...lines) => {
    const rows = Array.from({ length: 20 }, (_, row) => [
      `2024-03-0${1 + (row % 4)} 10:00:0${row % 10}`,
      `u${row % 3}`,
      row % 2 ? '/' : '/docs',
      `p${row % 5}`,
      row,
    ]);
    const text = `when,visitor,page,plan,price\n${rows.map((row) => `${row.join(',')}\n`).join('')}`;
    const columns = 'columns: {utcTime: when, userAnonymousId: visitor, docPath: page, eventType: {value: pageview}}\n';
    const folder = folderOf({ 'a.csv': text, 'sluice.yaml': columns });
    expect((await folder.sluice(['ingest', 'a.csv'])).code).toBe(0);
    for (const line of lines) {
      const argv = ['query', line, '--as-of', '2024-03-05'];
      const computed = await folder.sluice([...argv, '-f', 'json', '--no-cache']);
      expect([line, computed.code, computed.stdout]).toEqual([line, 0, expect.stringContaining('{')]);
      expect(await folder.sluice([...argv, '-f', 'json'])).toEqual(computed);
      expect([line, await isKept(folder, argv)]).toEqual([line, true]);
    }
  });

  it('are neither read nor written with --no-cache, SLUICE_CACHE=false or `cache: false`', async () => {
    const folder = await storeOf();
    await folder.sluice([...count, '--no-cache']);
    await folder.sluice(count, { env: { SLUICE_CACHE: 'false' } });
    expect(keptIn(folder)).toEqual([]);
    await folder.sluice(count);
    expect(await isKept(folder, [...count, '--no-cache'])).toBe(false);
    folder.write('sluice.yaml', 'cache: false\n');
    expect(await isKept(folder, count)).toBe(false);
  });

  it('belong to one state of the store, and go with forget and prune', async () => {
    const folder = await storeOf();
    await folder.sluice(count);
    expect(await isKept(folder, count)).toBe(true);
    await folder.sluice(['ingest', 'b.ndjson']);
    expect(await isKept(folder, count)).toBe(false);
    expect(keptIn(folder)).toHaveLength(2);
    await folder.sluice(['query', 'count by userAnonymousId']);
    const ann = () =>
      keptIn(folder).some((name) =>
        readFileSync(path.join(folder.root, '.sluice', 'cache', name), 'utf8').includes('ann'),
      );
    expect(ann()).toBe(true);
    const forgotten = await folder.sluice(['store', 'forget', 'ann']);
    expect(forgotten.code).toBe(0);
    expect(keptIn(folder)).toEqual([]);
    await folder.sluice(count);
    await folder.sluice(['store', 'prune', '--before', '2024-02-07']);
    expect(keptIn(folder)).toEqual([]);
  });

  it('are computed again if damaged', async () => {
    const folder = await storeOf();
    const { stdout } = await folder.sluice([...count, '-f', 'json']);
    for (const name of keptIn(folder)) {
      const file = path.join(folder.root, '.sluice', 'cache', name);
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace(/4/g, '5'));
      expect((await folder.sluice([...count, '-f', 'json'])).stdout).toBe(stdout);
    }
    expect(await isKept(folder, count)).toBe(true);
  });

  it('have the same bytes as computed ones, for any query and zone, while the store changes', async () => {
    const folder = await storeOf();
    let ingested = false;
    const question = fc.record({
      measures: fc.constantFrom('count', 'uniqueUsersCount', 'count, uniqueUsersCount'),
      by: fc.constantFrom('', ' by eventType', ' by docPath', ' by userAnonymousId'),
      unit: fc.constantFrom('', ' hour', ' day', ' week'),
      range: fc.constantFrom('', ' last 7 days', ' this week', ' this month', ' 2024-03-06', ' last 2 months'),
      zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Chatham'),
      format: fc.constantFrom('json', 'csv', 'markdown'),
      more: fc.constantFrom([], ['--limit', '2'], ['--limit', '2', '--offset', '1'], ['--total'], ['--fill', 'all']),
      ingest: fc.nat({ max: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(question, async ({ measures, by, unit, range, zone, format, more, ingest }) => {
        if (ingest === 0 && !ingested) {
          ingested = true;
          await folder.sluice(['ingest', 'b.ndjson', '--quiet']);
        }
        const asked = unit === '' || range === '' ? '' : unit;
        const argv = ['query', `${measures}${by}${asked}${range}`, '--timezone', zone, '-f', format, ...more];
        const plain = await folder.sluice([...argv, '--no-cache']);
        expect(await folder.sluice(argv)).toEqual(plain);
        expect(await folder.sluice(argv)).toEqual(plain);
      }),
      { seed: 22, numRuns: 40 },
    );
    expect(keptIn(folder).length).toBeGreaterThan(10);
  });
});

describe('the identity of files', () => {
  it('changes with every write, also of the same size and time', async () => {
    const folder = folderOf({ 'a.ndjson': fewEvents });
    const file = path.join(folder.root, 'a.ndjson');
    const places = { events: [path.join(folder.root, '*.ndjson')], store: undefined, now: () => Date.now() + 60_000 };
    const identity = openDataIdentity(places);
    const before = await identity();
    expect(before?.isSettled).toBe(true);
    expect((await identity())?.text).toBe(before?.text);
    const { atime, mtime } = statSync(file);
    // The clock of the file system may be coarse.
    await new Promise((resolve) => setTimeout(resolve, 30));
    writeFileSync(file, fewEvents.replace('"ann"', '"bob"'));
    utimesSync(file, atime, mtime);
    expect((await identity())?.text).not.toBe(before?.text);
    folder.write('b.ndjson', later);
    expect((await identity())?.files).toContain('b.ndjson');
  });

  it('is unsettled right after a write, and unknown for addresses, archives and missing files', async () => {
    const folder = folderOf({ 'a.ndjson': fewEvents, 'b.zip': 'x' });
    const of = (name: string) =>
      openDataIdentity({ events: [path.join(folder.root, name)], store: undefined, now: Date.now })();
    expect((await of('a.ndjson'))?.isSettled).toBe(false);
    expect(await of('b.zip')).toBeUndefined();
    expect(await of('missing.ndjson')).toBeUndefined();
    expect(
      await openDataIdentity({ events: ['https://example.com/a.csv'], store: undefined, now: Date.now })(),
    ).toBeUndefined();
  });
});
