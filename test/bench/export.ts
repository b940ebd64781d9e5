import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  createWriteStream,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { Agent, request } from 'undici';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { writeUnit } from '../../src/run/export/files/write-unit.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { tuneRuntime } from '../../src/use/cli/tune-runtime.ts';
import { writingEngine } from '../../src/use/export/export-events.ts';
import type { ExportOptions } from '../../src/use/index.ts';
import type { Measured } from './main.ts';
import { median, timed } from './timing.ts';

const members =
  'utcTime userAnonymousId docPath eventType pageTitle agentName osFamily browserLanguage viewportSize sessionId referer'
    .split(' ')
    .map((name) => `TrackedEvents.${name}`);
/** Rows of a page: the platform's default and its maximum. */
const pages = { usual: 10_000, largest: 50_000 } as const;
const here = new URL(import.meta.url).pathname;
const built = new URL('../../dist/index.js', import.meta.url).href;
const command = new URL('../../dist/sluice.cjs', import.meta.url).pathname;

interface Ran {
  readonly ms: number;
  readonly rows: number;
}

function runApart(...args: readonly string[]): Ran {
  const run = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', here, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Ran;
}

/** Peak memory in bytes of a process of the built command. */
function peakOfCommand(
  url: string,
  to: string,
  { range, format }: { readonly range: readonly string[]; readonly format: string },
): number {
  const tellPeak = 'process.on("exit", () => process.stderr.write("peak " + process.resourceUsage().maxRSS))';
  const argv = [
    '--import',
    `data:text/javascript,${encodeURIComponent(tellPeak)}`,
    command,
    'export',
    '--backend',
    'cube',
    '--range',
    range.join(','),
    '-f',
    format,
    '-o',
    to,
    ...members.flatMap((member) => ['--dimension', member]),
  ];
  const env = { ...process.env, SLUICE_CUBE_TOKEN: 'a.b.c', SLUICE_CUBE_URL: `${url}/cubejs-api/v1` };
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', env, cwd: path.dirname(to) });
  const peak = /peak (\d+)$/.exec(stderr)?.[1];
  if (status !== 0 || peak === undefined) throw new Error(stderr);
  return Number(peak) * 1024;
}

async function exportHere(url: string, to: string, options: ExportOptions): Promise<Ran> {
  // As the command does.
  tuneRuntime(['export']);
  const { open } = (await import(built)) as typeof import('../../src/use/index.ts');
  const workspace = path.dirname(to);
  await using sluice = await open({
    backend: 'cube',
    env: { SLUICE_CUBE_TOKEN: 'a.b.c', SLUICE_CUBE_URL: `${url}/cubejs-api/v1` },
    workspace,
  });
  // Exclude the time for loading modules.
  const first = [options.range].flat()[0] ?? '';
  await sluice.export(`${to}-first`, { dimensions: members, ...options, range: [first, first] });
  const started = performance.now();
  const report = await sluice.export(to, { dimensions: members, ...options });
  if (report.outcome !== 'done') throw new Error(JSON.stringify(report));
  return { ms: performance.now() - started, rows: report.rows };
}

/** A simple loop: requests one page after the other until one is short, and appends each to the file. */
async function loopHere(
  url: string,
  file: string,
  { range, page }: { readonly range: readonly string[]; readonly page: number },
): Promise<Ran> {
  const dispatcher = new Agent();
  const started = performance.now();
  const handle = openSync(file, 'w');
  let rows = 0;
  for (let offset = 0; ; offset += page) {
    const query = {
      measures: ['TrackedEvents.count'],
      dimensions: members,
      timeDimensions: [{ dimension: members[0], dateRange: range }],
      order: members.map((member) => [member, 'asc']),
      limit: page,
      offset,
      timezone: 'UTC',
    };
    const { body } = await request(`${url}/cubejs-api/v1/load`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, queryType: 'multi' }),
      dispatcher,
    });
    const text = await body.text();
    writeFileSync(handle, text);
    const found = text.split('"TrackedEvents.count":"').length - 1;
    rows += found;
    if (found < page) break;
  }
  fsyncSync(handle);
  closeSync(handle);
  await dispatcher.close();
  return { ms: performance.now() - started, rows };
}

/** Requests the same bodies one after the other and pipes them to a file on the disk. */
async function pipeHere(url: string, bodiesFile: string, file: string): Promise<Ran> {
  const bodies = JSON.parse(readFileSync(bodiesFile, 'utf8')) as readonly string[];
  const dispatcher = new Agent();
  const ask = async (sent: string) =>
    (
      await request(`${url}/cubejs-api/v1/load`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: sent,
        dispatcher,
      })
    ).body;
  await (await ask(bodies[0]!)).bytes();
  const started = performance.now();
  const handle = await openFile(file, 'w');
  for (const sent of bodies)
    await pipeline(await ask(sent), createWriteStream('', { fd: handle.fd, autoClose: false }));
  await handle.sync();
  await handle.close();
  const ms = performance.now() - started;
  await dispatcher.close();
  return { ms, rows: 0 };
}

