import { Readable } from 'node:stream';
import { AbortedError, BackendError, SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { showText } from '../../ask/text.ts';
import type { Parameter } from '../../plan/sql/expression.ts';
import { toClickHouseValue } from '../../plan/sql/clickhouse/dialect.ts';
import { type NativeBlock, type RawValue, readBlocks } from './native-reader.ts';
import { demandVersion, toClickHouseError } from './clickhouse-error.ts';

export interface ClickHouseOptions {
  /** `http://localhost:8123`, `https://…`. */
  readonly url: string;
  readonly database: string;
  readonly user: string;
  /** Called once. */
  readonly password: () => Promise<string>;
  readonly cluster?: string | undefined;
  /** PEM of the authority that signed the server's certificate. */
  readonly authority?: Uint8Array | undefined;
  /** Memory limit of a statement in bytes; defaults to the server's limit. */
  readonly memoryLimit?: number | undefined;
  /** Seconds. */
  readonly timeLimit?: number | undefined;
  /** Creates an ID for a statement. */
  readonly newId: () => string;
  /** Called for each statement before it is sent, line by line, and for its parameters. */
  readonly trace?: ((line: string) => void) | undefined;
}

interface ServerFacts {
  readonly version: string;
  /** 1 if the user cannot change settings. */
  readonly readonly: number;
  /** Whether joins give null for missing rows, instead of the type's default such as 0. */
  readonly joinsGiveNull: boolean;
}

/** A statement for ClickHouse, with `{p1:…}`, `{p2:…}` for the parameters. */
export interface ServerStatement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** Added to the common settings. */
  readonly settings?: Readonly<Record<string, string | number>> | undefined;
}

interface RunningQuery {
  readonly queryId: string;
  readonly blocks: AsyncGenerator<NativeBlock, void, undefined>;
}

