import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PathAnchor, Paths } from '../../../src/ask/paths/paths.ts';
import { pathsAnalysis } from '../../../src/plan/analysis/paths/paths-analysis.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { runs } from '../../runs.ts';
import { followPaths, toRules } from '../../../src/run/duckdb/paths/follow-paths.ts';
import { keepEdges, type PathEdge } from '../../../src/run/analysis/paths/keep-edges.ts';
import { openPathTally } from '../../../src/run/analysis/paths/path-tally.ts';
import { pathsEngine } from '../../../src/run/duckdb/paths/paths-engine.ts';
import { stepsOf } from '../../../src/run/analysis/paths/steps.ts';
import { openPathWalk } from '../../../src/run/duckdb/paths/walk-paths.ts';
import { pathsByDefinition, type PathsByDefinition, type Stepped } from './paths-oracle.ts';
import { askActivity, type Scene, scenes, spansAround, spansOf } from './some-activity.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

interface Asked {
  readonly scene: Scene;
  readonly events: readonly Stepped[];
  readonly paths: Paths;
  readonly withFilter: boolean;
}

const gapMinutes = 30;
const gap = gapMinutes * 60_000;
const stepNames = ['/', '/a', '/b', '/product/*', 'click', 'buy', 'x', 'nowhere'];

/**
 * Users who continue immediately, after a moment, or after about the length of a session, near the ends of the range.
 */
function arbitraryEvents(scene: Scene): fc.Arbitrary<readonly Stepped[]> {
  const edges = spansAround(scene).map(({ start }) => start);
  const inside = spansOf(scene).map(({ start }) => start);
  const step = fc.record({
    after: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(0, 1, 60_000, 90_000) },
      { weight: 3, arbitrary: fc.constantFrom(gap - 1, gap, gap + 1) },
      { weight: 1, arbitrary: fc.constantFrom(...edges.map((edge) => edge - edges[0]!)) },
    ),
    type: fc.constantFrom('pageview', 'pageview', 'pageview', 'click', 'custom_event'),
    path: fc.constantFrom('/', '/a', '/a/', '/a', '/b', '/other//', '/product/1', '/product/2', null),
    agent: fc.constantFrom('x', 'y', 'x', null),
    custom: fc.constantFrom(null, null, '', 'buy'),
  });
  const user = fc.record({
    user: fc.constantFrom('ann', 'bob', "o'neil", '🙂', null),
    start: fc
      .tuple(fc.constantFrom(...inside, ...inside, ...edges), fc.constantFrom(-gap, -1, 0, 1))
      .map(([edge, by]) => edge + by),
    steps: fc.array(step, { minLength: 2, maxLength: 16, size: 'max' }),
  });
  return fc.array(user, { minLength: 2, maxLength: 8, size: 'max' }).map((users) =>
    users.flatMap(({ user: who, start, steps }) => {
      let at = start;
      return steps.map(({ after, ...each }) => ({ user: who, at: (at += after), ...each }));
    }),
  );
}

const name = fc.constantFrom(...stepNames);
const arbitraryAnchor: fc.Arbitrary<PathAnchor> = fc.oneof(
  fc.constant({ kind: 'none' as const }),
  fc.record({
    kind: fc.constant('ends' as const),
    from: name,
    to: fc.constant(undefined),
    keep: fc.constant('first' as const),
  }),
  fc.record({
    kind: fc.constant('ends' as const),
    from: fc.constant(undefined),
    to: name,
    keep: fc.constantFrom('first' as const, 'last' as const),
  }),
  fc.record({ kind: fc.constant('ends' as const), from: name, to: name, keep: fc.constant('first' as const) }),
  fc.record({ kind: fc.constant('through' as const), point: name, before: fc.constantFrom(1, 2) }),
);

