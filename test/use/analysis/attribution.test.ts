import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNotation } from '../../../src/ask/notation/read-notation.ts';
import { writeNotation } from '../../../src/ask/notation/write-notation.ts';
import { bind } from '../../../src/plan/bind/bind.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { complete } from '../../../src/use/explorer/complete/complete.ts';
import { open, query, type Sluice } from '../../../src/use/index.ts';
import { runs } from '../../runs.ts';
import { openFolder } from '../run-in-folder.ts';
import { dateIn, dayMs, hourMs, usersOf } from './trends-oracle.ts';

const folder = openFolder();
afterAll(() => folder.remove());

interface Touched {
  /** The world of the event; all worlds share the same files. */
  readonly host: string;
  readonly at: number;
  readonly user: string;
  readonly type: string;
  readonly path: string;
  readonly plan: number | undefined;
}

/** Opens sluice with these events in two files, and one long before them. */
function over(events: readonly Touched[]): Promise<Sluice> {
  const lines = events.map(({ host, at, user, type, path, plan }) => ({
    docHost: host,
    utcTime: new Date(at).toISOString(),
    ...(user !== '' && { userAnonymousId: user }),
    eventType: type,
    ...(path !== '' && { docPath: path }),
    ...(plan !== undefined && { plan }),
  }));
  const anchor = { utcTime: '2001-01-01T00:00:00Z', userAnonymousId: 'anchor', docPath: '/anchor', plan: 1.5 };
  const text = (all: readonly object[]) => all.map((line) => `${JSON.stringify(line)}\n`).join('');
  folder.write('a.ndjson', text([anchor, ...lines.filter((_, index) => index % 2 === 0)]));
  folder.write('b.ndjson', text([anchor, ...lines.filter((_, index) => index % 2 === 1)]));
  return open({
    workspace: folder.root,
    events: '{a,b}.ndjson',
    env: {},
    now: () => Date.parse('2026-01-01'),
    onNote: () => undefined,
  });
}

type Value = string | number;
type Reader = (event: Touched) => Value | null;

const pathOf: Reader = ({ path }) => (path === '' ? null : path);
const planOf: Reader = ({ plan }) => plan ?? null;

const byUser = new WeakMap<readonly Touched[], Map<string, Touched[]>>();

function ofUser(events: readonly Touched[], user: string): readonly Touched[] {
  let known = byUser.get(events);
  if (!known) byUser.set(events, (known = Map.groupBy(events, (event) => event.user)));
  return known.get(user) ?? [];
}

/** Reads all events of a user for every figure: the definition. */
function touched(events: readonly Touched[], event: Touched, which: 'first' | 'last', valueOf: Reader): Value | null {
  if (event.user === '') return null;
  const own = valueOf(event);
  if (which === 'last' && own !== null) return own;
  const having = ofUser(events, event.user).filter((other) => valueOf(other) !== null);
  const reached = which === 'first' ? having : having.filter(({ at }) => at <= event.at);
  if (reached.length === 0) return null;
  const times = reached.map(({ at }) => at);
  const time = which === 'first' ? Math.min(...times) : Math.max(...times);
  if (time > event.at) return null;
  const values = reached.filter(({ at }) => at === time).map((one) => valueOf(one) as Value);
  return values.reduce((least, value) => (value < least ? value : least));
}

/** Few, so that all worlds of one are queried at once. */
const scenes = [
  { zone: 'UTC', from: '2024-03-30', days: 3 },
  { zone: 'Europe/Berlin', from: '2024-03-30', days: 2 },
  { zone: 'Europe/Berlin', from: '2024-10-26', days: 3 },
  { zone: 'America/New_York', from: '2024-03-09', days: 3 },
  { zone: 'America/New_York', from: '2024-11-02', days: 1 },
  { zone: 'Australia/Lord_Howe', from: '2024-04-06', days: 3 },
] as const;

/** Worlds with their own users, on days of clock changes. */
const world = fc.record({
  scene: fc.constantFrom(...scenes),
  which: fc.constantFrom<'first' | 'last'>('first', 'last'),
  events: fc.array(
    fc.record({
      // Few instants, so that many events share one; many are before the range.
      at: fc.integer({ min: -24, max: 24 }),
      user: fc.constantFrom('', 'a', 'b', 'c'),
      type: fc.constantFrom('pageview', 'order'),
      path: fc.constantFrom('', '', '/x', '/y', '/Z'),
      plan: fc.constantFrom(undefined, undefined, 2, 10),
    }),
    { maxLength: 40 },
  ),
});

