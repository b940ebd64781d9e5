import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Retention } from '../../../src/ask/activity/retention.ts';
import { analyses } from '../../../src/plan/analysis/analyses.ts';
import { withComputedCubes } from '../../../src/plan/analysis/computed-cubes.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import type { Result } from '../../../src/shape/result/result.ts';
import { arbitraryEvents, type Scene, scenes, spansAround, spansOf } from '../activity/some-activity.ts';
import { pageAt } from '../funnel/some-funnel.ts';
import { askWorld, cohortsIn, layWorld, membersOf, modelOf, type World } from './some-cohorts.ts';
import { runs } from '../../runs.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

/** Reference times at the edges of periods, where there are events too. */
const nowIn = (scene: Scene) =>
  fc
    .tuple(fc.constantFrom(...spansAround(scene).slice(1)), fc.constantFrom(-1, 0, 1, 2))
    .map(([{ start }, off]) => start + off);

const worldOf = (cohorts: number, from: readonly Scene[] = scenes): fc.Arbitrary<World> =>
  fc.constantFrom(...from).chain((scene) =>
    fc.record({
      scene: fc.constant(scene),
      now: nowIn(scene),
      events: arbitraryEvents(scene),
      cohorts: cohortsIn(scene, cohorts),
    }),
  );

const cohortCount = 12;
const number = (value: unknown) => Number(value);

it('tells members as a search through the events of each user does', async () => {
  await fc.assert(
    fc.asyncProperty(worldOf(cohortCount), async (world) => {
      const { events, cohorts } = world;
      await layWorld(engine, events);
      const model = modelOf(cohorts.map(({ cohort }) => cohort));
      const names = cohorts.map(({ cohort }) => `TrackedEvents.cohorts.${cohort.name}`);
      const result = await askWorld(engine, { dimensions: ['TrackedEvents.sessionId', ...names] }, model, world);
      const members = cohorts.map((cohort) => new Set(membersOf(cohort, world)));
      const found = new Map(
        result.rows().map((row) => [number(row['TrackedEvents.sessionId']), names.map((name) => row[name])]),
      );
      const expected = events.map(({ user }, index) => [
        index,
        members.map((set) => (user === null ? null : set.has(user) ? 'in' : 'not in')),
      ]);
      expect(found).toEqual(new Map(expected as [number, (string | null)[]][]));
    }),
    { numRuns: runs(40, 600) },
  );
}, 120_000);

it('filters by several cohorts, and adds up to all events', async () => {
  await fc.assert(
    fc.asyncProperty(worldOf(3), async (world) => {
      const { events, cohorts } = world;
      await layWorld(engine, events);
      const model = modelOf(cohorts.map(({ cohort }) => cohort));
      const measures = ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'];
      const [, second, third] = cohorts.map((cohort) => new Set(membersOf(cohort, world)));
      const isIn = (user: string | null) => user !== null && (second!.has(user) || third!.has(user));
      for (const [operator, wanted] of [
        ['equals', true],
        ['notEquals', false],
      ] as const) {
        const filters = [{ member: 'TrackedEvents.cohorts', operator, values: ['c1', 'c2'] }];
        const [row] = (await askWorld(engine, { measures, filters }, model, world)).rows();
        const kept = events.filter(({ user }) => isIn(user) === wanted);
        const users = new Set(kept.flatMap(({ user }) => user ?? []));
        expect(measures.map((name) => number(row?.[name]))).toEqual([kept.length, users.size]);
      }
      const split = await askWorld(engine, { measures, dimensions: ['TrackedEvents.cohorts.c2'] }, model, world);
      const total = split.rows().reduce((sum, row) => sum + number(row['TrackedEvents.count']), 0);
      expect(total).toBe(events.length);
    }),
    { numRuns: runs(25, 400) },
  );
}, 120_000);

it('lists users, and counts them at the end of each day', async () => {
  const calendar = scenes.filter(({ period }) => period !== 'hour');
  await fc.assert(
    fc.asyncProperty(worldOf(3, calendar), async (world) => {
      const { events, cohorts, scene, now } = world;
      await layWorld(engine, events);
      const model = modelOf(cohorts.map(({ cohort }) => cohort));
      const last = cohorts.at(-1)!;
      const listed = await askWorld(engine, { dimensions: ['c2.user'], order: [['c2.user', 'asc']] }, model, world);
      expect(columnOf(listed, 'c2.user').sort()).toEqual(membersOf(last, world));
      const spans = spansOf({ ...scene, now });
      // A range that begins after the present is refused.
      if (spans.length === 0 || spans[0]!.end > now) return;
      const query = {
        measures: ['c2.users'],
        timeDimensions: [{ dimension: 'c2.date', granularity: scene.period, dateRange: [...scene.days] }],
      };
      const sizes = await askWorld(engine, query, model, world);
      const key = `c2.date.${scene.period}`;
      const found = sizes
        .rows()
        .map((row, index) => [
          Date.parse(`${String(row[key])}Z`),
          `${number(row['c2.users'])}${sizes.marks.of('c2.users', index) > 0 ? ' ~' : ''}`,
        ]);
      const expected = spans.map(({ label, end }) => {
        const then = { ...world, now: Math.min(end, now), until: Math.min(end, now + 1) };
        return [label, `${membersOf(last, then).length}${end > now ? ' ~' : ''}`];
      });
      expect(new Map(found as [number, string][])).toEqual(new Map(expected as [number, string][]));
    }),
    { numRuns: runs(25, 400) },
  );
}, 120_000);

