import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shareOf } from './runs.ts';
import { answerDryRun, answerLoad } from '../src/use/answer/load.ts';
import { openWithSession, type SluiceWithSession } from './use/open-session.ts';
import type { RunningServer } from '../src/use/server/running-server.ts';
import { openServer } from '../src/use/server/open-server.ts';

const golden = new URL('../../shared/golden/', import.meta.url).pathname;
const present = existsSync(`${golden}cases`);

interface Recording {
  readonly request: { readonly method: string; readonly path: string; readonly body?: Body };
  readonly status: number;
  readonly rowCount?: number;
  readonly response: Response;
}

type Body = { readonly query?: unknown; readonly queryType?: string };
type Row = Readonly<Record<string, unknown>>;
type Response = Readonly<Record<string, any>>;

/** Faults of the recorded server, with the correct values. Everything else must agree. */
const deviations: Readonly<
  Record<string, { readonly why: string; readonly truth?: string; readonly status?: number }>
> = {
  filter_inDateRange_1: {
    why: 'a single day means that day',
    truth: `utc_time >= TIMESTAMP '2024-03-08' AND utc_time < TIMESTAMP '2024-03-09'`,
  },
  filter_onTheDate: {
    why: 'a single day means that day',
    truth: `utc_time >= TIMESTAMP '2024-03-08' AND utc_time < TIMESTAMP '2024-03-09'`,
  },
  filter_notInDateRange_1: {
    why: 'a single day means that day',
    truth: `utc_time < TIMESTAMP '2024-03-08' OR utc_time >= TIMESTAMP '2024-03-09'`,
  },
  filter_inDateRange_relative: {
    why: 'filters accept relative phrases, as in newer servers',
    truth: `FALSE`,
    status: 200,
  },
  filter_num_contains: {
    why: 'numbers are searched as text',
    truth: `contains(CAST(amount AS VARCHAR), '99')`,
    status: 200,
  },
  filter_contains_null: {
    why: 'null among the values matches missing ones',
    truth: `event_type IS NULL`,
    status: 200,
  },
  filter_startsWith_null: {
    why: 'null among the values matches missing ones',
    truth: `event_type IS NULL`,
    status: 200,
  },
  filter_notEndsWith_pct: {
    why: 'wildcards are taken literally',
    truth: `NOT ends_with(lower(page_path), '50%_') OR page_path IS NULL`,
  },
  filter_notStartsWith_pct: {
    why: 'wildcards are taken literally',
    truth: `NOT starts_with(lower(page_path), '50%_') OR page_path IS NULL`,
  },
  filter_notStartsWith_underscore: {
    why: 'wildcards are taken literally',
    truth: `NOT starts_with(lower(page_path), 'a_b') OR page_path IS NULL`,
  },
};

/** Who answers: the library in this process, or a server over HTTP in either of its forms. */
const faces = ['the library', "the server as Cube's", "the server as the platform's"] as const;

describe.skipIf(!present).each(faces)(
  'recordings of a Cube server, compared with %s (skipped without ../shared/golden)',
  (face) => {
    let sluice: SluiceWithSession;
    let server: RunningServer | undefined;

    beforeAll(async () => {
      sluice = await openWithSession({
        workspace: golden,
        model: `${golden}model.yaml`,
        tables: { events: `${golden}events.parquet`, users: `${golden}users.parquet` },
      });
    });
    beforeAll(async () => {
      if (face !== 'the library') server = await openServer({ session: sluice.session });
    });
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
      await sluice[Symbol.asyncDispose]();
    });

    const all = present ? readdirSync(`${golden}cases`).sort() : [];
    // The two servers together try each recording.
    for (const file of face === faces[0] ? all : shareOf(all, faces.indexOf(face), 2)) {
      const name = file.replace('.json', '');
      const recording = JSON.parse(readFileSync(`${golden}cases/${file}`, 'utf8')) as Recording;
      const deviation = deviations[name];
      if (name === 'not_found') continue; // An unknown address is not a load body: tested below.
      it(`${name} agrees${deviation ? `, except: ${deviation.why}` : ''}`, async () => {
        const answer = server ? await askServer(server.url, recording, face) : await ask(sluice, recording);
        const statusClass = recording.status >= 400 ? 4 : 2;
        expect(Math.floor(answer.status / 100), JSON.stringify(answer.body).slice(0, 500)).toBe(
          deviation?.status ? 2 : statusClass,
        );
        if (answer.status >= 400) {
          expect(answer.body[face === faces[2] ? 'message' : 'error']).toEqual(expect.any(String));
          return;
        }
        const ours = resultOf(answer.body);
        if (deviation?.truth !== undefined) {
          expect(ours['data']).toEqual([await truth(deviation.truth)]);
          return;
        }
        if (recording.request.path.includes('dry-run')) {
          const { transformedQueries: _, ...contract } = recording.response;
          expect(answer.body).toMatchObject(contract);
          return;
        }
        const theirs = resultOf(recording.response);
        expect(Object.keys(answer.body).sort()).toEqual(Object.keys(recording.response).sort());
        expect(ours['query']).toEqual(theirs['query']);
        expect(ours['annotation']).toEqual(theirs['annotation']);
        expect(ours['total']).toEqual(theirs['total']);
        expectSameRows(ours, theirs, recording.rowCount);
      });
    }

    it.skipIf(face !== faces[1])('not_found agrees', async () => {
      const { request, status, contentType, response } = JSON.parse(
        readFileSync(`${golden}cases/not_found.json`, 'utf8'),
      ) as Recording & { readonly contentType: string };
      const answer = await fetch(server!.url + request.path, { method: request.method });
      expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
        status,
        contentType,
        response['$text'],
      ]);
    });

    async function truth(condition: string): Promise<Row> {
      const { DuckDBInstance } = await import('@duckdb/node-api');
      const connection = await (await DuckDBInstance.create(':memory:')).connect();
      const reader = await connection.runAndReadAll(
        `SELECT count(*)::VARCHAR AS "TrackedEvents.count", count(DISTINCT user_anonymous_id)::VARCHAR AS "TrackedEvents.unique_users"
       FROM '${golden}events.parquet' WHERE ${condition}`,
      );
      connection.closeSync();
      return reader.getRowObjectsJson()[0] as Row;
    }
  },
);

