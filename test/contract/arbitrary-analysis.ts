import fc from 'fast-check';
import type { Sluice } from '../../src/use/index.ts';
import { lineWithCohort } from './arbitrary-world.ts';

/** Definitions by file name, and questions about them through the library. */
export interface AskedAnalyses {
  readonly files: Readonly<Record<string, object>>;
  readonly asked: readonly AskedAnalysis[];
  /** Properties of the first events. */
  readonly properties: readonly object[];
}

export interface AskedAnalysis {
  readonly what: unknown;
  readonly ask: (sluice: Sluice) => Promise<unknown>;
}

const where = fc.constantFrom(
  undefined,
  undefined,
  'TrackedEvents.pageTitle contains a',
  'TrackedEvents.agentName != Firefox',
  'TrackedEvents.localTzOffset > 0',
);
const match = fc.record({
  event: fc.constantFrom('pageview', 'link_click', 'any'),
  target: fc.constantFrom(undefined, undefined, '/', '/a', '/*'),
  where,
});
const event = match.map((one) => defined({ ...one, where: one.where && [one.where] }));
const dimension = fc
  .constantFrom('eventType', 'docPath', 'pageTitle', 'localTzOffset', 'agentName', 'props.amount')
  .map((name) => `TrackedEvents.${name}`);
/** Mostly users. */
const follow = fc.constantFrom(undefined, undefined, undefined, 'pageTitle', 'localTzOffset', 'props.plan');
const period = fc.constantFrom('hour', 'day', 'day', 'week', 'month');
const range = fc.constantFrom(
  '2024-03-30..2024-04-01',
  '2024-03-08..2024-03-12',
  '2024-03-08..2024-04-08',
  'last 7 days',
);
const hourly = (each: string) => (each === 'hour' ? '2024-03-31' : undefined);
const own = fc.option(
  fc.oneof({ weight: 5, arbitrary: where }, fc.constant('cohort != viewers')).map((one) => one && [one]),
  { nil: undefined },
);

const retention = fc.record({
  period,
  periods: fc.integer({ min: 1, max: 5 }),
  start: event,
  return: event,
  cohort: fc.constantFrom('recurring', 'first_time', 'first_ever'),
  window: fc.constantFrom('calendar', 'calendar', '24h'),
  min_occurrences: fc.constantFrom(1, 1, 2),
  cumulative: fc.boolean(),
  breakdown: fc.option(fc.record({ dimension, limit: fc.integer({ min: 1, max: 3 }) }), { nil: undefined }),
  where: own,
  follow,
  value: fc.constantFrom(undefined, undefined, 'sum(props.amount)', 'avg(props.amount)'),
});
const lifecycle = fc.record({ period, active: event, where: own, follow });
const stickiness = fc.record({
  period,
  active: event,
  every: fc.constantFrom(1, 1, 2),
  per_slot: fc.constantFrom(undefined, { at_least: 2 }, { at_most: 1 }, { exactly: 1 }),
  cumulative: fc.boolean(),
  where: own,
  follow,
});
const stepName = fc.constantFrom('/', '/a', 'link_click', 'nowhere');
const paths = fc
  .record({
    step: fc.constantFrom('page', 'page', 'event', 'TrackedEvents.agentName', 'TrackedEvents.localTzOffset'),
    events: fc.constantFrom(['any'], ['any'], ['pageview'], ['pageview', 'link_click']),
    groups: fc.constantFrom(undefined, undefined, ['/*b'], ['page_', '*b']),
    exclude: fc.constantFrom(undefined, undefined, ['/A'], ['pageview']),
    anchor: fc.oneof(
      fc.constant({}),
      fc.record({ from: stepName }),
      fc.record({ to: stepName, keep: fc.constantFrom('first', 'last') }),
      fc.record({ from: fc.constantFrom('/', 'link_click'), to: fc.constantFrom('/a', 'nowhere') }),
      fc.record({ through: stepName, steps_before: fc.constantFrom(1, 2) }),
    ),
    max_steps: fc.constantFrom(3, 4, 5, 8),
    session_gap_minutes: fc.constantFrom(30, 600, 10_000),
    edge_limit: fc.constantFrom(undefined, 3),
    min_sessions: fc.constantFrom(1, 1, 2),
    where: own,
  })
  .map(({ anchor, ...rest }) => ({ ...rest, ...anchor }));
