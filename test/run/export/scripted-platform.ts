import { readFileSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import {
  openScriptedServer,
  type Reply,
  type Script,
  type ScriptedServer,
  type SeenRequest,
  type Trick,
} from '../http/scripted-server.ts';

/** An event of the scripted platform. */
export interface PlatformEvent {
  /** Epoch microseconds. */
  readonly at: number;
  readonly user: string | null;
  readonly path: string | null;
  readonly type?: string;
  readonly title?: string | null;
}

/** Faults of the platform. All can be changed while it runs. */
export interface Manners {
  /** Most rows in an answer (default: 50,000). */
  cap?: number | undefined;
  /** A limit above the cap is an error, not a shorter answer. */
  refusesLimit?: boolean | undefined;
  ignoresOffset?: boolean | undefined;
  /** `stable`: sorted by something else, always the same. `never-the-same`: at random. */
  ignoresOrder?: 'stable' | 'never-the-same' | undefined;
  /** Ignore the time filter for rows. */
  ignoresRange?: boolean | undefined;
  /** The layout of rows. */
  writes?: 'pretty' | 'reordered' | 'spaced' | 'numbers' | undefined;
  /** The last millisecond of a range includes only its first instant. */
  exactInstants?: boolean | undefined;
  /** Changes the rows of an answer; `index` counts the answers with rows, from 0. */
  rows?: ((rows: readonly string[], index: number, offset: number) => readonly string[]) | undefined;
  /** Replaces an answer; `index` counts the requests for rows and counts, from 0. */
  instead?: ((index: number, request: SeenRequest) => Reply | undefined) | undefined;
  /** Damages the body of an answer in transit. */
  trick?: ((index: number, bytes: number) => Trick | undefined) | undefined;
  /** Runs before an answer is computed. */
  before?: ((index: number, kind: 'rows' | 'count') => Promise<void> | void) | undefined;
  /** This many first polls of each distinct request are answered with `Continue wait`. */
  continueWait?: number | undefined;
}

export interface ScriptedPlatform extends AsyncDisposable {
  readonly server: ScriptedServer;
  readonly url: string;
  readonly manners: Manners;
  /** Requests for rows so far, by offset and range. */
  readonly pages: readonly { readonly offset: number; readonly limit: number; readonly range: readonly string[] }[];
  /** Adds events. */
  add(events: readonly PlatformEvent[]): Promise<void>;
  /** Reads the table directly. */
  sql(text: string): Promise<readonly (readonly unknown[])[]>;
}

/** The columns of the table by member, in the order of its `meta`. */
export const platformMembers: Readonly<Record<string, string>> = {
  'TrackedEvents.docPath': 'path',
  'TrackedEvents.eventType': 'type',
  'TrackedEvents.pageTitle': 'title',
  'TrackedEvents.userAnonymousId': 'visitor',
  'TrackedEvents.utcTime': 'instant',
};

const time = 'TrackedEvents.utcTime';

export const platformMeta = {
  cubes: [
    {
      name: 'TrackedEvents',
      title: 'Tracked Events',
      isVisible: true,
      public: true,
      measures: [
        {
          name: 'TrackedEvents.count',
          title: 'Count',
          shortTitle: 'Count',
          type: 'number',
          aggType: 'count',
          isVisible: true,
          public: true,
        },
      ],
      dimensions: Object.keys(platformMembers).map((name) => ({
        name,
        title: name,
        shortTitle: name,
        type: name === time ? 'time' : 'string',
        isVisible: true,
        public: true,
      })),
      segments: [],
    },
  ],
};

/**
 * SQL for random events: columns `instant`, `visitor`, `path`, `type` and `title`, over `days` days from 2026-09-01, in
 * milliseconds.
 */
export function someEvents(count: number, days = 30, seed = 1): string {
  const span = days * 86_400_000;
  return `SELECT make_timestamp(1788220800000000 + (hash(i, ${seed}) % ${span})::BIGINT * 1000) AS instant, 'user-' || hash(i // 7) % 20000 AS visitor, '/page/' || hash(i) % 500 AS path,
    ['pageview', 'link_click', 'custom'][1 + (hash(i * 3) % 3)::INT] AS type, CASE WHEN i % 11 > 0 THEN 'Title “' || (hash(i * 5) % 900) || '”, \\"quoted\\"' END AS title FROM range(${count}) t(i)`;
}

/**
 * The platform's load endpoint for one project, over a table in DuckDB. It computes every answer, with SQL that shares
 * nothing with sluice.
 */
export async function openScriptedPlatform(
  events: readonly PlatformEvent[] | string,
  manners: Manners = {},
): Promise<ScriptedPlatform> {
  const engine = await openEngine({});
  const pages: { offset: number; limit: number; range: readonly string[] }[] = [];
  const polls = new Map<string, number>();
  let [asked, answered] = [0, 0];
  await engine.rows(
    'CREATE TABLE events (instant TIMESTAMP, visitor VARCHAR, path VARCHAR, type VARCHAR, title VARCHAR)',
  );
  const add = (more: readonly PlatformEvent[]) => engine.work((connection) => append(connection, more));
  if (typeof events === 'string') await engine.rows(`INSERT INTO events ${events}`);
  else await add(events);

  const load = async (request: SeenRequest): Promise<Reply> => {
    const index = asked;
    asked += 1;
    const { query } = request.json as { readonly query: WireQuery };
    const instead = manners.instead?.(index, request);
    if (instead) return instead;
    const polled = polls.get(request.body) ?? 0;
    polls.set(request.body, polled + 1);
    if (polled < (manners.continueWait ?? 0)) return { json: { error: 'Continue wait' } };
    const isRows = (query.dimensions ?? []).length > 0;
    await manners.before?.(index, isRows ? 'rows' : 'count');
    const { cap = 50_000 } = manners;
    const { limit = 10_000, offset = 0 } = query;
    if (manners.refusesLimit && limit > cap)
      return { status: 400, json: { message: 'The query limit has been exceeded.' } };
    const most = Math.min(limit, cap);
    const texts = (await engine.rows(statementOf(query, most, manners))).map(([text]) => String(text));
    const data = isRows ? (manners.rows?.(texts, answered, offset) ?? texts) : texts;
    if (isRows) {
      pages.push({ offset, limit, range: [query.timeDimensions?.[0]?.dateRange ?? []].flat() });
      answered += 1;
    }
    const bytes = Buffer.from(writeBody(query, data, manners.writes));
    const trick = manners.trick?.(index, bytes.length);
    return { bytes, headers: { 'content-type': 'application/json' }, ...(trick && { trick }) };
  };

  const script: Script = async (request) => {
    if (request.path.endsWith('/product_analytics/request/load'))
      return load(request).catch((error: unknown) => ({ status: 400, json: { message: String(error) } }));
    if (request.path.endsWith('/product_analytics/request/meta')) return { json: platformMeta };
    return { status: 404, json: { message: '404 Not Found' } };
  };
  const server = await openScriptedServer(script);

  return {
    server,
    url: server.url,
    manners,
    pages,
    add,
    sql: (text) => engine.rows(text),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}

interface WireQuery {
  readonly measures: readonly string[];
  readonly dimensions?: readonly string[];
  readonly timeDimensions?: readonly {
    readonly dimension: string;
    readonly granularity?: string;
    readonly dateRange?: readonly [string, string];
  }[];
  readonly order?: readonly (readonly [string, string])[];
  readonly limit?: number;
  readonly offset?: number;
  readonly timezone?: string;
}

/** A row of JSON text per group, in the requested order. */
function statementOf(
  query: WireQuery,
  limit: number,
  { exactInstants, ignoresOffset, ignoresOrder, ignoresRange, writes }: Manners,
): string {
  if (query.timezone !== 'UTC') throw new Error(`asked in the zone ${query.timezone}`);
  const { dimensions = [], timeDimensions: [span] = [], order = [], offset = 0 } = query;
  const range = span?.dateRange;
  const isRows = dimensions.length > 0;
  const last = exactInstants
    ? `instant <= TIMESTAMP '${range?.[1]}'`
    : `instant < TIMESTAMP '${range?.[1]}' + INTERVAL 1 MILLISECOND`;
  const where = range && !(ignoresRange && isRows) ? `WHERE instant >= TIMESTAMP '${range[0]}' AND ${last}` : '';
  const expressions = dimensions.map((member) =>
    platformMembers[member] === 'instant' ? timeText('instant') : `"${platformMembers[member]}"`,
  );
  const bucket =
    span?.granularity === undefined
      ? []
      : ([
          [`${span.dimension}.${span.granularity}`, timeText(`date_trunc('${span.granularity}', instant)`)],
          [span.dimension, timeText(`date_trunc('${span.granularity}', instant)`)],
        ] as const);
  const groups = isRows
    ? dimensions.map((member) => `"${platformMembers[member]}"`)
    : bucket.slice(0, 1).map(([, expression]) => expression);
  const fields = [...dimensions.map((member, index) => [member, expressions[index]!] as const), ...bucket];
  const json = [
    ...fields.map(
      ([key, value]) => `${quoted(`${JSON.stringify(key)}:`)} || coalesce(to_json(${value})::VARCHAR, 'null')`,
    ),
    `'"TrackedEvents.count":${writes === 'numbers' ? '' : '"'}' || count(*) || '${writes === 'numbers' ? '' : '"'}'`,
  ];
  const ordered = order.map(
    ([member, direction]) =>
      `${orderedBy(member.replace(/\.(hour|minute|second)$/, ''), isRows, groups)} ${direction} NULLS LAST`,
  );
  const orderBy =
    isRows && ignoresOrder !== undefined
      ? [ignoresOrder === 'stable' ? `hash(${groups.join(', ')})` : 'random()']
      : ordered;
  return `SELECT '{' || ${json.join(` || ',' || `)} || '}' FROM events ${where} ${groups.length > 0 ? `GROUP BY ${groups.join(', ')}` : ''}
    ${orderBy.length > 0 ? `ORDER BY ${orderBy.join(', ')}` : ''} LIMIT ${limit} OFFSET ${ignoresOffset ? 0 : offset}`;
}

function orderedBy(member: string, isRows: boolean, [bucket]: readonly string[]): string {
  if (member === 'TrackedEvents.count') return 'count(*)';
  return member === time && !isRows ? bucket! : `"${platformMembers[member]}"`;
}

function timeText(expression: string): string {
  return `strftime(${expression}, '%Y-%m-%dT%H:%M:%S.%g')`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function writeBody(query: WireQuery, rows: readonly string[], writes: Manners['writes']): string {
  const envelope = {
    queryType: 'regularQuery',
    results: [
      {
        query: { ...query, filters: [{ values: ['"data":[', 'data'] }] },
        data: [] as unknown[],
        lastRefreshTime: '2026-10-05T00:00:00.000Z',
        annotation: { dimensions: {} },
        total: null,
      },
    ],
    slowQuery: false,
  };
  if (writes === 'pretty') {
    envelope.results[0]!.data = rows.map((row) => JSON.parse(row) as unknown);
    return JSON.stringify(envelope, null, 2);
  }
  const [head = '', tail = ''] = JSON.stringify(envelope).split(/(?<="data":\[)(?=\])/);
  if (writes === 'spaced') return `${head}\n${rows.join(' ,\n ')}\n${tail}\n`;
  // The first row has the right order; some others do not.
  if (writes === 'reordered')
    return `${head}${rows.map((row, index) => (index % 3 === 2 ? JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(row) as object).reverse())) : row)).join(',')}${tail}`;
  return `${head}${rows.join(',')}${tail}`;
}

async function append(connection: DuckDBConnection, events: readonly PlatformEvent[]): Promise<void> {
  if (events.length === 0) return;
  const text = (value: string | null | undefined) => (value === null || value === undefined ? 'NULL' : quoted(value));
  for (let start = 0; start < events.length; start += 500) {
    const rows = events
      .slice(start, start + 500)
      .map(
        ({ at, user, path, type = 'pageview', title = null }) =>
          `(make_timestamp(${at}), ${text(user)}, ${text(path)}, ${text(type)}, ${text(title)})`,
      );
    await connection.run(`INSERT INTO events VALUES ${rows.join(', ')}`);
  }
}

/** The lines of a file of rows. */
export function linesOf(file: string): readonly Readonly<Record<string, string | null>>[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, string | null>>);
}
