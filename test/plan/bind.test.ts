import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Filter, Query } from '../../src/ask/query/query.ts';
import type { BindContext } from '../../src/plan/bind/bind-context.ts';
import { bind } from '../../src/plan/bind/bind.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import type { Model } from '../../src/plan/model/model.ts';
import { context, modelOf, planOf, plansOf } from './ask.ts';

const shop = modelOf(`
cubes:
  - name: Orders
    sql_table: orders
    joins:
      - {name: Users, relationship: many_to_one, sql: "{CUBE}.user_id = {Users}.id"}
    measures:
      - {name: count, type: count}
      - {name: amount, type: sum, sql: amount}
      - {name: perUser, type: number, sql: "{amount} / nullif({Users.count}, 0)"}
      - {name: own, type: number, sql: "sum({CUBE}.amount) / count(*)"}
      - {name: mixed, type: number, sql: "sum({CUBE}.amount) / {count}"}
      - {name: running, type: sum, sql: amount, rolling_window: {trailing: 7 day}}
      - {name: everything, type: count, rolling_window: {trailing: unbounded}}
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true, public: true}
      - {name: status, type: string, sql: status}
      - {name: paid, type: boolean, sql: paid}
      - {name: size, type: number, sql: size}
      - {name: at, type: time, sql: at}
      - {name: shippedAt, type: time, sql: shipped_at}
    segments:
      - {name: large, sql: "{CUBE}.size > 10"}
  - name: Users
    sql_table: users
    measures:
      - {name: count, type: count}
      - {name: credit, type: sum, sql: credit}
      - {name: rolling, type: sum, sql: credit, rolling_window: {trailing: 7 day}}
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true}
      - {name: country, type: string, sql: country}
  - name: Visits
    sql_table: visits
    joins:
      - {name: Keyless, relationship: many_to_one, sql: "{CUBE}.k = {Keyless}.k"}
    measures:
      - {name: count, type: count}
    dimensions:
      - {name: page, type: string, sql: page}
  - name: Keyless
    sql_table: keyless
    measures:
      - {name: count, type: count}
      - {name: largest, type: max, sql: size}
    dimensions:
      - {name: k, type: string, sql: k}
`);

function issuesOf(query: Query, model: Model = shop, changes: Partial<BindContext> = {}) {
  return bind(query, model, { ...context, ...changes }).issues.map(({ code, path, severity }) =>
    severity === 'error' ? [code, path.join('.')] : [code, path.join('.'), severity],
  );
}

function hintOf(query: Query, model: Model = shop): string | undefined {
  return bind(query, model, context).issues[0]?.hint;
}

const filtered = (...filters: Filter[]): Query => ({ measures: ['Orders.count'], filters });

describe('names', () => {
  it('reports everything that is wrong at once', () => {
    expect(
      issuesOf(
        {
          measures: ['Orders.cuont', 'Orders.status'],
          dimensions: ['Nobody.name', 'Orders.count', 'Orders.large'],
          timeDimensions: [{ dimension: 'Orders.status', granularity: 'day', dateRange: 'the day before' }],
          segments: ['Orders.count', 'Orders.lagre'],
          filters: [
            { member: 'Orders.sise', operator: 'gt', values: [1] },
            { member: 'Orders.large', operator: 'set' },
          ],
          timezone: 'Mars/Phobos',
          limit: 60_000,
        },
        shop,
        { limits: 'remote' },
      ).toSorted(),
    ).toEqual([
      ['limit-too-high', 'limit'],
      ['not-a-time', 'timeDimensions.0.dimension'],
      ['unknown-member', 'dimensions.0'],
      ['unknown-member', 'filters.0.member'],
      ['unknown-member', 'measures.0'],
      ['unknown-member', 'segments.1'],
      ['unknown-zone', 'timezone'],
      ['unreadable-range', 'timeDimensions.0.dateRange'],
      ['wrong-kind', 'dimensions.1'],
      ['wrong-kind', 'dimensions.2'],
      ['wrong-kind', 'filters.1.member'],
      ['wrong-kind', 'measures.1'],
      ['wrong-kind', 'segments.0'],
    ]);
  });

  it('offers the nearest name', () => {
    expect(hintOf({ measures: ['Orders.cuont'] })).toBe('Did you mean "Orders.count"?');
    expect(hintOf({ measures: ['Order.count'] })).toBe('Did you mean "Orders.count"?');
    expect(hintOf({ measures: ['Orders.xyzzyxyzzy'] })).toContain('`sluice model Orders`');
    expect(hintOf({ dimensions: ['Visits.name'] })).toContain('`sluice model Visits`');
    expect(hintOf({ measures: ['Qqqqqqqqqqq.count'] })).toContain('Orders, Users, Visits, Keyless');
    expect(hintOf({ measures: ['TrackedEvents.uniqueUserCount'] }, builtInModel)).toBe(
      'Did you mean "TrackedEvents.uniqueUsersCount"?',
    );
    expect(hintOf({ measures: ['Orders.status'] })).toBe('Put it in "dimensions" instead.');
  });

  it('names the time of a joined cube if a cube has none', () => {
    const issues = bind({ measures: ['Users.count'], timeDimensions: [{ dimension: 'Users.date' }] }, shop, context);
    expect(issues.issues[0]?.message).toBe('"Users" has no time.');
    expect(issues.issues[0]?.hint).toMatch(/such as `by Orders.at month` or `where Orders.at in last month`/);
    expect(hintOf({ timeDimensions: [{ dimension: 'Keyless.date', granularity: 'day' }] })).toBe(
      'Declare a dimension of type `time` in the model.',
    );
  });

  it('finds names inside nested groups, with the path to them', () => {
    expect(
      issuesOf(
        filtered({
          or: [
            {
              and: [
                { member: 'Orders.nope', operator: 'set' },
                { member: 'Orders.size', operator: 'equals', values: ['much'] },
              ],
            },
          ],
        }),
      ),
    ).toEqual([
      ['unknown-member', 'filters.0.or.0.and.0.member'],
      ['wrong-value', 'filters.0.or.0.and.1.values.0'],
    ]);
  });

  it('does not take inherited properties of objects for members', () => {
    expect(
      issuesOf({ measures: ['constructor.prototype', 'Orders.__proto__', 'Orders.toString'] }).map(([code]) => code),
    ).toEqual(['unknown-member', 'unknown-member', 'unknown-member']);
  });
});

