import { describe, expect, it } from 'vitest';
import { open, query, readSavedQuery, writeSavedQuery } from '../../src/use/index.ts';
import { folderOf } from './run-in-folder.ts';

const events = ['a', 'a', 'b', 'c', 'c', 'c']
  .map((user, index) => ({
    'TrackedEvents.utcTime': `2024-03-0${(index % 3) + 4}T10:00:00.000`,
    'TrackedEvents.userAnonymousId': user,
    'TrackedEvents.eventType': 'pageview',
    'TrackedEvents.docPath': `/${user}`,
  }))
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

const trend = `title: Trend
query:
  measures: [TrackedEvents.count]
  formulas:
    TrackedEvents.each: count/uniqueUsersCount
    TrackedEvents.active: uniqueUsersCount   rolling 2 days
  timeDimensions:
    - { dimension: TrackedEvents.utcTime, granularity: day, dateRange: [2024-03-04, 2024-03-06] }
`;

const openOver = (files: Readonly<Record<string, string>>) =>
  open({
    workspace: folderOf({ 'events.ndjson': events, ...files }).root,
    events: 'events.ndjson',
    env: {},
    now: () => Date.parse('2024-04-01T00:00Z'),
    onNote: () => undefined,
  });

const rows = [
  ['2024-03-04T00:00:00.000', 2, 1, 2],
  ['2024-03-05T00:00:00.000', 2, 1, 2],
  ['2024-03-06T00:00:00.000', 2, 1, 3],
].map(([day, count, each, active]) => ({
  'TrackedEvents.utcTime.day': day,
  'TrackedEvents.count': count,
  'TrackedEvents.each': each,
  'TrackedEvents.active': active,
}));

describe('formulas in query files', () => {
  it('follow the measures, and round-trip', async () => {
    await using sluice = await openOver({ 'queries/trend.yaml': trend });
    const byName = (row: object) => Object.fromEntries(Object.entries(row).sort());
    const answered = await sluice.query('trend');
    expect(answered.rows().map(byName)).toEqual(rows.map(byName));
    const read = await readSavedQuery(trend);
    const again = read.ok ? await readSavedQuery(await writeSavedQuery(read.value)) : read;
    expect(again.ok && again.value).toEqual(read.ok && read.value);
  });

  it('are built step by step', async () => {
    await using sluice = await openOver({});
    const built = query()
      .measures('TrackedEvents.count')
      .formula('TrackedEvents.each', 'count / uniqueUsersCount')
      .by('TrackedEvents.docPath')
      .order('TrackedEvents.each', 'desc')
      .limit(1)
      .withOther();
    expect((await sluice.query(built)).rows()).toEqual([
      { 'TrackedEvents.docPath': '/c', 'TrackedEvents.count': 3, 'TrackedEvents.each': 3 },
      { 'TrackedEvents.docPath': 'Other', 'TrackedEvents.count': 3, 'TrackedEvents.each': 1.5 },
    ]);
  });

  it('are reported at their place if they cannot be read', async () => {
    const bad = trend.replace('count/uniqueUsersCount', 'count / uniqueUserCount').replace('rolling 2', 'rolling 0');
    await using sluice = await openOver({ 'queries/bad.yaml': bad });
    await expect(sluice.query('bad')).rejects.toThrow(
      /queries\/bad\.yaml:6:27 {2}error {2}A whole number from 1 to 1000/,
    );
    await using other = await openOver({
      'queries/bad.yaml': trend.replace('uniqueUsersCount\n', 'uniqueUserCount\n'),
    });
    await expect(other.query('bad')).rejects.toThrow(
      /bad\.yaml:5:25 {2}error {2}There is no measure "TrackedEvents.uniqueUserCount"[^]*uniqueUsersCount/,
    );
  });

  it('are not part of a load body', async () => {
    await using sluice = await openOver({});
    const body = { query: { formulas: { 'TrackedEvents.each': 'TrackedEvents.count' } } };
    expect(await sluice.load(body)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/Unknown key "formulas"/) as string },
    });
  });
});
