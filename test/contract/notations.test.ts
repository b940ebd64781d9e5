import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeNotation } from '../../src/ask/notation/write-notation.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../src/plan/model/catalog.ts';
import { open, query, type Query, type Queryable, type Sluice, writeSavedQuery } from '../../src/use/index.ts';
import { bindQuestion } from '../../src/use/answer/bind-question.ts';
import { askBytes, type Asking, askLine, askQuery } from '../../src/use/answer/question.ts';
import type { Result } from '../../src/shape/result/result.ts';
import { runs } from '../runs.ts';
import { type Folder, now, openFolder } from '../use/run-in-folder.ts';
import { asking, world } from './arbitrary-world.ts';
import { contractEvents } from './contract-events.ts';
import { writeNdjson } from './exported-events.ts';
import { openWorlds, whileAsking } from './in-world.ts';

interface Written {
  readonly json: Query;
  readonly yaml: string;
  readonly line: string;
  readonly builder: Queryable;
  readonly flags: readonly string[];
}

/** The same question in each notation. */
const questions: Readonly<Record<string, Written>> = {
  'page views by page, the most viewed ones': {
    json: {
      measures: ['TrackedEvents.pageViewsCount'],
      dimensions: ['TrackedEvents.docPath'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: ['2024-10-25', '2024-11-05'] }],
      filters: [{ member: 'TrackedEvents.eventType', operator: 'equals', values: ['pageview'] }],
      order: { 'TrackedEvents.pageViewsCount': 'desc' },
      limit: 4,
    },
    yaml: `
      measures: [TrackedEvents.pageViewsCount]
      dimensions: [TrackedEvents.docPath]
      timeDimensions: [{dimension: TrackedEvents.utcTime, dateRange: [2024-10-25, 2024-11-05]}]
      filters: [{member: TrackedEvents.eventType, operator: equals, values: [pageview]}]
      order: {TrackedEvents.pageViewsCount: desc}
      limit: 4`,
    line: 'pageViewsCount by docPath 2024-10-25..2024-11-05 where eventType = pageview top 4',
    builder: query()
      .measures('TrackedEvents.pageViewsCount')
      .by('TrackedEvents.docPath')
      .range(['2024-10-25', '2024-11-05'])
      .where('TrackedEvents.eventType', 'equals', 'pageview')
      .order('TrackedEvents.pageViewsCount', 'desc')
      .limit(4),
    flags: [
      '-m',
      'pageViewsCount',
      '-d',
      'docPath',
      '--range',
      '2024-10-25,2024-11-05',
      '--where',
      'eventType = pageview',
      '--order',
      'pageViewsCount:desc',
      '--limit',
      '4',
    ],
  },
  'events and users of each day, in Berlin': {
    json: {
      measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
      timeDimensions: [
        { dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2024-10-26', '2024-10-30'] },
      ],
      timezone: 'Europe/Berlin',
    },
    yaml: `
      measures: [TrackedEvents.count, TrackedEvents.uniqueUsersCount]
      timeDimensions:
        - dimension: TrackedEvents.utcTime
          granularity: day
          dateRange: ['2024-10-26', '2024-10-30']
      timezone: Europe/Berlin`,
    line: 'count, uniqueUsersCount by day from 2024-10-26 to 2024-10-30 in Europe/Berlin',
    builder: query()
      .measures('TrackedEvents.count', 'TrackedEvents.uniqueUsersCount')
      .time('TrackedEvents.utcTime', 'day')
      .range(['2024-10-26', '2024-10-30'])
      .zone('Europe/Berlin'),
    flags: [
      '-m',
      'count,uniqueUsersCount',
      '-t',
      'utcTime:day',
      '--range',
      '2024-10-26..2024-10-30',
      '--timezone',
      'Europe/Berlin',
    ],
  },
  "events that are no robots' and stand on one of two pages": {
    json: {
      measures: ['TrackedEvents.count'],
      dimensions: ['TrackedEvents.eventType', 'TrackedEvents.agentName'],
      segments: ['TrackedEvents.humans'],
      filters: [
        {
          or: [
            { member: 'TrackedEvents.docPath', operator: 'startsWith', values: ['/docs'] },
            { member: 'TrackedEvents.docPath', operator: 'equals', values: ['/'] },
          ],
        },
      ],
      order: [
        ['TrackedEvents.eventType', 'asc'],
        ['TrackedEvents.agentName', 'desc'],
      ],
      offset: 1,
    },
    yaml: `
      measures: [TrackedEvents.count]
      dimensions: [TrackedEvents.eventType, TrackedEvents.agentName]
      segments: [TrackedEvents.humans]
      filters:
        - or:
            - {member: TrackedEvents.docPath, operator: startsWith, values: [/docs]}
            - {member: TrackedEvents.docPath, operator: equals, values: [/]}
      order: [[TrackedEvents.eventType, asc], [TrackedEvents.agentName, desc]]
      offset: 1`,
    line: 'count by eventType, agentName where docPath ^= /docs or docPath = / segment humans order by eventType, agentName desc offset 1',
    builder: query()
      .measures('TrackedEvents.count')
      .by('TrackedEvents.eventType', 'TrackedEvents.agentName')
      .segments('TrackedEvents.humans')
      .whereAny([
        ['TrackedEvents.docPath', 'startsWith', '/docs'],
        ['TrackedEvents.docPath', 'equals', '/'],
      ])
      .order('TrackedEvents.eventType')
      .order('TrackedEvents.agentName', 'desc')
      .offset(1),
    flags: [
      '-m',
      'count',
      '-d',
      'eventType,agentName',
      '--where',
      'docPath ^= /docs or docPath = /',
      '--segment',
      'humans',
      '--order',
      'eventType',
      '--order',
      'agentName:desc',
      '--offset',
      '1',
    ],
  },
  'the longest sessions per browser': {
    json: {
      measures: ['Sessions.averageDurationMinutes', 'Sessions.count'],
      dimensions: ['Sessions.agentName'],
      filters: [{ member: 'Sessions.count', operator: 'gte', values: ['1'] }],
      timeDimensions: [{ dimension: 'Sessions.startAt', dateRange: '2024-10' }],
    },
    yaml: `
      measures: [Sessions.averageDurationMinutes, Sessions.count]
      dimensions: [Sessions.agentName]
      filters: [{member: Sessions.count, operator: gte, values: [1]}]
      timeDimensions: [{dimension: Sessions.startAt, dateRange: '2024-10'}]`,
    line: 'Sessions.averageDurationMinutes, count by agentName 2024-10 where count >= 1',
    builder: query()
      .measures('Sessions.averageDurationMinutes', 'Sessions.count')
      .by('Sessions.agentName')
      .where('Sessions.count', 'gte', 1)
      .time('Sessions.startAt')
      .range('2024-10'),
    flags: [
      '-m',
      'Sessions.averageDurationMinutes,Sessions.count',
      '-d',
      'Sessions.agentName',
      '--range',
      '2024-10',
      '--where',
      'Sessions.count >= 1',
    ],
  },
};

