import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, query, type Query, type Sluice } from '../src/use/index.ts';
import { realEvents } from './data/real-events.ts';

const file = realEvents;

type Event = Readonly<Record<`TrackedEvents.${string}`, string>>;

/**
 * The figures were first counted in Python from the same file. Results with many rows are counted again below, event by
 * event, without an engine.
 */
describe('real events of May 2015', () => {
  let sluice: Sluice;
  let events: readonly Event[] = [];

  beforeAll(async () => {
    sluice = await open({ events: [file] });
    events = gunzipSync(readFileSync(file))
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Event);
  });
  afterAll(() => sluice[Symbol.asyncDispose]());

  const rows = async (asked: Query) => (await sluice.query(asked)).rows();

  it('counts every line once, including equal lines', async () => {
    expect(await rows({ measures: ['TrackedEvents.count'] })).toEqual([{ 'TrackedEvents.count': 4393 }]);
  });

  it('counts events by type', async () => {
    expect(await rows({ measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.eventType'] })).toEqual([
      { 'TrackedEvents.eventType': 'pageview', 'TrackedEvents.count': 4080 },
      { 'TrackedEvents.eventType': 'link_click', 'TrackedEvents.count': 313 },
    ]);
    expect(
      await rows({
        measures: ['TrackedEvents.pageViewsCount', 'TrackedEvents.linkClicksCount', 'TrackedEvents.uniqueUsersCount'],
      }),
    ).toEqual([
      {
        'TrackedEvents.pageViewsCount': 4080,
        'TrackedEvents.linkClicksCount': 313,
        'TrackedEvents.uniqueUsersCount': 1292,
      },
    ]);
  });

  it('ranks pages', async () => {
    const result = await sluice.query(
      query().measures('TrackedEvents.pageViewsCount').dimensions('TrackedEvents.docPath').limit(6).toQuery(),
    );
    expect(result.rows().map((row) => Object.values(row))).toEqual([
      ['/', 573],
      ['/blog/tags/puppet', 489],
      ['/projects/xdotool/', 219],
      ['/projects/xdotool/xdotool.xhtml', 153],
      ['/articles/dynamic-dns-with-dhcp/', 135],
      ['/blog/geekery/ssl-latency.html', 77],
    ]);
  });

  it('fills the days around the events with zeros, including both ends of the range', async () => {
    const asked = await rows({
      measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
      timeDimensions: [
        { dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2015-05-15', '2015-05-22'] },
      ],
    });
    expect(asked.map((row) => Object.values(row))).toEqual([
      ['2015-05-15T00:00:00.000', 0, 0],
      ['2015-05-16T00:00:00.000', 0, 0],
      ['2015-05-17T00:00:00.000', 819, 264],
      ['2015-05-18T00:00:00.000', 1446, 444],
      ['2015-05-19T00:00:00.000', 1141, 427],
      ['2015-05-20T00:00:00.000', 987, 388],
      ['2015-05-21T00:00:00.000', 0, 0],
      ['2015-05-22T00:00:00.000', 0, 0],
    ]);
  });

  it('cuts days by the zone', async () => {
    const asked = await rows({
      measures: ['TrackedEvents.count'],
      timezone: 'Pacific/Auckland',
      timeDimensions: [
        { dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2015-05-17', '2015-05-21'] },
      ],
    });
    expect(asked.map((row) => row['TrackedEvents.count'])).toEqual([94, 1452, 1315, 989, 543]);
  });

  it('derives sessions from gaps of more than thirty minutes, and users from sessions', async () => {
    const [sessions] = await rows({
      measures: [
        'Sessions.count',
        'Sessions.uniqueUsersCount',
        'Sessions.averageDurationMinutes',
        'Sessions.averagePerUser',
      ],
    });
    expect(sessions).toMatchObject({ 'Sessions.count': 2337, 'Sessions.uniqueUsersCount': 1292 });
    expect(sessions!['Sessions.averageDurationMinutes']).toBeCloseTo(0.146847810583369, 12);
    expect(sessions!['Sessions.averagePerUser']).toBeCloseTo(2337 / 1292, 12);
    const [users] = await rows({
      measures: ['ReturningUsers.allSessionsCount', 'ReturningUsers.returningUserPercentage'],
    });
    expect(users!['ReturningUsers.allSessionsCount']).toBe(2337);
    expect(users!['ReturningUsers.returningUserPercentage']).toBeCloseTo(21.28482972136223, 12);
    const byDay = await rows({
      measures: ['Sessions.count'],
      timeDimensions: [{ dimension: 'Sessions.startAt', granularity: 'day' }],
    });
    expect(byDay.map((row) => row['Sessions.count'])).toEqual([400, 738, 622, 577]);
  });

  it('agrees with a count event by event: users and events of every hour, browser and type', async () => {
    const asked = await rows({
      measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
      dimensions: ['TrackedEvents.agentName', 'TrackedEvents.eventType'],
      timeDimensions: [
        { dimension: 'TrackedEvents.utcTime', granularity: 'hour', dateRange: ['2015-05-17', '2015-05-20'] },
      ],
      limit: 100_000,
    });
    const groups = new Map<string, { count: number; users: Set<string> }>();
    for (const event of events) {
      const hour = `${event['TrackedEvents.utcTime']!.slice(0, 13)}:00:00.000Z`;
      const key = [event['TrackedEvents.agentName'], event['TrackedEvents.eventType'], hour].join('|');
      const group = groups.get(key) ?? { count: 0, users: new Set() };
      group.count += 1;
      group.users.add(event['TrackedEvents.userAnonymousId']!);
      groups.set(key, group);
    }
    const counted = asked.filter((row) => row['TrackedEvents.count'] !== 0);
    const ours = counted.map((row) => [
      [row['TrackedEvents.agentName'], row['TrackedEvents.eventType'], row['TrackedEvents.utcTime.hour']].join('|'),
      row['TrackedEvents.count'],
      row['TrackedEvents.uniqueUsersCount'],
    ]);
    const theirs = [...groups].map(([key, group]) => [key, group.count, group.users.size]);
    expect(ours.sort()).toEqual(theirs.sort());
  });
});
