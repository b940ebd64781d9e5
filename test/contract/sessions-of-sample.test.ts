import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../src/ask/query/query.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { readSample } from '../run/sample/sample-reader.ts';
import { shareOf } from '../runs.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { bucketOf, type Size, startOfDate } from './oracle-clock.ts';
import {
  measureSessions,
  measureUsers,
  type OracleSession,
  oracleSessions,
  oracleUsers,
  sessionMeasures,
  userMeasures,
  type UserSetting,
} from './sessions-oracle.ts';
import { expectTable, type Table, tableOf } from './tables.ts';

/** Covers the end of the year, and clock changes in autumn and spring; Morocco's clock follows Ramadan. */
const asked = { seed: 3, events: 20_000, days: 200, to: '2024-04-20' };
const zones = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Pacific/Auckland',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'America/St_Johns',
  'Australia/Lord_Howe',
] as const;
/**
 * Every unit in every zone would take minutes, so test each unit in some zones, and each zone with some calendar units.
 */
const units: readonly (readonly [Size, string])[] = [
  ...zones.flatMap((zone) => (['day', 'week', 'month'] as const).map((size) => [size, zone] as const)),
  ['hour', 'America/St_Johns'],
  ['hour', 'Australia/Lord_Howe'],
  ['quarter', 'Europe/Berlin'],
  ['year', 'Pacific/Auckland'],
];

const folder = openFolder();
afterAll(() => folder.remove());
const read = readSample(asked);
const events = read.map(({ eventnCtxEventId, ...event }) => ({ ...event, eventId: eventnCtxEventId }));
const file = `${folder.root}/sample.parquet`;
beforeAll(() => writeSample(asked, file));

const settings = [
  { user: 'anonymous', project: undefined, every: 1 },
  { user: 'known', project: undefined, every: 5 },
  { user: 'known', project: '7', every: 7 },
] as const;

function opened({
  user,
  project,
}: {
  readonly user: UserSetting;
  readonly project: string | undefined;
}): Promise<Sluice> {
  return open({
    workspace: folder.root,
    env: {},
    events: file,
    now: () => Date.parse('2024-04-21T00:00:00Z'),
    user,
    project,
  });
}

const rowsOf = async (sluice: Sluice, query: Query) =>
  tableOf(await sluice.query({ limit: 100_000, ...query }, { fill: 'none' }));
const sorted = (table: Table): Table =>
  table.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

describe.each(settings)('with the user $user, in project $project,', (setting) => {
  const sessions = oracleSessions(events, setting);
  const users = oracleUsers(sessions);
  /** Sessions and users together cover each unit in each zone. */
  const some = <T>(all: readonly T[], place: number) =>
    setting.every === 1 ? shareOf(all, place, 2) : all.filter((_, index) => index % setting.every === 0);

  it('there is enough to be told apart', () => {
    expect(sessions.length).toBeGreaterThan(500);
    expect(sessions.filter(({ derived }) => derived).length).toBeGreaterThan(100);
    expect(sessions.filter(({ derived, events: own }) => derived && own.length > 1).length).toBeGreaterThan(50);
    expect(users.filter(({ sessions: count }) => count > 1).length).toBeGreaterThan(100);
    expect(users.some(({ sessions: count }) => count > 5)).toBe(true);
  });

  it('all measures of sessions are those of the oracle, whole and by the units of the calendar in many zones', async () => {
    await using sluice = await opened(setting);
    expectTable(await rowsOf(sluice, { measures: sessionMeasures }), [measureSessions(sessions)]);
    for (const [granularity, timezone] of some(units, 0)) {
      const found = await rowsOf(sluice, {
        measures: sessionMeasures,
        timeDimensions: [{ dimension: 'Sessions.startAt', granularity }],
        timezone,
      });
      const groups = Map.groupBy(
        sessions.toSorted((one, other) => one.startAt - other.startAt),
        ({ startAt }) => bucketOf(startAt, granularity, timezone).label,
      );
      expectTable(
        found,
        [...groups].map(([label, own]) => [label, ...measureSessions(own)]),
      );
    }
  });

  it('all measures of returning users are those of the oracle, whole, by the units of the calendar in many zones, and of those who returned', async () => {
    await using sluice = await opened(setting);
    expectTable(await rowsOf(sluice, { measures: userMeasures }), [measureUsers(users)]);
    for (const [index, [granularity, timezone]] of some(units, 1).entries()) {
      const segments = index % 3 === 2 ? ['ReturningUsers.returningUsers'] : [];
      const found = await rowsOf(sluice, {
        measures: userMeasures,
        segments,
        timeDimensions: [{ dimension: 'ReturningUsers.first_timestamp', granularity }],
        timezone,
      });
      const chosen = users
        .filter(({ sessions: count }) => segments.length === 0 || count > 1)
        .toSorted((one, other) => one.firstTimestamp - other.firstTimestamp);
      const groups = Map.groupBy(chosen, ({ firstTimestamp }) => bucketOf(firstTimestamp, granularity, timezone).label);
      expectTable(
        found,
        [...groups].map(([label, own]) => [label, ...measureUsers(own)]),
      );
    }
  });

  it('attributes are those of the first event', async () => {
    await using sluice = await opened(setting);
    const attributes: Readonly<Record<string, (session: OracleSession) => string | boolean | null>> = {
      derived: ({ derived }) => derived,
      projectId: ({ first }) => first.projectId ?? null,
      userId: ({ first }) => first.userId ?? null,
      agentName: ({ first }) => first.agentName ?? null,
      docPath: ({ first }) => first.docPath ?? null,
      referer: ({ first }) => first.referer ?? null,
    };
    for (const [name, valueOf] of Object.entries(attributes)) {
      const found = await rowsOf(sluice, { measures: sessionMeasures, dimensions: [`Sessions.${name}`] });
      expectTable(
        sorted(found),
        sorted([...Map.groupBy(sessions, valueOf)].map(([value, own]) => [value, ...measureSessions(own)])),
      );
    }
  });

  it('a range takes the sessions and users that began in it, whole, whatever they did before and after', async () => {
    await using sluice = await opened(setting);
    for (const timezone of some(zones, 0)) {
      for (const [from, to] of [
        ['2024-03-09', '2024-03-10'],
        ['2023-12-31', '2024-01-01'],
      ] as const) {
        const [start, end] = [
          startOfDate(from, timezone),
          startOfDate(new Date(Date.parse(to) + 86_400_000).toISOString().slice(0, 10), timezone),
        ];
        const inside = (at: number) => at >= start && at < end;
        const ofSessions = await rowsOf(sluice, {
          measures: sessionMeasures,
          timeDimensions: [{ dimension: 'Sessions.startAt', dateRange: [from, to] }],
          timezone,
        });
        expectTable(ofSessions, [measureSessions(sessions.filter(({ startAt }) => inside(startAt)))]);
        const ofUsers = await rowsOf(sluice, {
          measures: userMeasures,
          timeDimensions: [{ dimension: 'ReturningUsers.first_timestamp', dateRange: [from, to] }],
          timezone,
        });
        expectTable(ofUsers, [measureUsers(users.filter(({ firstTimestamp }) => inside(firstTimestamp)))]);
      }
    }
  });
});
