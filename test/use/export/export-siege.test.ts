import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { ingestFiles } from '../../../src/run/duckdb/store/ingest.ts';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import type { ExportOptions } from '../../../src/use/index.ts';
import { dataOf } from './export-tree.ts';
import { openMoodyProxy } from './moody-proxy.ts';
import { type Folder, folderOf } from '../run-in-folder.ts';

// With TEST_SIEGE=100: two million rows and a hundred kills, for a quarter of an hour.
const asked = process.env['TEST_SIEGE'];
const kills = Number(asked ?? 2);
const size = asked === undefined ? { events: 30_000, days: 5 } : { events: 2_000_000, days: 60 };
const last = '2026-08-29';
const first = new Date(Date.parse(last) - (size.days - 1) * 86_400_000).toISOString().slice(0, 10);
const dimensions =
  'utcTime userAnonymousId docPath eventType pageTitle agentName osFamily browserLanguage viewportSize sessionId referer'
    .split(' ')
    .map((name) => `TrackedEvents.${name}`);
const options: ExportOptions = { range: [first, last], dimensions };

interface Run {
  readonly killed: boolean;
  readonly said: string;
}

/** Kills it a number of milliseconds after it has committed a number of windows. */
async function exportInChild(
  folder: Folder,
  url: string,
  to: string,
  more: ExportOptions = {},
  kill?: { readonly windows: number; readonly ms: number },
): Promise<Run> {
  const child = new URL('export-child.ts', import.meta.url).pathname;
  const running = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', child, folder.root, url, to, JSON.stringify({ ...options, ...more })],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  let timer: NodeJS.Timeout | undefined;
  for (const stream of [running.stdout, running.stderr]) {
    stream.on('data', (text: Buffer) => {
      said += text.toString();
      if (kill && said.split('"windows":').length > kill.windows)
        timer ??= setTimeout(() => running.kill('SIGKILL'), kill.ms);
    });
  }
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
    running.on('close', (_, ended) => resolve(ended));
  });
  clearTimeout(timer);
  return { killed: signal === 'SIGKILL', said };
}

/** Visible files are complete: all others have a name with a leading dot. */
function checkWhole(folder: Folder, to: string): void {
  for (const [file, hash] of dataOf(path.join(folder.root, to))) {
    const { sha256 } = JSON.parse(readFileSync(path.join(folder.root, to, `${file}.manifest.json`), 'utf8')) as {
      readonly sha256: string;
    };
    expect([file, sha256]).toEqual([file, hash]);
  }
}

/** Rows that one side has more often than the other, counted by the engine from the files. */
async function differences(folder: Folder, to: string): Promise<readonly unknown[]> {
  await using engine = await openEngine({});
  const keys = ['utcTime', 'userAnonymousId', 'docPath'].map((name) => `"TrackedEvents.${name}"`);
  const [time, ...texts] = keys as [string, string, string];
  const source = `SELECT ${time} AS t, ${texts.join(', ')}, count(*) AS n FROM read_parquet('${folder.root}/events/*.parquet') GROUP BY ALL`;
  const files = readdirSync(path.join(folder.root, to), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => `'${path.join(folder.root, to, name)}'`);
  const there = `SELECT CAST(${time} AS TIMESTAMP) AS t, ${texts.join(', ')}, sum(CAST("TrackedEvents.count" AS BIGINT))::BIGINT AS n FROM read_json([${files.join(', ')}], format = 'newline_delimited', columns = {${[...dimensions, 'TrackedEvents.count'].map((name) => `'${name}': 'VARCHAR'`).join(', ')}}) GROUP BY ALL`;
  return await engine.rows(
    `SELECT * FROM ((${source}) EXCEPT ALL (${there})) UNION ALL SELECT * FROM ((${there}) EXCEPT ALL (${source})) LIMIT 3`,
  );
}

async function openServed(folder: Folder, oneIn: number) {
  mkdirSync(path.join(folder.root, 'events'), { recursive: true });
  const take = async (seed: number, events: number) => {
    const file = path.join(folder.root, 'events', `${seed}.parquet`);
    await writeSample({ seed, events, days: size.days, to: last }, file);
    await ingestFiles({
      folder: path.join(folder.root, 'store'),
      files: [file],
      now: Date.now,
      holder: 'this test',
      randomText: () => `s${seed}x`,
    });
  };
  await take(1, size.events);
  const server = fork(new URL('../../bench/serve-child.ts', import.meta.url), [path.join(folder.root, 'store')], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [{ url }] = (await once(server, 'message')) as [{ readonly url: string }];
  const proxy = await openMoodyProxy(url, { oneIn });
  return {
    proxy,
    take,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      server.disconnect();
      await once(server, 'exit');
    },
  };
}

describe('an export from an unreliable server', () => {
  it(`that is killed ${kills} times equals one without trouble to the byte, and has all rows`, {
    timeout: 60_000 + kills * 30_000,
  }, async () => {
    const folder = folderOf();
    await using served = await openServed(folder, 12);
    const { proxy } = served;
    expect((await exportInChild(folder, proxy.url, 'whole')).said).toContain(
      `"outcome":"done","events":${size.events}`,
    );
    expect(await differences(folder, 'whole')).toEqual([]);
    const expected = dataOf(path.join(folder.root, 'whole'));
    rmSync(path.join(folder.root, 'whole'), { recursive: true });
    let seed = 5;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let killed = 0, rounds = 0; killed < kills || rounds === 0; ) {
      const kill =
        killed < kills
          ? { windows: Math.floor(random() * (size.days / 4)), ms: Math.round(random() * 300) }
          : undefined;
      const run = await exportInChild(folder, proxy.url, 'out', {}, kill);
      killed += run.killed ? 1 : 0;
      checkWhole(folder, 'out');
      if (run.killed) continue;
      expect(run.said).toContain(`"outcome":"done","events":${size.events}`);
      expect(dataOf(path.join(folder.root, 'out'))).toEqual(expected);
      rmSync(path.join(folder.root, 'out'), { recursive: true });
      rounds += 1;
    }
    expect(proxy.troubles.size).toBeGreaterThan(asked === undefined ? 0 : 4);
    if (asked !== undefined) console.log(Object.fromEntries(proxy.troubles));
  });

  it('has all late events once they are counted again', { timeout: 600_000 }, async () => {
    const folder = folderOf();
    await using served = await openServed(folder, 20);
    const { proxy } = served;
    const late = Math.round(size.events / 100);
    proxy.onRows = async (number) => {
      if (number === 3) await served.take(2, late);
    };
    const run = await exportInChild(folder, proxy.url, 'out');
    expect(run.said).toContain('"outcome":"done"');
    checkWhole(folder, 'out');
    expect((await exportInChild(folder, proxy.url, 'out', { recheck: true })).said).toContain(
      `"outcome":"done","events":${size.events + late}`,
    );
    expect(await differences(folder, 'out')).toEqual([]);
  });
});
