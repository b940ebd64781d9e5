import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DuckDBValue } from '@duckdb/node-api';
import type { Explanation } from '../../src/run/backend.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { runCli } from '../../src/use/cli/run-cli.ts';
import { open, type Query } from '../../src/use/index.ts';
import type { Effects } from '../../src/use/process/effects.ts';
import type { Measured } from './main.ts';
import { median, timed } from './timing.ts';

const million = 1_000_000;
const rounds = 5;

const byDay = (dimension: string) =>
  ({ dimension, granularity: 'day', dateRange: ['2026-09-01', '2026-09-30'] }) as const;
const inSeptember = { dimension: 'TrackedEvents.utcTime', dateRange: ['2026-09-01', '2026-09-30'] } as const;
const onPages = (start: string) =>
  [{ member: 'TrackedEvents.docPath', operator: 'startsWith', values: [start] }] as const;

/** Twenty questions of a long report: figures, days and top lists. */
const questions: readonly Query[] = [
  { measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'], timeDimensions: [inSeptember] },
  {
    measures: ['Sessions.count', 'Sessions.averageDurationMinutes'],
    timeDimensions: [{ dimension: 'Sessions.startAt', dateRange: ['2026-09-01', '2026-09-30'] }],
  },
  ...[
    'TrackedEvents.pageViewsCount',
    'TrackedEvents.uniqueUsersCount',
    'TrackedEvents.linkClicksCount',
    'TrackedEvents.count',
  ].map((measure): Query => ({ measures: [measure], timeDimensions: [byDay('TrackedEvents.utcTime')] })),
  { measures: ['Sessions.count'], timeDimensions: [byDay('Sessions.startAt')] },
  ...['docPath', 'agentName', 'osFamily', 'eventType', 'userLanguage', 'docHost', 'referer'].map(
    (dimension): Query => ({
      measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
      dimensions: [`TrackedEvents.${dimension}`],
      timeDimensions: [inSeptember],
      limit: 10,
    }),
  ),
  ...['/docs', '/pricing', '/products'].map(
    (start): Query => ({
      measures: ['TrackedEvents.pageViewsCount'],
      timeDimensions: [byDay('TrackedEvents.utcTime')],
      filters: onPages(start),
    }),
  ),
  ...['/docs', '/pricing', '/products'].map(
    (start): Query => ({
      measures: ['TrackedEvents.uniqueUsersCount'],
      dimensions: ['TrackedEvents.agentName'],
      timeDimensions: [inSeptember],
      filters: onPages(start),
      limit: 5,
    }),
  ),
];

/** JSON is YAML: every question becomes a cell, and days a chart too. */
const notebook = `---\ntitle: Twenty cells\n---\n\n${questions.map((query) => `\`\`\`query\nquery: ${JSON.stringify(query)}\n${query.timeDimensions?.[0]?.granularity ? 'chart: line\n' : ''}\`\`\`\n`).join('\n')}`;

/** A report of twenty cells compared with its statements run by hand, and its memory with few and with many events. */
export async function* measureReport(): AsyncGenerator<Measured> {
  if (questions.length !== 20) throw new Error(`${questions.length} questions`);
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  try {
    await mkdir(path.join(folder, 'reports'));
    await writeFile(path.join(folder, 'sluice.yaml'), 'timezone: UTC\n');
    await writeFile(path.join(folder, 'reports', 'twenty.md'), notebook);
    const events = (count: number) => path.join(folder, `${count}.parquet`);
    for (const count of [million / 10, million])
      await writeSample({ seed: 1, events: count, days: 90, to: '2026-10-01' }, events(count));
    const argv = (count: number) => [
      'report',
      'run',
      'twenty',
      '--events',
      events(count),
      '--as-of',
      '2026-10-02',
      '-f',
      'html',
      '-o',
      `${folder}/`,
      '--quiet',
    ];

    const ours: number[] = [];
    const theirs: number[] = [];
    await using sluice = await open({ events: [events(million)], workspace: folder, env: {} });
    await using engine = await openEngine({});
    await openEventFiles(engine, [events(million)], 'anonymous');
    const connection = await engine.work(async (own) => own);
    const statements: Explanation[] = [];
    for (const question of questions)
      statements.push((await sluice.explain({ ...question, limit: question.limit ?? million }))[0]!);
    for (let round = -2; round < rounds; round += 1) {
      const report = await timed(async () => {
        if ((await runCli(argv(million), quiet(folder))) !== 0) throw new Error('the report failed');
      });
      const byHand = await timed(async () => {
        for (const { statement, parameters } of statements)
          await (await connection.runAndReadAll(statement, [...parameters] as DuckDBValue[])).getRowObjectsJson();
      });
      if (round < 0) continue;
      ours.push(report);
      theirs.push(byHand);
    }
    yield {
      what: 'HTML report of 20 cells on a million events, compared with the engine time of its queries',
      ratio: median(ours) / median(theirs),
      target: 3,
      better: 'lower',
      detail: `${median(ours).toFixed(0)} ms against ${median(theirs).toFixed(0)} ms`,
    };
    const [few, many] = [million / 10, million].map((count) =>
      median(Array.from({ length: 3 }, () => peakMegabytes(argv(count), folder))),
    );
    yield {
      what: 'peak memory of that report, compared with a tenth of the events',
      ratio: many! / few!,
      target: 1.5,
      better: 'lower',
      detail: `${many!.toFixed(0)} MB against ${few!.toFixed(0)} MB`,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function quiet(cwd: string): Effects {
  const sink = { write: async () => undefined, isTerminal: false };
  return {
    stdout: sink,
    stderr: sink,
    readStdin: async () => new Uint8Array(),
    env: {},
    cwd,
    now: Date.now,
    signal: new AbortController().signal,
  };
}

/** Peak memory of a separate process, including the engine. */
function peakMegabytes(argv: readonly string[], cwd: string): number {
  const start = pathToFileURL(
    path.join(import.meta.dirname, '..', '..', 'src', 'use', 'cli', 'run-in-process.ts'),
  ).href;
  const script = `process.on('exit', () => console.log(process.resourceUsage().maxRSS)); const { runInProcess } = await import(${JSON.stringify(start)}); await runInProcess(process.argv.slice(2));`;
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', script, 'sluice', ...argv],
    { cwd, encoding: 'utf8', env: { PATH: process.env['PATH'] } },
  );
  if (status !== 0) throw new Error(`the report failed: ${stderr}`);
  return Number(stdout.trim().split('\n').at(-1)) / 1024;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for await (const { what, ratio, detail } of measureReport()) console.log(`${what}: ${ratio.toFixed(2)} (${detail})`);
}
