import fc from 'fast-check';
import type { DateRangeText, Filter, FilterOperator, Query } from '../../src/ask/query/query.ts';
import type { FillMode } from '../../src/ask/query/saved-query.ts';
import type { ExportedEvent } from './exported-events.ts';
import { startOfDate } from './oracle-clock.ts';

export const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Auckland',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
] as const;

/** Days next to clock changes (New York, Berlin, Auckland and Lord Howe), and ordinary days. */
const dates = [
  '2024-03-08',
  '2024-03-09',
  '2024-03-10',
  '2024-03-11',
  '2024-03-12',
  '2024-03-30',
  '2024-03-31',
  '2024-04-01',
  '2024-04-06',
  '2024-04-07',
  '2024-04-08',
] as const;

export interface World {
  readonly events: readonly ExportedEvent[];
  readonly now: number;
  readonly zone: string;
  readonly weekStart: 'monday' | 'sunday';
  readonly project: string | undefined;
  readonly user: 'anonymous' | 'known';
}

const date = fc.constantFrom(...dates);
const zone = fc.constantFrom(...zones);

/** Midnights of some zone, the hours around clock changes, a millisecond before or after them, and any other time. */
const instants = fc.oneof(
  fc
    .tuple(
      date,
      zone,
      fc.constantFrom(0, -1, 1, 1_800_000, 3_600_000, 5_400_000, 7_199_999, 7_200_000, 9_000_000, 10_800_000),
    )
    .map(([day, where, beside]) => startOfDate(day, where) + beside),
  fc.tuple(date, fc.nat(86_399_999)).map(([day, beside]) => Date.parse(day) + beside),
);

const texts = [
  null,
  '',
  'a',
  'A',
  'Ä',
  'b',
  '50%_',
  '\\',
  "'",
  '"x", y',
  '<b>',
  '=1+1',
  '～',
  '😀',
  '\u001b[31m',
  'null',
  '∅',
] as const;
const maybe = <T>(...values: readonly T[]) => fc.constantFrom<T | null | undefined>(null, undefined, ...values);

const event = fc.record({
  at: instants,
  eventType: fc.constantFrom('pageview', 'pageview', 'link_click', 'page_view', 'signup', null, undefined),
  docPath: fc.constantFrom('/', '/a', '/b', '/A', null),
  pageTitle: fc.constantFrom(...texts, undefined),
  userAnonymousId: maybe('', 'u1', 'u2', 'u3'),
  userId: maybe('', 'u1', 'k2'),
  sessionId: maybe('', 's1', 's2', 's3'),
  projectId: maybe('42', '42', '42', '7'),
  agentName: maybe('Firefox', 'Googlebot', 'Chrome'),
  localTzOffset: maybe(-120, 0, 330, 12.5),
});

/** Every event has a unique ID; some are in the file twice. */
const events = fc
  .array(fc.tuple(event, fc.constantFrom(1, 1, 1, 1, 2)), { minLength: 30, maxLength: 60, size: 'max' })
  .map((list): readonly ExportedEvent[] =>
    list.flatMap(([{ at, ...fields }, times], index) => {
      const one: ExportedEvent = {
        utcTime: new Date(at).toISOString().slice(0, -1),
        eventId: `e${String(index).padStart(2, '0')}`,
        ...fields,
      };
      return times === 2 ? [one, one] : [one];
    }),
  );

export const world: fc.Arbitrary<World> = fc.record({
  events,
  now: fc.constantFrom(
    Date.parse('2024-03-10T12:30:00Z'),
    Date.parse('2024-03-31T22:15:00Z'),
    Date.parse('2024-04-07T03:00:00.500Z'),
    Date.parse('2024-04-20T00:00:00Z'),
  ),
  zone,
  weekStart: fc.constantFrom('monday', 'monday', 'sunday'),
  project: fc.constantFrom(undefined, undefined, undefined, '42'),
  user: fc.constantFrom('anonymous', 'anonymous', 'known'),
});

export interface Asking {
  readonly query: Query;
  readonly fill: FillMode;
  readonly fillWith: 0 | undefined;
}

interface CubeMembers {
  readonly name: string;
  readonly measures: readonly string[];
  readonly dimensions: readonly string[];
  readonly times: readonly string[];
  readonly segments: readonly string[];
  readonly values: Readonly<Record<string, readonly (string | number | boolean)[]>>;
}