describe('a condition on a measure', () => {
  const warned = (query: Query) =>
    bind({ ...query, filters: [{ member: 'Orders.count', operator: 'gt', values: [3] }] }, shop, context).issues.map(
      ({ code, severity }) => `${severity} ${code}`,
    );

  it('is told of if it tests the whole answer instead of groups', () => {
    expect(warned({ measures: ['Users.count'] })).toEqual(['warning total-tested']);
    expect(warned({ measures: ['Orders.count'], dimensions: ['Users.country'] })).toEqual([]);
    expect(
      warned({ measures: ['Orders.count'], timeDimensions: [{ dimension: 'Orders.at', granularity: 'day' }] }),
    ).toEqual([]);
  });
});

describe('rows that a join repeats', () => {
  const warned = (query: Query) =>
    bind({ ...query, ungrouped: true }, shop, context).issues.map(({ code, severity, message }) => [
      code,
      severity,
      message,
    ]);
  const paid: Filter = { member: 'Orders.paid', operator: 'equals', values: ['true'] };

  it('are told of if nothing of the repeating cube is listed', () => {
    const repeated = [
      [
        'repeated-rows',
        'warning',
        'Rows of "Users" are listed several times, once for each of their rows in a joined cube.',
      ],
    ];
    const month = { dimension: 'Orders.at', dateRange: 'last month' } as const;
    expect(warned({ dimensions: ['Users.country'], filters: [paid] })).toEqual(repeated);
    expect(warned({ dimensions: ['Users.country'], timeDimensions: [month] })).toEqual(repeated);
  });

  it('are not if it is listed, or if nothing is repeated', () => {
    expect(warned({ dimensions: ['Users.country', 'Orders.id'] })).toEqual([]);
    expect(warned({ dimensions: ['Orders.id'], filters: [{ member: 'Users.country', operator: 'set' }] })).toEqual([]);
    expect(warned({ dimensions: ['Users.country'] })).toEqual([]);
  });
});

