import fc from 'fast-check';
import type { EventMatch } from '../../../src/ask/analysis/event-match.ts';
import type { Query } from '../../../src/ask/query/query.ts';
import type { Analysis, NamedDefinition } from '../../../src/plan/analysis.ts';
import { withComputedCubes } from '../../../src/plan/analysis/computed-cubes.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { withUserDimensions } from '../../../src/plan/model/user-dimensions.ts';
import type { Engine } from '../../../src/run/duckdb/engine/engine.ts';
import type { EngineAnalysis } from '../../../src/run/duckdb/session/engine-analysis.ts';
import { collect } from '../../../src/shape/collect.ts';
import { bucketByIntl } from '../../plan/zone-oracle.ts';
import { planOf } from '../../plan/ask.ts';
import { layEvents, pageAt, startOf2026 } from '../funnel/some-funnel.ts';

type Period = 'hour' | 'day' | 'week' | 'month';

/** A zone, a range of days in it (both included), and a reference time. Instants are epoch milliseconds. */
export interface Scene {
  readonly zone: string;
  readonly period: Period;
  readonly days: readonly [string, string];
  readonly now: number;
  readonly weekStart: 'monday' | 'sunday';
}

const scene = (
  zone: string,
  period: Period,
  days: readonly [string, string],
  now: string,
  weekStart: Scene['weekStart'] = 'monday',
): Scene => ({ zone, period, days, now: Date.parse(now), weekStart });

/** Days with clock changes, a day that a zone skipped, ends of months, and ranges that end within a period. */
export const scenes: readonly Scene[] = [
  scene('UTC', 'day', ['2024-02-27', '2024-03-02'], '2024-03-10T00:00Z'),
  scene('Europe/Berlin', 'hour', ['2024-10-27', '2024-10-27'], '2024-10-27T20:15Z'),
  scene('Europe/Berlin', 'hour', ['2024-03-31', '2024-03-31'], '2024-04-02T00:00Z'),
  scene('Australia/Lord_Howe', 'hour', ['2024-04-07', '2024-04-07'], '2024-04-07T13:00Z'),
  scene('America/New_York', 'day', ['2024-03-08', '2024-03-12'], '2024-03-12T12:00Z'),
  scene('America/New_York', 'week', ['2024-10-22', '2024-11-12'], '2024-11-30T00:00Z', 'sunday'),
  scene('Europe/Berlin', 'week', ['2024-10-16', '2024-11-06'], '2024-11-07T09:00Z'),
  scene('Pacific/Apia', 'day', ['2011-12-28', '2012-01-02'], '2012-01-05T00:00Z'),
  scene('America/St_Johns', 'day', ['2006-10-27', '2006-10-31'], '2006-10-30T01:00Z'),
  // More periods than 64 bits hold, and than 128 bits hold.
  scene('Europe/Berlin', 'day', ['2024-01-20', '2024-04-02'], '2024-04-01T12:00Z'),
  scene('Europe/Berlin', 'hour', ['2024-10-25', '2024-10-30'], '2024-10-31T00:00Z'),
  scene('America/Sao_Paulo', 'month', ['2017-12-15', '2018-03-03'], '2018-03-10T00:00Z'),
];

/** The period of an instant, as in the answer: wall time, or the instant of an hour. */
export function labelOf(instant: number, of: Scene): number {
  let known = labels.get(of);
  if (!known) labels.set(of, (known = new Map()));
  let label = known.get(instant);
  if (label === undefined) known.set(instant, (label = bucketByIntl(instant, of.period, of.zone, of.weekStart)));
  return label;
}

const labels = new WeakMap<Scene, Map<number, number>>();

interface Span {
  readonly label: number;
  readonly start: number;
  readonly end: number;
}

const spans = new Map<Scene, readonly Span[]>();
const step = 15 * 60_000;