export const cubes: readonly CubeMembers[] = [
  {
    name: 'TrackedEvents',
    measures: ['count', 'pageViewsCount', 'linkClicksCount', 'uniqueUsersCount'],
    dimensions: [
      'eventType',
      'docPath',
      'pageTitle',
      'userId',
      'projectId',
      'agentName',
      'localTzOffset',
      'eventName',
      'utcTime',
    ],
    times: ['utcTime', 'utcTime', 'utcTime', 'derivedTstamp'],
    segments: ['knownUsers', 'bots', 'humans'],
    values: {
      eventType: ['pageview', 'link_click', 'page_view'],
      docPath: ['/', '/a', '/A', 'a'],
      pageTitle: texts.filter((text) => text !== null),
      userId: ['u1', 'k2', ''],
      projectId: ['42', 7],
      agentName: ['Firefox', 'bot'],
      localTzOffset: [0, -120, '12.5', '330'],
      eventName: ['page_view'],
    },
  },
  {
    name: 'Sessions',
    measures: [
      ...['count', 'uniqueUsersCount', 'usersCount', 'averageDurationMinutes', 'averagePerUser'],
      ...['pageViewsCount', 'averagePageViews', 'bouncedCount', 'bounceRate'],
    ],
    dimensions: ['pageViews', 'agentName', 'docPath', 'projectId', 'derived', 'userId', 'startAt'],
    times: ['startAt', 'startAt', 'endAt'],
    segments: [],
    values: {
      pageViews: [0, 1, '2'],
      agentName: ['Firefox', 'bot'],
      docPath: ['/', '/a'],
      projectId: ['42'],
      derived: [true, 'false'],
      userId: ['u1', ''],
    },
  },
  {
    name: 'ReturningUsers',
    measures: ['count', 'returningUsersCount', 'allSessionsCount', 'returningUserPercentage'],
    dimensions: [],
    times: ['first_timestamp'],
    segments: ['returningUsers'],
    values: {},
  },
];

const textOperators = [
  'equals',
  'notEquals',
  'in',
  'notIn',
  'contains',
  'notContains',
  'startsWith',
  'notStartsWith',
  'endsWith',
  'notEndsWith',
] as const;
const exactOperators = ['equals', 'notEquals', 'in', 'notIn'] as const;
const sizeOperators = ['gt', 'gte', 'lt', 'lte'] as const;

const writtenInstant = instants.map((at) => new Date(at).toISOString());
const writtenTime = fc
  .tuple(date, fc.constantFrom('T00:00:00', 'T01:30:00', 'T02:30:00.000', 'T13:00', 'T23:59:59.999'))
  .map(([day, time]) => day + (time.length === 6 ? `${time}:00` : time));
const point = fc.oneof({ weight: 4, arbitrary: date }, writtenInstant, writtenTime);
const phrase = fc.constantFrom(
  'today',
  'yesterday',
  'last 3 days',
  'last 7 days',
  'this week',
  'last week',
  'this month',
  '2024-03',
  'since 2024-03-29',
  'week to date',
);
/** Two ends in any order. A reversed range contains nothing. */
const range = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom(...dates.slice(0, 4)), fc.constantFrom(...dates.slice(4))) },
  { weight: 3, arbitrary: fc.tuple(date, date).map((ends) => ends.toSorted()) },
  { weight: 3, arbitrary: phrase },
  fc.tuple(point, point),
  date,
  fc.tuple(date),
);
/** For minute buckets. */
const shortRange = fc.tuple(date, zone, fc.nat(50), fc.nat(90)).map(([day, where, before, length]) => {
  const start = startOfDate(day, where) + 7_200_000 - before * 60_000;
  return [new Date(start).toISOString(), new Date(start + length * 60_000).toISOString()];
});

