import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { ask, statementOf } from './ask.ts';
import { type Cell, eventsTable, openTestEngine, type Row, type TestEngine, valuesOf } from './engine.ts';
import { runs } from '../runs.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine(eventsTable);
});
afterAll(() => engine[Symbol.asyncDispose]());

interface Event {
  readonly id: string | null;
  readonly project: string | null;
  readonly user: string | null;
  readonly session: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly type: string;
  readonly agent: string | null;
  readonly path: string | null;
  readonly known: string | null;
}

async function fill(events: readonly Event[]): Promise<void> {
  const rows = events.map(({ id, project, user, session, at, type, agent, path, known }): readonly Cell[] => [
    id,
    project,
    user,
    session,
    new Date(at).toISOString().slice(0, -1),
    type,
    agent,
    path,
    known,
  ]);
  const columns = 'event_id, project_id, user_key, session_id, utc_time, event_type, agent_name, doc_path, user_id';
  await engine.setup(
    `DELETE FROM events; ${rows.length > 0 ? `INSERT INTO events (${columns}) VALUES ${valuesOf(rows)}` : ''}`,
  );
}

interface Session {
  readonly project: string | null;
  readonly user: string | null;
  readonly derived: boolean;
  readonly events: readonly Event[];
}

const longestGap = 30 * 60_000;

/** The definition, event by event. */
function sessionsOf(all: readonly Event[], project?: string): readonly Session[] {
  const events = all.filter((event) => project === undefined || event.project === project).toSorted(inOrder);
  const sessions: { project: string | null; user: string | null; derived: boolean; events: Event[] }[] = [];
  const open = new Map<string, (typeof sessions)[number]>();
  for (const event of events) {
    const derived = event.session === null || event.session === '';
    if (derived && event.user === null) continue;
    const key = JSON.stringify([derived, event.project, derived ? event.user : event.session]);
    const running = open.get(key);
    if (running && (!derived || event.at - running.events.at(-1)!.at <= longestGap)) {
      running.events.push(event);
      running.user ??= event.user;
    } else {
      const started = { project: event.project, user: event.user, derived, events: [event] };
      open.set(key, started);
      sessions.push(started);
    }
  }
  return sessions;
}

/** By time, then ID, then content; missing values come last. */
function inOrder(left: Event, right: Event): number {
  const keys = (event: Event): readonly (string | number | null)[] => [
    event.at,
    event.id,
    event.known,
    event.agent,
    event.path,
    event.user,
  ];
  const others = keys(right);
  for (const [index, one] of keys(left).entries()) {
    const other = others[index]!;
    if (one === other) continue;
    if (one === null) return 1;
    return other !== null && one > other ? 1 : -1;
  }
  return 0;
}

const start = Date.parse('2024-03-09T20:00:00Z');
/** Multiples of exactly the longest gap, plus or minus a millisecond, across a midnight and a clock change. */
const times = fc
  .tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom(0, 0, 1, -1))
  .map(([steps, beside]) => start + steps * longestGap + beside);
const events = fc
  .array(
    fc.record({
      project: fc.constantFrom('p', 'q', null),
      user: fc.constantFrom('u', 'v', null),
      session: fc.constantFrom('s', 't', '', null, null, null),
      at: times,
      type: fc.constantFrom('pageview', 'link_click'),
      agent: fc.constantFrom('Firefox', 'Safari', null),
      path: fc.constantFrom('/', '/a', null),
      known: fc.constantFrom('k', null),
    }),
    { maxLength: 40 },
  )
  .map((rows) => rows.map((row, index): Event => ({ id: `e${String(index).padStart(2, '0')}`, ...row })));

const iso = (instant: number) => new Date(instant).toISOString().slice(0, -1);
const minutesOf = ({ events: own }: Session) => (own.at(-1)!.at - own[0]!.at) / 60_000;
const mean = (numbers: readonly number[]) =>
  numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const users = (sessions: readonly Session[]) =>
  new Set(sessions.map(({ user }) => user).filter((user) => user !== null));