describe('a question', () => {
  let folder: Folder;
  let sluice: Sluice;

  beforeAll(async () => {
    folder = openFolder({ 'events.ndjson': writeNdjson(contractEvents), 'sluice.yaml': 'events: events.ndjson\n' });
    sluice = await open({ workspace: folder.root, env: {}, now: () => now });
  });
  afterAll(async () => {
    await sluice[Symbol.asyncDispose]();
    folder.remove();
  });

  const onCommandLine = async (argv: readonly string[], stdin = '') => {
    const { code, stdout, stderr } = await folder.sluice(['query', ...argv, '-f', 'json'], { stdin });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as unknown;
  };

  it.each(Object.entries(questions))(
    'has the same answer as JSON, YAML, line, builder and flags: %s',
    async (_, { json, yaml, line, builder, flags }) => {
      const { rows, provenance } = await sluice.query(json);
      const expected = rows();
      expect(expected.length).toBeGreaterThan(1);
      for (const asked of [line, builder, JSON.parse(JSON.stringify(builder)) as Query]) {
        const answer = await sluice.query(asked);
        expect(answer.rows()).toEqual(expected);
        expect(answer.provenance.queryHash).toBe(provenance.queryHash);
      }
      expect(await onCommandLine(flags)).toEqual(expected);
      expect(await onCommandLine([line])).toEqual(expected);
      expect(await onCommandLine(['-'], `query:${yaml.replaceAll('\n      ', '\n  ')}\n`)).toEqual(expected);
      expect(await onCommandLine(['-'], JSON.stringify({ query: json }))).toEqual(expected);
    },
  );
});

const inWorld = openWorlds();

/**
 * One in this many questions is also answered; of the others, only those with different plans: equal plans have equal
 * answers.
 */
const answered = 5;

it('any question has the same plan or answer as YAML and, where a line can say it, as a line', async () => {
  let lines = 0;
  await fc.assert(
    fc.asyncProperty(world, fc.array(asking, { minLength: 30, maxLength: 30 }), async (setting, asked) => {
      await inWorld(setting, async (sluice, root) => {
        mkdirSync(path.join(root, 'queries'), { recursive: true });
        for (const [index, { query: json, fill, fillWith }] of asked.entries()) {
          const planned = async (how: Asking) => (await bindQuestion(sluice.session, how)).plans;
          const yaml = await writeSavedQuery({ query: json, fill, fillWith });
          const saved = await bindQuestion(sluice.session, askBytes(new TextEncoder().encode(yaml), 'asked.yaml'));
          const line = writeNotation(json, { members: toCatalog(builtInModel) });
          if (line !== undefined) lines += 1;
          const expected = await planned(askQuery(json));
          const isAnswered = index % answered === 0;
          const again: Result<object>[] = [];
          if (isAnswered || !isDeepStrictEqual(saved.plans, expected)) {
            writeFileSync(path.join(root, 'queries', 'asked.yaml'), yaml);
            again.push(await sluice.query('asked'));
          }
          // A line does not distinguish a number from its text.
          if (line !== undefined && (isAnswered || !isDeepStrictEqual(await planned(askLine(line)), expected)))
            again.push(await sluice.query(line, { fill, fillWith }));
          const rows = again.length > 0 ? (await sluice.query(json, { fill, fillWith })).rows() : [];
          whileAsking(line ?? json, setting, () => {
            expect([saved.question.saved.fill, saved.question.saved.fillWith]).toEqual([fill, fillWith]);
            for (const result of again) expect(result.rows()).toEqual(rows);
          });
        }
      });
    }),
    { numRuns: runs(12), endOnFailure: true },
  );
  // A line can express about twenty of ninety questions.
  expect(lines).toBeGreaterThan(10);
});
