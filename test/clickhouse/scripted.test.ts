import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sluice } from '../../src/use/index.ts';
import { exitCodes } from '../../src/use/process/exit-code.ts';
import { exitCodeOf } from '../../src/use/process/report-error.ts';
import { openFolder } from '../use/run-in-folder.ts';

/** What a real server does that chdb's face cannot: it dies and runs out of memory behind rows that it has sent. */

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

describe('a ClickHouse server that fails', () => {
  const folder = openFolder();
  const asked: string[] = [];
  let answer: Answer = () => undefined;
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', 'http://localhost');
    const statement = `${url.searchParams.get('query') ?? ''}${Buffer.concat(chunks).toString()}`;
    asked.push(statement);
    if (/^SELECT version\(\)/.test(statement))
      return response.end(
        block([
          ['v', ['26.7']],
          ['r', ['0']],
          ['j', ['1']],
        ]),
      );
    if (/^DESCRIBE TABLE/.test(statement))
      return response.end(
        block([
          ['name', ['utc_time', 'event_type', 'user_id']],
          ['type', ["DateTime64(6, 'UTC')", 'Nullable(String)', 'Nullable(String)']],
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

  it('answers where it does not', async () => {
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
    ['sends what is no answer', (response) => response.end('<html>proxy</html>'), 'answer-cut-off', exitCodes.remote],
  ])('%s: one error, no rows, no secret', async (_, given, code, exit) => {
    const error = (await ask(given)) as Error & { readonly code: string; readonly hint: string };
    expect([error.code, exitCodeOf(error)]).toEqual([code, exit]);
    expect(error.hint).not.toBe('');
    expect(`${error.message} ${error.hint} ${String(error.cause)}`).not.toContain('very-secret');
  });

  it('is told to stop a statement that nobody waits for', async () => {
    const controller = new AbortController();
    asked.length = 0;
    const error = await ask(() => controller.abort(), controller.signal);
    expect(error).toMatchObject({ code: 'aborted' });
    await expect.poll(() => asked.some((statement) => statement.startsWith('KILL QUERY'))).toBe(true);
  });
});
