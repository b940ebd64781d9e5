import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { fieldCalled } from '../../plan/mapping/field-name.ts';
import type { BackendOptions } from '../../run/clickhouse/open-clickhouse.ts';
import { demandPrivateWay, readBaseAddress } from '../../run/http/address.ts';
import { readToken } from '../config/read-token.ts';
import { readMemory, readWait } from '../config/read-wait.ts';
import type { Settings } from '../config/settings.ts';
import type { RemoteSurroundings } from './open-remote.ts';

/**
 * What `openClickHouse` takes. Errors: `clickhouse-not-configured`, `not-on-clickhouse` for a mapping that is no name
 * of a column, and those of an address that cannot be used.
 */
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
    mapped: new Map(Object.entries(columns.value).map(([field, from]) => [columnOf(field), columnNamed(field, from)])),
  };
}

function columnOf(field: string): string {
  return fieldCalled(field)?.column ?? field;
}

function columnNamed(field: string, source: Settings['columns']['value'][string]): string {
  if (typeof source === 'string' && !source.startsWith('$')) return source;
  if (typeof source === 'object' && 'column' in source && Object.keys(source).length === 1) return source.column;
  throw new ConfigError(`The mapping of ${quote(field)} cannot be used on ClickHouse: only names of columns can.`, {
    code: 'not-on-clickhouse',
    hint: 'Create a view on the server that has the column, and name the view as clickhouse.table.',
  });
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
