import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DuckDBValue } from '@duckdb/node-api';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { open, type Query } from '../../src/use/index.ts';
import type { BenchLine } from './fill.ts';
import { median, timed } from './timing.ts';

const million = 1_000_000;
const rounds = 15;

const day = (dateRange: string | readonly string[]) =>
  [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange }] as const;
const month = ['2026-09-01', '2026-09-30'] as const;

/** The eight most common questions. */
export const questions: Readonly<Record<string, Query>> = {
  'all events': { measures: ['TrackedEvents.count'] },
  'events by type': { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.eventType'] },
  'page views by day': { measures: ['TrackedEvents.pageViewsCount'], timeDimensions: day(month) },
  'daily active users': { measures: ['TrackedEvents.uniqueUsersCount'], timeDimensions: day(month) },
  'top pages': {
    measures: ['TrackedEvents.pageViewsCount'],
    dimensions: ['TrackedEvents.docPath'],
    limit: 10,
    filters: [{ member: 'TrackedEvents.eventType', operator: 'equals', values: ['pageview'] }],
  },
  'browsers and systems': {
    measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
    dimensions: ['TrackedEvents.agentName', 'TrackedEvents.osFamily'],
  },
  'one page by day in New York': {
    measures: ['TrackedEvents.count'],
    timezone: 'America/New_York',
    timeDimensions: day(month),
    filters: [{ member: 'TrackedEvents.docPath', operator: 'startsWith', values: ['/docs'] }],
  },
  'sessions by day': {
    measures: ['Sessions.count'],
    timeDimensions: [{ dimension: 'Sessions.startAt', granularity: 'day', dateRange: month }],
  },
};

/** The overhead of a session over the same SQL run by hand with DuckDB's client, question by question. */
export async function benchQueryOverhead(): Promise<readonly BenchLine[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  try {
    const file = join(folder, 'events.parquet');
    await writeSample({ seed: 1, events: million, days: 90, to: '2026-10-01' }, file);
    await using sluice = await open({ events: [file], workspace: folder, env: {} });
    // A separate connection of the client, with the table that the session's statements read.
    await using engine = await openEngine({});
    await openEventFiles(engine, [file], 'anonymous');
    const connection = await engine.work(async (own) => own);
    const lines: BenchLine[] = [];
    for (const [name, question] of Object.entries(questions)) {
      // The statement that the session sends. It includes the fill, which runs without the limit.
      const [explanation] = await sluice.explain({ ...question, limit: question.limit ?? million });
      const statement = explanation!.statement;
      const values = [...explanation!.parameters] as DuckDBValue[];
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = -3; round < rounds; round += 1) {
        const [a, b] = [
          await timed(async () => (await sluice.query({ ...question, limit: question.limit ?? million })).rows()),
          await timed(async () => (await connection.runAndReadAll(statement, values)).getRowObjectsJson()),
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const line of await benchQueryOverhead()) {
    console.log(
      `${line.name.padEnd(30)} ${line.ours.toFixed(1)} ms against ${line.theirs.toFixed(1)} ms by hand: ${line.ratio.toFixed(2)} times`,
    );
  }
}