/** A server, contacted by the first query. Errors: those of `toClickHouseError`, and `AbortedError`. */
export interface Connection extends AsyncDisposable {
  /** For display: `db.example.org/analytics`. */
  readonly address: string;
  facts(): Promise<ServerFacts>;
  /** Starts a statement; its rows come block by block. */
  query(statement: ServerStatement, signal?: AbortSignal): Promise<RunningQuery>;
  rows(
    text: string,
    parameters?: readonly Parameter[],
    signal?: AbortSignal,
    settings?: ServerStatement['settings'],
  ): Promise<readonly (readonly RawValue[])[]>;
  /** Runs a statement that returns no rows. */
  command(text: string, parameters?: readonly Parameter[], signal?: AbortSignal): Promise<void>;
  /** Sends data after a statement that ends with its FORMAT. */
  send(
    text: string,
    data: AsyncIterable<Uint8Array>,
    settings?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<void>;
}

/** Long enough for any statement; `timeLimit` is the limit that applies. */
const requestTimeoutMs = 24 * 3_600_000;

/** Maximum time to wait for the request that stops a statement. */
const longestFarewellMs = 2000;

export async function openConnection(options: ClickHouseOptions): Promise<Connection> {
  const { ClickHouseLogLevel, createClient } = await import('@clickhouse/client');
  const url = new URL(options.url);
  const address = `${url.host}/${options.database}`;
  const password = await options.password();
  const client = createClient({
    url: options.url,
    username: options.user,
    password,
    application: 'sluice',
    request_timeout: requestTimeoutMs,
    max_open_connections: 8,
    log: { level: ClickHouseLogLevel.OFF },
    ...(options.authority && { tls: { ca_cert: Buffer.from(options.authority) } }),
  });
  const limits = {
    ...(options.memoryLimit === undefined ? {} : { max_memory_usage: String(options.memoryLimit) }),
    ...(options.timeLimit === undefined ? {} : { max_execution_time: options.timeLimit }),
  };
  let known: Promise<ServerFacts> | undefined;
  const open = new Set<string>();

  let version: string | undefined;
  const toError = (error: unknown, text: string, signal: AbortSignal | undefined) =>
    signal?.aborted
      ? new AbortedError(signal.reason)
      : toClickHouseError(error, { address, statement: text, secret: password, version });
  const throwing = (text: string, signal: AbortSignal | undefined) => (error: unknown) => {
    throw toError(error, text, signal);
  };

  const facts = async (): Promise<ServerFacts> => {
    known ??= readFacts().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  const readFacts = async (): Promise<ServerFacts> => {
    const ask = (text: string) => collect(start({ text, parameters: [] }, {}));
    const text = "SELECT version(), toString(getSetting('readonly')), toString(getSetting('join_use_nulls'))";
    const [[named, mayChange, nulls] = []] = await ask(text).catch(async (error: unknown) => {
      // An old server may lack these settings. Report its version instead.
      if (!(error instanceof SluiceError) || error.code !== 'sql-refused') throw error;
      demandVersion(String((await ask('SELECT version()').catch(() => []))[0]?.[0] ?? 'x'), address);
      throw error;
    });
    version = String(named);
    demandVersion(version, address);
    const readonly = Number(mayChange);
    if (readonly === 1) demandWhole(await ask(cutting), address);
    return { version, readonly, joinsGiveNull: readonly !== 1 || /^(?:1|true)$/.test(String(nulls)) };
  };
  /** A user who cannot change settings uses the server's. */
  const settings = async () => ((await facts()).readonly === 1 ? {} : { ...common, ...limits });

  const paramsOf = (parameters: readonly Parameter[]) =>
    Object.fromEntries(parameters.map((parameter, index) => [`p${index + 1}`, toClickHouseValue(parameter)]));

  /** The ID of a statement that is about to be sent. */
  const announce = (text: string, parameters: readonly Parameter[], signal: AbortSignal | undefined) => {
    throwIfAborted(signal);
    const queryId = options.newId();
    if (!options.trace) return queryId;
    options.trace(`ClickHouse ${address}, query ${queryId}:`);
    for (const line of text.split('\n')) options.trace(`  ${showText(line)}`);
    for (const [name, value] of Object.entries(paramsOf(parameters)))
      options.trace(`  ${name} = ${showText(JSON.stringify(value) ?? '')}`);
    return queryId;
  };

  /** What each request says besides its statement. */
  const about = (queryId: string, own: ServerStatement['settings'], signal: AbortSignal | undefined) => ({
    query_id: queryId,
    clickhouse_settings: { database: options.database, ...own } as never,
    ...(signal && { abort_signal: signal }),
  });

  const killing = new Set<Promise<unknown>>();
  const kill = (queryId: string) => {
    // The server stops when it can; the caller does not wait.
    const told = client
      .command({
        query: 'KILL QUERY WHERE query_id = {id:String} ASYNC',
        query_params: { id: queryId },
        abort_signal: AbortSignal.timeout(longestFarewellMs),
      })
      .catch(() => undefined)
      .finally(() => killing.delete(told));
    killing.add(told);
  };

  async function start(
    { text, parameters }: ServerStatement,
    own: ServerStatement['settings'],
    signal?: AbortSignal,
  ): Promise<RunningQuery> {
    const queryId = announce(text, parameters, signal);
    const stop = () => kill(queryId);
    signal?.addEventListener('abort', stop, { once: true });
    open.add(queryId);
    const finish = () => {
      open.delete(queryId);
      signal?.removeEventListener('abort', stop);
    };
    const answered = await client
      .exec({
        ...toRequest(`${text}\nFORMAT Native`, paramsOf(parameters), options.newId),
        ...about(queryId, own, signal),
      })
      .catch((error: unknown) => {
        finish();
        throw toError(error, text, signal);
      });

    async function* blocks(): AsyncGenerator<NativeBlock, void, undefined> {
      let done = false;
      try {
        yield* readBlocks(answered.stream);
        throwIfAborted(signal);
        done = true;
      } catch (error) {
        done = true;
        throw toError(error, text, signal);
      } finally {
        // If the consumer stops reading, stop the statement too.
        if (!done) {
          kill(queryId);
          answered.stream.destroy();
        }
        finish();
      }
    }
    return { queryId, blocks: blocks() };
  }

  return {
    address,
    facts,
    query: async (statement, signal) => start(statement, { ...(await settings()), ...statement.settings }, signal),
    rows: async (text, parameters = [], signal, more = {}) =>
      collect(start({ text, parameters }, { ...(await settings()), ...more }, signal)),
    async command(text, parameters = [], signal) {
      const queryId = announce(text, parameters, signal);
      await client
        .command({ query: text, query_params: paramsOf(parameters), ...about(queryId, await settings(), signal) })
        .catch(throwing(text, signal));
    },
    async send(text, data, more = {}, signal) {
      const queryId = announce(text, [], signal);
      const values = Readable.from(data, { objectMode: false });
      const { stream } = await client
        .exec({ query: text, values, ...about(queryId, more, signal) })
        .catch(throwing(text, signal));
      for await (const _ of stream);
    },
    async [Symbol.asyncDispose]() {
      for (const queryId of open) kill(queryId);
      // Closing the client earlier could cancel these requests before they are sent.
      await Promise.all(killing);
      await client.close();
    },
  };
}

type Params = Readonly<Record<string, string | bigint | number | boolean>>;

/** Maximum length of parameters in the URL. Proxies and servers accept some thousand characters. */
const longestParameters = 4096;

/** Parameters go into the URL. Long ones go into a multipart body, which the client only builds in `query`. */
function toRequest(query: string, params: Params, newId: () => string) {
  const length = Object.values(params).reduce(
    (sum: number, value) => sum + encodeURIComponent(String(value)).length,
    0,
  );
  if (length <= longestParameters) return { query, query_params: params };
  const boundary = `sluice-${newId()}`;
  const written = Object.entries(params).map(([name, value]) => [`param_${name}`, inEscapes(value)]);
  const parts = [['query', query], ...written].map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    query: `${parts.join('')}--${boundary}--\r\n`,
    http_headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  };
}

/** Escapes a value as the server parses parameters. */
function inEscapes(value: string | bigint | number | boolean): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return String(value).replaceAll(/[\t\n\r'\\]/g, (letter) => escapes[letter]!);
}

const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'", '\\': '\\\\' };

/**
 * A user's profile may set these, and the server would silently leave out rows. The values are the server's defaults.
 */
const whole: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['read', 'group_by', 'sort', 'result', 'timeout', 'set', 'join', 'transfer', 'distinct'].map((limited) => [
      `${limited}_overflow_mode`,
      'throw',
    ]),
  ),
  limit: '0',
  offset: '0',
  skip_unavailable_shards: '0',
};

