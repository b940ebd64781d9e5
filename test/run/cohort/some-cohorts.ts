import fc from 'fast-check';
import type { Cohort, CohortDid, CohortRule } from '../../../src/ask/cohort/cohort.ts';
import type { Funnel } from '../../../src/ask/funnel/funnel.ts';
import type { DateRangeText, Query } from '../../../src/ask/query/query.ts';
import { analyses } from '../../../src/plan/analysis/analyses.ts';
import { withCohortMembers } from '../../../src/plan/analysis/cohort/cohort-members.ts';
import { withComputedCubes } from '../../../src/plan/analysis/computed-cubes.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import type { Model } from '../../../src/plan/model/model.ts';
import { duckDb } from '../../../src/plan/sql/duckdb.ts';
import { loadEngineAnalysis } from '../../../src/run/duckdb/analysis/engine-analyses.ts';
import type { Engine } from '../../../src/run/duckdb/engine/engine.ts';
import { withReached } from '../../../src/run/duckdb/funnel/find-reached.ts';
import { answer } from '../../../src/run/duckdb/session/answer.ts';
import { toQuestion } from '../../../src/run/duckdb/session/to-question.ts';
import { collect } from '../../../src/shape/collect.ts';
import type { Result } from '../../../src/shape/result/result.ts';
import { planOf } from '../../plan/ask.ts';
import { bucketByIntl } from '../../plan/zone-oracle.ts';
import { type Happened, matches, type Scene, spansAround } from '../activity/some-activity.ts';
import { funnelOf, layEvents, startOf2026 } from '../funnel/some-funnel.ts';

const day = 86_400_000;

/** A range as in a file, and a test if an instant is in it at a reference time. */
interface During {
  readonly text: DateRangeText | undefined;
  readonly holds: (instant: number, now: number) => boolean;
}

function duringIn(scene: Scene): fc.Arbitrary<During> {
  const { zone, weekStart } = scene;
  const dayOf = (instant: number) => bucketByIntl(instant, 'day', zone);
  const weekOf = (instant: number) => bucketByIntl(instant, 'week', zone, weekStart);
  const monthOf = (instant: number) => new Date(bucketByIntl(instant, 'month', zone));
  const monthNumber = (instant: number) => monthOf(instant).getUTCFullYear() * 12 + monthOf(instant).getUTCMonth();
  const date = (instant: number) => new Date(dayOf(instant)).toISOString().slice(0, 10);
  const around = spansAround(scene);
  const edge = fc.constantFrom(...around.map(({ start }) => start));
  return fc.oneof(
    fc.constant<During>({ text: undefined, holds: () => true }),
    fc.integer({ min: 1, max: 4 }).map(
      (days): During => ({
        text: `last ${days} ${days === 1 ? 'day' : 'days'}`,
        holds: (instant, now) => dayOf(instant) < dayOf(now) && dayOf(instant) >= dayOf(now) - days * day,
      }),
    ),
    fc.integer({ min: 1, max: 2 }).map(
      (weeks): During => ({
        text: `last ${weeks} weeks`,
        holds: (instant, now) => weekOf(instant) < weekOf(now) && weekOf(instant) >= weekOf(now) - 7 * weeks * day,
      }),
    ),
    fc.constantFrom<During>(
      { text: 'today', holds: (instant, now) => dayOf(instant) === dayOf(now) },
      { text: 'this week', holds: (instant, now) => weekOf(instant) === weekOf(now) },
      { text: 'last month', holds: (instant, now) => monthNumber(instant) === monthNumber(now) - 1 },
    ),
    fc.tuple(edge, edge).map(([one, other]): During => {
      const [first, last] = [date(Math.min(one, other)), date(Math.max(one, other))];
      return { text: [first, last], holds: (instant) => date(instant) >= first && date(instant) <= last };
    }),
    fc.tuple(edge, edge, fc.constantFrom(-1, 0, 1)).map(([one, other, off]): During => {
      const [first, last] = [Math.min(one, other) + off, Math.max(one, other) + off];
      return {
        text: [new Date(first).toISOString(), new Date(last).toISOString()],
        holds: (instant) => instant >= first && instant <= last,
      };
    }),
  );
}