/** The periods that overlap a scene's range, and one more at each end, found by checking every quarter of an hour. */
export function spansAround(of: Scene): readonly Span[] {
  const known = spans.get(of);
  if (known) return known;
  const found: { label: number; start: number; end: number }[] = [];
  const reach = { hour: 4, day: 40, week: 200, month: 1700 }[of.period] * 3_600_000;
  const first = Date.parse(`${of.days[0]}T00:00Z`) - reach - 86_400_000;
  const last = Date.parse(`${of.days[1]}T00:00Z`) + reach + 2 * 86_400_000;
  for (let instant = first; instant < last; instant += step) {
    const label = labelOf(instant, of);
    const before = found.at(-1);
    if (before?.label === label) before.end = instant + step;
    else found.push({ label, start: instant, end: instant + step });
  }
  // The first and last ones may be cut.
  const whole = found.slice(1, -1);
  spans.set(of, whole);
  return whole;
}

/** The periods from the first day's to the last day's. */
export function spansOf(of: Scene): readonly Span[] {
  const isOn = (instant: number) => {
    const date = new Date(bucketByIntl(instant, 'day', of.zone)).toISOString().slice(0, 10);
    return date >= of.days[0] && date <= of.days[1];
  };
  const known = inRange.get(of);
  if (known) return known;
  const found = spansAround(of).filter(({ start, end }) => {
    for (let instant = start; instant < end; instant += step) if (isOn(instant)) return true;
    return false;
  });
  inRange.set(of, found);
  return found;
}

const inRange = new WeakMap<Scene, readonly Span[]>();

export interface Happened {
  readonly user: string | null;
  readonly at: number;
  readonly type: string;
  readonly path: string | null;
  readonly agent: string | null;
}

/** Events in and around the periods of a scene, many at the exact edges and at equal times. */
export function arbitraryEvents(of: Scene, most = 40): fc.Arbitrary<readonly Happened[]> {
  const around = spansAround(of);
  const edges = around.flatMap(({ start }) => [start - 1, start, start + 1]);
  const at = fc.oneof(
    fc.constantFrom(...edges),
    fc.integer({ min: around[0]!.start, max: around.at(-1)!.end - 1 }).map((instant) => instant - (instant % 60_000)),
  );
  const event = fc.record({
    user: fc.oneof(
      { weight: 14, arbitrary: fc.constantFrom('ann', 'bob', "o'neil", '🙂') },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    at,
    type: fc.constantFrom('pageview', 'pageview', 'click'),
    path: fc.constantFrom('/a', '/a', '/b', null),
    agent: fc.constantFrom('x', 'y', 'z', null, '(other)'),
  });
  return fc.array(event, { maxLength: most });
}

/** Conditions on events, once for the engine and once as plain code. */
export const matches: readonly { readonly match: EventMatch; readonly meets: (event: Happened) => boolean }[] = [
  { match: pageAt(), meets: ({ type }) => type === 'pageview' },
  { match: pageAt('/a'), meets: ({ type, path }) => type === 'pageview' && path === '/a' },
  { match: { event: 'click', targets: [], where: [] }, meets: ({ type }) => type === 'click' },
  { match: { event: undefined, targets: [], where: [] }, meets: () => true },
  {
    match: {
      event: 'pageview',
      targets: [],
      where: [{ member: 'TrackedEvents.agentName', operator: 'equals', values: ['x'] }],
    },
    meets: ({ type, agent }) => type === 'pageview' && agent === 'x',
  },
];

/** Asks an analysis over these events. */
export async function askActivity<Definition extends NamedDefinition>(
  engine: Engine,
  events: readonly Happened[],
  asked: {
    readonly analysis: Analysis<Definition>;
    readonly compute: EngineAnalysis;
    readonly definition: Definition;
    readonly query: Query;
    readonly scene: Scene;
  },
) {
  const { analysis, compute, definition, query, scene: of } = asked;
  await layEvents(
    engine,
    events.map(({ at, ...event }) => ({ ...event, at: (at - startOf2026) * 1000 })),
  );
  const cubes = withComputedCubes(analysis, builtInModel, [definition], 'here', builtInModel);
  const model = withUserDimensions(cubes, 'anonymous');
  const plan = planOf({ ...query, timezone: of.zone, limit: 1_000_000 }, model, {
    now: of.now,
    weekStart: of.weekStart,
  });
  const circumstances = { files: [], tables: [], hasEvents: true };
  const answer = await compute.answer({ engine, events: undefined, circumstances }, plan);
  return collect(plan, answer, { queryHash: '', backend: 'embedded', source: '' });
}
