import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AbortedError,
  ConfigError,
  InvalidInputError,
  open,
  pivot,
  query,
  share,
  type Sluice,
  totals,
  withOther,
} from '../../src/use/index.ts';
import { fewEvents, now, openFolder, type Folder } from './run-in-folder.ts';

describe('open', () => {
  let folder: Folder;
  let sluice: Sluice;

  beforeAll(async () => {
    folder = openFolder({
      'events.ndjson': fewEvents,
      'queries/total.yaml': 'query: {measures: [TrackedEvents.count]}\n',
    });
    sluice = await open({ workspace: folder.root, events: 'events.ndjson', env: {}, now: () => now });
  });
  afterAll(async () => {
    await sluice[Symbol.asyncDispose]();
    folder.remove();
  });

  it('answers a query, a builder, a line and the name of a saved query equally', async () => {
    const expected = [{ 'TrackedEvents.count': 5 }];
    for (const asked of [
      { measures: ['TrackedEvents.count'] },
      query().measures('TrackedEvents.count'),
      'count',
      'total',
    ]) {
      expect((await sluice.query(asked)).rows()).toEqual(expected);
    }
  });

  it('gives equal queries one hash, however they are written', async () => {
    const hashes = await Promise.all(
      [{ measures: ['TrackedEvents.count'], filters: [] }, 'count', 'total'].map(
        async (asked) => (await sluice.query(asked)).provenance.queryHash,
      ),
    );
    expect(new Set(hashes).size).toBe(1);
    expect((await sluice.query('pageViewsCount')).provenance.queryHash).not.toBe(hashes[0]);
  });

  it('arranges a result', async () => {
    const result = await sluice.query('count by eventType');
    const counts = result.rows().map((row) => Number(row['TrackedEvents.count']));
    expect(counts.length).toBeGreaterThan(1);
    const shares = share(result)
      .rows()
      .map((row) => Number(row['TrackedEvents.count.share']));
    counts.forEach((count, row) => expect(shares[row]).toBeCloseTo((100 * count) / 5));
    expect(totals(result).rows()).toEqual([{ 'TrackedEvents.count': 5 }]);
    expect(withOther(result, 1).rows()).toEqual([
      result.rows()[0],
      { 'TrackedEvents.eventType': 'Other', 'TrackedEvents.count': 5 - counts[0]! },
    ]);
    const shape = { rows: [], columns: 'TrackedEvents.eventType', values: ['TrackedEvents.count'] };
    expect(Object.values(pivot(result, shape).rows()[0]!).map(Number).sort()).toEqual(counts.sort());
  });

  it('stacks the ranges of a comparison', async () => {
    const rows = (await sluice.query('count compare 2024-03-06 with 2024-03-07')).rows();
    expect(rows).toEqual([
      { compareDateRange: '2024-03-06T00:00:00.000 - 2024-03-06T23:59:59.999', 'TrackedEvents.count': 3 },
      { compareDateRange: '2024-03-07T00:00:00.000 - 2024-03-07T23:59:59.999', 'TrackedEvents.count': 2 },
    ]);
  });

  it('accepts a reference time for a query', async () => {
    expect((await sluice.query('count yesterday', { asOf: Date.parse('2024-03-07T05:00:00Z') })).rows()).toEqual([
      { 'TrackedEvents.count': 3 },
    ]);
  });

  it('puts warnings into the notes of the result', async () => {
    const { provenance } = await sluice.query({
      measures: ['TrackedEvents.count'],
      order: { 'TrackedEvents.docPath': 'asc' },
    });
    expect(provenance.notes.join()).toContain('docPath');
  });

  it('throws the mistakes as text, with the issues as data', async () => {
    const error = await sluice.query('cuont').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toMatch(/\^{5}/);
    expect((error as InvalidInputError).issues).toMatchObject([{ code: 'unknown-member', span: { column: 1 } }]);
    await expect(open({ workspace: folder.root, env: {}, fill: 'some' })).rejects.toThrow(ConfigError);
    await expect(open({ workspace: folder.root, env: {}, model: 'gone.yaml' })).rejects.toMatchObject({
      code: 'model-not-found',
    });
  });

  it('stops when its signal fires', async () => {
    await expect(sluice.query('count', { signal: AbortSignal.abort() })).rejects.toThrow(AbortedError);
  });

  it('answers a custom model', async () => {
    folder.write(
      'shop.yaml',
      'cubes:\n  - name: Orders\n    sql_table: orders\n    measures: [{name: total, type: sum, sql: amount}]\n    dimensions: [{name: city, sql: city, type: string}]\n',
    );
    folder.write('orders.csv', 'city,amount\nBonn,2.5\nBonn,1\nRom,4\n');
    await using shop = await open({
      workspace: folder.root,
      env: {},
      model: 'shop.yaml',
      tables: { orders: 'orders.csv' },
    });
    expect((await shop.query('total by city')).rows()).toEqual([
      { 'Orders.city': 'Rom', 'Orders.total': 4 },
      { 'Orders.city': 'Bonn', 'Orders.total': 3.5 },
    ]);
  });
});