type Holds = (user: string, world: World) => boolean;

/** Events, a reference time, and cohorts; later cohorts may name earlier ones. */
export interface World {
  readonly scene: Scene;
  readonly now: number;
  /** Only events before this instant count. Defaults to those until `now`. */
  readonly until?: number;
  readonly events: readonly Happened[];
  readonly cohorts: readonly SomeCohort[];
}

interface SomeCohort {
  readonly cohort: Cohort;
  readonly holds: Holds;
}

interface SomeRule {
  readonly rule: CohortRule;
  readonly holds: Holds;
}

const hour = 3600;

/** `plain`: `/a`, then `/b` within an hour. `of_first`: the same over events of the cohort `c0`. */
export const funnels: readonly Funnel[] = [
  funnelOf(['/a', '/b'], { name: 'plain', secondsToConvert: hour }),
  funnelOf(['/a', '/b'], {
    name: 'of_first',
    secondsToConvert: hour,
    where: [{ member: 'TrackedEvents.cohorts', operator: 'equals', values: ['c0'] }],
  }),
];

/** Events until the present, which those at the present belong to; or before another instant. */
const counted = ({ events, now, until = now + 1 }: World) => events.filter(({ at }) => at < until);
const own = (user: string, world: World) => counted(world).filter((event) => event.user === user);

const compares = {
  '>=': (count: number, events: number) => count >= events,
  '<=': (count: number, events: number) => count <= events,
  '=': (count: number, events: number) => count === events,
};