function filterOn(cube: CubeMembers): fc.Arbitrary<Filter> {
  const onTime = (member: string): fc.Arbitrary<Filter> =>
    fc.oneof(
      fc.record({
        member: fc.constant(member),
        operator: fc.constantFrom<FilterOperator>('inDateRange', 'notInDateRange'),
        values: range.map((one) => (typeof one === 'string' ? [one] : one)),
      }),
      fc.record({
        member: fc.constant(member),
        operator: fc.constantFrom<FilterOperator>(
          'beforeDate',
          'beforeOrOnDate',
          'afterDate',
          'afterOrOnDate',
          ...sizeOperators,
        ),
        values: fc.tuple(point),
      }),
      fc.record({
        member: fc.constant(member),
        operator: fc.constantFrom<FilterOperator>('onTheDate', ...exactOperators),
        values: fc.array(date, { minLength: 1, maxLength: 2 }),
      }),
    );
  const onValue = Object.entries(cube.values).map(([name, values]): fc.Arbitrary<Filter> => {
    const member = fc.constant(`${cube.name}.${name}`);
    const isText = values.every((value) => typeof value === 'string') && name !== 'localTzOffset';
    const value = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom<string | number | boolean | null>(...values) },
      fc.constant(null),
    );
    return fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          member,
          operator: fc.constantFrom<FilterOperator>(...(isText ? textOperators : exactOperators)),
          values: fc.array(value, { minLength: 1, maxLength: 3 }),
        }),
      },
      fc.record({ member, operator: fc.constantFrom<FilterOperator>('set', 'notSet') }),
      ...(name === 'derived'
        ? []
        : [
            fc.record({
              member,
              operator: fc.constantFrom<FilterOperator>(...(isText ? (['gt', 'lte'] as const) : sizeOperators)),
              values: fc.constantFrom(...values).map((one) => [one]),
            }),
          ]),
    );
  });
  const counted =
    cube.name === 'TrackedEvents'
      ? [fc.constant<Filter>({ member: 'TrackedEvents.pageViewsCount', operator: 'measureFilter' })]
      : [];
  const leaf = fc.oneof(...onValue, ...cube.times.map((time) => onTime(`${cube.name}.${time}`)), ...counted);
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    fc.array(leaf, { maxLength: 2 }).map((or): Filter => ({ or })),
    fc.tuple(leaf, fc.array(leaf, { maxLength: 2 })).map(([first, or]): Filter => ({ and: [first, { or }] })),
  );
}

function havingOn(cube: CubeMembers): fc.Arbitrary<Filter> {
  const member = fc.constantFrom(...cube.measures).map((name) => `${cube.name}.${name}`);
  return fc.oneof(
    fc.record({
      member,
      operator: fc.constantFrom<FilterOperator>(...sizeOperators, 'equals', 'notEquals'),
      values: fc.constantFrom('0', '1', '2', '1.5').map((one) => [one]),
    }),
    fc.record({ member, operator: fc.constantFrom<FilterOperator>('set', 'notSet') }),
  );
}

/** Usually undefined; defined in `weight` of eight cases. */
const weighted = <T>(rare: fc.Arbitrary<T>, weight = 1) =>
  fc.oneof({ weight: 8 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary: rare });

/** Ranges to compare side by side. */
export const ranges: fc.Arbitrary<readonly DateRangeText[]> = fc.array(range, { minLength: 1, maxLength: 3 });

/** Questions that servers understand, too. */
export const asking: fc.Arbitrary<Asking> = askingOf(cubes);

const figuresOfValues = {
  TrackedEvents: [
    ...['docPath', 'pageTitle', 'userId', 'localTzOffset'].map((name) => `distinct(${name})`),
    ...['sum', 'avg', 'median'].map((compute) => `${compute}(localTzOffset)`),
  ],
  Sessions: [
    ...['docPath', 'agentName', 'pageViews'].map((name) => `distinct(${name})`),
    ...['sum', 'avg', 'p90', 'max'].map((compute) => `${compute}(pageViews)`),
    ...['median', 'min'].map((compute) => `${compute}(durationMinutes)`),
  ],
} as const;

/** Questions with members that only local engines have. */
export const localAsking: fc.Arbitrary<Asking> = askingOf(
  cubes.map((cube) =>
    cube.name === 'ReturningUsers'
      ? cube
      : {
          ...cube,
          measures: [...cube.measures, ...figuresOfValues[cube.name as keyof typeof figuresOfValues]],
          dimensions: [...cube.dimensions, 'hourOfDay', 'weekday'],
          values: { ...cube.values, hourOfDay: [0, 1, 2, 23, '3.5'], weekday: ['Monday', 'sunday', 6, 7] },
        },
  ),
);

