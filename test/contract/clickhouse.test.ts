import { afterAll, beforeAll, describe } from 'vitest';
import { open } from '../../src/use/index.ts';
import { fillTable } from '../clickhouse/fill-table.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from '../clickhouse/open-clickhouse.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { contractNow } from './contract-events.ts';
import { describeLocalContract } from './contract-local.ts';
import { describeContract, type OpenContract } from './contract.ts';

const folder = openFolder();
afterAll(() => folder.remove());

describe.skipIf(noClickHouse)(onClickHouse('a ClickHouse server'), () => {
  let server: TestServer | undefined;
  let databases = 0;
  beforeAll(async () => {
    server = await openClickHouseServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const openTable: OpenContract = async (events) => {
    const database = `contract_${(databases += 1)}`;
    await fillTable(server!, database, events);
    folder.write('sluice.yaml', `backend: clickhouse\nclickhouse: {url: '${server!.url}', database: ${database}}\n`);
    return open({
      workspace: folder.root,
      env: { SLUICE_CLICKHOUSE_PASSWORD: server!.password },
      now: () => contractNow,
    });
  };
  describeContract('ClickHouse', openTable);
  describeLocalContract('ClickHouse', openTable, { tellsEmptyText: true });
});
