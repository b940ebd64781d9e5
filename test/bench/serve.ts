import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DuckDBValue } from '@duckdb/node-api';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import type { Query } from '../../src/use/index.ts';
import { openWithSession } from '../use/open-session.ts';
import { openServer } from '../../src/use/server/open-server.ts';
import type { BenchLine } from './fill.ts';
import { median, timed } from './timing.ts';

const rounds = 9;
const limit = 50_000;
const members = (names: string) => names.split(' ').map((name) => `TrackedEvents.${name}`);

/** Answers of 50,000 rows and six members. */
const questions: Readonly<Record<string, Query>> = {
  'raw export': { dimensions: members('utcTime userAnonymousId docPath eventType pageTitle agentName'), limit },
  'groups with a count': {
    dimensions: members('utcTime userAnonymousId docPath eventType pageTitle'),
    measures: members('count'),
    limit,
  },
  'ungrouped rows in any order': {
    dimensions: members('utcTime userAnonymousId docPath eventType pageTitle agentName'),
    ungrouped: true,
    order: [],
    limit,
  },
};

/** Time from the request to the last byte, compared with the engine writing the same rows to a JSON file. */
export async function benchServe(): Promise<readonly BenchLine[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  try {
    const file = join(folder, 'events.parquet');
    await writeSample({ seed: 1, events: 1_000_000, days: 90, to: '2026-10-01' }, file);
    await using sluice = await openWithSession({ events: [file], workspace: folder, env: {} });
    await using server = await openServer({ session: sluice.session });
    // A separate connection of the client, with the table that the session's statements read.
    await using engine = await openEngine({});
    await openEventFiles(engine, [file], 'anonymous');
    const connection = await engine.work(async (own) => own);
    const lines: BenchLine[] = [];
    for (const [name, query] of Object.entries(questions)) {
      const [explanation] = await sluice.explain(query);
      const copy = `COPY (${explanation!.statement}) TO '${join(folder, 'answer.json')}' (FORMAT json)`;
      const body = JSON.stringify({ query, queryType: 'multi' });
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = -2; round < rounds; round += 1) {
        const [a, b] = [
          await timed(() => askAll(server.url, body)),
          await timed(() => connection.run(copy, [...explanation!.parameters] as DuckDBValue[])),
        ];
        if (round >= 0) {
          ours.push(a);
          theirs.push(b);
        }
      }
      lines.push({ name, ours: median(ours), theirs: median(theirs), ratio: median(ours) / median(theirs) });
    }
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface CrowdFigures {
  /** Peak memory of the server with four clients, in megabytes. */
  readonly four: number;
  readonly crowd: number;
  readonly errors: number;
}

/** The memory for 64 concurrent clients compared with four, which is how many are served at a time. */
export async function benchCrowd(): Promise<CrowdFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  try {
    const file = join(folder, 'events.parquet');
    await writeSample({ seed: 1, events: 200_000, days: 90, to: '2026-10-01' }, file);
    const [four, crowd] = [await crowdOf(4, file), await crowdOf(64, file)];
    return { four: four.peak, crowd: crowd.peak, errors: four.errors + crowd.errors };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function crowdOf(clients: number, file: string): Promise<{ readonly peak: number; readonly errors: number }> {
  const child = fork(new URL('serve-child.ts', import.meta.url), [file]);
  try {
    const [{ url }] = (await once(child, 'message')) as [{ readonly url: string }];
    const body = JSON.stringify({ query: questions['raw export'], queryType: 'multi' });
    // The same number of requests in both cases: each of four clients sends several.
    const each = 64 / clients;
    const counts = await Promise.all(
      Array.from({ length: clients }, async () => {
        let failed = 0;
        for (let turn = 0; turn < each; turn += 1)
          await askAll(url, body).catch(() => {
            failed += 1;
          });
        return failed;
      }),
    );
    child.send('peak');
    const [{ peak }] = (await once(child, 'message')) as [{ readonly peak: number }];
    return { peak, errors: counts.reduce((sum, count) => sum + count, 0) };
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}

/** Reads the answer to its last byte. Rejects if it is incomplete. */
async function askAll(url: string, body: string): Promise<number> {
  const sent = request(`${url}/cubejs-api/v1/load`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  let bytes = 0;
  let last = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    last = chunk.at(-1) ?? last;
  }
  if (response.statusCode !== 200 || last !== '}'.charCodeAt(0) || bytes < limit)
    throw new Error(`${response.statusCode}, ${bytes} bytes`);
  return bytes;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { name, ours, theirs, ratio } of await benchServe())
    console.log(
      `${name.padEnd(24)} ${ours.toFixed(0)} ms against ${theirs.toFixed(0)} ms of COPY: ${ratio.toFixed(2)} times`,
    );
  const { four, crowd, errors } = await benchCrowd();
  console.log(
    `64 clients: peak of ${crowd.toFixed(0)} MB against ${four.toFixed(0)} MB with four: ${(crowd / four).toFixed(2)} times, ${errors} errors`,
  );
}