function askingOf([events, sessions, users]: readonly CubeMembers[]): fc.Arbitrary<Asking> {
  return fc.constantFrom(...[events!, events!, events!, sessions!, users!]).chain((cube) => {
    const full = (name: string) => `${cube.name}.${name}`;
    return fc
      .record({
        measures: fc
          .tuple(fc.shuffledSubarray([...cube.measures], { minLength: 1 }), fc.constantFrom(0, 1, 1, 1, 2, 2, 3))
          .map(([names, count]) => names.slice(0, count)),
        dimensions: fc
          .tuple(fc.shuffledSubarray([...cube.dimensions]), fc.constantFrom(0, 0, 1, 1, 2, 3))
          .map(([names, count]) => names.slice(0, count)),
        time: fc.constantFrom(...cube.times),
        granularity: fc.constantFrom(
          'day',
          'day',
          'day',
          'day',
          'day',
          'hour',
          'hour',
          'week',
          'month',
          'quarter',
          'year',
          'minute',
          undefined,
          undefined,
          undefined,
        ),
        range,
        shortRange,
        rangeBy: fc.constantFrom('dimension', 'dimension', 'dimension', 'filter', 'filter', 'neither', 'both'),
        filters: fc.oneof(
          { weight: 4, arbitrary: fc.constant([]) },
          { weight: 2, arbitrary: fc.tuple(filterOn(cube)) },
          fc.tuple(filterOn(cube), filterOn(cube)),
        ),
        having: weighted(havingOn(cube)),
        further: weighted(fc.record({ dimension: fc.constantFrom(...cube.times).map(full), dateRange: range })),
        segments: weighted(fc.subarray([...cube.segments], { maxLength: Math.min(1, cube.segments.length) })),
        order: weighted(
          fc.record({
            directions: fc.array(fc.constantFrom<'asc' | 'desc'>('asc', 'desc'), { minLength: 3, maxLength: 3 }),
            count: fc.constantFrom(0, 1, 1, 2, 3),
            shift: fc.constantFrom(0, 0, 0, 1, 2, 3),
          }),
          4,
        ),
        limit: weighted(fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 8, 10, 12), 3),
        offset: weighted(fc.constantFrom(0, 1, 2, 3, 6), 2),
        timezone: weighted(zone, 4),
        total: fc.boolean(),
        ungrouped: weighted(fc.constant(cube.name !== 'ReturningUsers')),
        fill: fc.constantFrom<FillMode>('auto', 'auto', 'all', 'all', 'none'),
        fillWith: fc.constantFrom<0 | undefined>(undefined, undefined, 0),
      })
      .map(({ fill, fillWith, ...preference }): Asking => {
        const measures =
          preference.measures.length + preference.dimensions.length === 0 && !preference.granularity
            ? [cube.measures[0]!]
            : preference.measures;
        const dimension = full(preference.time);
        const granularity = preference.granularity;
        const ends = granularity === 'minute' ? preference.shortRange : preference.range;
        const byFilter = preference.rangeBy === 'filter' || preference.rangeBy === 'both';
        const byDimension =
          preference.rangeBy === 'dimension' || (preference.rangeBy === 'both' && granularity !== undefined);
        const time = {
          dimension,
          ...(granularity && { granularity }),
          ...((byDimension || granularity === 'minute') && { dateRange: ends }),
        };
        const inRange: Filter = {
          member: dimension,
          operator: 'inDateRange',
          values:
            preference.rangeBy === 'both' ? ['2024-03-09', '2024-04-07'] : typeof ends === 'string' ? [ends] : ends,
        };
        const selected = [
          ...measures.map(full),
          ...preference.dimensions.map(full),
          ...(granularity ? [dimension] : []),
        ];
        const ordered = preference.order?.directions
          .slice(0, Math.min(preference.order.count, selected.length))
          .map(
            (direction, index) => [selected[(index + preference.order!.shift) % selected.length]!, direction] as const,
          );
        const hasTime = granularity !== undefined || byDimension;
        return {
          fill,
          fillWith,
          query: {
            ...(measures.length > 0 && { measures: measures.map(full) }),
            ...(preference.dimensions.length > 0 && { dimensions: preference.dimensions.map(full) }),
            ...((hasTime || preference.further) && {
              timeDimensions: [...(hasTime ? [time] : []), ...(preference.further ? [preference.further] : [])],
            }),
            filters: [
              ...preference.filters,
              ...(byFilter ? [inRange] : []),
              ...(preference.having && !preference.ungrouped ? [preference.having] : []),
            ],
            ...(preference.segments && { segments: preference.segments.map(full) }),
            ...(ordered && { order: ordered }),
            ...(preference.limit !== undefined && { limit: preference.limit }),
            ...(preference.offset !== undefined && { offset: preference.offset }),
            ...(preference.timezone && { timezone: preference.timezone }),
            ...(preference.total && { total: true }),
            ...(preference.ungrouped && { ungrouped: true }),
          },
        };
      });
  });
}

const lineMeasure = fc
  .tuple(
    fc.constantFrom('count', 'uniqueUsersCount', 'pageViewsCount'),
    fc.constantFrom(
      '',
      '',
      ' rolling 1 day',
      ' rolling 3 days',
      ' rolling 7 days',
      ' rolling 2 weeks',
      ' rolling 1 month',
      ' rolling 24 hours',
      ' moving average 3',
      ' moving average 7 days',
      ' cumulative',
      ' share of total',
      ' avg per user',
      ' max per user',
      ' min per user',
      ' sum per user',
      ' median per user',
      ' p90 per user',
    ),
  )
  .map((words) => words.join(''));