async function ask(sluice: SluiceWithSession, { request }: Recording): Promise<{ status: number; body: Response }> {
  const parameters = new URL(request.path, 'http://localhost').searchParams;
  const body = request.body ?? { query: JSON.parse(parameters.get('query') ?? 'null') as unknown };
  const queryType = body.queryType ?? parameters.get('queryType') ?? 'regularQuery';
  const answer = request.path.includes('dry-run')
    ? await answerDryRun(body, sluice.session)
    : await answerLoad(body, sluice.session, { queryType });
  // The wire is text; what counts is what a client reads.
  return JSON.parse(JSON.stringify(answer)) as { status: number; body: Response };
}

/** The same request to a server; for the platform's form, under the path of the platform. */
async function askServer(
  url: string,
  { request }: Recording,
  face: string,
): Promise<{ status: number; body: Response }> {
  const isPlatform = face === faces[2];
  const path = isPlatform
    ? request.path.replace('/cubejs-api/v1/', '/api/v4/projects/1/product_analytics/request/')
    : request.path;
  // The platform gives a bare result only on explicit request.
  const bare =
    isPlatform && !request.path.includes('queryType') && request.body?.queryType === undefined
      ? { queryType: 'regularQuery' }
      : {};
  const answer = await fetch(url + path, {
    // The platform accepts queries by POST only.
    method: isPlatform ? 'POST' : request.method,
    ...(request.body && {
      body: JSON.stringify({ ...request.body, ...bare }),
      headers: { 'content-type': 'application/json' },
    }),
  });
  return { status: answer.status, body: (await answer.json()) as Response };
}

function resultOf(response: Response): Response {
  return 'results' in response ? (response['results'] as Response[])[0]! : response;
}

function expectSameRows(ours: Response, theirs: Response, rowCount: number | undefined): void {
  const [our, their] = [rowsOf(ours), rowsOf(theirs)];
  const cut = their.findIndex((row) => '$truncated' in row);
  if (cut >= 0) {
    expect(our).toHaveLength(rowCount!);
    const [head, tail] = [their.slice(0, cut), their.slice(cut + 1)];
    expectClose([...our.slice(0, head.length), ...our.slice(-tail.length)], [...head, ...tail]);
    return;
  }
  expect(our).toHaveLength(their.length);
  const keys = orderKeys(theirs['query'] as Response);
  // Rows that tie in the order may be permuted; without an order all of them tie.
  for (const key of keys) expect(our.map((row) => row[key])).toEqual(their.map((row) => row[key]));
  const sorted = (rows: readonly Row[]) =>
    rows
      .map(
        (row) =>
          [
            JSON.stringify(
              Object.entries(row)
                .filter(([key]) => !isFloat(row[key]))
                .sort(),
            ),
            row,
          ] as const,
      )
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, row]) => row);
  expectClose(sorted(our), sorted(their));
}

/**
 * The order of the recorded rows: that of the query, else by the first bucket, the first measure or the first
 * dimension.
 */
function orderKeys(query: Response): readonly string[] {
  if (query['order']) return (query['order'] as readonly { id: string }[]).map((entry) => entry.id);
  const times = query['timeDimensions'] as readonly { dimension: string; granularity?: string }[];
  const bucket = times.find((time) => time.granularity);
  if (bucket) return [`${bucket.dimension}.${bucket.granularity}`];
  return [...(query['measures'] ?? []), ...query['dimensions']].slice(0, 1) as string[];
}

function rowsOf(result: Response): readonly Row[] {
  const data = result['data'] as Row[] | { members: string[]; dataset: unknown[][] };
  if (Array.isArray(data)) return data;
  return data.dataset.map((values) => Object.fromEntries(data.members.map((member, index) => [member, values[index]])));
}

/** Sums of floats depend on the order of addition, so 1e-12 relative counts as equal. */
function expectClose(our: readonly Row[], their: readonly Row[]): void {
  our.forEach((row, index) => {
    const other = their[index]!;
    expect(Object.keys(row).sort()).toEqual(Object.keys(other).sort());
    for (const [key, value] of Object.entries(row)) {
      if (isFloat(value) && isFloat(other[key])) {
        const [a, b] = [Number(value), Number(other[key])];
        expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-12 * Math.max(Math.abs(a), Math.abs(b)));
      } else expect(value).toEqual(other[key]);
    }
  });
}

function isFloat(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d+\.\d+$/.test(value);
}
