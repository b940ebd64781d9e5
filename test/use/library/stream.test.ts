import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../../src/ask/query/query.ts';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import type { RowFormat } from '../../../src/show/format-name.ts';
import { writeResult } from '../../../src/show/write-result.ts';
import { writeRows } from '../../../src/show/write-rows.ts';
import { AbortedError } from '../../../src/use/index.ts';
import { openWithSession, type SluiceWithSession } from '../open-session.ts';

const formats: readonly RowFormat[] = ['json', 'ndjson', 'csv', 'tsv', 'parquet', 'arrow'];

let folder: string;
let sluice: SluiceWithSession;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
  const file = path.join(folder, 'events.ndjson');
  await writeSample({ seed: 7, events: 3000, days: 40, to: '2024-04-01' }, file);
  sluice = await openWithSession({
    events: [file],
    workspace: folder,
    env: {},
    now: () => Date.parse('2024-04-01T12:00:00Z'),
  });
}, 60_000);

afterAll(async () => {
  await sluice?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function bytesOf(chunks: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(Buffer.from(chunk));
  return Buffer.concat(all);
}

const limit = 50_000;
const members = (...names: readonly string[]) => names.map((name) => `TrackedEvents.${name}`);
const utcTime = 'TrackedEvents.utcTime';
const march = ['2024-03-01', '2024-03-31'] as const;

// No averages: two threads add floating-point numbers in a different order each time.
const questions: Readonly<Record<string, Query>> = {
  'every event': {
    dimensions: members('utcTime', 'userAnonymousId', 'docPath', 'eventType', 'referer'),
    measures: members('count'),
    ungrouped: true,
    limit,
  },
  'counts by path': { dimensions: members('docPath'), measures: members('count', 'uniqueUsersCount'), limit },
  'a page of paths': {
    dimensions: members('docPath'),
    measures: members('count'),
    limit: 20_000,
    offset: 2,
    total: true,
  },
  'hours in New York': {
    timeDimensions: [{ dimension: utcTime, granularity: 'hour', dateRange: march }],
    measures: members('count'),
    timezone: 'America/New_York',
    limit,
  },
  'weeks cut by their range and by the present': {
    timeDimensions: [{ dimension: utcTime, granularity: 'week', dateRange: ['2024-03-06', '2024-04-10'] }],
    measures: members('uniqueUsersCount'),
    timezone: 'Europe/Berlin',
    limit,
  },
  'days by type, as they are': {
    timeDimensions: [{ dimension: utcTime, granularity: 'day' }],
    dimensions: members('eventType'),
    measures: members('count'),
    limit,
  },
  'a range that is not over': {
    timeDimensions: [{ dimension: utcTime, dateRange: ['2024-03-20', '2024-04-20'] }],
    dimensions: members('docPath'),
    measures: members('count'),
    limit,
  },
  sessions: {
    dimensions: ['Sessions.startAt', 'Sessions.sessionID'],
    measures: ['Sessions.count'],
    limit,
    ungrouped: true,
  },
  'returning users': { measures: ['ReturningUsers.returningUserPercentage', 'ReturningUsers.allSessionsCount'], limit },
  nothing: {
    dimensions: members('docPath', 'utcTime'),
    measures: members('count'),
    filters: [{ member: 'TrackedEvents.docPath', operator: 'equals', values: ['/nowhere'] }],
    limit,
  },
};

describe('a streamed answer', () => {
  it.each(Object.entries(questions))('has the same bytes as the whole one: %s', async (_, question) => {
    const bound = sluice.session.bind(question);
    if (!bound.ok) throw new Error(JSON.stringify(bound.issues));
    for (const plan of bound.value) {
      // A filled answer is never streamed.
      const result = await sluice.session.run(plan, { fill: 'none' });
      await using rows = (await sluice.session.store(plan, { fill: 'none' }))!;
      const { elapsedMs: _whole, ...whole } = result.provenance;
      const { elapsedMs: _pieces, ...pieces } = rows.provenance;
      expect(pieces).toEqual(whole);
      expect(rows.types()).toBeDefined();
      expect(rows.parquet).toBeDefined();
      for (const format of formats)
        expect(
          (await bytesOf(writeRows(rows, format))).equals(await bytesOf(writeResult(result, format))),
          format,
        ).toBe(true);
    }
  });

  it('leaves answers that need filling to the whole form', async () => {
    const bound = sluice.session.bind({
      timeDimensions: [{ dimension: utcTime, granularity: 'day', dateRange: march }],
      measures: members('count'),
      limit,
    });
    expect(bound.ok && (await sluice.session.store(bound.value[0]!))).toBeUndefined();
    expect(bound.ok && (await sluice.session.store(bound.value[0]!, { fill: 'none' }))).toBeDefined();
  });

  it('leaves nothing behind, finished or not', async () => {
    const bound = sluice.session.bind(questions['every event']!);
    if (!bound.ok) throw new Error('bound');
    {
      await using rows = (await sluice.session.store(bound.value[0]!))!;
      for await (const chunk of writeRows(rows, 'csv')) if (chunk.length > 0) break;
      for await (const chunk of writeRows(rows, 'parquet')) if (chunk.length > 0) break;
    }
    const controller = new AbortController();
    await using rows = (await sluice.session.store(bound.value[0]!))!;
    controller.abort();
    await expect(bytesOf(writeRows(rows, 'csv', { signal: controller.signal }))).rejects.toBeInstanceOf(AbortedError);
    await expect(bytesOf(writeRows(rows, 'parquet', { signal: controller.signal }))).rejects.toBeInstanceOf(
      AbortedError,
    );
    await expect(sluice.session.store(bound.value[0]!, { signal: controller.signal })).rejects.toBeInstanceOf(
      AbortedError,
    );
  });

  it('fails if a file fails, and never ends early', async () => {
    const broken = path.join(folder, 'broken.parquet');
    const whole = await bytesOf(
      writeResult(await sluice.query({ dimensions: members('utcTime', 'docPath'), ungrouped: true, limit }), 'parquet'),
    );
    writeFileSync(broken, Buffer.concat([whole.subarray(0, 200), Buffer.alloc(400, 0xaa), whole.subarray(600)]));
    await using damaged = await openWithSession({ events: [broken], workspace: folder, env: {} });
    await expect(
      damaged.write({ dimensions: members('utcTime', 'docPath'), ungrouped: true, limit }, 'damaged.csv'),
    ).rejects.toThrow();
    expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  it('yields every row once and in order to calls that do not wait for each other', async () => {
    const asked: Query = { dimensions: members('utcTime', 'userAnonymousId'), ungrouped: true, limit };
    const inOrder: unknown[] = [];
    for await (const row of sluice.stream(asked)) inOrder.push(row);
    const stream = sluice.stream(asked);
    const steps = await Promise.all(Array.from({ length: inOrder.length + 2 }, () => stream.next()));
    expect(steps.slice(0, -2).map(({ value }) => value)).toEqual(inOrder);
    expect(steps.slice(-2)).toEqual([
      { done: true, value: expect.objectContaining({ rows: inOrder.length }) },
      { done: true, value: undefined },
    ]);
    const ended = sluice.stream(asked);
    const [first] = await Promise.all([ended.next(), ended.return(undefined as never)]);
    expect(first).toEqual({ done: false, value: inOrder[0] });
    expect(await ended.next()).toEqual({ done: true, value: undefined });
  });
});