describe('filters', () => {
  it('refuses regular expressions that cannot be read, and all of them on servers', () => {
    const filters = [{ member: 'Users.country', operator: 'matches', values: ['^D', '(', null] }] as const;
    const query: Query = { measures: ['Users.count'], filters };
    expect(issuesOf(query)).toEqual([['wrong-value', 'filters.0.values.1']]);
    const plain: Query = { measures: ['Users.count'], filters: [{ ...filters[0], values: ['^D'] }] };
    expect(issuesOf(plain)).toEqual([]);
    expect(issuesOf(plain, shop, { reach: 'remote' })).toEqual([['wrong-operator', 'filters.0.operator']]);
  });

  it('refuses operators that do not suit the type', () => {
    expect(
      issuesOf(
        filtered(
          { member: 'Orders.status', operator: 'inDateRange', values: ['today'] },
          { member: 'Orders.size', operator: 'beforeDate', values: ['2024-01-01'] },
          { member: 'Orders.at', operator: 'contains', values: ['2024'] },
          { member: 'Orders.paid', operator: 'gt', values: ['true'] },
          { member: 'Orders.status', operator: 'measureFilter' },
          { member: 'Orders.amount', operator: 'onTheDate', values: ['2024-01-01'] },
        ),
      ),
    ).toEqual([0, 1, 2, 3, 4, 5].map((index) => ['wrong-operator', `filters.${index}.operator`]));
  });

  it('refuses operators that there are not, which a program may still ask for', () => {
    const query = {
      measures: ['Orders.count'],
      filters: [
        { member: 'Orders.status', operator: 'contain', values: ['x'] },
        { member: 'Orders.at', operator: 'constructor', values: ['x'] },
      ],
    };
    expect(issuesOf(query as unknown as Query)).toEqual(
      [0, 1].map((index) => ['unknown-value', `filters.${index}.operator`]),
    );
    expect(hintOf(query as unknown as Query)).toBe('Did you mean "contains"?');
  });

  it('refuses granularities and numbers of rows that there are not, which a program may still ask for', () => {
    const query = {
      measures: ['Orders.count'],
      timeDimensions: [{ dimension: 'Orders.at', granularity: "day') --" }],
      limit: -1,
      offset: 1.5,
    };
    expect(issuesOf(query as unknown as Query)).toEqual([
      ['unknown-value', 'timeDimensions.0.granularity'],
      ['out-of-range', 'limit'],
      ['out-of-range', 'offset'],
    ]);
  });

  it('refuses values that are not of the type', () => {
    expect(
      issuesOf(
        filtered(
          { member: 'Orders.size', operator: 'in', values: ['1', 'two', '', '0x10', '1e999', 'NaN'] },
          { member: 'Orders.paid', operator: 'equals', values: ['maybe'] },
          { member: 'Orders.count', operator: 'gt', values: ['many'] },
          { member: 'Orders.size', operator: 'gt', values: [null] },
          { member: 'Orders.at', operator: 'beforeDate', values: ['2024-01-01', '2024-01-02'] },
          { member: 'Orders.at', operator: 'inDateRange', values: ['2024-01-01', '2024-01-02', '2024-01-03'] },
        ),
      ),
    ).toEqual([
      ['wrong-value', 'filters.0.values.1'],
      ['wrong-value', 'filters.0.values.2'],
      ['wrong-value', 'filters.0.values.3'],
      ['wrong-value', 'filters.0.values.4'],
      ['wrong-value', 'filters.0.values.5'],
      ['wrong-value', 'filters.1.values.0'],
      ['wrong-value', 'filters.2.values.0'],
      ['wrong-value', 'filters.3.values.0'],
      ['wrong-value', 'filters.4.values'],
      ['wrong-value', 'filters.5.values'],
    ]);
  });

  it('compares weekdays by name or number', () => {
    const test = (...values: readonly (string | number | null)[]) =>
      bind(
        {
          measures: ['TrackedEvents.count'],
          filters: [{ member: 'TrackedEvents.weekday', operator: 'in', values }],
        },
        builtInModel,
        context,
      );
    const bound = test('Saturday', ' sunday ', 3, null);
    expect(bound.ok && bound.value[0]?.rowConditions).toMatchObject([
      { test: { kind: 'one-of', values: [6n, 7n, 3n], orNull: true } },
    ]);
    expect(test('friday', 'caturday').issues).toMatchObject([
      { code: 'wrong-value', path: ['filters', 0, 'values', 1], hint: 'Did you mean "saturday"?' },
    ]);
    expect(test('').issues).toMatchObject([
      { code: 'wrong-value', hint: 'Write monday to sunday, or 1 (Monday) to 7 (Sunday).' },
    ]);
  });

  it('refuses a weekday or an hour that no clock has', () => {
    const issues = (member: string, operator: 'equals' | 'notIn' | 'lt', value: number) =>
      bind(
        { measures: ['TrackedEvents.count'], filters: [{ member, operator, values: [value] }] },
        builtInModel,
        context,
      ).issues.map(({ message, path }) => [message, path.join('.')]);
    const place = 'filters.0.values.0';
    expect(issues('TrackedEvents.weekday', 'equals', 0)).toEqual([['"0" is not a weekday.', place]]);
    expect(issues('TrackedEvents.weekday', 'notIn', 8)).toEqual([['"8" is not a weekday.', place]]);
    expect(issues('TrackedEvents.hourOfDay', 'equals', 24)).toEqual([['"24" is not an hour of the day.', place]]);
    expect(issues('TrackedEvents.hourOfDay', 'lt', 24)).toEqual([]);
  });

  it('refuses a comparison without values rather than passing it over', () => {
    expect(
      issuesOf(
        filtered(
          { member: 'Orders.size', operator: 'gt' },
          { member: 'Orders.status', operator: 'equals', values: [] },
          { member: 'Orders.at', operator: 'onTheDate' },
        ),
      ),
    ).toEqual([
      ['values-required', 'filters.0'],
      ['values-required', 'filters.1'],
      ['values-required', 'filters.2'],
    ]);
  });

  it('points at the very value that does not read as a time', () => {
    expect(
      issuesOf(
        filtered(
          { member: 'Orders.at', operator: 'equals', values: ['2024-01-01', '2024-02-30'] },
          { member: 'Orders.at', operator: 'afterDate', values: ['someday'] },
          { member: 'Orders.at', operator: 'inDateRange', values: ['2024-01-01', '2024-13-01'] },
        ),
      ),
    ).toEqual([
      ['invalid-date', 'filters.0.values.1'],
      ['unreadable-range', 'filters.1.values.0'],
      ['invalid-date', 'filters.2.values.1'],
    ]);
  });

  it('refuses conditions on rows and on groups in one group', () => {
    const rows: Filter = { member: 'Orders.status', operator: 'set' };
    const groups: Filter = { member: 'Orders.count', operator: 'gt', values: [1] };
    expect(issuesOf(filtered({ or: [rows, groups] }))).toEqual([['mixed-filter', 'filters.0.or']]);
    expect(issuesOf(filtered({ and: [{ or: [rows, rows] }, { or: [groups] }] }))).toEqual([
      ['mixed-filter', 'filters.0.and'],
    ]);
    expect(issuesOf(filtered(rows, groups, { and: [rows, { or: [rows] }] }, { or: [groups, groups] }))).toEqual([
      ['total-tested', 'filters', 'warning'],
    ]);
    // The filters of a measure are conditions on rows.
    expect(issuesOf(filtered({ or: [rows, { member: 'Orders.amount', operator: 'measureFilter' }] }))).toEqual([]);
  });

  it('says which measures are estimates, also behind those that are computed from them', () => {
    const estimating = modelOf(`
cubes:
  - name: Orders
    sql_table: orders
    dimensions: [{name: status, sql: status, type: string}]
    measures:
      - {name: count, type: count}
      - {name: buyers, type: count_distinct_approx, sql: user_id}
      - {name: per_buyer, type: number, sql: "{count} / {buyers}"}
`);
    expect(issuesOf({ measures: ['Orders.count', 'Orders.buyers'] }, estimating)).toEqual([
      ['approximate', 'measures.1', 'warning'],
    ]);
    expect(issuesOf({ measures: ['Orders.per_buyer'] }, estimating)).toEqual([['approximate', 'measures', 'warning']]);
    expect(issuesOf({ measures: ['Orders.count'] }, estimating)).toEqual([]);
  });

  it('says that only the first value of a comparison by size counts', () => {
    expect(issuesOf(filtered({ member: 'Orders.size', operator: 'gt', values: ['5', '7'] }))).toEqual([
      ['one-value', 'filters.0.values', 'warning'],
    ]);
  });

  it('takes numbers and booleans among values as their text', () => {
    const [size, paid] = planOf(
      filtered(
        { member: 'Orders.size', operator: 'equals', values: [12.5] },
        { member: 'Orders.paid', operator: 'equals', values: [true] },
      ),
      shop,
    ).rowConditions;
    expect(size).toMatchObject({ test: { kind: 'one-of', values: [12.5] } });
    expect(paid).toMatchObject({ test: { kind: 'one-of', values: [true] } });
  });

  it('keeps whole numbers exact beyond 2^53', () => {
    const [condition] = planOf(
      filtered({ member: 'Orders.size', operator: 'equals', values: ['9007199254740993'] }),
      shop,
    ).rowConditions;
    expect(condition).toMatchObject({ test: { values: [9007199254740993n] } });
  });
});