async function startChild(
  name: string,
  ...args: readonly string[]
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = fork(new URL(name, import.meta.url), args);
  const [{ url }] = (await once(child, 'message')) as [{ readonly url: string }];
  return { url, child };
}

async function stopChild(child: ChildProcess): Promise<void> {
  child.disconnect();
  await once(child, 'exit');
}

function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(folder, name));
}

/** Exports from a real server, and from one that replays answers at once. */
export async function* measureExport({
  events = 2_000_000,
}: {
  readonly events?: number;
} = {}): AsyncGenerator<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  let number = 0;
  const fresh = (ending = '') => path.join(folder, `out-${(number += 1)}${ending}`);
  try {
    const file = path.join(folder, 'events.parquet');
    await writeSample({ seed: 1, events, days: 60, to: '2026-08-29' }, file);
    const real = await startChild('serve-child.ts', file);
    const days = {
      few: ['2026-07-01', '2026-07-03'],
      half: ['2026-07-01', '2026-07-30'],
      all: ['2026-07-01', '2026-08-29'],
    } as const;
    const apart = (url: string, range: readonly string[], options: ExportOptions = {}, ending = '') => {
      const to = fresh(ending);
      const ran = runApart('export', url, to, JSON.stringify({ ...options, range }));
      return { ...ran, to };
    };
    const canned = await startChild('canned-child.ts', real.url);
    try {
      const few = [1, 2, 3].map(() => apart(real.url, days.few));
      const all = apart(real.url, days.all);
      // Alternate here and below, and take the ratio of each turn, because the load of the machine varies.
      const loopBeside = (page: number) => {
        const answers = fresh('.json');
        const theirs = runApart('loop', real.url, answers, JSON.stringify({ range: days.half, page }));
        rmSync(answers);
        const ours = apart(real.url, days.half);
        rmSync(ours.to, { recursive: true });
        return { theirs, ours };
      };
      const looped = (
        [
          [pages.usual, [1]],
          [pages.largest, [1, 2, 3]],
        ] as const
      ).map(([page, turns]) => ({ page, loops: turns.map(() => loopBeside(page)) }));
      const each = (ran: Ran) => ran.ms / ran.rows;
      yield {
        what: `time per row of an export of ${show(all.rows)} rows, compared with ${show(few[0]!.rows)} rows`,
        ratio: each(all) / median(few.map(each)),
        target: 1.25,
        better: 'lower',
        detail: `${seconds(all.ms)} against ${seconds(median(few.map(({ ms }) => ms)))}`,
      };

      // The first export records the answers.
      apart(canned.url, days.half);
      canned.child.send('bodies');
      const [{ bodies }] = (await once(canned.child, 'message')) as [{ readonly bodies: readonly string[] }];
      const bodiesFile = path.join(folder, 'bodies.json');
      writeFileSync(bodiesFile, JSON.stringify(bodies));
      const turn = (url: string) => {
        const piped = fresh();
        const theirs = runApart('pipe', url, bodiesFile, piped);
        rmSync(piped);
        return { ours: apart(url, days.half), theirs };
      };
      const slow = [1, 2, 3].map(() => turn(real.url));
      const pipedSlow = median(slow.map(({ theirs }) => theirs.ms));
      for (const { page, loops } of looped)
        yield {
          what: `speed of an export of ${show(loops[0]!.ours.rows)} rows, compared with a loop over limit and offset, ${show(page)} rows per page`,
          target: 5,
          better: 'higher',
          ...beside(loops),
          limit: `The server is the limit: piping the responses of the export's windows into a file without parsing them reaches ${(median(loops.map(({ theirs }) => theirs.ms)) / pipedSlow).toFixed(2)}`,
        };
      yield {
        what: 'speed of an NDJSON export, compared with piping the same responses into a file',
        target: 0.9,
        better: 'higher',
        ...beside(slow),
      };
      const quick = [1, 2, 3, 4, 5].map(() => turn(canned.url));
      const pipedQuick = median(quick.map(({ theirs }) => theirs.ms));
      yield {
        what: 'the same with a server that replays recorded responses',
        target: 0.9,
        better: 'higher',
        ...beside(quick),
      };
      const ndjson = median(quick.map(({ ours }) => ours.ms));
      const files = filesBelow(quick[0]!.ours.to, '.ndjson');
      for (const { ours } of [...slow, ...quick.slice(1)]) rmSync(ours.to, { recursive: true });

      if (spawnSync('sh', ['-c', 'command -v jq && command -v curl']).status === 0) {
        const some = bodies.slice(0, 6);
        const script = some
          .map(
            (_, index) =>
              `curl -sS --data-binary @${folder}/body-${index} -H 'content-type: application/json' ${canned.url}/cubejs-api/v1/load | jq -c '.data[]? // .results[0].data[]' > ${folder}/jq-${index}`,
          )
          .join('\n');
        for (const [index, body] of some.entries()) writeFileSync(path.join(folder, `body-${index}`), body);
        const theirs = await timed(async () => spawnSync('sh', ['-c', script]));
        yield {
          what: 'speed of an NDJSON export, compared with curl … | jq -c',
          ratio: theirs / some.length / (ndjson / bodies.length),
          target: 10,
          better: 'higher',
          limit: `Piping the same responses into a file without parsing them reaches ${(theirs / some.length / (pipedQuick / bodies.length)).toFixed(2)}`,
          detail: `${(ndjson / bodies.length).toFixed(0)} ms per window against ${(theirs / some.length).toFixed(0)} ms`,
        };
      }

      const parquet = [1, 2, 3].map(() => apart(canned.url, days.half, { format: 'parquet' }));
      const byHand = [
        await copyByHand(files, fresh('.parquet')),
        await copyByHand(files, fresh('.parquet')),
        await copyByHand(files, fresh('.parquet')),
      ];
      const written = [
        await writeWindows(files, fresh()),
        await writeWindows(files, fresh()),
        await writeWindows(files, fresh()),
      ];
      yield {
        what: 'speed of writing the rows of an export as Parquet, compared with DuckDB alone from the same NDJSON',
        ratio: median(byHand) / median(written),
        target: 0.8,
        better: 'higher',
        detail: `${seconds(median(written))} against ${seconds(median(byHand))}`,
      };
      yield {
        what: 'speed of a whole Parquet export with its requests, compared with DuckDB alone from existing NDJSON',
        ratio: median(byHand) / median(parquet.map(({ ms }) => ms)),
        target: 0.8,
        better: 'higher',
        detail: `${seconds(median(parquet.map(({ ms }) => ms)))} against ${seconds(median(byHand))}`,
        limit: `The requests alone take longer: piping the same responses into a file without parsing them reaches ${(median(byHand) / pipedQuick).toFixed(2)}`,
      };

      for (const [format, target] of [
        ['ndjson', 200],
        ['csv', 200],
        ['parquet', 600],
      ] as const) {
        const to = fresh();
        const peak = peakOfCommand(canned.url, to, { range: days.all, format });
        rmSync(to, { recursive: true });
        yield {
          what: `peak memory of \`sluice export -f ${format}\` in MB`,
          ratio: peak / 1e6,
          target,
          better: 'lower',
          detail: `${show(all.rows)} rows`,
        };
      }
    } finally {
      await stopChild(canned.child);
      await stopChild(real.child);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The median ratio of their time to ours. */
function beside(turns: readonly { readonly ours: Ran; readonly theirs: Ran }[]): Pick<Measured, 'ratio' | 'detail'> {
  return {
    ratio: median(turns.map(({ ours, theirs }) => theirs.ms / ours.ms)),
    detail: `${seconds(median(turns.map(({ ours }) => ours.ms)))} against ${seconds(median(turns.map(({ theirs }) => theirs.ms)))}`,
  };
}

/** Writes a file for each window, two at once, as an export does after its rows have arrived. */
export async function writeWindows(files: readonly string[], to: string): Promise<number> {
  await using engine = await openEngine({ ...writingEngine, threads: 1 });
  const columns = [
    ...members.map((key) => ({ key, type: key.endsWith('utcTime') ? ('time' as const) : ('text' as const) })),
    { key: 'TrackedEvents.count', type: 'count' as const },
  ];
  const form = { format: 'parquet', packing: undefined, expand: false, safeCells: false } as const;
  const waiting = [...files.entries()];
  const write = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      await writeUnit({ engine, columns, form, spools: [next[1]], target: `${to}-${next[0]}.parquet` });
  };
  return await timed(() => Promise.all([write(), write()]));
}

export async function copyByHand(files: readonly string[], to: string): Promise<number> {
  await using engine = await openEngine({ threads: 2 });
  const columns = [
    ...members.map((member) => `'${member}': '${member.endsWith('utcTime') ? 'TIMESTAMP' : 'VARCHAR'}'`),
    `'TrackedEvents.count': 'BIGINT'`,
  ].join(', ');
  return await timed(() =>
    engine.rows(
      `COPY (SELECT * FROM read_json([${files.map((each) => `'${each}'`).join(', ')}], format = 'newline_delimited', columns = {${columns}})) TO '${to}' (FORMAT parquet, COMPRESSION zstd)`,
    ),
  );
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const show = (count: number) => count.toLocaleString('en');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , kind, url = '', to = '', rest = ''] = process.argv;
  if (kind === 'export') console.log(JSON.stringify(await exportHere(url, to, JSON.parse(rest) as ExportOptions)));
  else if (kind === 'loop')
    console.log(
      JSON.stringify(
        await loopHere(url, to, JSON.parse(rest) as { readonly range: readonly string[]; readonly page: number }),
      ),
    );
  else if (kind === 'pipe') console.log(JSON.stringify(await pipeHere(url, to, rest)));
  else
    for await (const { what, ratio, detail, target } of measureExport({
      events: kind === undefined ? undefined : Number(kind),
    }))
      console.log(`${ratio.toFixed(2).padStart(8)}  (${target})  ${what}  (${detail})`);
}
