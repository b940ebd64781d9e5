import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import zlib from 'node:zlib';

/**
 * ClickHouse's HTTP interface for chdb, as far as the client uses it. A separate process, which ends with its standard
 * input. Arguments: the folder of chdb's modules, and one for data. It prints its port.
 */

interface ChdbSession {
  queryAsync(query: string, options: { readonly format: string }): Promise<{ bytes(): Uint8Array }>;
  close(): void;
}

const [modules = '', data = ''] = process.argv.slice(2);
const { Session } = createRequire(`${modules}/`)('chdb') as { readonly Session: new (folder: string) => ChdbSession };

/** Keeps the engine open while no query runs. */
const base = new Session(path.join(data, 'engine'));

interface User {
  readonly password: string;
  readonly readonly: 0 | 1 | 2;
  /** Settings of the user's profile. */
  readonly profile?: readonly (readonly string[])[];
}

/** Limits that leave out rows. */
const cut = [
  ['max_rows_to_group_by', '2'],
  ['group_by_overflow_mode', 'any'],
  ['limit', '2'],
];

const users: Readonly<Record<string, User>> = {
  default: { password: 'secret', readonly: 0 },
  reader: { password: 'reader', readonly: 2 },
  strict: { password: 'strict', readonly: 1 },
  cut: { password: 'cut', readonly: 2, profile: cut },
  strictlycut: { password: 'strictlycut', readonly: 1, profile: cut },
};

/** Idle sessions by user, database and settings. */
const pool = new Map<string, ChdbSession[]>();

/** Parameters of the interface that are not settings. */
const own = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'session_id',
  'role',
  'compress',
  'wait_end_of_query',
  'enable_http_compression',
]);

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? zlib.gunzipSync(body) : body;
}

function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Data that follows a statement is written to a file, which the statement reads. */
async function withData(statement: string, body: Buffer): Promise<{ readonly text: string; readonly file?: string }> {
  const insert = /^\s*INSERT\s[^]*\bFORMAT\s+(\w+)\s*$/i.exec(statement);
  if (!insert) return { text: body.length > 0 ? `${statement}\n${body.toString()}` : statement };
  const file = path.join(data, `body-${randomUUID()}`);
  await writeFile(file, body);
  const format = insert[1]!;
  const bare = statement.replace(/\bFORMAT\s+\w+\s*$/i, '');
  const input = /\binput\(('(?:[^'\\]|\\.)*')\)/i;
  const text = input.test(bare)
    ? bare.replace(input, (_, structure: string) => `file(${quoted(file)}, ${format}, ${structure})`)
    : `${bare} SELECT * FROM file(${quoted(file)}, ${format})`;
  return { text, file };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname === '/ping') return void response.end('Ok.\n');
  const id = url.searchParams.get('query_id') ?? randomUUID();
  response.setHeader('x-clickhouse-query-id', id);
  response.setHeader('x-clickhouse-summary', '{}');
  const fail = (status: number, code: number, message: string) => {
    response.writeHead(status, { 'x-clickhouse-exception-code': String(code) });
    response.end(`${message}\n`);
  };
  const [name = 'default', password = ''] = credentials(request, url);
  const user = users[name];
  if (user?.password !== password)
    return fail(
      403,
      516,
      `Code: 516. DB::Exception: ${name}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
    );
  const body = await bodyOf(request);
  const type = request.headers['content-type'] ?? '';
  const parts = type.startsWith('multipart/form-data')
    ? [...(await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData())]
    : [];
  const fields = new Map(parts.map(([key, value]) => [key, String(value)]));
  const asked = url.searchParams.get('query');
  const { text, file } =
    asked === null ? { text: fields.get('query') ?? body.toString(), file: undefined } : await withData(asked, body);
  const given = [...url.searchParams, ...fields].filter(([key]) => !own.has(key));
  const database = url.searchParams.get('database') ?? request.headers['x-clickhouse-database'] ?? 'default';
  const settings = given.filter(([key]) => !key.startsWith('param_'));
  const kind = JSON.stringify([name, database, settings]);
  const idle = pool.get(kind) ?? [];
  pool.set(kind, idle);
  let session: ChdbSession | undefined = idle.pop();
  let isReady = session !== undefined;
  const run = (statement: string, format = 'TabSeparated') => session!.queryAsync(statement, { format });
  const assigned = (pairs: readonly (readonly string[])[]) =>
    `SET ${pairs.map(([key, value = '']) => `${key} = ${quoted(value)}`).join(', ')}`;
  try {
    if (!session) {
      session = new Session(path.join(data, 'engine'));
      await run(`USE \`${String(database)}\``);
      if (user.profile) await run(assigned(user.profile));
      // Refuse settings that a reader may not change, as a server does.
      if (user.readonly === 1) await run('SET readonly = 1');
      if (settings.length > 0) await run(assigned(settings));
      if (user.readonly === 2) await run('SET readonly = 2');
      isReady = true;
    }
    const parameters = given.filter(([key]) => key.startsWith('param_'));
    const more = [...(user.readonly === 1 ? [] : [['log_comment', id]]), ...parameters];
    if (more.length > 0) await run(assigned(more));
    // The engine assigns its own query IDs.
    const known = text.replace(/^(KILL QUERY\s[^]*?)\bquery_id\b/i, "$1Settings['log_comment']");
    const answered = await run(known, url.searchParams.get('default_format') ?? 'TabSeparated');
    const bytes = answered.bytes();
    if (
      url.searchParams.get('enable_http_compression') === '1' &&
      /gzip/.test(String(request.headers['accept-encoding']))
    ) {
      response.setHeader('content-encoding', 'gzip');
      response.end(zlib.gzipSync(bytes));
    } else response.end(bytes);
  } catch (error) {
    const { clickhouseCode = 1000, message } = error as Error & { readonly clickhouseCode?: number };
    fail(
      clickhouseCode === 60 || clickhouseCode === 81 ? 404 : clickhouseCode === 62 ? 400 : 500,
      clickhouseCode,
      message,
    );
  } finally {
    // A session whose database does not exist yet would later answer from another one, without the settings.
    if (session && isReady) idle.push(session);
    if (file) await rm(file, { force: true });
  }
}

function credentials(request: IncomingMessage, url: URL): readonly string[] {
  const { authorization = '' } = request.headers;
  if (authorization.startsWith('Basic ')) {
    const text = Buffer.from(authorization.slice(6), 'base64').toString();
    return [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
  }
  return [url.searchParams.get('user') ?? 'default', url.searchParams.get('password') ?? ''];
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    response.statusCode = 500;
    response.end(String(error));
  });
});
server.listen(Number(process.argv[4] ?? 0), '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.stdin.resume().on('end', () => {
  base.close();
  process.exit();
});