const did = match.chain((one) =>
  fc
    .constantFrom({ at_least: 1 }, { at_least: 2 }, { at_most: 1 }, { exactly: 0 })
    .chain((times) =>
      fc
        .constantFrom(undefined, 'last 7 days', ['2024-03-08', '2024-03-12'])
        .map((during) => ({ did: defined({ ...one, where: one.where && [one.where], ...times, during }) })),
    ),
);
const rule = fc.oneof(
  { weight: 3, arbitrary: did },
  fc.constant({ first_seen: { during: 'last 30 days' } }),
  fc.constantFrom(1, 2).map((step) => ({ reached: { funnel: 'steps', step } })),
  fc.constant({ cohort: 'viewers' }),
);
const cohort = fc.record({
  all: fc.array(rule, { minLength: 1, maxLength: 2 }),
  any: fc.option(fc.array(rule, { minLength: 1, maxLength: 2 }), { nil: undefined }),
  except: fc.option(fc.array(rule, { minLength: 1, maxLength: 1 }), { nil: undefined }),
});

const maybe = <T>(...values: readonly T[]) => fc.constantFrom<T | undefined>(undefined, ...values);
/** A number of JSON with all its digits. */
const raw = (text: string) => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
export const property = fc.record({
  plan: maybe<unknown>('pro', 'Pro', '', '"', '\\', 'Ä', '😀', 7),
  amount: maybe<unknown>(0.1, 0.25, 12.5, -3, '2.50', 1000),
  mixed: maybe<unknown>(1, 2.5, 'x', '3', 1e-7, true, 1e300, '007'),
  cart: maybe<unknown>({ total: 5 }, { total: 1.5, at: { vat: true } }, [1], 'none'),
  micro: maybe<unknown>(raw('9007199254740993'), raw('-9007199254740995'), raw('18446744073709551615'), 7),
  id: maybe<unknown>('9007199254740993', '123456789012345678901234', '9007199254740994', raw('1'), 'x'),
  price: maybe<unknown>('9007199254740993', '1.50', '90071992547409.93', 2.5),
  loose: maybe<unknown>(raw('9007199254740993'), 1e-12, raw('1e300')),
  flag: maybe(true, false),
  list: maybe<unknown>([1, 'a'], { b: null, c: 'd' }),
  "it's a/b~c": maybe('odd', '%'),
  customEventProps: maybe('{"plan": "own", "n": 1}', 'no json', '[]'),
});

/** Properties with whole numbers beyond the exact range of floats. */
export const linesOfLargeNumbers = [
  'sum(props.micro), min(props.micro), max(props.micro), median(props.micro) by props.plan',
  'sum(props.id), min(props.id), max(props.id), distinct(props.id), count where props.id > 9007199254740993',
  'sum(props.price), min(props.price), max(props.price)',
] as const;

/** One-line questions about events. Each analysis is also asked by line if that covers more. */
const lines = [
  'count, uniqueUsersCount by firstTouch.agentName, lastTouch.docPath from 2024-03-08 to 2024-04-08',
  'count by day, lastTouch.agentName where firstTouch.docPath = /a from 2024-03-08 to 2024-03-12',
  'Sessions.count by Sessions.firstTouch.agentName, Sessions.lastTouch.docPath',
  'Sessions.count by Sessions.landingPage, Sessions.exitPage',
  'count by cohort.some, day from 2024-03-30 to 2024-04-01',
  'Sessions.count by Sessions.cohorts.some',
  'ReturningUsers.count where ReturningUsers.cohorts = some',
  'count by docPath, day top 2 from 2024-03-08 to 2024-03-12',
  'pageViewsCount by eventType, agentName top 1',
  'some.users by some.date.day from 2024-03-08 to 2024-03-12',
  'some.users by some.user',
  'count, countDistinct(props.plan) by props.plan, eventType',
  'sum(props.amount), avg(props.amount), min(props.amount), max(props.amount), median(props.amount), p90(props.amount)',
  ...linesOfLargeNumbers,
  'sum(props.loose), min(props.loose), max(props.loose)',
  'sum(props.price * props.amount)',
  'sum(props.price * props.micro)',
  'sum(props.loose * props.amount)',
  'sum(props.mixed), avg(props.mixed), median(props.mixed) by eventType',
  'count by props.mixed where props.mixed > 1',
  'count by props.cart.total where props.cart.total >= 2',
  'count by props.amount where props.amount ends with 0 or props.amount contains .5 or props.cart.total ends with .0',
  'count by props.flag, props.list',
  'count by props.flag where props.plan = Pro',
  'count by props.customEventProps.plan, props.plan',
  'count, sum(props.amount) by firstTouch.props.plan',
] as const;