describe('time', () => {
  const day = (date: string, zoneOffsetHours = 0) => {
    const start = Date.parse(`${date}T00:00:00.000Z`) - zoneOffsetHours * 3_600_000;
    return { start, end: start + 86_400_000 };
  };
  const rangeOf = (query: Query, changes: Partial<BindContext> = {}) => planOf(query, shop, changes).times[0]?.range;
  const byDay = (dateRange: string | readonly string[]): Query => ({
    measures: ['Orders.count'],
    timeDimensions: [{ dimension: 'Orders.at', granularity: 'day', dateRange }],
  });

  it('reads relative ranges against the clock that it is given', () => {
    expect(rangeOf(byDay('today'))).toEqual(day('2024-03-13'));
    expect(rangeOf(byDay('last 2 days'))).toEqual({ start: day('2024-03-11').start, end: day('2024-03-12').end });
    expect(rangeOf(byDay('today'), { now: Date.parse('2020-02-29T12:00:00Z') })).toEqual(day('2020-02-29'));
  });

  it('reads days in the zone of the query, else in that of the context', () => {
    expect(rangeOf(byDay('2024-01-15'), { zone: 'Asia/Tokyo' })).toEqual(day('2024-01-15', 9));
    expect(rangeOf({ ...byDay('2024-01-15'), timezone: 'America/New_York' }, { zone: 'Asia/Tokyo' })).toEqual(
      day('2024-01-15', -5),
    );
    expect(planOf({ ...byDay('today'), timezone: 'asia/calcutta' }, shop).zone).toBe('Asia/Kolkata');
    expect(planOf(byDay('today'), shop).zone).toBe('UTC');
  });

  it('begins weeks where the context says', () => {
    expect(rangeOf(byDay('this week'))).toEqual({ start: day('2024-03-11').start, end: day('2024-03-17').end });
    expect(rangeOf(byDay('this week'), { weekStart: 'sunday' })).toEqual({
      start: day('2024-03-10').start,
      end: day('2024-03-16').end,
    });
    expect(planOf(byDay('this week'), shop).weekStart).toBe('monday');
    expect(planOf(byDay('this week'), shop, { weekStart: 'sunday' }).weekStart).toBe('sunday');
  });

  it('reports a range that cannot be read, and warns of one that ends before it begins', () => {
    expect(issuesOf(byDay('lsat 7 days'))).toEqual([['unreadable-range', 'timeDimensions.0.dateRange']]);
    expect(hintOf(byDay('lsat 7 days'))).toContain('last 7 days');
    expect(issuesOf(byDay(['2024-01-05', 'nonsense']))).toEqual([['unreadable-range', 'timeDimensions.0.dateRange.1']]);
    expect(issuesOf(byDay(['2024-01-05', '2024-01-01']))).toEqual([
      ['reversed-range', 'timeDimensions.0.dateRange', 'warning'],
    ]);
  });

  it('refuses a time dimension that is not a time', () => {
    expect(issuesOf({ timeDimensions: [{ dimension: 'Orders.size', granularity: 'day' }] })).toEqual([
      ['not-a-time', 'timeDimensions.0.dimension'],
    ]);
  });

  it('warns of a time dimension that does nothing', () => {
    expect(issuesOf({ measures: ['Orders.count'], timeDimensions: [{ dimension: 'Orders.at' }] })).toEqual([
      ['idle-time-dimension', 'timeDimensions.0', 'warning'],
    ]);
  });

  it('takes the range of a series from an inDateRange filter, once', () => {
    const query: Query = {
      measures: ['Orders.count'],
      timeDimensions: [{ dimension: 'Orders.at', granularity: 'day' }],
      filters: [
        { member: 'Orders.status', operator: 'set' },
        { member: 'Orders.at', operator: 'inDateRange', values: ['2024-01-01', '2024-01-03'] },
      ],
    };
    const plan = planOf(query, shop);
    const range = { start: day('2024-01-01').start, end: day('2024-01-03').end };
    expect(plan.series).toEqual({ column: 0, granularity: 'day', range });
    expect(plan.times[0]?.range).toEqual(range);
    expect(plan.rowConditions).toHaveLength(1);
    expect(plan.query.filters).toHaveLength(2);
  });

  it('does not take a range from a filter inside a group, on another time, or where the series has its own', () => {
    const inRange = (member: string): Filter => ({
      member,
      operator: 'inDateRange',
      values: ['2024-01-01', '2024-01-03'],
    });
    const axis = { dimension: 'Orders.at', granularity: 'day' } as const;
    expect(planOf({ timeDimensions: [axis], filters: [{ and: [inRange('Orders.at')] }] }, shop).series).toBeUndefined();
    expect(planOf({ timeDimensions: [axis], filters: [inRange('Orders.shippedAt')] }, shop).series).toBeUndefined();
    const own = planOf(
      { timeDimensions: [{ ...axis, dateRange: '2024-01-02' }], filters: [inRange('Orders.at')] },
      shop,
    );
    expect(own.series).toEqual({ column: 0, granularity: 'day', range: day('2024-01-02') });
    expect(own.rowConditions).toHaveLength(1);
  });

  it('says once that the range of a filter cannot be read', () => {
    expect(
      issuesOf({
        timeDimensions: [{ dimension: 'Orders.at', granularity: 'day' }],
        filters: [{ member: 'Orders.at', operator: 'inDateRange', values: ['soon'] }],
      }),
    ).toEqual([['unreadable-range', 'filters.0.values.0']]);
  });
});