/** The settings in `whole` with other values. */
const cutting = `SELECT name, value FROM system.settings WHERE ${Object.entries(whole)
  .map(([name, value]) => `(name = '${name}' AND value <> '${value}')`)
  .join(' OR ')}`;

/** Error: `forbidden` if a user who cannot change settings would get parts of results. */
function demandWhole([first]: readonly (readonly RawValue[])[], address: string): void {
  if (!first) return;
  throw new BackendError(
    `The user of ${address} may change no setting, and ${String(first[0])} = ${String(first[1])} may leave out rows.`,
    {
      code: 'forbidden',
      hint: 'Remove the setting from the profile of the user, or give the user `readonly = 2`.',
    },
  );
}

/** Settings that the dialect's statements require. Statements can be long, because they contain the listed users. */
const common = {
  ...whole,
  join_use_nulls: 1,
  enable_global_with_statement: 1,
  enable_positional_arguments: 1,
  // Resolve names as the statements expect.
  allow_experimental_analyzer: 1,
  max_query_size: String(2 ** 28),
  // In a cluster, subqueries see the data of all servers, not only of the local one.
  distributed_product_mode: 'global',
};

async function collect(running: Promise<RunningQuery>): Promise<readonly (readonly RawValue[])[]> {
  const rows: RawValue[][] = [];
  for await (const { rowCount, columns } of (await running).blocks)
    for (let row = 0; row < rowCount; row++) rows.push(columns.map(({ values }) => values[row] as RawValue));
  return rows;
}