const arbitraryPaths: fc.Arbitrary<Paths> = fc.record({
  name: fc.constant('some'),
  events: fc.constantFrom(['pageview'], ['pageview', 'click'], undefined, undefined),
  where: fc.constant([]),
  step: fc.constantFrom(
    { kind: 'page' as const },
    { kind: 'page' as const },
    { kind: 'event' as const },
    { kind: 'dimension' as const, dimension: 'TrackedEvents.agentName' },
  ),
  groups: fc.constantFrom([], ['/product/*'], ['product', '/*a'], ['*/*1', '/product/*']),
  exclude: fc.subarray(['/', '/b', 'click', '/product/*'], { maxLength: 1 }),
  gapMinutes: fc.constant(gapMinutes),
  anchor: arbitraryAnchor,
  maxSteps: fc.constantFrom(3, 4, 5, 5, 8),
  edgeLimit: fc.constantFrom(undefined, undefined, 1, 3, 6),
  leastSessions: fc.constantFrom(1, 1, 1, 2),
});

const arbitraryAsked: fc.Arbitrary<Asked> = fc
  .constantFrom(...scenes.filter(({ period }) => period !== 'month'))
  .chain((scene) =>
    fc.record({
      scene: fc.constant(scene),
      events: arbitraryEvents(scene),
      paths: arbitraryPaths,
      withFilter: fc.boolean(),
    }),
  );

const ask = (events: readonly Stepped[], scene: Scene, definition: Paths, more: object) =>
  askActivity(engine, events, {
    analysis: pathsAnalysis,
    compute: pathsEngine,
    definition,
    scene,
    query: { timeDimensions: [{ dimension: 'some.date', dateRange: [...scene.days] }], ...more },
  });

/** Counts what was seen, so that no property passes on empty data. */
function openSeen() {
  const seen = { edges: 0, dropOffs: 0, leftOut: 0, nameless: 0 };
  let cases = 0;
  return {
    counts: seen,
    add({ edges, leftOut, nameless }: PathsByDefinition) {
      cases += 1;
      const dropOffs = [...edges.keys()].filter((key) => key.endsWith('(drop-off)')).length;
      seen.edges += edges.size - dropOffs;
      seen.dropOffs += dropOffs;
      seen.leftOut += leftOut;
      seen.nameless += nameless;
    },
    /** Of each kind, on average of the cases that there was time for. */
    expectMany: (least: number) => {
      expect(Math.min(seen.edges, seen.dropOffs, seen.leftOut)).toBeGreaterThan(least * cases);
    },
  };
}

let found: readonly PathEdge[] = [];

