import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadResponse } from '../../../src/shape/envelope/envelope.ts';
import { answerDryRun } from '../../../src/use/answer/load.ts';
import { openWithSession, type SluiceWithSession } from '../open-session.ts';
import { fewEvents, type Folder, now, openFolder } from '../run-in-folder.ts';

const perDay = (dateRange: unknown) => ({
  measures: ['TrackedEvents.count'],
  timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange }],
});

describe('load', () => {
  let folder: Folder;
  let sluice: SluiceWithSession;

  beforeAll(async () => {
    folder = openFolder({ 'events.ndjson': fewEvents });
    sluice = await openWithSession({ workspace: folder.root, events: 'events.ndjson', env: {}, now: () => now });
  });
  afterAll(async () => {
    await sluice[Symbol.asyncDispose]();
    folder.remove();
  });

  const data = async (query: unknown) => {
    const answer = await sluice.load({ query });
    expect(answer.status).toBe(200);
    return (answer.body as LoadResponse).results.map((result) => result.data);
  };

  it('returns numbers as text, in the envelope of several results', async () => {
    const answer = await sluice.load({ query: { measures: ['TrackedEvents.count'] }, queryType: 'multi' });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        queryType: 'regularQuery',
        results: [{ data: [{ 'TrackedEvents.count': '5' }], query: { limit: 10000 } }],
      },
    });
  });

  it('returns one bare result to clients that do not request several', async () => {
    const { body } = await sluice.load({ query: { measures: ['TrackedEvents.count'] } }, { queryType: 'regularQuery' });
    expect(body).toMatchObject({ data: [{ 'TrackedEvents.count': '5' }] });
    expect(body).not.toHaveProperty('results');
  });

  it('accepts the query as text, as browser clients send it', async () => {
    expect(await data(JSON.stringify({ measures: ['TrackedEvents.count'] }))).toEqual([
      [{ 'TrackedEvents.count': '5' }],
    ]);
  });

  it('ignores what Cube ignores: unknown members of an order, and an empty list of conditions', async () => {
    const count = { measures: ['TrackedEvents.count'] };
    const expected = [[{ 'TrackedEvents.count': '5' }]];
    expect(await data({ ...count, order: { 'TrackedEvents.nope': 'asc' } })).toEqual(expected);
    expect(await data({ ...count, filters: [{ or: [] }] })).toEqual(expected);
  });

  it("fills days only by the platform's rule: if a filter gives the range", async () => {
    expect((await data(perDay(['2024-03-05', '2024-03-08'])))[0]).toHaveLength(2);
    const [filled] = await data({
      ...perDay(undefined),
      filters: [{ member: 'TrackedEvents.utcTime', operator: 'inDateRange', values: ['2024-03-05', '2024-03-07'] }],
    });
    expect(
      (filled as Record<string, string>[]).map((row) => [row['TrackedEvents.utcTime.day'], row['TrackedEvents.count']]),
    ).toEqual([
      ['2024-03-06T00:00:00.000', '3'],
      ['2024-03-07T00:00:00.000', '2'],
      ['2024-03-05T00:00:00.000', '0'],
    ]);
  });

  it('answers each range of a comparison, for clients that accept several results', async () => {
    const query = {
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', compareDateRange: ['2024-03-06', '2024-03-07'] }],
    };
    expect(await data(query)).toMatchObject([[{ 'TrackedEvents.count': '3' }], [{ 'TrackedEvents.count': '2' }]]);
    expect(await sluice.load({ query }, { queryType: 'regularQuery' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('queryType=multi') },
    });
  });

  it('blends a list of queries by one granularity', async () => {
    const [one] = await data([perDay('2024-03-06'), perDay('2024-03-07')]);
    expect(one).toMatchObject([{ 'time.day': '2024-03-06T00:00:00.000', 'TrackedEvents.count': '3' }]);
    for (const query of [
      [],
      [{ measures: ['TrackedEvents.count'] }],
      [
        perDay('2024-03-06'),
        { ...perDay('2024-03-06'), timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'hour' }] },
      ],
    ]) {
      expect(await sluice.load({ query })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('granularity') },
      });
    }
  });

  it('answers a mistake with 400 and all issues', async () => {
    const { status, body } = await sluice.load({ query: { measures: ['TrackedEvents.cuont'], limit: 60000 } });
    expect(status).toBe(400);
    expect((body as { error: string }).error).toMatch(/TrackedEvents\.count.*50000/);
    for (const wrong of [null, [], 'x', {}, { query: null }, { query: 5 }, { query: { measures: 'x' } }]) {
      expect((await sluice.load(wrong)).status, JSON.stringify(wrong)).toBe(400);
    }
  });

  it('returns in a dry run how it understands the body', async () => {
    const answer = await answerDryRun({ query: perDay('yesterday') }, sluice.session);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        queryType: 'regularQuery',
        normalizedQueries: [
          { timeDimensions: [{ dateRange: ['2024-03-07T00:00:00.000', '2024-03-07T23:59:59.999'] }] },
        ],
      },
    });
  });

  it('reports unreadable lines along with the response, with exit code 5', async () => {
    const file = folder.write('broken.ndjson', `${fewEvents}{"utcTime":\n`);
    const { code, stdout, stderr } = await folder.sluice(['load', '--events', file], {
      stdin: '{"query": {"measures": ["TrackedEvents.count"]}}',
    });
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ results: [{ data: [{ 'TrackedEvents.count': '5' }] }] });
    expect(stderr).toMatch(/^broken\.ndjson:6: .*\n1 line is not counted/);
  });

  it('is a command: the response on stdout, a mistake in the form of the API, too', async () => {
    folder.write('sluice.yaml', 'events: events.ndjson\n');
    folder.write('body.json', '{"query": {"measures": ["TrackedEvents.count"]}}');
    const good = await folder.sluice(['load', 'body.json']);
    expect([good.code, good.stderr]).toEqual([0, '']);
    expect(JSON.parse(good.stdout)).toMatchObject({ results: [{ data: [{ 'TrackedEvents.count': '5' }] }] });
    const dry = await folder.sluice(['load', '--dry-run', 'body.json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ queryType: 'regularQuery' });
    const bad = await folder.sluice(['load'], { stdin: '{"query": {"measures": ["Nope.count"]}}' });
    expect(bad.code).toBe(2);
    expect(JSON.parse(bad.stdout)).toEqual({ error: expect.stringContaining('Nope') });
  });
});