function leafIn(scene: Scene, earlier: number): fc.Arbitrary<SomeRule> {
  const during = duringIn(scene);
  const operator = fc.constantFrom<CohortDid['times']['operator']>('>=', '<=', '=');
  const did = fc.tuple(fc.constantFrom(...matches), operator, fc.integer({ min: 0, max: 3 }), during).map(
    ([{ match, meets }, sign, events, range]): SomeRule => ({
      rule: { path: [], kind: 'did', match, times: { operator: sign, events }, during: range.text },
      holds: (user, world) => {
        const done = own(user, world).filter((event) => meets(event) && range.holds(event.at, world.now));
        return compares[sign](done.length, events);
      },
    }),
  );
  const seen = during.map(
    (range): SomeRule => ({
      rule: { path: [], kind: 'first_seen', during: range.text ?? 'from 1990-01-01 to 2090-01-01' },
      holds: (user, world) => range.holds(Math.min(...own(user, world).map(({ at }) => at)), world.now),
    }),
  );
  const reached = fc
    .tuple(
      fc.constantFrom(...(earlier > 0 ? ['plain', 'of_first'] : ['plain'])),
      fc.constantFrom(1, 2, 'step_2', undefined),
      during,
    )
    .map(
      ([funnel, step, range]): SomeRule => ({
        rule: { path: [], kind: 'reached', funnel, step, during: range.text },
        holds(user, world) {
          if (funnel === 'of_first' && !world.cohorts[0]!.holds(user, world)) return false;
          const views = own(user, world).filter(({ at, type }) => type === 'pageview' && range.holds(at, world.now));
          const starts = views.filter(({ path }) => path === '/a');
          if (step === 1) return starts.length > 0;
          return starts.some(({ at }) =>
            views.some((view) => view.path === '/b' && view.at >= at && view.at <= at + hour * 1000),
          );
        },
      }),
    );
  const other = fc.integer({ min: 0, max: Math.max(0, earlier - 1) }).map(
    (index): SomeRule => ({
      rule: { path: [], kind: 'cohort', name: `c${index}` },
      holds: (user, world) => world.cohorts[index]!.holds(user, world),
    }),
  );
  const named = fc.tuple(fc.integer({ min: 0, max: Math.max(0, earlier - 1) }), fc.boolean()).map(
    ([index, isIn]): SomeRule => ({
      rule: {
        path: [],
        kind: 'did',
        match: {
          event: undefined,
          targets: [],
          where: [{ member: `TrackedEvents.cohorts.c${index}`, operator: 'equals', values: [isIn ? 'in' : 'not in'] }],
        },
        times: { operator: '>=', events: 1 },
        during: undefined,
      },
      holds: (user, world) => world.cohorts[index]!.holds(user, world) === isIn,
    }),
  );
  // Funnels are slow to follow.
  const weights: readonly (readonly [number, fc.Arbitrary<SomeRule>])[] = [
    [8, did],
    [3, seen],
    [1, reached],
    ...(earlier > 0 ? [other, named] : []).map((one) => [3, one] as const),
  ];
  return fc.oneof(...weights.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

function ruleIn(scene: Scene, earlier: number, depth = 2): fc.Arbitrary<SomeRule> {
  const leaf = leafIn(scene, earlier);
  if (depth === 0) return leaf;
  const inner = fc.array(ruleIn(scene, earlier, depth - 1), { maxLength: 2 });
  const group = fc
    .tuple(inner, inner, inner)
    .filter((lists) => lists.some(({ length }) => length > 0))
    .map(
      ([all, any, except]): SomeRule => ({
        rule: {
          path: [],
          kind: 'group',
          all: all.map(({ rule }) => rule),
          any: any.map(({ rule }) => rule),
          except: except.map(({ rule }) => rule),
        },
        holds: (user, world) =>
          all.every(({ holds }) => holds(user, world)) &&
          (any.length === 0 || any.some(({ holds }) => holds(user, world))) &&
          !except.some(({ holds }) => holds(user, world)),
      }),
    );
  return fc.oneof(leaf, group);
}

const made = new Map<Scene, fc.Arbitrary<SomeCohort>[]>();

export function cohortsIn(scene: Scene, count: number): fc.Arbitrary<readonly SomeCohort[]> {
  const known = made.get(scene) ?? [];
  made.set(scene, known);
  for (let index = known.length; index < count; index++)
    known.push(
      ruleIn(scene, index).map(
        ({ rule, holds }): SomeCohort => ({ cohort: { name: `c${index}`, title: undefined, rule }, holds }),
      ),
    );
  return fc.tuple(...known.slice(0, count));
}

/** The users of a cohort, user by user. */
export function membersOf({ holds }: SomeCohort, world: World): readonly string[] {
  const users = [...new Set(counted(world).flatMap(({ user }) => user ?? []))];
  return users.filter((user) => holds(user, world)).sort();
}

/** The built-in cubes, the funnels, and these cohorts. */
export function modelOf(cohorts: readonly Cohort[], more: (model: Model, events: Model) => Model = (model) => model) {
  const events = withCohortMembers(builtInModel, cohorts);
  const withFunnels = withComputedCubes(analyses.funnel, more(builtInModel, events), funnels, 'here', events);
  return withCohortMembers(withComputedCubes(analyses.cohort, withFunnels, cohorts, 'here', events), cohorts);
}

/** Each event has its number as a separate session, so that an answer identifies it. */
export async function layWorld(engine: Engine, events: readonly Happened[]): Promise<void> {
  await layEvents(
    engine,
    events.map(({ at, ...event }, index) => ({ ...event, at: (at - startOf2026) * 1000, session: String(index) })),
  );
}

/** Asks over the loaded events. */
export async function askWorld(
  engine: Engine,
  query: Query,
  model: Model,
  { scene, now }: Pick<World, 'scene' | 'now'>,
): Promise<Result> {
  const session = { engine, events: undefined, circumstances: { files: [], tables: [], hasEvents: true } };
  const bound = planOf({ ...query, timezone: scene.zone, limit: 1_000_000 }, model, {
    now,
    weekStart: scene.weekStart,
  });
  return withReached(session, bound, undefined, async (plan) => {
    const answered = plan.computed
      ? await (await loadEngineAnalysis(plan.computed)).answer(session, plan)
      : await answer(session, toQuestion(plan, duckDb));
    return collect(plan, answered, { queryHash: '', backend: 'embedded', source: '' });
  });
}