/** A few of each kind. */
export const askedAnalyses: fc.Arbitrary<AskedAnalyses> = fc
  .record({
    retentions: fc.array(retention, { minLength: 3, maxLength: 3 }),
    lifecycles: fc.array(lifecycle, { minLength: 1, maxLength: 1 }),
    stickinesses: fc.array(stickiness, { minLength: 1, maxLength: 1 }),
    routes: fc.array(paths, { minLength: 3, maxLength: 3 }),
    cohort,
    range,
    further: fc.array(lineWithCohort('some'), { minLength: 8, maxLength: 8 }),
    properties: fc.array(property, { minLength: 60, maxLength: 60 }),
  })
  .map(({ properties, retentions, lifecycles, stickinesses, routes, cohort: some, range: asked, further }) => {
    const within = (each: { readonly period: string }) => ({ range: hourly(each.period) ?? asked });
    const given = <T extends { readonly period: string }>(
      all: readonly T[],
      ask: (s: Sluice, one: T) => Promise<unknown>,
    ) =>
      all.map((one): AskedAnalysis => ({ what: [one, within(one)], ask: (sluice) => ask(sluice, defined(one) as T) }));
    const edges = routes.map((_, index) => {
      const name = `route_${index}`;
      const measures = [
        'sessions',
        'users',
        'average_seconds',
        'source_users',
        'continued_users',
        'target_users',
        'total',
      ];
      const query = {
        measures: measures.map((measure) => `${name}.${measure}`),
        dimensions: ['step', 'source', 'target'].map((one) => `${name}.${one}`),
        order: ['sessions', 'step', 'source', 'target'].map((one) => [`${name}.${one}`, 'asc'] as const),
      };
      return { what: routes[index], ask: (sluice: Sluice) => sluice.query(query as never) };
    });
    return {
      properties: properties.map((one) => defined(one)),
      files: {
        viewers: { cohort: { did: { event: 'pageview' } } },
        some: { cohort: defined(some) },
        ...Object.fromEntries(routes.map((one, index) => [`route_${index}`, { paths: defined(one) }])),
      },
      asked: [
        ...given(retentions, (sluice, one) => sluice.retention(one as never, within(one) as never)),
        ...given(lifecycles, (sluice, one) => sluice.lifecycle(one as never, within(one) as never)),
        ...given(stickinesses, (sluice, one) => sluice.stickiness(one as never, within(one) as never)),
        ...edges,
        // The users behind figures.
        ...['route_0', 'route_1'].map((definition): AskedAnalysis => {
          const cell = { step: 1 };
          return { what: [definition, cell], ask: (sluice) => sluice.users({ analysis: 'paths', definition, cell }) };
        }),
        {
          what: ['users of all paths'],
          ask: (sluice: Sluice) => sluice.users('route_0.total'),
        },
        {
          what: ['retention users', cohort],
          ask: (sluice: Sluice) =>
            sluice.users({ analysis: 'retention', definition: { period: 'day', periods: 3 }, cell: { period: 1 } }),
        },
        ...[...lines, ...further].map((line) => ({ what: [line, some], ask: (sluice: Sluice) => sluice.query(line) })),
      ],
    };
  });

/** Without undefined values, as in files. */
function defined<T extends object>(one: T): Partial<T> {
  return Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as Partial<T>;
}
