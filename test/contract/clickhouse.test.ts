import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sluice } from '../../src/use/index.ts';
import { fillTable } from '../clickhouse/fill-table.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from '../clickhouse/open-clickhouse.ts';
import { spreadOverTwoShards } from '../clickhouse/two-shards.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { contractNow } from './contract-events.ts';
import { describeLocalContract } from './contract-local.ts';
import { describeContract, type OpenContract } from './contract.ts';
import type { ExportedEvent } from './exported-events.ts';

const folder = openFolder();
afterAll(() => folder.remove());

describe.skipIf(noClickHouse)(onClickHouse('a ClickHouse server'), () => {
  let server: TestServer | undefined;
  let databases = 0;
  beforeAll(async () => {
    server = await openClickHouseServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const openTable: OpenContract = async (events) => openIn(await filled(events), 'events');
  const openShards: OpenContract = async (events) => {
    const database = await filled(events);
    return openIn(database, await spreadOverTwoShards(server!, database));
  };

  async function filled(events: readonly ExportedEvent[]): Promise<string> {
    const database = `contract_${(databases += 1)}`;
    await fillTable(server!, database, events);
    return database;
  }

  function openIn(database: string, table: string): Promise<Sluice> {
    folder.write(
      'sluice.yaml',
      `backend: clickhouse\nclickhouse: {url: '${server!.url}', database: ${database}, table: ${table}}\n`,
    );
    return open({
      workspace: folder.root,
      env: { SLUICE_CLICKHOUSE_PASSWORD: server!.password },
      now: () => contractNow,
    });
  }

  describeContract('ClickHouse', openTable);
  describeLocalContract('ClickHouse', openTable, { tellsEmptyText: true, tellsRepeats: false });
  if (!process.env['CLICKHOUSE_URL']) {
    describeContract('ClickHouse with two shards', openShards);
    describeLocalContract('ClickHouse with two shards', openShards, { tellsEmptyText: true, tellsRepeats: false });
  }

  it('says that dates without times tell no durations and hours', async () => {
    const ask = async (times: readonly string[], asked: readonly string[], timezone = 'UTC') => {
      await using over = await openTable(times.map((utcTime) => ({ utcTime, sessionId: 's', docPath: '/' })));
      const said = [];
      for (const one of asked)
        said.push((await over.query(one, { asOf: contractNow, timezone })).provenance.lacking ?? []);
      return said.map((each) => each.some((text) => text.includes('dates without times')));
    };
    const lines = ['Sessions.averageDurationMinutes', 'count by hour', 'count by day'];
    const dates = ['2024-03-01T00:00:00.000', '2024-03-02T00:00:00.000'];
    expect(await ask(dates, lines)).toEqual([true, true, false]);
    expect(await ask([...dates, '2024-03-02T00:00:00.001'], lines)).toEqual([false, false, false]);
    // Midnights of a zone in winter and summer.
    const local = ['2024-02-29T23:00:00.000', '2024-07-01T22:00:00.000'];
    expect(await ask(local, lines, 'Europe/Berlin')).toEqual([true, true, false]);
    expect(await ask(local, lines)).toEqual([false, false, false]);
  });
});
