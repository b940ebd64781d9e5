import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PathAnchor, Paths } from '../../../src/ask/paths/paths.ts';
import { pathsAnalysis } from '../../../src/plan/analysis/paths/paths-analysis.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { pathsEngine } from '../../../src/run/duckdb/paths/paths-engine.ts';
import { pathsByDefinition, type Stepped } from './paths-oracle.ts';
import { askActivity, type Scene, scenes, spansAround } from './some-activity.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: 2 });
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

/** Users who go on after nothing, a moment, or about as long as a session lasts, near the ends of the range. */
function arbitraryEvents(scene: Scene): fc.Arbitrary<readonly Stepped[]> {
  const edges = spansAround(scene).map(({ start }) => start);
  const step = fc.record({
    after: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(0, 1, 60_000, 90_000) },
      { weight: 3, arbitrary: fc.constantFrom(gap - 1, gap, gap + 1) },
      { weight: 1, arbitrary: fc.constantFrom(...edges.map((edge) => edge - edges[0]!)) },
    ),
    type: fc.constantFrom('pageview', 'pageview', 'pageview', 'click', 'custom_event'),
    path: fc.constantFrom('/', '/a', '/a/', '/a', '/b', '/b//', '/product/1', '/product/2', null),
    agent: fc.constantFrom('x', 'y', 'x', null),
    custom: fc.constantFrom(null, null, '', 'buy'),
  });
  const user = fc.record({
    user: fc.constantFrom('ann', 'bob', "o'neil", '🙂', null),
    start: fc.tuple(fc.constantFrom(...edges), fc.constantFrom(-gap, -1, 0, 1)).map(([edge, by]) => edge + by),
    steps: fc.array(step, { maxLength: 14 }),
  });
  return fc
    .array(user, { maxLength: 6 })
    .map((users) =>
      users.flatMap(({ user: who, start, steps }) => {
        let at = start;
        return steps.map(({ after, ...each }) => ({ user: who, at: (at += after), ...each }));
      }),
    );
}

const name = fc.constantFrom(...stepNames);
const arbitraryAnchor: fc.Arbitrary<PathAnchor> = fc.oneof(
  fc.constant({ kind: 'none' as const }),
  fc.record({ kind: fc.constant('ends' as const), from: name, to: fc.constant(undefined), keep: fc.constant('first' as const) }),
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

describe('paths', () => {
  it('are what the definition says, edge by edge', async () => {
    let [edges, dropOffs, leftOut] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(arbitraryAsked, async ({ scene, events, paths, withFilter }) => {
        const where = withFilter
          ? [{ member: 'TrackedEvents.agentName', operator: 'set' as const }]
          : [];
        const result = await ask(events, scene, { ...paths, where }, {
          measures: ['sessions', 'users', 'average_seconds', 'source_users', 'target_users', 'total'].map(
            (measure) => `some.${measure}`,
          ),
          dimensions: ['some.step', 'some.source', 'some.target'],
        });
        const expected = pathsByDefinition(events, scene, paths, ({ agent }) => !withFilter || agent !== null);
        const number = (value: unknown) => (value === null ? null : Number(value));
        const found = result.rows().map((row) => {
          expect(String(row['some.source'])).toMatch(new RegExp(`^${String(row['some.step'])}_`));
          expect(number(row['some.total'])).toBe(expected.total);
          const figures = ['sessions', 'users', 'average_seconds', 'source_users', 'target_users'];
          return [
            `${String(row['some.source'])} > ${String(row['some.target'])}`,
            figures.map((each) => number(row[`some.${each}`])),
          ] as const;
        });
        expect(new Map(found)).toEqual(new Map([...expected.edges].map(([key, figures]) => [key, [...figures]])));
        expect(found).toHaveLength(expected.edges.size);
        const beyond = result.provenance.uncounted.filter(({ what }) => what.includes('edge_limit'));
        expect(beyond.reduce((sum, { rows }) => sum + rows, 0)).toBe(expected.leftOut);
        edges += expected.edges.size;
        leftOut += expected.leftOut;
        dropOffs += [...expected.edges.keys()].filter((key) => key.endsWith('(drop-off)')).length;
      }),
      { numRuns: 1000, seed: 7 },
    );
    // The cases are not all empty.
    expect(Math.min(edges - dropOffs, dropOffs, leftOut)).toBeGreaterThan(500);
  }, 120_000);
});