describe('comparisons', () => {
  const compared = (...ranges: readonly (string | readonly string[])[]): Query => ({
    measures: ['Orders.count'],
    timeDimensions: [{ dimension: 'Orders.at', granularity: 'day', compareDateRange: ranges }],
  });

  it('become a plan for each range', () => {
    const plans = plansOf(compared(['2024-03-01', '2024-03-02'], 'yesterday'), shop);
    expect(plans.map((plan) => plan.comparison)).toEqual([
      '2024-03-01T00:00:00.000 - 2024-03-02T23:59:59.999',
      '2024-03-12T00:00:00.000 - 2024-03-12T23:59:59.999',
    ]);
    expect(plans.map((plan) => plan.query.timeDimensions)).toEqual([
      [{ dimension: 'Orders.at', granularity: 'day', dateRange: ['2024-03-01', '2024-03-02'] }],
      [{ dimension: 'Orders.at', granularity: 'day', dateRange: 'yesterday' }],
    ]);
  });

  /** now: Wednesday, 13 March 2024, 15:30. */
  it.each([
    [
      ['last 7 days', 'previous 7 days'],
      ['2024-03-06/2024-03-12', '2024-02-28/2024-03-05'],
    ],
    [
      ['last 7 days', 'Previous  7 days', 'previous 7 days'],
      ['2024-03-06/2024-03-12', '2024-02-28/2024-03-05', '2024-02-21/2024-02-27'],
    ],
    [
      ['last 7 days', 'previous'],
      ['2024-03-06/2024-03-12', '2024-02-28/2024-03-05'],
    ],
    [
      ['last month', 'previous month'],
      ['2024-02-01/2024-02-29', '2024-01-01/2024-01-31'],
    ],
    [
      ['this week', 'previous week'],
      ['2024-03-11/2024-03-17', '2024-03-04/2024-03-10'],
    ],
    [
      ['2024-01', 'previous'],
      ['2024-01-01/2024-01-31', '2023-12-01/2023-12-31'],
    ],
    [
      [['2024-01-10', '2024-01-11'], 'previous 3 days'],
      ['2024-01-10/2024-01-11', '2024-01-07/2024-01-09'],
    ],
    [
      ['previous 7 days', 'last 14 days'],
      ['2024-03-06/2024-03-12', '2024-02-28/2024-03-12'],
    ],
  ])('read previous as what lies before the compared range: %j', (ranges, wanted) => {
    const said = plansOf(compared(...ranges), shop).map(({ comparison }) =>
      comparison!
        .split(' - ')
        .map((end) => end.slice(0, 10))
        .join('/'),
    );
    expect(said).toEqual(wanted);
  });

  it('compare any range with the one that ends where it begins', () => {
    const days = fc
      .integer({ min: 0, max: 800 })
      .map((number) => new Date(Date.UTC(2023, 0, 1) + number * 86_400_000).toISOString().slice(0, 10));
    const range = fc.oneof(
      fc.constantFrom(
        'last 7 days',
        'this month',
        'last 24 hours',
        'today',
        '2024-W09',
        'last 2 quarters',
        'last 90 minutes',
      ),
      fc.tuple(days, days).map((pair) => pair.toSorted()),
    );
    fc.assert(
      fc.property(
        range,
        fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo'),
        (written, timezone) => {
          const [current, before] = plansOf({ ...compared(written, 'previous'), timezone }, shop).map(
            ({ times }) => times[0]!.range!,
          );
          expect(before!.end).toBe(current!.start);
          expect(before!.start).toBeLessThan(before!.end);
        },
      ),
    );
  });

  it('say once what is wrong with the range that others are counted from', () => {
    expect(issuesOf(compared('never', 'previous')).map(([code]) => code)).toEqual(['unreadable-range']);
  });

  it('are named by the range that is compared, not by another one beside it', () => {
    const query: Query = {
      measures: ['Orders.count'],
      timeDimensions: [
        { dimension: 'Orders.shippedAt', dateRange: '2023' },
        { dimension: 'Orders.at', compareDateRange: ['2024-03-01', '2024-03-02'] },
      ],
    };
    expect(plansOf(query, shop).map((plan) => plan.comparison)).toEqual([
      '2024-03-01T00:00:00.000 - 2024-03-01T23:59:59.999',
      '2024-03-02T00:00:00.000 - 2024-03-02T23:59:59.999',
    ]);
  });

  it('say what is wrong with their common parts once', () => {
    expect(issuesOf({ ...compared('today', 'yesterday'), measures: ['Orders.cuont'] })).toEqual([
      ['unknown-member', 'measures.0'],
    ]);
    expect(issuesOf(compared('today', 'never'))).toEqual([['unreadable-range', 'timeDimensions.0.compareDateRange.1']]);
    expect(issuesOf(compared('never', 'today'))).toEqual([['unreadable-range', 'timeDimensions.0.compareDateRange.0']]);
  });

  it('need a range before one that depends on it', () => {
    expect(issuesOf(compared('previous', 'today'))).toEqual([['no-range', 'timeDimensions.0.compareDateRange.0']]);
  });

  it('compare one time dimension only', () => {
    const query: Query = {
      measures: ['Orders.count'],
      timeDimensions: [
        { dimension: 'Orders.at', compareDateRange: ['today', 'yesterday'] },
        { dimension: 'Orders.shippedAt', compareDateRange: ['today', 'yesterday'] },
      ],
    };
    expect(issuesOf(query).map(([code]) => code)).toContain('two-comparisons');
  });

  it('leave plans without a comparison unnamed', () => {
    expect(
      planOf({ measures: ['Orders.count'], timeDimensions: [{ dimension: 'Orders.at', dateRange: 'today' }] }, shop)
        .comparison,
    ).toBeUndefined();
  });
});

