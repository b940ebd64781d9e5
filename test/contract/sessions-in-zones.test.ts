import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { open } from '../../src/use/index.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { writeNdjson } from './exported-events.ts';
import { addDays, bucketOf, startOfDate, type Size } from './oracle-clock.ts';
import {
  measureSessions,
  measureUsers,
  oracleSessions,
  oracleUsers,
  sessionMeasures,
  userMeasures,
  type SessionEvent,
  type UserSetting,
} from './sessions-oracle.ts';
import { expectTable, tableOf } from './tables.ts';
import { runs } from '../runs.ts';

const folder = openFolder();
afterAll(() => folder.remove());

const halfAnHour = 1_800_000;
const zone = fc.constantFrom(
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Pacific/Auckland',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'America/St_Johns',
  'Australia/Lord_Howe',
);
/** Ends of months and years, and days with a clock change in some zone. */
const date = fc.constantFrom(
  '2023-12-31',
  '2024-01-01',
  '2024-02-29',
  '2024-03-01',
  '2024-03-10',
  '2024-03-31',
  '2024-04-07',
  '2024-04-14',
  '2024-10-06',
  '2024-10-27',
  '2024-11-03',
);
/** Exactly the longest pause apart, or a millisecond more or less. */
const step = fc
  .tuple(fc.integer({ min: -6, max: 12 }), fc.constantFrom(0, 0, 0, 1, -1), fc.constantFrom(0, 0, 86_400_000))
  .map(([pauses, beside, days]) => pauses * halfAnHour + beside + days);
const oneOf = (...values: readonly string[]) =>
  fc.constantFrom<string | null | undefined>(null, undefined, '', ...values);

const world = fc
  .record({
    zone,
    date,
    user: fc.constantFrom<UserSetting>('anonymous', 'known'),
    project: fc.constantFrom(undefined, undefined, 'p'),
    events: fc.array(
      fc.record({
        after: step,
        userAnonymousId: oneOf('u', 'u', 'u', 'v'),
        userId: oneOf('u', 'k'),
        sessionId: oneOf(...['', '', '', '', 's', 't']),
        projectId: fc.constantFrom('p', 'p', 'q', 'q', null),
        agentName: fc.constantFrom('Firefox', 'Safari', null),
        eventType: fc.constantFrom('pageview', 'page_view', 'click', null),
        docPath: fc.constantFrom('/', '/a', null),
        referer: fc.constantFrom('', null),
      }),
      { minLength: 1, maxLength: 40, size: 'max' },
    ),
  })
  .map(({ events, ...rest }) => {
    const midnight = startOfDate(rest.date, rest.zone);
    return {
      ...rest,
      events: events.map(
        ({ after, ...event }, index): SessionEvent => ({
          ...event,
          at: midnight + after,
          eventId: `e${String(index).padStart(2, '0')}`,
        }),
      ),
    };
  });

const sizes: readonly Size[] = ['hour', 'day', 'week', 'month', 'year'];
let files = 0;

async function opened({
  events,
  ...setting
}: {
  readonly events: readonly SessionEvent[];
  readonly user: UserSetting;
  readonly project?: string | undefined;
  readonly zone: string;
}) {
  const written = events.map(({ at, ...event }) => ({ utcTime: new Date(at).toISOString().slice(0, -1), ...event }));
  const file = folder.write(`events-${(files += 1)}.ndjson`, writeNdjson(written));
  return open({
    workspace: folder.root,
    env: {},
    events: file,
    now: () => Date.parse('2025-01-01T00:00:00Z'),
    user: setting.user,
    project: setting.project,
    timezone: setting.zone,
  });
}

