import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cohortRules, type Retention } from '../../../src/ask/activity/retention.ts';
import { retentionAnalysis } from '../../../src/plan/analysis/retention/retention-analysis.ts';
import { retentionEngine } from '../../../src/run/duckdb/activity/activity-engine.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { followAll } from '../../../src/run/duckdb/activity/follow-returns.ts';
import type { EngineAnalysis } from '../../../src/run/duckdb/session/engine-analysis.ts';
import { retentionByDefinition } from './retention-oracle.ts';
import { arbitraryEvents, askActivity, type Happened, matches, type Scene, scenes } from './some-activity.ts';
import { runs } from '../../runs.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

interface Asked {
  readonly scene: Scene;
  readonly events: readonly Happened[];
  readonly start: number;
  readonly comeBack: number;
  readonly retention: Omit<Retention, 'name' | 'start' | 'comeBack' | 'where' | 'period' | 'breakdown'>;
  readonly values: number | undefined;
}

const arbitraryAsked = (
  cohorts: Retention['cohorts'],
  most?: number,
  windows: readonly Retention['window'][] = ['calendar', 'calendar', '24h'],
): fc.Arbitrary<Asked> =>
  fc.constantFrom(...scenes).chain((scene) =>
    fc.record({
      scene: fc.constant(scene),
      events: arbitraryEvents(scene, most),
      start: fc.nat(matches.length - 1),
      comeBack: fc.nat(matches.length - 1),
      retention: fc.record({
        cohorts: fc.constant(cohorts),
        periods: fc.integer({ min: 1, max: 6 }),
        window: fc.constantFrom(...windows),
        least: fc.constantFrom(1, 1, 2),
        cumulative: fc.boolean(),
      }),
      values: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    }),
  );

async function expectDefinition(
  { scene, events, start, comeBack, retention, values }: Asked,
  compute: EngineAnalysis = retentionEngine,
) {
  const { match, meets } = matches[start]!;
  const definition: Retention = {
    ...retention,
    name: 'some',
    start: match,
    comeBack: matches[comeBack]!.match,
    where: [],
    period: scene.period,
    breakdown: values === undefined ? undefined : { dimension: 'TrackedEvents.agentName', limit: values },
  };
  const result = await askActivity(engine, events, {
    analysis: retentionAnalysis,
    compute,
    definition,
    scene,
    query: {
      measures: ['some.users', 'some.size', 'some.rate'],
      dimensions: ['some.cohort', 'some.period', ...(values === undefined ? [] : ['some.breakdown'])],
      timeDimensions: [{ dimension: 'some.cohort', dateRange: [...scene.days] }],
    },
  });
  const found = new Map(
    result.rows().map((row, index) => {
      const { 'some.cohort': cohort, 'some.period': period, 'some.breakdown': value } = row;
      const [users, size, rate] = [row['some.users'], row['some.size'], row['some.rate']].map((each) =>
        each === null ? null : Number(each),
      );
      const marks = result.marks.of('some.users', index);
      if (rate !== null) expect(rate).toBeCloseTo((100 * users!) / size!, 9);
      else expect(size === 0 || marks > 0).toBe(true);
      const key = `${Date.parse(`${String(cohort)}Z`)} ${String(period)} ${values === undefined ? 'all' : String(value)}`;
      return [key, `${users} of ${size}${marks > 0 ? ' ~' : ''}`];
    }),
  );
  expect(found).toEqual(
    retentionByDefinition(events, {
      scene,
      starts: meets,
      mayStart: ({ type }) => match.event === undefined || type === match.event,
      returns: matches[comeBack]!.meets,
      cohorts: retention.cohorts,
      periods: retention.periods,
      rolling: retention.window === '24h',
      least: retention.least,
      cumulative: retention.cumulative,
      values,
    }),
  );
}

describe.each(cohortRules)('a retention with %s cohorts', (cohorts) => {
  it('is what the definition says, cell by cell', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryAsked(cohorts), (one) => expectDefinition(one)),
      { numRuns: runs(160, 1500) },
    );
  }, 600_000);
});

it('users with many events are followed one by one, all at once or in parts', async () => {
  const inParts: EngineAnalysis = {
    ...retentionEngine,
    answer: async (session, plan) => {
      const parts = await followAll(session.engine, plan, { memory: 100 });
      expect(parts).toEqual(await followAll(session.engine, plan));
      return retentionEngine.answer(session, plan);
    },
  };
  const asked = fc
    .constantFrom(...cohortRules)
    .chain((cohorts) => arbitraryAsked(cohorts, 400, ['24h', 'calendar']))
    .map((one) => ({ ...one, retention: { ...one.retention, periods: one.retention.periods * 9 } }));
  await fc.assert(
    fc.asyncProperty(asked, (one) => expectDefinition(one, inParts)),
    { numRuns: runs(24, 400) },
  );
}, 600_000);