const told = 'uncounted: sessions have events of several users, and each counts only for the first of them';
const usersOf = (session: Session) => new Set(session.events.flatMap(({ user }) => user ?? []));
const sharedAmong = (sessions: readonly Session[]) => sessions.filter((session) => usersOf(session).size > 1).length;

function measured(sessions: readonly Session[]): Row {
  const known = users(sessions).size;
  return {
    'Sessions.count': sessions.length,
    'Sessions.averagePerUser': known === 0 ? null : sessions.length / known,
    'Sessions.averageDurationMinutes': mean(sessions.map(minutesOf)),
    'Sessions.uniqueUsersCount': known,
    'Sessions.usersCount': sessions.filter(({ user }) => user !== null).length,
    'uncounted: sessions without a user': sessions.filter(({ user }) => user === null).length,
    [told]: sharedAmong(sessions),
  };
}
const allMeasures = ['count', 'averagePerUser', 'averageDurationMinutes', 'uniqueUsersCount', 'usersCount'].map(
  (name) => `Sessions.${name}`,
);

/** The engine adds floats in another order. */
function expectRows(rows: readonly Row[], wanted: readonly Row[]): void {
  const rounded = (each: readonly Row[]) =>
    each.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [
          key,
          typeof value === 'number' ? Number(value.toPrecision(12)) : value,
        ]),
      ),
    );
  expect(rounded(rows)).toEqual(rounded(wanted));
}

const byText = (rows: readonly Row[]) =>
  rows.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));