describe('limits', () => {
  it('are 10,000 rows where the query names none, and remotely 50,000 at most', () => {
    expect(planOf({ measures: ['Orders.count'] }, shop).limit).toBe(10_000);
    expect(planOf({ measures: ['Orders.count'], limit: 60_000 }, shop).limit).toBe(60_000);
    expect(planOf({ measures: ['Orders.count'], limit: 50_000 }, shop, { limits: 'remote' }).limit).toBe(50_000);
    expect(issuesOf({ measures: ['Orders.count'], limit: 50_001 }, shop, { limits: 'remote' })).toEqual([
      ['limit-too-high', 'limit'],
    ]);
    expect(
      bind({ measures: ['Orders.count'], limit: 60_000 }, shop, { ...context, limits: 'remote' }).issues[0]?.hint,
    ).toContain('sluice export');
    expect(planOf({ measures: ['Orders.count'], limit: 0, offset: 7 }, shop)).toMatchObject({ limit: 0, offset: 7 });
  });
});

describe('order', () => {
  const orderOf = (query: Query) => {
    const plan = planOf(query, shop);
    return plan.order.map(({ column, descending }) => `${plan.columns[column]!.key}${descending ? ' desc' : ''}`);
  };
  const byDay = { dimension: 'Orders.at', granularity: 'day' } as const;

  it('is by the first bucket, else by the first measure downwards, else by the first dimension', () => {
    expect(orderOf({ measures: ['Orders.count'], dimensions: ['Orders.status'], timeDimensions: [byDay] })).toEqual([
      'Orders.at.day',
      'Orders.status',
    ]);
    expect(
      orderOf({ measures: ['Orders.count', 'Orders.amount'], dimensions: ['Orders.status', 'Orders.size'] }),
    ).toEqual(['Orders.count desc', 'Orders.status', 'Orders.size']);
    expect(orderOf({ dimensions: ['Orders.status', 'Orders.size'] })).toEqual(['Orders.status', 'Orders.size']);
    expect(orderOf({ measures: ['Orders.count'] })).toEqual(['Orders.count desc']);
  });

  it('is what the query asks for, and ties are decided by the rest', () => {
    expect(
      orderOf({
        measures: ['Orders.count'],
        dimensions: ['Orders.status', 'Orders.size'],
        order: { 'Orders.size': 'desc' },
      }),
    ).toEqual(['Orders.size desc', 'Orders.status']);
    expect(
      orderOf({
        measures: ['Orders.count'],
        dimensions: ['Orders.status'],
        timeDimensions: [byDay],
        order: [
          ['Orders.count', 'asc'],
          ['Orders.at', 'desc'],
        ],
      }),
    ).toEqual(['Orders.count', 'Orders.at.day desc', 'Orders.status']);
    expect(
      orderOf({
        measures: ['Orders.count'],
        timeDimensions: [byDay],
        order: [
          ['Orders.at.day', 'desc'],
          ['Orders.at', 'asc'],
        ],
      }),
    ).toEqual(['Orders.at.day desc']);
  });

  it('may be left open, and pages are stable all the same', () => {
    expect(orderOf({ measures: ['Orders.count'], dimensions: ['Orders.status'], order: [] })).toEqual([
      'Orders.status',
    ]);
    expect(orderOf({ measures: ['Orders.count'], dimensions: ['Orders.status'], order: {} })).toEqual([
      'Orders.status',
    ]);
  });

  it('decides ties of rows that are not grouped by the measures too', () => {
    expect(
      orderOf({
        measures: ['Orders.amount'],
        dimensions: ['Orders.status'],
        order: { 'Orders.status': 'asc' },
        ungrouped: true,
      }),
    ).toEqual(['Orders.status', 'Orders.amount']);
  });

  it('warns of a member that is not in the answer', () => {
    expect(
      issuesOf({
        measures: ['Orders.count'],
        dimensions: ['Orders.status'],
        order: { 'Orders.size': 'asc', 'Orders.status': 'asc' },
      }),
    ).toEqual([['order-not-selected', 'order.0', 'warning']]);
    const byStatus = { measures: ['Orders.count'], dimensions: ['Orders.status'] };
    expect(issuesOf({ ...byStatus, order: [['Orders.at.day', 'asc']] })).toEqual([
      ['order-not-selected', 'order.0', 'warning'],
    ]);
    expect(issuesOf({ ...byStatus, order: [['Orders.statsu', 'asc']] })).toEqual([['unknown-member', 'order.0']]);
  });

  it('refuses such a member if a limit or an offset makes the order choose rows, except in a load body', () => {
    const query: Query = {
      measures: ['Orders.count'],
      dimensions: ['Orders.status'],
      order: [['Orders.amount', 'desc']],
    };
    for (const part of [{ limit: 3 }, { offset: 3 }]) {
      expect(issuesOf({ ...query, ...part })).toEqual([['order-not-selected', 'order.0']]);
      const asLoad = bind({ ...query, ...part }, shop, { ...context, ignoresUnknownOrder: true });
      expect([asLoad.ok, asLoad.issues.map(({ severity }) => severity)]).toEqual([true, ['warning']]);
    }
  });
});