describe('beside midnights, the ends of months and the changes of clocks', () => {
  it('sessions and users are those of the oracle, in every zone, however ids are shared', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (setting) => {
        const sessions = oracleSessions(setting.events, setting).toSorted((one, other) => one.startAt - other.startAt);
        const users = oracleUsers(sessions).toSorted((one, other) => one.firstTimestamp - other.firstTimestamp);
        await using sluice = await opened(setting);
        const rowsOf = async (query: Parameters<typeof sluice.query>[0]) =>
          tableOf(await sluice.query(query, { fill: 'none' }));
        const [start, end] = [
          startOfDate(setting.date, setting.zone),
          startOfDate(addDays(setting.date, 1), setting.zone),
        ];
        const inside = (at: number) => at >= start && at < end;
        for (const granularity of sizes) {
          const label = (at: number) => bucketOf(at, granularity, setting.zone).label;
          const found = await rowsOf({
            measures: sessionMeasures,
            timeDimensions: [{ dimension: 'Sessions.startAt', granularity }],
          });
          expectTable(
            found,
            [...Map.groupBy(sessions, ({ startAt }) => label(startAt))].map(([bucket, own]) => [
              bucket,
              ...measureSessions(own),
            ]),
          );
          const foundUsers = await rowsOf({
            measures: userMeasures,
            timeDimensions: [{ dimension: 'ReturningUsers.first_timestamp', granularity }],
          });
          expectTable(
            foundUsers,
            [...Map.groupBy(users, ({ firstTimestamp }) => label(firstTimestamp))].map(([bucket, own]) => [
              bucket,
              ...measureUsers(own),
            ]),
          );
        }
        const dateRange = [setting.date, setting.date] as const;
        expectTable(
          await rowsOf({ measures: sessionMeasures, timeDimensions: [{ dimension: 'Sessions.startAt', dateRange }] }),
          [measureSessions(sessions.filter(({ startAt }) => inside(startAt)))],
        );
        expectTable(
          await rowsOf({
            measures: userMeasures,
            timeDimensions: [{ dimension: 'ReturningUsers.first_timestamp', dateRange }],
          }),
          [measureUsers(users.filter(({ firstTimestamp }) => inside(firstTimestamp)))],
        );
        const attributes = await rowsOf({
          dimensions: [
            'Sessions.startAt',
            'Sessions.derived',
            'Sessions.projectId',
            'Sessions.userId',
            'Sessions.agentName',
            'Sessions.docPath',
            'Sessions.endAt',
          ],
          ungrouped: true,
        });
        const iso = (at: number) => new Date(at).toISOString().slice(0, -1);
        const wanted = sessions.map(({ startAt, endAt, derived, first }) => [
          iso(startAt),
          derived,
          first.projectId ?? null,
          first.userId ?? null,
          first.agentName ?? null,
          first.docPath ?? null,
          iso(endAt),
        ]);
        expect(attributes.map((row) => JSON.stringify(row)).toSorted()).toEqual(
          wanted.map((row) => JSON.stringify(row)).toSorted(),
        );
      }),
      { numRuns: runs(10), endOnFailure: true },
    );
  });
});

describe('what the design leaves to be read out of it', () => {
  const base = Date.parse('2024-03-09T10:00:00Z');
  const event = (minutes: number, changes: Partial<SessionEvent>): SessionEvent => ({
    at: base + minutes * 60_000,
    eventId: `e${minutes}`,
    projectId: 'p',
    ...changes,
  });
  const count = async (events: readonly SessionEvent[], user: UserSetting = 'anonymous') => {
    await using sluice = await opened({ events, user, zone: 'UTC' });
    const [sessions] = tableOf(
      await sluice.query({
        measures: [
          'Sessions.count',
          'Sessions.uniqueUsersCount',
          'Sessions.usersCount',
          'Sessions.averageDurationMinutes',
        ],
      }),
    );
    const [users] = tableOf(
      await sluice.query({ measures: ['ReturningUsers.count', 'ReturningUsers.allSessionsCount'] }),
    );
    return [...sessions!, ...users!];
  };

  it('a session id that two users share is one session, of the first of them', async () => {
    expect(
      await count([
        event(0, { userAnonymousId: 'u', sessionId: 's' }),
        event(5, { userAnonymousId: 'v', sessionId: 's' }),
      ]),
    ).toEqual([1, 1, 1, 5, 1, 1]);
  });

  it('a session id that two projects share is two sessions, which one user may both have', async () => {
    expect(
      await count([
        event(0, { userAnonymousId: 'u', sessionId: 's' }),
        event(5, { userAnonymousId: 'u', sessionId: 's', projectId: 'q' }),
      ]),
    ).toEqual([2, 1, 2, 0, 1, 2]);
  });

  it('derived sessions are told apart project by project', async () => {
    const own = { userAnonymousId: 'u' };
    expect(await count([event(0, own), event(20, { ...own, projectId: 'q' }), event(40, own)])).toEqual([
      3, 1, 3, 0, 1, 3,
    ]);
  });

  it("a tracker's session goes on over any pause, and beside it the same user's other events make a derived one", async () => {
    const own = { userAnonymousId: 'u' };
    expect(
      await count([event(0, { ...own, sessionId: 's' }), event(5, own), event(500, { ...own, sessionId: 's' })]),
    ).toEqual([2, 1, 2, 250, 1, 2]);
  });

  it("a session without any user counts as a session and as nobody's", async () => {
    expect(await count([event(0, { sessionId: 's' }), event(5, {})])).toEqual([1, 0, 0, 0, 0, null]);
  });

  it('a user who signs in within a session is one user, unless the known user comes first', async () => {
    const events = [
      event(0, { userAnonymousId: 'u' }),
      event(10, { userAnonymousId: 'u', userId: 'k' }),
      event(20, { userId: 'k' }),
    ];
    expect(await count(events)).toEqual([2, 2, 2, 5, 2, 2]);
    expect(await count(events, 'known')).toEqual([2, 2, 2, 5, 2, 2]);
    const tracked = events.map((one) => ({ ...one, sessionId: 's' }));
    expect(await count(tracked)).toEqual([1, 1, 1, 20, 1, 1]);
    expect(await count(tracked, 'known')).toEqual([1, 1, 1, 20, 1, 1]);
  });
});
