import cubejs, { type CubeApi, type Query as CubeQuery } from '@cubejs-client/core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../../src/use/index.ts';
import { fewEvents } from '../run-in-folder.ts';
import { servedOnce } from './open-served.ts';

const perDay = (dateRange: unknown, measure = 'count'): CubeQuery => ({
  measures: [`TrackedEvents.${measure}`],
  timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange }] as never,
});

describe("Cube's client with the server", () => {
  const served = servedOnce({ 'events.ndjson': fewEvents }, { continueWait: 1, token: 'token-of-the-client' });
  let client: CubeApi;
  beforeAll(() => {
    client = cubejs('token-of-the-client', { apiUrl: `${served().server.url}/cubejs-api/v1` });
  });

  it('loads the rows of the library after a "Continue wait"', async () => {
    const query = {
      measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
      dimensions: ['TrackedEvents.docPath'],
      order: { 'TrackedEvents.docPath': 'asc' },
    };
    const waits: unknown[] = [];
    const set = await client.load(query as CubeQuery, { progressCallback: (progress) => waits.push(progress) });
    const result = await served().sluice.query(query as Query);
    expect(waits).toHaveLength(1);
    expect(set.tablePivot()).toEqual(
      result
        .rows()
        .map((row) =>
          Object.fromEntries(Object.entries(row).map(([key, value]) => [key, value === null ? null : String(value)])),
        ),
    );
    expect(set.annotation().measures['TrackedEvents.count']).toMatchObject({ shortTitle: 'Count', type: 'number' });
  });

  it.each(['compact', 'columnar'] as const)('reads the %s format', async (format) => {
    const query = { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.docPath'] };
    const [plain, packed] = [
      await client.load(query),
      await client.load(query, undefined, undefined, format as 'compact'),
    ];
    expect(packed.rawData()).toEqual(plain.rawData());
  });

  it('pivots a series, and fills its days itself', async () => {
    const set = await client.load(perDay(['2024-03-05', '2024-03-08']));
    expect(set.chartPivot().map((point) => [point.x, point['TrackedEvents.count']])).toEqual([
      ['2024-03-05T00:00:00.000', 0],
      ['2024-03-06T00:00:00.000', 3],
      ['2024-03-07T00:00:00.000', 2],
      ['2024-03-08T00:00:00.000', 0],
    ]);
    expect(set.seriesNames().map(({ key }) => key)).toEqual(['TrackedEvents.count']);
  });

  it('compares ranges', async () => {
    const set = await client.load({
      measures: ['TrackedEvents.count'],
      timeDimensions: [
        {
          dimension: 'TrackedEvents.utcTime',
          granularity: 'day',
          compareDateRange: [
            ['2024-03-06', '2024-03-06'],
            ['2024-03-07', '2024-03-07'],
          ],
        },
      ],
    });
    expect(set.decompose().map((part) => part.rawData().map((row) => row['TrackedEvents.count']))).toEqual([
      ['3'],
      ['2'],
    ]);
    expect(set.seriesNames().map(({ key }) => key)).toEqual([
      '2024-03-06T00:00:00.000 - 2024-03-06T23:59:59.999,TrackedEvents.count',
      '2024-03-07T00:00:00.000 - 2024-03-07T23:59:59.999,TrackedEvents.count',
    ]);
  });

  it('blends queries', async () => {
    const set = await client.load([
      perDay(['2024-03-06', '2024-03-07']),
      perDay(['2024-03-06', '2024-03-07'], 'uniqueUsersCount'),
    ]);
    expect(
      set.chartPivot().map((point) => [point['TrackedEvents.count'], point['TrackedEvents.uniqueUsersCount']]),
    ).toEqual([
      [3, 2],
      [2, 1],
    ]);
  });

  it('requests the total', async () => {
    const set = await client.load({
      measures: ['TrackedEvents.count'],
      dimensions: ['TrackedEvents.docPath'],
      limit: 1,
      total: true,
    });
    expect([set.rawData().length, set.totalRows()]).toEqual([1, 2]);
  });

  it('reads metadata, how a query is understood, and the SQL', async () => {
    const meta = await client.meta();
    expect(meta.resolveMember('TrackedEvents.count', 'measures')).toMatchObject({ title: 'Tracked Events Count' });
    expect(meta.defaultTimeDimensionNameFor('TrackedEvents.count')).toMatch(/^TrackedEvents\./);
    expect((await client.dryRun(perDay('yesterday'))).normalizedQueries[0]!.timeDimensions).toMatchObject([
      { dateRange: ['2024-03-07T00:00:00.000', '2024-03-07T23:59:59.999'] },
    ]);
    expect((await client.sql(perDay('yesterday'))).sql()).toContain('SELECT');
  });

  it('gets mistakes and a refused token as errors', async () => {
    await expect(client.load({ measures: ['TrackedEvents.cuont'] })).rejects.toThrow(
      'Did you mean "TrackedEvents.count"?',
    );
    await expect(
      cubejs('wrong', { apiUrl: `${served().server.url}/cubejs-api/v1` }).load(perDay('today')),
    ).rejects.toThrow('Invalid token');
  });
});
