import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import type { Cube } from '../../../src/plan/model/model.ts';
import type { Backend } from '../../../src/run/backend.ts';
import { openCube } from '../../../src/run/cube/open-cube.ts';
import { openEmbedded } from '../../../src/run/duckdb/answer/open-embedded.ts';
import { toExportQuery } from '../../../src/run/export/rows/export-query.ts';
import { toExportSource } from '../../../src/run/export/to-export-source.ts';
import { openHttp } from '../../../src/run/http/open-http.ts';
import { serve } from '../../contract/served.ts';
import { openFakeClock } from '../http/fake-clock.ts';
import { exportAll, september } from './export-world.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const events = Array.from({ length: 400 }, (_, index) => ({
  utcTime: new Date(september.start + ((index * 7_654_321) % (3 * 86_400_000))).toISOString(),
  userAnonymousId: index % 9 === 0 ? null : `user-${index % 20}`,
  docPath: ['/', '/a"b', '},{"TrackedEvents.utcTime":', '\\', 'ä🙂'][index % 5],
  eventType: 'pageview',
  localTzOffset: index % 3 === 0 ? null : -60.5,
}));
const file = path.join(folder, 'events.ndjson');
writeFileSync(file, [...events, ...events.slice(0, 50)].map((event) => JSON.stringify(event)).join('\n'));

/** The text of all windows of three days. */
async function exported(backend: Backend, limit: number): Promise<string> {
  const source = toExportSource(backend, toExportQuery(builtInModel), {
    now: september.end,
    limit,
  });
  const all = await exportAll(
    { source, clock: openFakeClock() },
    { start: september.start, end: september.start + 3 * 86_400_000 },
  );
  expect(all.every(({ fetched }) => fetched.settled)).toBe(true);
  return all.map(({ text }) => text).join('');
}

describe('an export', () => {
  it('has the same bytes whether a server writes the rows, or the engine, or sluice itself', async () => {
    await using embedded = await openEmbedded({ events: [file], workingDirectory: folder });
    await using served = await serve({ events: [file], workspace: folder, env: {} });
    const http = openHttp({ url: `${served.url}/cubejs-api/v1`, clock: openFakeClock(), random: () => 0.5 });
    await using cube = await openCube({ http, url: `${served.url}/cubejs-api/v1`, clock: openFakeClock() });
    const texts = [
      await exported(embedded, 1_000),
      await exported({ ...embedded, runJson: async () => undefined }, 1_000),
      await exported(cube, 1_000),
      await exported(cube, 70),
    ];
    expect(texts[0]!.split('\n')).toHaveLength(401);
    expect(texts.slice(1).every((text) => text === texts[0])).toBe(true);
  });
});

describe('what is exported', () => {
  it('is by default all of the cube that is not computed from the rest, its time first, and how many events each row stands for last', () => {
    const { rows, columns, count, time, missing } = toExportQuery(builtInModel);
    const all = builtInModel.cubes
      .find(({ name }) => name === 'TrackedEvents')!
      .dimensions.filter((dimension) => dimension.public && !dimension.local)
      .map(({ name }) => `TrackedEvents.${name}`);
    expect([...(rows.dimensions ?? [])].toSorted()).toEqual(all.toSorted());
    expect([rows.dimensions?.[0], time, count, missing]).toEqual([
      'TrackedEvents.utcTime',
      'TrackedEvents.utcTime',
      'TrackedEvents.count',
      [],
    ]);
    expect(rows.order?.map(([member]) => member)).toEqual(rows.dimensions);
    expect(columns.at(-1)).toEqual({ key: 'TrackedEvents.count', type: 'count' });
  });

  it('always has the time and the users, unless they are left out, and tells what it lacks', () => {
    expect(toExportQuery(builtInModel, { dimensions: ['docPath'] }).rows.dimensions).toEqual([
      'TrackedEvents.utcTime',
      'TrackedEvents.userAnonymousId',
      'TrackedEvents.docPath',
    ]);
    const without = toExportQuery(builtInModel, {
      dimensions: ['docPath'],
      without: ['utcTime', 'TrackedEvents.userAnonymousId'],
    });
    expect(without.rows.dimensions).toEqual(['TrackedEvents.docPath']);
    expect(without.missing).toEqual(['TrackedEvents.utcTime', 'TrackedEvents.userAnonymousId']);
  });

  it('has a hash of its own for other rows, and one for the same', () => {
    const hashes = [
      {},
      { dimensions: ['docPath'] },
      { dimensions: ['docPath', 'eventType'] },
      { segments: ['bots'] },
    ].map((selection) => toExportQuery(builtInModel, selection).hash);
    expect(new Set(hashes).size).toBe(4);
    expect(toExportQuery(builtInModel, { dimensions: ['TrackedEvents.docPath'] }).hash).toBe(hashes[1]);
  });

  it('works for any cube that counts its rows and has a time', () => {
    expect(toExportQuery(builtInModel, { cube: 'Sessions' })).toMatchObject({
      time: 'Sessions.startAt',
      count: 'Sessions.count',
    });
  });

  it.each<[string, Partial<Cube>]>([
    ['time', { timeMember: undefined }],
    ['measure that counts its rows', { measures: [] }],
  ])('cannot be a cube without a %s', (what, lacking) => {
    const model = { cubes: builtInModel.cubes.map((cube) => ({ ...cube, ...lacking })) };
    expect(() => toExportQuery(model)).toThrow(
      expect.objectContaining({
        code: 'cube-not-exportable',
        message: expect.stringContaining(what) as string,
      }) as Error,
    );
  });

  it.each([
    [{ cube: 'Nothing' }, 'cube-unknown'],
    [{ dimensions: ['docPaht'] }, 'invalid-input'],
    [{ without: ['nothing'] }, 'member-not-selected'],
    [
      {
        filters: [
          { member: 'TrackedEvents.utcTime', operator: 'inDateRange' as const, values: ['2026-01-01', '2026-01-02'] },
        ],
      },
      'time-in-filter',
    ],
    [
      { filters: [{ or: [{ member: 'TrackedEvents.count', operator: 'gt' as const, values: ['1'] }] }] },
      'time-in-filter',
    ],
  ])('cannot be %j', (selection, code) => {
    expect(() => toExportQuery(builtInModel, selection)).toThrow(expect.objectContaining({ code }) as Error);
  });
});
