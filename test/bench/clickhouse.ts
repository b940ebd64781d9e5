import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@clickhouse/client';
import { toClickHouseValue } from '../../src/plan/sql/clickhouse/dialect.ts';
import { eventColumns } from '../../src/plan/sql/clickhouse/event-table.ts';
import { ingestFiles } from '../../src/run/duckdb/store/ingest.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { noClickHouse, openClickHouseServer } from '../clickhouse/open-clickhouse.ts';
import type { Measured } from './main.ts';
import { questions } from './query-overhead.ts';
import { median, timed } from './timing.ts';

const million = 1_000_000;

/**
 * Loading events into ClickHouse, compared with a manual INSERT … SELECT from the same Parquet; and the overhead of a
 * session over the same SQL run by hand, question by question, in alternation.
 */
export async function* measureClickHouse(events = 10 * million, rounds = 7): AsyncGenerator<Measured> {
  if (noClickHouse !== undefined) return;
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  await using server = await openClickHouseServer();
  const given = { url: server.url, username: server.user, password: server.password, request_timeout: 3_600_000 };
  await using client = createClient(given);
  const run = (query: string) => client.command({ query });
  try {
    const store = path.join(folder, 'store');
    const file = path.join(folder, 'events.parquet');
    await writeSample({ seed: 1, events, days: 90, to: '2026-10-01' }, file);
    const holder = { holder: 'the bench', randomText: () => randomBytes(6).toString('hex'), now: Date.now };
    const ingested = await timed(() => ingestFiles({ ...holder, folder: store, files: [file] }));
    const settings = { url: server.url, user: server.user, database: 'bench' };
    await writeFile(
      path.join(folder, 'sluice.yaml'),
      `store: store\ncache: false\nclickhouse: ${JSON.stringify(settings)}\n`,
    );
    const env = { SLUICE_CLICKHOUSE_PASSWORD: server.password };
    const shared = { workspace: folder, env, onNote: () => undefined, now: () => Date.parse('2026-10-01') };
    await using here = await open({ ...shared, backend: 'embedded' });
    await using there = await open({ ...shared, backend: 'clickhouse' });
    const statements = await there.clickhouse.init({ apply: true });
    const ours: number[] = [];
    const theirs: number[] = [];
    const segments = (await readdir(path.join(store, 'segments'))).map((name) => path.join(store, 'segments', name));
    const columns = eventColumns.map(({ name }) => name).join(', ');
    for (let round = 0; round < 2; round++) {
      await run('TRUNCATE TABLE bench.events');
      ours.push(await timed(() => there.clickhouse.load()));
      await run('DROP DATABASE IF EXISTS hand');
      // The same table, including the columns of properties that the server computes.
      for (const statement of statements) await run(statement.replaceAll('`bench`', '`hand`'));
      theirs.push(
        await timed(async () => {
          for (const segment of segments)
            await run(`INSERT INTO hand.events (${columns}) SELECT ${columns} FROM file('${segment}', Parquet)`);
        }),
      );
    }
    yield {
      what: `speed of loading ${events} events, compared with INSERT … SELECT from the same Parquet by hand`,
      ratio: median(theirs) / median(ours),
      target: 0.7,
      better: 'higher',
      detail: `${(median(ours) / 1000).toFixed(1)} s against ${(median(theirs) / 1000).toFixed(1)} s`,
    };
    const all = { embedded: 0, clickhouse: 0 };
    for (const [name, question] of Object.entries(questions)) {
      const [explained] = await there.explain(question);
      const byHand = () => askByHand(client, explained!);
      const times = { session: [] as number[], hand: [] as number[], embedded: [] as number[] };
      const [warmUps, turns] = turnsOf(await timed(() => there.query(question)), rounds);
      for (let round = -warmUps; round < turns; round++) {
        const session = await timed(() => there.query(question));
        const hand = await timed(byHand);
        const embedded = await timed(() => here.query(question));
        if (round < 0) continue;
        times.session.push(session);
        times.hand.push(hand);
        times.embedded.push(embedded);
      }
      all.clickhouse += median(times.session);
      all.embedded += median(times.embedded);
      yield {
        what: `ClickHouse backend compared with the same SQL by hand: ${name}`,
        ratio: median(times.session) / median(times.hand),
        target: 1.1,
        better: 'lower',
        detail: `${median(times.session).toFixed(0)} ms against ${median(times.hand).toFixed(0)} ms`,
      };
    }
    console.log(
      [
        `${events} events, sums of the queries' medians: embedded ${all.embedded.toFixed(0)} ms, ClickHouse ${all.clickhouse.toFixed(0)} ms`,
        `loading: embedded ${(ingested / 1000).toFixed(1)} s, ClickHouse ${(median(ours) / 1000).toFixed(1)} s more`,
        `disk: embedded ${await megabytes(store)} MB, ClickHouse ${await diskOf(client)} MB`,
        `peak memory: embedded ${peakOf('self')} MB (this process), ClickHouse ${peakOfServer()} MB`,
      ].join('\n'),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Short questions take more turns, so that what is measured is the code that has been compiled, and not the other work
 * of the machine.
 */
function turnsOf(first: number, rounds: number): readonly [warmUps: number, turns: number] {
  const inTwoSeconds = Math.round(2000 / first);
  return [Math.min(30, Math.max(1, inTwoSeconds)), Math.min(100, Math.max(rounds, inTwoSeconds))];
}

type Explained = Awaited<ReturnType<Sluice['explain']>>[number];

async function askByHand(client: ReturnType<typeof createClient>, { statement, parameters = [] }: Explained) {
  const params = parameters.map((value, index) => [
    `p${index + 1}`,
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value)
      ? toClickHouseValue({ type: 'instant', value: Date.parse(value) })
      : value,
  ]);
  const { stream } = await client.exec({
    query: `${statement}\nFORMAT Native`,
    query_params: Object.fromEntries(params),
    clickhouse_settings: { database: 'bench', join_use_nulls: 1 } as never,
  });
  for await (const _ of stream);
}

async function megabytes(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(path.join(folder, name))).size));
  return (sizes.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(0);
}

async function diskOf(client: ReturnType<typeof createClient>): Promise<string> {
  const answer = await client.query({
    query: "SELECT round(sum(bytes_on_disk) / 1e6) AS size FROM system.parts WHERE active AND database = 'bench'",
    format: 'TabSeparated',
  });
  return (await answer.text()).trim();
}

function peakOf(pid: string): string {
  const [, kilobytes = '0'] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) / 1000).toFixed(0);
}

/** Peak memory of the server, which is a child of this process. */
function peakOfServer(): string {
  const children = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return new RegExp(`^PPid:\\s*${process.pid}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  });
  return children.map(peakOf).toSorted((one, other) => Number(other) - Number(one))[0] ?? '?';
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for await (const { what, ratio, target, detail } of measureClickHouse(Number(process.argv[2] ?? 10 * million)))
    console.log(`${ratio.toFixed(2)} (${target})  ${what}  ${detail}`);
}
