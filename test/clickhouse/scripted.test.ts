import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sluice } from '../../src/use/index.ts';
import { exitCodes } from '../../src/use/process/exit-code.ts';
import { exitCodeOf } from '../../src/use/process/report-error.ts';
import { loopbackCertificate, loopbackKey } from '../run/http/loopback-certificate.ts';
import { openFolder } from '../use/run-in-folder.ts';

/** Failures of a real server that the chdb server cannot show: it dies or runs out of memory after it has sent rows. */

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** A block of texts and numbers in ClickHouse's Native format; names and texts are short. */
function block(columns: readonly (readonly [name: string, values: readonly (string | bigint)[]])[], rows?: number) {
  const data = columns.flatMap(([name, values]) => [
    text(name),
    text(typeof values[0] === 'bigint' ? 'UInt64' : 'String'),
    ...values.map((value) => {
      if (typeof value === 'string') return text(value);
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(value);
      return bytes;
    }),
  ]);
  return Buffer.concat([Buffer.from([columns.length, rows ?? columns[0]![1].length]), ...data]);
}

type Answer = (response: ServerResponse) => void;

describe('a scripted ClickHouse server', () => {
  const folder = openFolder();
  const asked: string[] = [];
  const requests: { readonly statement: string; readonly search: URLSearchParams; readonly login: string }[] = [];
  let answer: Answer = () => undefined;
  let version = '26.7.2.1';
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', 'http://localhost');
    const statement = `${url.searchParams.get('query') ?? ''}${Buffer.concat(chunks).toString()}`;
    asked.push(statement);
    const [, login = ''] = request.headers.authorization?.split(' ') ?? [];
    requests.push({ statement, search: url.searchParams, login: Buffer.from(login, 'base64').toString() });
    if (/getSetting/.test(statement) && version.startsWith('20.')) return refusal(46, 'Unknown function')(response);
    if (/^SELECT version\(\)\n/.test(statement)) return response.end(block([['v', [version]]]));
    if (/^SELECT version\(\)/.test(statement))
      return response.end(
        block([
          ['v', [version]],
          ['r', ['0']],
          ['j', ['1']],
        ]),
      );
    if (/^DESCRIBE TABLE/.test(statement))
      return response.end(
        block([
          ['name', ['utc_time', 'event_type', 'user_id', 'load']],
          ['type', ["DateTime64(6, 'UTC')", 'Nullable(String)', 'Nullable(String)', 'String']],
        ]),
      );
    if (/^KILL QUERY/.test(statement)) return response.end();
    if (/TrackedEvents·count/.test(statement)) return answer(response);
    return response.end(block([['one', [1n]]]));
  };
  const server = createServer((request, response) => void reply(request, response).catch(() => response.destroy()));
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    folder.remove();
  });

  async function ask(given: Answer, signal?: AbortSignal): Promise<unknown> {
    answer = given;
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    folder.write('sluice.yaml', `clickhouse: {url: 'http://127.0.0.1:${port}', database: d}\n`);
    await using sluice: Sluice = await open({
      workspace: folder.root,
      backend: 'clickhouse',
      env: { SLUICE_CLICKHOUSE_PASSWORD: 'very-secret' },
      onNote: () => undefined,
    });
    return await sluice.query('count', { ...(signal && { signal }) }).then(
      (result) => result.rows(),
      (error: unknown) => error,
    );
  }

  const rows = block([['TrackedEvents·count', [3n]]]);
  const refusal =
    (code: number, message: string): Answer =>
    (response) => {
      response.writeHead(500, { 'x-clickhouse-exception-code': String(code) });
      response.end(`Code: ${code}. DB::Exception: ${message} (very-secret). (SOME_CODE) (version 26.7)\n`);
    };

  it('answers if nothing fails', async () => {
    expect(await ask((response) => response.end(rows))).toEqual([{ 'TrackedEvents.count': 3 }]);
  });

  it.each<readonly [string, Answer, string, number]>([
    ['dies before its answer', (response) => response.destroy(), 'service-unreachable', exitCodes.remote],
    [
      'dies in the middle of its rows',
      (response) => {
        response.write(block([['TrackedEvents·count', [3n]]], 9));
        setTimeout(() => response.destroy(), 20);
      },
      'service-unreachable',
      exitCodes.remote,
    ],
    [
      'ends in the middle of its rows',
      (response) => response.end(block([['TrackedEvents·count', [3n]]], 9)),
      'answer-cut-off',
      exitCodes.remote,
    ],
    [
      'runs out of memory behind rows that it has sent',
      (response) =>
        response.end(
          Buffer.concat([
            rows,
            Buffer.from('Code: 241. DB::Exception: Memory limit (for query) exceeded. (MEMORY_LIMIT_EXCEEDED)'),
          ]),
        ),
      'out-of-memory',
      exitCodes.failed,
    ],
    ['takes too much memory', refusal(241, 'Memory limit exceeded'), 'out-of-memory', exitCodes.failed],
    ['takes too long', refusal(159, 'Timeout exceeded'), 'timed-out', exitCodes.remote],
    ['has too many statements', refusal(202, 'Too many simultaneous queries'), 'server-overloaded', exitCodes.remote],
    ['stops a statement', refusal(394, 'Query was cancelled'), 'server-error', exitCodes.remote],
    ['has a password that changed', refusal(516, 'Authentication failed'), 'token-refused', exitCodes.authentication],
    ['lacks a table', refusal(60, 'Table d.events does not exist'), 'table-not-found', exitCodes.wrongInput],
    ['lacks a column', refusal(47, 'Unknown identifier'), 'sql-refused', exitCodes.wrongInput],
    [
      'sends a page instead of rows',
      (response) => response.end('<html>proxy</html>'),
      'answer-cut-off',
      exitCodes.remote,
    ],
  ])('%s: one error, no rows, no secret', async (_, given, code, exit) => {
    const error = (await ask(given)) as Error & { readonly code: string; readonly hint: string };
    expect([error.code, exitCodeOf(error)]).toEqual([code, exit]);
    expect(error.hint).not.toBe('');
    expect(`${error.message} ${error.hint} ${String(error.cause)}`).not.toContain('very-secret');
  });

  it.each([
    ['20.3.1.1', 'ClickHouse 20.3.1.1 at 127.0.0.1'],
    ['24.2.9.9', 'too old: sluice needs 24.3 or later'],
    ['25.8.1.1', 'ClickHouse 25.8.1.1 at 127.0.0.1'],
  ])('of version %s: unsupported functions are reported by version', async (older, message) => {
    version = older;
    try {
      const error = await ask(refusal(46, 'Unknown function that_is_new'));
      expect(error).toMatchObject({ code: 'server-too-old', hint: expect.stringContaining('26.7') });
      expect((error as Error).message).toContain(message);
      if (!older.startsWith('25.')) return;
      expect((error as Error).message).toContain('that_is_new');
      expect(await ask((response) => response.end(rows))).toEqual([{ 'TrackedEvents.count': 3 }]);
      expect(await ask(refusal(153, 'Division by zero'))).toMatchObject({ code: 'sql-refused' });
    } finally {
      version = '26.7.2.1';
    }
  });

  it('gets a KILL QUERY for an abandoned statement', async () => {
    const controller = new AbortController();
    asked.length = 0;
    const error = await ask(() => controller.abort(), controller.signal);
    expect(error).toMatchObject({ code: 'aborted' });
    await expect.poll(() => asked.some((statement) => statement.startsWith('KILL QUERY'))).toBe(true);
  });

  const secure = createSecureServer(
    { key: loopbackKey, cert: loopbackCertificate },
    (request, response) => void reply(request, response).catch(() => response.destroy()),
  );
  beforeAll(() => new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    secure.closeAllConnections();
    secure.close();
  });
  const urlOf = (of: { address(): unknown }, scheme = 'http') =>
    `${scheme}://127.0.0.1:${(of.address() as AddressInfo).port}`;

  /** The rows, or the error, of a query under these settings. */
  async function askWith(
    settings: object,
    {
      question = 'count',
      env = {},
    }: { readonly question?: string; readonly env?: Readonly<Record<string, string>> } = {},
  ) {
    answer = (response) => response.end(rows);
    requests.length = 0;
    folder.write(
      'sluice.yaml',
      `clickhouse: ${JSON.stringify({ url: urlOf(server), database: 'd', user: 'reader', ...settings })}\n`,
    );
    await using sluice = await open({ workspace: folder.root, backend: 'clickhouse', env, onNote: () => undefined });
    return await sluice.query(question).then(
      (result) => ({ rows: result.rows(), queryId: result.provenance.queryId }),
      (error: { readonly code: string; readonly message: string; readonly hint: string }) => error,
    );
  }
  const counted = { rows: [{ 'TrackedEvents.count': 3 }] };
  const countRequest = () => requests.find(({ statement }) => /TrackedEvents·count/.test(statement))!;

  it('gets the password from the environment, a file, or a command', async () => {
    folder.write('secret', 'of a file\n');
    const own = { SLUICE_CLICKHOUSE_PASSWORD: 'of the environment' };
    expect(await askWith({}, { env: own })).toMatchObject(counted);
    expect(countRequest().login).toBe('reader:of the environment');
    expect(await askWith({ passwordFile: 'secret' })).toMatchObject(counted);
    expect(countRequest().login).toBe('reader:of a file');
    expect(await askWith({ passwordCommand: 'echo of a command' })).toMatchObject(counted);
    expect(countRequest().login).toBe('reader:of a command');
    expect(await askWith({ passwordCommand: 'exit 3' })).toMatchObject({ code: expect.stringMatching(/./) });
    expect(requests).toEqual([]);
  });

  it('is queried over TLS if a trusted authority signed its certificate', async () => {
    const url = urlOf(secure, 'https');
    folder.write('authority.pem', loopbackCertificate);
    expect(await askWith({ url, authority: 'authority.pem' })).toMatchObject(counted);
    expect(await askWith({ url })).toMatchObject({ code: 'service-unreachable', message: /certificate/ });
    expect(requests).toEqual([]);
    expect(await askWith({ url, authority: 'nowhere.pem' })).toMatchObject({ code: 'bad-certificate' });
  });

  it('gets limits of memory and time, the query ID, and values separate from the text', async () => {
    const found = await askWith(
      { memory: '512MB', timeLimit: '90s' },
      { question: `count where eventType = "x'); DROP TABLE d.events --"` },
    );
    const { statement, search } = countRequest();
    expect(Number(search.get('max_memory_usage'))).toBeGreaterThan(500_000_000);
    expect(search.get('max_execution_time')).toBe('90');
    expect(found).toMatchObject({ ...counted, queryId: search.get('query_id') });
    expect(statement).toMatch(/\{p1:/);
    expect(statement).not.toContain('DROP TABLE');
    expect(search.get('param_p1')).toContain('DROP TABLE');
  });

  it('has its statements shown by --verbose, with values and without the password', async () => {
    answer = refusal(241, 'Memory limit exceeded');
    folder.write('sluice.yaml', `clickhouse: {url: '${urlOf(server)}', database: d}\n`);
    const asking = ['query', 'count where eventType = purchase', '--backend', 'clickhouse'];
    const env = { SLUICE_CLICKHOUSE_PASSWORD: 'very-secret' };
    const quiet = await folder.sluice(asking, { env });
    expect(quiet.stderr).not.toContain('SELECT');
    const told = await folder.sluice([...asking, '--verbose'], { env });
    expect([quiet.code, told.code]).toEqual([exitCodes.failed, exitCodes.failed]);
    expect(told.stderr).toMatch(/ClickHouse 127\.0\.0\.1:\d+\/d, query [0-9a-f-]{36}:/);
    expect(told.stderr).toMatch(/FROM [^]*p1 = "?purchase/);
    expect(told.stderr + quiet.stderr).not.toContain('very-secret');
  });

  it('of a cluster gets replicated tables, and a distributed one over them', async () => {
    folder.write('sluice.yaml', `clickhouse: {url: '${urlOf(server)}', database: d, cluster: main}\n`);
    await using sluice = await open({ workspace: folder.root, env: {}, onNote: () => undefined });
    const statements = await sluice.clickhouse.init();
    expect(statements.every((statement) => statement.includes('ON CLUSTER `main`'))).toBe(true);
    const tables = statements.filter((statement) => /^CREATE TABLE/.test(statement));
    expect(tables[0]).toMatch(/`events_local`[^]*ENGINE = ReplicatedMergeTree\('[^']*\{shard\}[^']*', '\{replica\}'\)/);
    expect(tables[1]).toMatch(/`events`[^]*ENGINE = Distributed\(`main`, `d`, `events_local`, user_hash\)/);
  });

  it('of a cluster gets events that its servers have stored before they are counted, and reports missing ones', async () => {
    folder.write('sluice.yaml', `store: store\nclickhouse: {url: '${urlOf(server)}', database: d, cluster: main}\n`);
    folder.write('one.ndjson', '{"utcTime":"2024-03-01T10:00:00Z","eventType":"pageview","userAnonymousId":"u"}\n');
    await using sluice = await open({ workspace: folder.root, env: {}, onNote: () => undefined });
    await sluice.ingest('one.ndjson');
    requests.length = 0;
    await expect(sluice.clickhouse.load()).rejects.toMatchObject({ code: 'incomplete-answer' });
    const { search } = requests.find(({ statement }) => statement.startsWith('INSERT INTO `d`.`events`'))!;
    expect(search.get('distributed_foreground_insert')).toBe('1');
    expect(search.get('async_insert')).toBe('0');
  });
});
