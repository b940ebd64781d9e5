import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../../ask/sluice-error.ts';
import { fieldCalled } from '../../plan/mapping/field-name.ts';
import type { BackendOptions } from '../../run/clickhouse/open-clickhouse.ts';
import { demandPrivateWay, readBaseAddress } from '../../run/http/address.ts';
import { readToken } from '../config/read-token.ts';
import { readMemory, readWait } from '../config/read-wait.ts';
import type { Settings } from '../config/settings.ts';
import type { RemoteSurroundings } from './open-remote.ts';

/** Builds the options of `openClickHouse`. Throws `clickhouse-not-configured`, and errors of invalid URLs. */
export async function clickHouseOptions(
  { clickhouse, clickhousePassword, columns, user, allowHttp }: Settings,
  { env, root, trace }: Pick<RemoteSurroundings, 'env' | 'root' | 'trace'>,
): Promise<BackendOptions> {
  const { url, database, table, user: name, authority, cluster, memory, timeLimit } = clickhouse.value;
  if (url === undefined)
    throw new ConfigError('The URL of ClickHouse is not configured.', {
      code: 'clickhouse-not-configured',
      hint: 'Set `clickhouse: {url: http://localhost:8123, database: analytics, user: reader}`, or SLUICE_CLICKHOUSE_URL.',
    });
  const source = clickhousePassword.value;
  if (source && !allowHttp.value) demandPrivateWay(readBaseAddress(url), 'The password');
  return {
    url,
    database,
    table,
    user: name,
    cluster,
    password: async () =>
      source ? readToken(source, { env, cwd: root, setAs: 'clickhouse.passwordCommand in the configuration' }) : '',
    authority: authority === undefined ? undefined : await readAuthority(authority),
    memoryLimit: memory === undefined ? undefined : readMemory(memory),
    timeLimit: timeLimit === undefined ? undefined : Math.ceil((readWait(timeLimit) ?? 0) / 1000),
    newId: randomUUID,
    trace,
    userOrder: user.value,
    mapped: new Map(Object.entries(columns.value).map(([field, from]) => [columnOf(field), [from].flat()])),
  };
}

function columnOf(field: string): string {
  return fieldCalled(field)?.column ?? field;
}

async function readAuthority(file: string): Promise<Uint8Array> {
  return readFile(file).catch((cause: unknown) => {
    throw new ConfigError(`The file of clickhouse.authority cannot be read: ${file}.`, {
      code: 'bad-certificate',
      cause,
      hint: 'Correct the path; the file holds certificates in PEM.',
    });
  });
}