describe('what has no right answer', () => {
  it('is a query that asks for nothing', () => {
    expect(issuesOf({})).toEqual([['empty-query', '']]);
    expect(
      issuesOf({ timeDimensions: [{ dimension: 'Orders.at', dateRange: 'today' }], segments: ['Orders.large'] }),
    ).toEqual([['empty-query', '']]);
  });

  it('is a filter on a measure without groups', () => {
    expect(
      issuesOf({
        measures: ['Orders.amount'],
        dimensions: ['Orders.id'],
        ungrouped: true,
        filters: [{ member: 'Orders.amount', operator: 'gt', values: [1] }],
      }),
    ).toEqual([['ungrouped-measure-filter', 'filters']]);
  });

  it('is cubes that no join connects', () => {
    expect(issuesOf({ measures: ['Orders.count'], dimensions: ['Visits.page'] }).map(([code]) => code)).toEqual([
      'no-join',
    ]);
    expect(issuesOf(filtered({ member: 'Visits.page', operator: 'set' })).map(([code]) => code)).toEqual(['no-join']);
  });

  it('is a count of rows that a join repeats and that nothing tells apart', () => {
    expect(issuesOf({ measures: ['Keyless.count'], dimensions: ['Visits.page'] })).toEqual([
      ['primary-key-needed', 'measures.0'],
    ]);
    expect(issuesOf({ measures: ['Keyless.largest'], dimensions: ['Visits.page'] })).toEqual([]);
    expect(issuesOf({ measures: ['Keyless.count'] })).toEqual([]);
  });

  it('is a rolling window without range, over two axes, over rows, over repeated rows, or of countless buckets', () => {
    const at = { dimension: 'Orders.at', granularity: 'day' } as const;
    expect(issuesOf({ measures: ['Orders.running'], timeDimensions: [at] })).toEqual([
      ['window-without-range', 'measures.0'],
    ]);
    expect(issuesOf({ measures: ['Orders.running'] })).toEqual([['window-without-range', 'measures.0']]);
    expect(issuesOf({ measures: ['Orders.everything'] })).toEqual([]);
    expect(
      issuesOf({
        measures: ['Orders.count', 'Orders.running'],
        timeDimensions: [
          { ...at, dateRange: 'today' },
          { dimension: 'Orders.shippedAt', granularity: 'day', dateRange: 'today' },
        ],
      }),
    ).toEqual([['window-of-two-axes', 'measures.1']]);
    expect(
      issuesOf({
        measures: ['Orders.running'],
        dimensions: ['Orders.id'],
        timeDimensions: [{ ...at, dateRange: 'today' }],
        ungrouped: true,
      }),
    ).toEqual([['ungrouped-window', 'measures.0']]);
    expect(issuesOf({ measures: ['Users.rolling'], timeDimensions: [{ ...at, dateRange: 'today' }] })).toEqual([
      ['window-over-repeats', 'measures.0'],
    ]);
    expect(
      issuesOf({
        measures: ['Orders.running'],
        timeDimensions: [{ dimension: 'Orders.at', granularity: 'second', dateRange: '2024' }],
      }),
    ).toEqual([['too-many-windows', 'measures.0']]);
  });

  it('is SQL that aggregates by itself, beside measures that are counted apart', () => {
    expect(issuesOf({ measures: ['Orders.own'] })).toEqual([]);
    expect(issuesOf({ measures: ['Orders.own'], dimensions: ['Users.country'] })).toEqual([]);
    expect(issuesOf({ measures: ['Orders.own', 'Users.credit'] })).toEqual([]);
    expect(issuesOf({ measures: ['Orders.mixed'] })).toEqual([]);
    expect(issuesOf({ measures: ['Orders.mixed', 'Users.credit'] })).toEqual([['own-aggregate', 'measures.0']]);
  });
});