it('answers many questions about steps of funnels at once, and keeps few of their tables', async () => {
  const scene = scenes[0]!;
  const [first] = spansOf(scene);
  const at = (minutes: number) => first!.start + minutes * 60_000;
  const event = (user: string, minutes: number, path: string) => ({
    user,
    at: at(minutes),
    type: 'pageview',
    path,
    agent: null,
  });
  await layWorld(engine, [event('ann', 0, '/a'), event('ann', 5, '/b'), event('bob', 0, '/a'), event('bob', 90, '/b')]);
  const model = modelOf([
    { name: 'c0', title: undefined, rule: { path: [], kind: 'reached', funnel: 'plain', step: 2, during: undefined } },
  ]);
  const query = { measures: ['TrackedEvents.uniqueUsersCount'], dimensions: ['TrackedEvents.cohorts.c0'], total: true };
  const results = await Promise.all(
    Array.from({ length: 30 }, () => askWorld(engine, query, model, { scene, now: scene.now })),
  );
  for (const result of results)
    expect(
      result
        .rows()
        .map((row) => [row['TrackedEvents.cohorts.c0'], number(row['TrackedEvents.uniqueUsersCount'])])
        .sort(),
    ).toEqual([
      ['in', 1],
      ['not in', 1],
    ]);
  const tables = await engine.rows("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'reached_%'");
  expect(Number(tables[0]?.[0])).toBeLessThanOrEqual(8 * 12);
}, 60_000);

it('limits what is computed from events to the events of its users', async () => {
  await fc.assert(
    fc.asyncProperty(worldOf(3), async (world) => {
      const { events, cohorts, scene } = world;
      const { period, days } = scene;
      const definition = { name: 'some', active: pageAt(), where: [], period };
      const retention: Retention = {
        name: 'back',
        start: pageAt(),
        comeBack: pageAt(),
        where: [],
        cohorts: 'first_time',
        period,
        periods: 3,
        window: 'calendar',
        least: 1,
        cumulative: false,
        breakdown: undefined,
      };
      const sticky = {
        ...definition,
        name: 'sticky',
        every: 1,
        perSlot: { operator: '>=', events: 1 } as const,
        cumulative: false,
      };
      const model = modelOf(
        cohorts.map(({ cohort }) => cohort),
        (known, of) =>
          withComputedCubes(
            analyses.stickiness,
            withComputedCubes(
              analyses.retention,
              withComputedCubes(analyses.lifecycle, known, [definition], 'here', of),
              [retention],
              'here',
              of,
            ),
            [sticky],
            'here',
            of,
          ),
      );
      const range = (dimension: string) => [{ dimension, dateRange: [...days] }];
      const queries = [
        { measures: ['plain.count'], dimensions: ['plain.step'] },
        { measures: ['some.users'], dimensions: ['some.time', 'some.status'], timeDimensions: range('some.time') },
        { measures: ['back.users'], dimensions: ['back.cohort', 'back.period'], timeDimensions: range('back.cohort') },
        { measures: ['sticky.users'], dimensions: ['sticky.periods'], timeDimensions: range('sticky.date') },
      ];
      // Only past ranges can be asked for.
      const late = { ...world, now: Math.max(world.now, spansAround(scene).at(-1)!.end) };
      const members = new Set(membersOf(cohorts.at(-1)!, late));
      for (const query of queries) {
        const cube = query.measures[0]!.split('.')[0]!;
        await layWorld(engine, events);
        const filters = [{ member: `${cube}.cohorts`, operator: 'equals' as const, values: ['c2'] }];
        const filtered = await askWorld(engine, { ...query, filters }, model, late);
        await layWorld(
          engine,
          events.filter(({ user }) => user !== null && members.has(user)),
        );
        expect(filtered.rows()).toEqual((await askWorld(engine, query, model, late)).rows());
      }
    }),
    { numRuns: runs(25, 400) },
  );
}, 120_000);

function columnOf(result: Result, key: string): string[] {
  return result.rows().map((row) => String(row[key]));
}
