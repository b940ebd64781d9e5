import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cohortRules, type Retention } from '../../../src/ask/activity/retention.ts';
import { retentionReader } from '../../../src/ask/activity/read-retention.ts';
import { withComputedCubes } from '../../../src/plan/analysis/computed-cubes.ts';
import { retentionAnalysis } from '../../../src/plan/analysis/retention/retention-analysis.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { withProperties } from '../../../src/plan/model/properties.ts';
import { retentionEngine } from '../../../src/run/duckdb/activity/activity-engine.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { collect } from '../../../src/shape/collect.ts';
import { planOf } from '../../plan/ask.ts';
import { layEvents, startOf2026 } from '../funnel/some-funnel.ts';
import { retentionByDefinition } from './retention-oracle.ts';
import { arbitraryEvents, type Happened, matches, scenes } from './some-activity.ts';
import { runs } from '../../runs.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

/** The property of an event, by the length of its path and the minute: a number, a text, or nothing. */
const held = ({ at, path }: Happened): string | number | undefined =>
  [3, -1, 2.5, undefined, 'many', 0][(Math.floor(at / 60_000) + (path?.length ?? 0)) % 6];
const amountOf = (event: Happened) => (typeof held(event) === 'number' ? Number(held(event)) : 0);

const events = withProperties(builtInModel, {
  read: [
    {
      path: ['amount'],
      type: 'string',
      events: 9,
      numbers: 6,
      large: 0,
      rounded: 0,
      wholeDigits: 1,
      scale: 1,
      example: '3',
    },
  ],
  sampled: [],
});

async function lay(happened: readonly Happened[]): Promise<void> {
  await layEvents(
    engine,
    // The table has no column for properties, so the session ID carries them.
    happened.map((event) => ({
      user: event.user,
      at: (event.at - startOf2026) * 1000,
      type: event.type,
      path: event.path,
      agent: event.agent,
      session: JSON.stringify({ amount: held(event) }),
    })),
  );
  await engine.rows(
    'CREATE OR REPLACE TABLE events AS SELECT *, session_id AS further, CAST(NULL AS VARCHAR) AS custom_event_props FROM events',
  );
}

const arbitraryAsked = fc.constantFrom(...scenes).chain((scene) =>
  fc.record({
    scene: fc.constant(scene),
    happened: arbitraryEvents(scene),
    start: fc.nat(matches.length - 1),
    comeBack: fc.nat(matches.length - 1),
    rule: fc.record({
      cohorts: fc.constantFrom(...cohortRules),
      periods: fc.integer({ min: 1, max: 5 }),
      window: fc.constantFrom('calendar' as const, '24h' as const),
      least: fc.constantFrom(1, 2),
    }),
    compute: fc.constantFrom('sum' as const, 'avg' as const),
    values: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  }),
);

describe('the value of a retention', () => {
  it('is what the definition says, figure by figure', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryAsked, async ({ scene, happened, start, comeBack, rule, compute, values }) => {
        const definition: Retention = {
          ...rule,
          name: 'some',
          start: matches[start]!.match,
          comeBack: matches[comeBack]!.match,
          where: [],
          period: scene.period,
          cumulative: false,
          breakdown: values === undefined ? undefined : { dimension: 'TrackedEvents.agentName', limit: values },
          value: { compute, property: 'props.amount' },
        };
        await lay(happened);
        const plan = planOf(
          {
            measures: ['some.users', 'some.size', 'some.value'],
            dimensions: ['some.cohort', 'some.period', ...(values === undefined ? [] : ['some.breakdown'])],
            timeDimensions: [{ dimension: 'some.cohort', dateRange: [...scene.days] }],
            timezone: scene.zone,
            limit: 1_000_000,
          },
          withComputedCubes(retentionAnalysis, events, [definition], 'here', events),
          { now: scene.now, weekStart: scene.weekStart },
        );
        const session = { engine, events: undefined, circumstances: { files: [], tables: [], hasEvents: true } };
        const answer = await retentionEngine.answer(session, plan);
        const result = await collect(plan, answer, { queryHash: '', backend: 'embedded', source: '' });
        const found = new Map(
          result.rows().map((row, index) => {
            const users = Number(row['some.users']);
            const value = row['some.value'];
            expect(value === null).toBe(compute === 'avg' && users === 0);
            const whole = compute === 'sum' ? Number(value) : Number(value ?? 0) * users;
            const key = `${Date.parse(`${String(row['some.cohort'])}Z`)} ${String(row['some.period'])} ${values === undefined ? 'all' : String(row['some.breakdown'])}`;
            const partial = result.marks.of('some.value', index) > 0 ? ' ~' : '';
            return [key, `${users} of ${Number(row['some.size'])}${partial} ${Math.round(whole * 2) / 2}`];
          }),
        );
        const oracle = retentionByDefinition(happened, {
          scene,
          starts: matches[start]!.meets,
          mayStart: (event) => matches[start]!.match.event === undefined || event.type === matches[start]!.match.event,
          returns: matches[comeBack]!.meets,
          cohorts: rule.cohorts,
          periods: rule.periods,
          rolling: rule.window === '24h',
          least: rule.least,
          cumulative: false,
          values,
          amountOf,
        });
        expect(found).toEqual(oracle);
        const isLooked = (event: Happened) => matches[start]!.meets(event) || matches[comeBack]!.meets(event);
        const texts = happened.filter((event) => event.user !== null && isLooked(event) && held(event) === 'many');
        const told = result.provenance.uncounted.find(({ what }) => what.includes('not a number'))?.rows ?? 0;
        expect(told).toBeLessThanOrEqual(texts.length);
      }),
      { numRuns: runs(60, 1000) },
    );
  }, 600_000);

  it.each([
    [{ value: 'amount' }, 'is not a value of users'],
    [{ value: 'median(props.amount)' }, 'Write `sum(props.amount)`'],
    [{ value: 'avg(props.amount)', cumulative: true }, 'cannot be combined with'],
  ])('is refused where it says nothing: %j', (given, told) => {
    const read = retentionReader.readGiven(given, 'some');
    expect([read.ok, JSON.stringify(read.issues)]).toEqual([false, expect.stringContaining(told)]);
  });
});