describe('plans', () => {
  it('hold the canonical query and everything resolved', () => {
    const plan = planOf(
      {
        measures: ['Orders.count', 'Orders.count'],
        dimensions: ['Orders.at.month', 'Users.country'],
        segments: [],
        filters: [{ member: 'Orders.size', operator: 'gte', values: [3] }],
        order: { 'Orders.count': 'asc' },
        total: true,
        ungrouped: false,
      },
      shop,
    );
    expect(plan.query).toEqual({
      measures: ['Orders.count'],
      dimensions: ['Users.country'],
      timeDimensions: [{ dimension: 'Orders.at', granularity: 'month' }],
      columns: ['Orders.at.month'],
      filters: [{ member: 'Orders.size', operator: 'gte', values: ['3'] }],
      order: [['Orders.count', 'asc']],
      total: true,
    });
    expect(plan.columns.map((column) => [column.key, column.kind])).toEqual([
      ['Users.country', 'dimension'],
      ['Orders.at.month', 'time'],
      ['Orders.count', 'measure'],
    ]);
    expect(plan).toMatchObject({ total: true, ungrouped: false, offset: 0, multiplied: ['Users'] });
    expect(plan.root.name).toBe('Orders');
    expect(plan.joins.map((join) => `${join.from.name} → ${join.to.name}`)).toEqual(['Orders → Users']);
  });

  it('join the cubes that a measure refers to', () => {
    expect(planOf({ measures: ['Orders.perUser'] }, shop).joins.map((join) => join.to.name)).toEqual(['Users']);
  });

  it('say what a missing group means for each measure', () => {
    const { columns } = planOf(
      { measures: ['Orders.count', 'Orders.amount', 'Orders.perUser', 'Orders.everything'] },
      shop,
    );
    expect(columns.map((column) => [column.whenAbsent, column.additive])).toEqual([
      [0, true],
      [0, true],
      [null, false],
      [null, false],
    ]);
  });
});