describe('sessions', () => {
  it("are the tracker's, else one user's events without a long pause, with the attributes of their first event", async () => {
    await fc.assert(
      fc.asyncProperty(events, async (all) => {
        await fill(all);
        const dimensions = [
          'sessionID',
          'projectId',
          'derived',
          'startAt',
          'endAt',
          'userId',
          'agentName',
          'docPath',
        ].map((name) => `Sessions.${name}`);
        const rows = await ask(
          engine,
          { dimensions, measures: ['Sessions.count', 'Sessions.uniqueUsersCount'] },
          builtInModel,
        );
        const found = rows.map(({ 'Sessions.sessionID': id, ...row }) => {
          expect(id).not.toBeNull();
          return row;
        });
        const wanted = sessionsOf(all).map(
          ({ project, derived, events: own, user }): Row => ({
            'Sessions.projectId': project,
            'Sessions.derived': derived,
            'Sessions.startAt': iso(own[0]!.at),
            'Sessions.endAt': iso(own.at(-1)!.at),
            'Sessions.userId': own[0]!.known,
            'Sessions.agentName': own[0]!.agent,
            'Sessions.docPath': own[0]!.path,
            'Sessions.count': 1,
            'Sessions.uniqueUsersCount': user === null ? 0 : 1,
            'uncounted: sessions without a user': user === null ? 1 : 0,
            [told]: new Set(own.flatMap((event) => event.user ?? [])).size > 1 ? 1 : 0,
          }),
        );
        expect(byText(found)).toEqual(byText(wanted));
      }),
      { numRuns: runs(60) },
    );
  });

  it('are measured as a whole and for one project', async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.constantFrom(undefined, 'p', 'q'), async (all, project) => {
        await fill(all);
        expectRows(await ask(engine, { measures: allMeasures }, builtInModel, { project }), [
          measured(sessionsOf(all, project)),
        ]);
      }),
      { numRuns: runs(40) },
    );
  });

  it('are built over all history before the range picks those that began in it', async () => {
    const zone = 'America/New_York';
    const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
    await fc.assert(
      fc.asyncProperty(events, async (all) => {
        await fill(all);
        const rows = await ask(
          engine,
          {
            measures: allMeasures,
            timeDimensions: [
              { dimension: 'Sessions.startAt', granularity: 'day', dateRange: ['2024-03-10', '2024-03-10'] },
            ],
            timezone: zone,
          },
          builtInModel,
        );
        const inside = sessionsOf(all).filter(({ events: own }) => day.format(own[0]!.at) === '2024-03-10');
        expectRows(
          rows,
          inside.length === 0 ? [] : [{ 'Sessions.startAt.day': '2024-03-10T00:00:00.000', ...measured(inside) }],
        );
      }),
      { numRuns: runs(30) },
    );
  });

  it('do not depend on the order of the events, even where times and ids are equal', async () => {
    const tied = fc.array(
      fc.record({
        id: fc.constantFrom('e', null),
        project: fc.constant('p'),
        user: fc.constantFrom('u', 'v', null),
        session: fc.constantFrom('s', null),
        at: times,
        type: fc.constant('pageview'),
        agent: fc.constantFrom('Firefox', 'Safari', null),
        path: fc.constantFrom('/', '/a', null),
        known: fc.constantFrom('k', null),
      }),
      { maxLength: 20 },
    );
    const query = {
      dimensions: ['sessionID', 'startAt', 'endAt', 'userId', 'agentName', 'docPath'].map((name) => `Sessions.${name}`),
      measures: ['Sessions.count', 'Sessions.uniqueUsersCount', 'Sessions.averageDurationMinutes'],
    };
    await fc.assert(
      fc.asyncProperty(
        tied.chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))),
        async ([rows, shuffled]) => {
          await fill(rows);
          const first = await ask(engine, query, builtInModel);
          await fill(shuffled);
          expect(await ask(engine, query, builtInModel)).toEqual(first);
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

const event = (at: string, changes: Partial<Event> = {}): Event => ({
  id: at,
  project: null,
  user: 'u',
  session: null,
  at: Date.parse(`2024-03-09T${at}Z`),
  type: 'pageview',
  agent: null,
  path: null,
  known: null,
  ...changes,
});
const countOf = async (all: readonly Event[]) => {
  await fill(all);
  const [row] = await ask(engine, { measures: ['Sessions.count'] }, builtInModel);
  return row?.['Sessions.count'];
};

describe('a derived session', () => {
  it('goes on for exactly 30 minutes, and not a millisecond longer', async () => {
    expect(await countOf([event('10:00:00.000'), event('10:30:00.000'), event('11:00:00.000')])).toBe(1);
    expect(await countOf([event('10:00:00.000'), event('10:30:00.001')])).toBe(2);
  });

  it('goes on over midnight', async () => {
    expect(
      await countOf([
        event('23:50:00.000'),
        event('23:59:59.999'),
        event('23:59:59.999', { at: Date.parse('2024-03-10T00:10:00Z') }),
      ]),
    ).toBe(1);
  });

  it("is one user's in one project", async () => {
    expect(
      await countOf([
        event('10:00:00.000'),
        event('10:01:00.000', { user: 'v' }),
        event('10:02:00.000', { project: 'p' }),
      ]),
    ).toBe(3);
    expect(await countOf([event('10:00:00.000', { user: null })])).toBe(0);
  });

  it('is not glued together by names that run into each other', async () => {
    expect(
      await countOf([
        event('10:00:00.000', { project: '1:p', session: 's' }),
        event('10:00:00.000', { project: '1', session: 'p:s' }),
        event('10:00:00.000', { project: null, session: '1:1/s' }),
      ]),
    ).toBe(3);
    await fill([
      event('10:00:00.000', { user: 'tracked:s' }),
      event('10:00:00.000', { session: 'derived:1:tracked:s' }),
    ]);
    expect(
      await ask(engine, { dimensions: ['Sessions.derived'], measures: ['Sessions.count'] }, builtInModel),
    ).toHaveLength(2);
  });
});

describe('returning users', () => {
  it('have a row a user, over all of their sessions', async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.constantFrom(undefined, 'p'), async (all, project) => {
        await fill(all);
        const byUser = Map.groupBy(
          sessionsOf(all, project).filter(({ user }) => user !== null),
          ({ user }) => user!,
        );
        const counts = [...byUser.values()].map((sessions) => sessions.length);
        const returning = counts.filter((count) => count > 1).length;
        const measures = ['count', 'returningUsersCount', 'allSessionsCount', 'returningUserPercentage'].map(
          (name) => `ReturningUsers.${name}`,
        );
        expectRows(await ask(engine, { measures }, builtInModel, { project }), [
          {
            'ReturningUsers.count': counts.length,
            'ReturningUsers.returningUsersCount': returning,
            'ReturningUsers.allSessionsCount':
              counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0),
            'ReturningUsers.returningUserPercentage': counts.length === 0 ? null : (100 * returning) / counts.length,
            [told]: sharedAmong([...byUser.values()].flat()),
          },
        ]);
        const first = (sessions: readonly Session[]) => Math.min(...sessions.map(({ events: own }) => own[0]!.at));
        const rows = await ask(
          engine,
          {
            measures: ['ReturningUsers.count'],
            dimensions: ['ReturningUsers.first_timestamp'],
            segments: ['ReturningUsers.returningUsers'],
            order: [],
          },
          builtInModel,
          { project },
        );
        const returned = [...byUser.values()]
          .filter((sessions) => sessions.length > 1)
          .toSorted((left, right) => first(left) - first(right));
        expect(rows).toEqual(
          [...Map.groupBy(returned, first)].map(([at, same]) => ({
            'ReturningUsers.first_timestamp': iso(at),
            'ReturningUsers.count': same.length,
            [told]: sharedAmong(same.flat()),
          })),
        );
      }),
      { numRuns: runs(40) },
    );
  });

  it('are picked by their first event', async () => {
    await fill([event('10:00:00.000'), event('15:00:00.000'), event('15:00:00.000', { user: 'v' })]);
    const rows = await ask(
      engine,
      {
        measures: ['ReturningUsers.count', 'ReturningUsers.allSessionsCount'],
        timeDimensions: [
          { dimension: 'ReturningUsers.first_timestamp', dateRange: ['2024-03-09T09:00', '2024-03-09T11:00'] },
        ],
      },
      builtInModel,
    );
    expect(rows).toEqual([{ 'ReturningUsers.count': 1, 'ReturningUsers.allSessionsCount': 2, [told]: 0 }]);
  });
});