const lineFormula = fc.constantFrom(
  'count / uniqueUsersCount as each',
  '(pageViewsCount + 1) / count as odd',
  'count - pageViewsCount cumulative as rest',
  'count rolling 3 days / uniqueUsersCount as each',
  'count moving average 2 / uniqueUsersCount as smooth',
  '(count share + 1) * 2 as shared',
  '(count where docPath = /a) as own',
  '(uniqueUsersCount where eventType != pageview) / uniqueUsersCount as part',
  "((count + 1 where agentName = Firefox) - count where docPath ^= '/' or pageTitle is set) as nested",
  '(count rolling 3 days where docPath = /a) / (count share where hourOfDay < 12) as trend',
  '(count cumulative where lastTouch.agentName != Firefox), count moving average 2 as smooth',
  '(count avg per user where count per user > 1) as busy',
);

const lineRange = fc.constantFrom(
  'from 2024-03-08 to 2024-03-12',
  'from 2024-03-30 to 2024-04-08',
  '2024-03',
  'last 7 days',
  'since 2024-03-29',
);
const lineConditions = [
  'docPath = /a',
  'eventType != pageview',
  'localTzOffset > 0',
  'pageTitle contains a',
  'weekday in (saturday, sunday)',
  'hourOfDay < 12',
  'firstTouch.docPath = /a',
  'lastTouch.agentName != Firefox',
  'count per user > 1',
] as const;
const lineZone = weighted(
  zone.map((name) => ` in zone ${name}`),
  2,
);

/** The events themselves. */
const rawEvents = (conditions: readonly string[]) =>
  fc
    .record({
      columns: fc.shuffledSubarray([
        'docPath',
        'userAnonymousId',
        'localTzOffset',
        'pageTitle',
        'sessionId',
        'hourOfDay',
      ]),
      conditions: fc.uniqueArray(fc.constantFrom(...conditions), { minLength: 1, maxLength: 2 }),
      range: lineRange,
      pick: fc.constantFrom('', ' limit 5', ' limit 3 offset 2'),
      zone: lineZone,
    })
    .map(({ columns, conditions: asked, range: within, pick, zone: there = '' }) => {
      const list = columns.length === 0 ? 'events' : `raw events ${columns.join(', ')}`;
      return `${list} where ${asked.join(' and ')} ${within}${pick}${there}`;
    });

/**
 * What a line can express beyond data: windows, shares, sums over users, formulas, the largest groups and all others,
 * compared ranges.
 */
export const askedLine: fc.Arbitrary<string> = lineWith([], []);

/** Lines that also name a cohort. */
export const lineWithCohort = (name: string): fc.Arbitrary<string> =>
  lineWith([` by cohort.${name}`, ` by cohort.${name}, day`], [`cohorts = ${name}`, `cohorts != ${name}`]);

/** `groups`, `conditions`: additional ones, one of which is in each line. */
function lineWith(groups: readonly string[], conditions: readonly string[]): fc.Arbitrary<string> {
  const asked = conditions.length === 0 ? lineConditions : conditions;
  const grouped = fc
    .record({
      measures: fc.uniqueArray(fc.oneof({ weight: 3, arbitrary: lineMeasure }, lineFormula), {
        minLength: 1,
        maxLength: 2,
      }),
      by: fc.constantFrom(
        '',
        ' by day',
        ' by day',
        ' by week',
        ' by month',
        ' by docPath',
        ' by eventType, agentName',
        ' by day, docPath',
        ' by hour',
        ' by weekday',
        ' by hour of day',
        ' by weekday, hour of day',
        ' by firstTouch.agentName',
        ' by day, lastTouch.docPath',
        ' by count per user',
        ' by week, docPath, pageViewsCount per user',
      ),
      group: groups.length === 0 ? fc.constant(undefined) : fc.constantFrom(undefined, ...groups),
      where: fc.constantFrom(...asked),
      isLimited: fc.constantFrom(true, false, false),
      range: lineRange,
      compared: weighted(fc.constantFrom(' compare with previous', ' compare with -1y'), 2),
      pick: weighted(
        fc.constantFrom(
          ' top 2',
          ' bottom 1',
          ' top 2 with other',
          ' top 1 with other',
          ' limit 3 offset 1',
          ' limit 2',
        ),
        3,
      ),
      zone: lineZone,
    })
    .map(
      ({ measures, by, group, where, isLimited, range: within, compared = '', pick = '', zone: there = '' }) =>
        `${measures.join(', ')}${group ?? by}${isLimited || (groups.length > 0 && !group) ? ` where ${where}` : ''} ${within}${compared}${pick}${there}`,
    );
  return fc.oneof({ weight: 5, arbitrary: grouped }, rawEvents(asked));
}