const worlds = fc.sample(world, { numRuns: runs(1200) }).map((one, index) => ({
  ...one,
  host: `w${index}`,
  events: one.events.map((event) => ({
    ...event,
    host: `w${index}`,
    user: event.user === '' ? '' : `${event.user}${index}`,
    at: Date.parse(one.scene.from) + event.at * 4 * hourMs,
  })),
}));

let sluice: Sluice;
beforeAll(async () => {
  sluice = await over(worlds.flatMap(({ events }) => events));
});
afterAll(() => sluice.close());

const known = (some: readonly Touched[]) => usersOf(some.filter(({ user }) => user !== ''));

describe('first and last touch', () => {
  it('agree with an oracle that reads all events for every figure', async () => {
    const together = Map.groupBy(worlds, ({ scene, which }) => `${scenes.indexOf(scene)} ${which}`);
    for (const alike of together.values()) {
      const { scene, which } = alike[0]!;
      const { zone, from, days } = scene;
      const to = new Date(Date.parse(from) + (days - 1) * dayMs).toISOString().slice(0, 10);
      const touch = `TrackedEvents.${which}Touch`;
      const result = await sluice.query(
        query()
          .measures('TrackedEvents.count', 'TrackedEvents.uniqueUsersCount')
          .formula('TrackedEvents.recent', 'TrackedEvents.uniqueUsersCount rolling 2 days')
          .by('TrackedEvents.docHost', `${touch}.docPath`, `${touch}.props.plan`)
          .time('TrackedEvents.utcTime', 'day', [from, to])
          .where('TrackedEvents.eventType', 'equals', 'order')
          .where('TrackedEvents.docHost', 'equals', alike[0]!.host, ...alike.slice(1).map(({ host }) => host))
          .zone(zone),
        { fill: 'none' },
      );
      const dateOf = dateIn(zone);
      const expected = alike.flatMap(({ events, host }) => {
        const orders = events.filter(({ type }) => type === 'order');
        const groupOf = (event: Touched) =>
          JSON.stringify([touched(events, event, which, pathOf), touched(events, event, which, planOf)]);
        return Array.from({ length: days }, (_, day) => {
          const [before, date] = [day - 1, day].map((each) =>
            new Date(Date.parse(from) + each * dayMs).toISOString().slice(0, 10),
          );
          const recent = orders.filter(({ at }) => dateOf(at) === before || dateOf(at) === date);
          return [...Map.groupBy(recent, groupOf)].map(([group, all]) => {
            const here = all.filter(({ at }) => dateOf(at) === date);
            return JSON.stringify([date, host, JSON.parse(group), here.length, known(here), known(all)]);
          });
        }).flat();
      });
      const found = result
        .rows()
        .map((row) =>
          JSON.stringify([
            String(row['TrackedEvents.utcTime.day']).slice(0, 10),
            row['TrackedEvents.docHost'],
            [row[`${touch}.docPath`], row[`${touch}.props.plan`]],
            row['TrackedEvents.count'],
            row['TrackedEvents.uniqueUsersCount'],
            row['TrackedEvents.recent'],
          ]),
        );
      expect(found.sort()).toEqual(expected.sort());
    }
  });

  it('filter rows, also by a dimension that the answer does not show', async () => {
    for (const { which, events, host } of worlds.slice(0, 10)) {
      const line = `count where ${which} touch docPath = /x and ${which}-touch props.plan is set and docHost = ${host}`;
      const [row] = (await sluice.query(line)).rows();
      const meant = events.filter(
        (event) => touched(events, event, which, pathOf) === '/x' && touched(events, event, which, planOf) !== null,
      );
      expect(row?.['TrackedEvents.count']).toBe(meant.length);
    }
  });

  it('are the value itself if all events of a user have the same', async () => {
    const counts = Map.groupBy(
      worlds.flatMap(({ events }) => events),
      ({ user }) => (user === '' ? null : user),
    );
    for (const which of ['first', 'last']) {
      const touch = `${which}Touch.userAnonymousId`;
      const rows = (await sluice.query(`count by ${touch}, userAnonymousId where docHost is set`)).rows();
      expect(new Map(rows.map((row) => [row[`TrackedEvents.${touch}`], row['TrackedEvents.count']]))).toEqual(
        new Map([...counts].map(([user, all]) => [user, all.length])),
      );
      for (const row of rows) expect(row[`TrackedEvents.${touch}`]).toBe(row['TrackedEvents.userAnonymousId']);
    }
  });

  it('attribute sessions to the first and last session of their user with a value', async () => {
    const sessions = (
      await sluice.query({
        dimensions: ['Sessions.docPath', 'Sessions.startAt', 'Sessions.docHost', 'Sessions.sessionID'],
        ungrouped: true,
      })
    )
      .rows()
      .map(
        (row): Touched => ({
          host: String(row['Sessions.docHost']),
          at: Date.parse(`${row['Sessions.startAt']}Z`),
          // A derived session is identified by its number and its user.
          user: String(row['Sessions.sessionID']).split(':').at(-1) ?? '',
          type: '',
          path: String(row['Sessions.docPath'] ?? ''),
          plan: undefined,
        }),
      );
    expect(sessions.length).toBeGreaterThan(100);
    for (const which of ['first', 'last'] as const) {
      const rows = (await sluice.query(`Sessions.count by ${which} touch docPath`)).rows();
      const expected = Map.groupBy(sessions, (session) => touched(sessions, session, which, pathOf));
      expect(new Map(rows.map((row) => [row[`Sessions.${which}Touch.docPath`], row['Sessions.count']]))).toEqual(
        new Map([...expected].map(([value, all]) => [value, all.length])),
      );
    }
  });

  it('work in a query file, and in lists of users', async () => {
    const line = 'count by first touch docPath where last touch docPath = /x';
    folder.write(
      'queries/touched.yaml',
      'query:\n  measures: [TrackedEvents.count]\n  dimensions: [TrackedEvents.firstTouch.docPath]\n  filters: [{member: TrackedEvents.lastTouch.docPath, operator: equals, values: [/x]}]\n',
    );
    await using again = await over(worlds.flatMap(({ events }) => events));
    expect((await again.query('touched')).rows()).toEqual((await sluice.query(line)).rows());
    const users = await again.users('count where last touch docPath = /x');
    const all = worlds.flatMap(({ events }) => events);
    const meant = all.filter((event) => touched(all, event, 'last', pathOf) === '/x').map(({ user }) => user);
    expect(users.rows().map((row) => row['TrackedEvents.user'])).toEqual([...new Set(meant)].sort());
  });

  it.each([
    ['count by first touch docPth', '1:10', 'There is no member "docPth".'],
    ['count by last touch utcTime', '1:10', '"utcTime" has no first or last touch.'],
    ['ReturningUsers.count by first touch ReturningUsers.firstTouchSource', '1:25', 'no first or last touch'],
  ])('refuse %s at its place', async (line, place, message) => {
    const refused = sluice.query(line);
    await expect(refused).rejects.toThrow(place);
    await expect(refused).rejects.toThrow(message);
  });

  it('are refused in a definition, and by servers', async () => {
    const retention = { retention: { period: 'week', breakdown: { dimension: 'TrackedEvents.firstTouch.docPath' } } };
    await expect(sluice.analysis('retention', retention.retention)).rejects.toThrow(
      /by dimensions of the events themselves/,
    );
    const asked = { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.firstTouch.docPath'] };
    const bound = bind(asked, builtInModel, { now: 0, limits: 'remote', reach: 'remote' });
    expect(bound.issues).toMatchObject([{ code: 'no-touch', path: ['dimensions', 0] }]);
  });

  it('round-trip through a line, and are completed', () => {
    const members = toCatalog(builtInModel);
    for (const line of [
      'count by firstTouch.utmSource where lastTouch.docPath = /x order by firstTouch.utmSource',
      'Sessions.count by Sessions.lastTouch.referer',
    ]) {
      const read = readNotation(line, { members });
      expect(read.ok && writeNotation(read.value, { members })).toBe(line.replace('by Sessions.', 'by '));
    }
    const offered = complete('count by firstTouch.utm', 23, { catalog: members, home: 'TrackedEvents' });
    expect(offered.candidates.map(({ text }) => text)).toContain('firstTouch.utmSource');
  });
});