describe('events', () => {
  it('are those of the project that is asked for, whatever its name', async () => {
    const hostile = `p' OR '1'='1`;
    await fill([
      event('10:00:00.000', { project: hostile }),
      event('11:00:00.000', { project: 'p' }),
      event('12:00:00.000'),
    ]);
    for (const [cube, measure] of [
      ['TrackedEvents', 'count'],
      ['Sessions', 'count'],
      ['ReturningUsers', 'allSessionsCount'],
    ] as const) {
      const query = { measures: [`${cube}.${measure}`] };
      expect(Object.values((await ask(engine, query, builtInModel, { project: hostile }))[0]!)[0]).toBe(1);
      expect(Object.values((await ask(engine, query, builtInModel))[0]!)[0]).toBe(3);
      expect(statementOf(query, builtInModel, { project: hostile }).text).not.toContain("OR '1'");
    }
  });

  it('without a user count as nobody, and how many there were is told beside the count of users', async () => {
    await fill([
      event('10:00:00.000'),
      event('11:00:00.000', { user: null }),
      event('12:00:00.000', { user: null, type: 'link_click' }),
    ]);
    expect(await ask(engine, { measures: ['TrackedEvents.uniqueUsersCount'] }, builtInModel)).toEqual([
      { 'TrackedEvents.uniqueUsersCount': 1, 'uncounted: events without a user': 2 },
    ]);
    expect(statementOf({ measures: ['TrackedEvents.uniqueUsersCount'] }, builtInModel).uncounted).toEqual([
      { what: 'events without a user' },
    ]);
  });
});

it('every member of the built-in cubes can be asked of DuckDB', async () => {
  await fill([event('10:00:00.000', { session: 's' }), event('11:00:00.000')]);
  for (const cube of builtInModel.cubes) {
    const names = (members: readonly { readonly name: string }[]) => members.map(({ name }) => `${cube.name}.${name}`);
    const query = {
      measures: names(cube.measures),
      dimensions: names(cube.dimensions),
      segments: names(cube.segments),
    };
    await expect(engine.run(statementOf(query, builtInModel)), cube.name).resolves.toBeDefined();
    await expect(
      engine.run(statementOf({ ...query, ungrouped: true }, builtInModel)),
      cube.name,
    ).resolves.toBeDefined();
    expect((await ask(engine, { ...query, segments: [] }, builtInModel)).length, cube.name).toBeGreaterThan(0);
  }
});