describe('paths', () => {
  it('are what the definition says, edge by edge', async () => {
    const seen = openSeen();
    await fc.assert(
      fc.asyncProperty(arbitraryAsked, async ({ scene, events, paths, withFilter }) => {
        const where = withFilter ? [{ member: 'TrackedEvents.agentName', operator: 'set' as const }] : [];
        const measures = ['sessions', 'users', 'average_seconds', 'source_users', 'continued_users', 'target_users'];
        const result = await ask(
          events,
          scene,
          { ...paths, where },
          {
            measures: [...measures, 'total'].map((measure) => `some.${measure}`),
            dimensions: ['some.step', 'some.source', 'some.target'],
          },
        );
        const expected = pathsByDefinition(events, scene, paths, ({ agent }) => !withFilter || agent !== null);
        seen.add(expected);
        const number = (value: unknown) => (value === null ? null : Number(value));
        const found = result.rows().map((row) => {
          expect(String(row['some.source'])).toMatch(new RegExp(`^${String(row['some.step'])}_`));
          expect(number(row['some.total'])).toBe(expected.total);
          return [
            `${String(row['some.source'])} > ${String(row['some.target'])}`,
            measures.map((measure) => number(row[`some.${measure}`])),
          ] as const;
        });
        expect(new Map(found)).toEqual(expected.edges);
        expect(found).toHaveLength(expected.edges.size);
        const beyond = result.provenance.uncounted.filter(({ what }) => what.includes('edge_limit'));
        expect(beyond.reduce((sum, { rows }) => sum + rows, 0)).toBe(expected.leftOut);
        const nameless = result.provenance.uncounted.find(({ what }) => /without a (?:path|value)/.test(what));
        expect(nameless?.rows ?? 0).toBe(expected.nameless);
      }),
      { numRuns: runs(200, 1000) },
    );
    seen.expectMany(0.05);
    expect(seen.counts.nameless).toBeGreaterThan(0);
  }, 600_000);

  it('are followed as the definition says, whatever users do', () => {
    const seen = openSeen();
    const utc = scenes[0]!;
    const always = { ...utc, days: ['1900-01-01', '2100-01-01'] as const };
    fc.assert(
      fc.property(arbitraryEvents(utc), arbitraryPaths, (events, paths) => {
        const named = { ...paths, step: { kind: 'event' as const }, events: undefined };
        const steps = events.map(({ user, at, type, custom }) => ({ user, at, raw: custom || type }));
        // Use paths as names, for the grouping and exclusion of names.
        const byPath = events.map((event, index) => ({ ...event, custom: event.path ?? steps[index]!.raw }));
        const expected = pathsByDefinition(byPath, always, named, () => true);
        seen.add(expected);
        const raw = [...new Set(byPath.map(({ custom }) => custom))].toSorted();
        const { names, rules } = toRules(named, raw);
        const tally = openPathTally(names.length + 1);
        const walk = openPathWalk(rules, tally);
        for (const user of new Set(byPath.flatMap((event) => event.user ?? []))) {
          const own = byPath
            .filter((event) => event.user === user)
            .map(({ at, custom }) => ({ at, code: raw.indexOf(custom) }))
            .toSorted((a, b) => a.at - b.at || a.code - b.code);
          walk({
            count: own.length,
            times: Float64Array.from(own, ({ at }) => at * 1000),
            codes: Int32Array.from(own, ({ code }) => code),
          });
        }
        const { edges, leftOut } = keepEdges(tally, names, named);
        const found = edges.map(
          ({ source, target, sessions, users, microseconds, timed, sourceUsers, continuedUsers, targetUsers }) => [
            `${source} > ${target}`,
            [
              sessions,
              users,
              timed === 0 ? null : microseconds / (timed * 1e6),
              sourceUsers,
              continuedUsers,
              targetUsers,
            ],
          ],
        );
        expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected.edges));
        expect([found.length, tally.sessions, leftOut]).toEqual([
          expected.edges.size,
          expected.total,
          expected.leftOut,
        ]);
      }),
      { numRuns: runs(8000) },
    );
    seen.expectMany(1);
  }, 600_000);

  it('are the same in parts of the users, and where times are thousands of years apart', async () => {
    const utc = scenes[0]!;
    const always = { ...utc, days: ['1600-01-01', '9000-01-01'] as const };
    const seen = openSeen();
    await fc.assert(
      fc.asyncProperty(
        arbitraryEvents(utc),
        arbitraryPaths,
        fc.constantFrom(0, 6000, 6000),
        fc.constantFrom(100, 2 ** 30),
        async (events, paths, years, memory) => {
          const named = { ...paths, step: { kind: 'page' as const } };
          const moved = events.map((event, index) =>
            index % 3 === 0 ? { ...event, at: event.at + years * 365 * 86_400_000 } : event,
          );
          // Loads the events, and asks about all of them.
          const result = await askActivity(engine, moved, {
            analysis: pathsAnalysis,
            compute: {
              ...pathsEngine,
              answer: async (session, plan) => {
                const { edges } = await followPaths(session.engine, named, stepsOf(plan), { memory });
                found = edges;
                return pathsEngine.answer(session, plan);
              },
            },
            definition: named,
            scene: utc,
            query: { measures: ['some.total'] },
          });
          expect(result.rowCount).toBe(1);
          const expected = pathsByDefinition(moved, always, named, () => true);
          seen.add(expected);
          expect(new Map(found.map(({ source, target, sessions }) => [`${source} > ${target}`, sessions]))).toEqual(
            new Map([...expected.edges].map(([key, [sessions]]) => [key, sessions])),
          );
        },
      ),
      { numRuns: runs(120) },
    );
    seen.expectMany(0.6);
  }, 600_000);
});
