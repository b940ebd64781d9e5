import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bindQuestion } from '../../src/use/answer/bind-question.ts';
import { answerWhole } from '../../src/use/answer/answer-question.ts';
import { answerLoad } from '../../src/use/answer/load.ts';
import { askQuery } from '../../src/use/answer/question.ts';
import { readLoad } from '../../src/use/answer/read-load.ts';
import { answerReport } from '../../src/use/report/run/answer-report.ts';
import { openReport } from '../../src/use/report/report-files.ts';
import { streamLoad } from '../../src/use/server/stream-load.ts';
import type { Session } from '../../src/use/workspace/session.ts';
import type { Workspace } from '../../src/use/workspace/workspace.ts';
import { openWithSession } from './open-session.ts';
import { folderOf } from './run-in-folder.ts';

const eventsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      utcTime: `2024-03-0${1 + (index % 8)}T10:00:00Z`,
      eventType: 'pageview',
      eventId: `${name}${index}`,
    }),
  ).join('\n');

/** A session over a store, into which `ingest` loads 16 more events after the first answer. */
async function whileLoading(
  times = 1,
): Promise<{ readonly session: Session; readonly root: string; readonly asked: () => number }> {
  const files = Array.from({ length: times + 1 }, (_, index) => [`${index}.ndjson`, `${eventsOf(`${index}-`, 16)}\n`]);
  const folder = folderOf({
    ...(Object.fromEntries(files) as Record<string, string>),
    'reports/r.md':
      '{{ a.count }} {{ b.count }}\n\n```query\nname: a\nquery: {measures: [count]}\n```\n\n```query\nname: b\nquery: {measures: [count], filters: [{member: eventType, operator: set}]}\n```\n',
  });
  const ingest = async (index: number) =>
    expect(await folder.sluice(['ingest', `${index}.ndjson`, '--quiet'])).toMatchObject({ code: 0 });
  await ingest(0);
  const sluice = await openWithSession({ workspace: folder.root, env: {} });
  onTestFinished(() => sluice.close());
  let asked = 0;
  let loaded = 0;
  const afterwards = async <T>(answering: Promise<T>): Promise<T> => {
    const answer = await answering;
    asked += 1;
    // After each first answer of a try.
    if (asked % 2 === 1 && loaded < times) await ingest((loaded += 1));
    return answer;
  };
  const { session } = sluice;
  return {
    root: folder.root,
    asked: () => asked,
    session: {
      ...session,
      model: session.model,
      run: (...given) => afterwards(session.run(...given)),
      runJson: (...given) => afterwards(session.runJson(...given)),
    },
  };
}

const time = (...days: readonly string[]) => [
  { dimension: 'TrackedEvents.utcTime', granularity: 'month' as const, dateRange: days as [string, string] },
];
const query = { measures: ['TrackedEvents.count'], timeDimensions: time('2024-03-01', '2024-03-08') };
const list = { query: [query, query], queryType: 'multi' };

const ranges = {
  measures: ['TrackedEvents.count'],
  timeDimensions: [
    {
      dimension: 'TrackedEvents.utcTime',
      compareDateRange: [0, 4].map((from) => [`2024-03-0${from + 1}`, `2024-03-0${from + 4}`] as const),
    },
  ],
};

const changing = 'The data changed during each of 4 tries. Figures may be of different states.';

describe('answers of several questions, while events are loaded,', () => {
  it('are of one state of the store in a list of queries', async () => {
    const { session, asked } = await whileLoading();
    const { body } = await answerLoad(list, session);
    expect(body).toMatchObject({
      results: [0, 1].map(() => ({ data: [{ 'TrackedEvents.count': '32' }] })),
    });
    expect(asked()).toBe(4);
  });

  it('are of one state when they are streamed, of few rows and of many', async () => {
    for (const more of [{}, { dimensions: ['TrackedEvents.eventId'], limit: 50_000 }]) {
      const { session, asked } = await whileLoading();
      const read = readLoad({ query: [0, 1].map(() => ({ ...query, ...more })), queryType: 'multi' }, session);
      if (!read.ok) throw new Error(JSON.stringify(read.issues));
      const pieces: Buffer[] = [];
      for await (const piece of await streamLoad(read.value, session, { fillDays: false }))
        pieces.push(Buffer.from(piece));
      const { results } = JSON.parse(Buffer.concat(pieces).toString()) as {
        readonly results: readonly { readonly data: readonly Record<string, string>[] }[];
      };
      expect(results.map(({ data }) => data.reduce((sum, row) => sum + Number(row['TrackedEvents.count']), 0))).toEqual(
        [32, 32],
      );
      expect(asked()).toBe(4);
    }
  });

  it('are of one state in a comparison', async () => {
    const { session } = await whileLoading();
    const bound = await bindQuestion(session, askQuery(ranges as never));
    expect([...(await answerWhole(session, bound, {})).values('TrackedEvents.count')].map(Number)).toEqual([16, 16]);
  });

  it('are of one state in a report', async () => {
    const { session, root } = await whileLoading();
    const file = { name: 'r', path: path.join(root, 'reports/r.md'), shown: 'reports/r.md' };
    const workspace = { flags: {}, cwd: root } as unknown as Workspace;
    const voice = { note: async () => undefined, alert: async () => undefined };
    await using answered = await answerReport(file, await openReport(file), new Map(), workspace, voice, session);
    expect(answered.report.blocks[0]).toMatchObject({ kind: 'prose', markdown: '32 32\n\n' });
  });

  it('are given as they are if the store changes all the time', async () => {
    const { session, asked } = await whileLoading(9);
    const { status } = await answerLoad(list, session);
    expect([status, asked()]).toEqual([200, 8]);
  });

  it('say so if the store changes all the time', async () => {
    const { session, root, asked } = await whileLoading(20);
    const bound = await bindQuestion(session, askQuery(ranges as never));
    expect((await answerWhole(session, bound, {})).provenance.notes).toContain(changing);
    const before = asked();
    const notes: string[] = [];
    const voice = { note: async (note: string) => void notes.push(note), alert: async () => undefined };
    const file = { name: 'r', path: path.join(root, 'reports/r.md'), shown: 'reports/r.md' };
    const workspace = { flags: {}, cwd: root } as unknown as Workspace;
    await using answered = await answerReport(file, await openReport(file), new Map(), workspace, voice, session);
    expect(answered.report.blocks).toHaveLength(3);
    expect([notes, asked() - before]).toEqual([[changing], 8]);
  });
});
