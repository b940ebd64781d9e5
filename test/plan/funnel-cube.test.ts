import { describe, expect, it } from 'vitest';
import type { Funnel } from '../../src/ask/funnel/funnel.ts';
import type { Filter, Query } from '../../src/ask/query/query.ts';
import { bindDefinition } from '../../src/plan/bind/bind-analysis.ts';
import { bind } from '../../src/plan/bind/bind.ts';
import { withComputedCubes } from '../../src/plan/analysis/computed-cubes.ts';
import { funnelAnalysis } from '../../src/plan/analysis/funnel/funnel-analysis.ts';
import { askedDates } from '../../src/plan/computed/asked-dates.ts';
import { toLoadBody } from '../../src/plan/load-body.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { context, now, planOf } from './ask.ts';

const target = (path: string) => [{ path, isPattern: false }];
const funnel: Funnel = {
  name: 'checkout',
  secondsToConvert: 3600,
  order: 'ordered',
  by: 'user',
  where: [],
  exclude: [],
  hold: [],
  breakdown: undefined,
  extended: false,
  steps: [
    { name: 'cart', event: 'pageview', targets: target('/cart'), where: [], within: undefined },
    { name: 'paid', event: 'pageview', targets: target('/paid'), where: [], within: undefined },
  ],
};
const model = withComputedCubes(funnelAnalysis, builtInModel, [funnel], 'here', builtInModel);
const byStep: Query = { measures: ['checkout.count'], dimensions: ['checkout.step'] };

function issuesOf(query: Query, of = model): readonly string[] {
  return bind(query, of, context)
    .issues.filter(({ severity }) => severity === 'error')
    .map(({ code, hint = '' }) => `${code}: ${hint}`);
}

function onDate(operator: string, ...values: string[]): Query {
  return { ...byStep, filters: [{ member: 'checkout.date', operator, values } as Filter] };
}

describe('the cube of a funnel', () => {
  it("has the members that the platform's has", () => {
    const cube = funnelAnalysis.toCube(funnel, { computed: 'here', events: builtInModel });
    expect([
      cube.name,
      cube.measures.map(({ name }) => name),
      cube.dimensions.map(({ name, type }) => `${name} ${type}`),
      cube.timeMember,
    ]).toEqual(['checkout', ['count'], ['step number', 'date time'], 'date']);
  });

  it('is asked by step, filtered by inDateRange and beforeDate, and by its time dimension', () => {
    for (const query of [
      byStep,
      onDate('inDateRange', '2024-03-01', '2024-03-02'),
      onDate('beforeDate', '2024-03-01'),
      { ...byStep, timeDimensions: [{ dimension: 'checkout.date', dateRange: 'last 7 days' }] },
    ]) {
      expect(issuesOf(query)).toEqual([]);
    }
  });

  it.each([
    'afterDate',
    'afterOrOnDate',
    'beforeOrOnDate',
    'onTheDate',
    'notInDateRange',
    'equals',
    'notEquals',
    'gt',
    'lt',
    'gte',
    'lte',
    'in',
    'set',
    'notSet',
  ])('refuses %s on its date and says what to use', (operator) => {
    expect(issuesOf(onDate(operator, '2024-03-01'))).toEqual([
      expect.stringMatching(/^funnel-operator: Use "(inDateRange|beforeDate)"/),
    ]);
  });

  it('refuses a date among alternatives, as a dimension, and with a granularity', () => {
    const date: Filter = { member: 'checkout.date', operator: 'beforeDate', values: ['2024-03-01'] };
    expect(
      issuesOf({ ...byStep, filters: [{ or: [date, { member: 'checkout.step', operator: 'gt', values: ['1'] }] }] }),
    ).toEqual([expect.stringContaining('funnel-date-choice')]);
    expect(issuesOf({ ...byStep, dimensions: ['checkout.step', 'checkout.date'] })).toEqual([
      expect.stringContaining('funnel-by-time: Group by "checkout.step"'),
    ]);
    expect(
      issuesOf({
        ...byStep,
        timeDimensions: [{ dimension: 'checkout.date', granularity: 'week', dateRange: 'last 7 days' }],
      }),
    ).toEqual([expect.stringContaining('--trend week')]);
  });

  it('refuses count without step, single events, and other cubes beside it', () => {
    expect(issuesOf({ measures: ['checkout.count'] })).toEqual([
      expect.stringContaining('funnel-without-step: Add the dimension "checkout.step"'),
    ]);
    expect(issuesOf({ ...byStep, ungrouped: true })).toEqual([expect.stringContaining('--users converted')]);
    expect(issuesOf({ ...byStep, measures: ['checkout.count', 'TrackedEvents.count'] })).toEqual([
      expect.stringContaining('no-join'),
    ]);
  });

  it('looks at what all of its dates let in', () => {
    const plan = planOf(
      {
        ...byStep,
        timeDimensions: [{ dimension: 'checkout.date', dateRange: ['2024-03-01', '2024-03-10'] }],
        filters: [
          {
            and: [
              { member: 'checkout.date', operator: 'beforeDate', values: ['2024-03-08'] },
              { member: 'checkout.step', operator: 'gt', values: ['1'] },
            ],
          },
        ],
      },
      model,
    );
    expect(askedDates(plan)).toEqual({
      from: Date.parse('2024-03-01T00:00:00Z'),
      to: Date.parse('2024-03-08T00:00:00Z'),
    });
  });

  it('is sent to servers as any other question', () => {
    expect(
      toLoadBody(
        planOf({ ...onDate('inDateRange', '2024-03-01', '2024-03-02'), timezone: 'Europe/Berlin' }, model, {
          limits: 'remote',
        }),
      ).query,
    ).toEqual({
      measures: ['checkout.count'],
      dimensions: ['checkout.step'],
      filters: [
        {
          member: 'checkout.date',
          operator: 'inDateRange',
          values: ['2024-03-01T00:00:00.000', '2024-03-02T23:59:59.999'],
        },
      ],
      order: [
        ['checkout.count', 'desc'],
        ['checkout.step', 'asc'],
      ],
      limit: 10_000,
      timezone: 'Europe/Berlin',
    });
  });

  it('is sent with its range as the filter that the platform documents', () => {
    const query: Query = {
      ...byStep,
      timeDimensions: [{ dimension: 'checkout.date', dateRange: ['2024-03-01', '2024-03-02'] }],
    };
    expect(toLoadBody(planOf(query, model, { limits: 'remote' })).query).toMatchObject({
      filters: [
        {
          member: 'checkout.date',
          operator: 'inDateRange',
          values: ['2024-03-01T00:00:00.000', '2024-03-02T23:59:59.999'],
        },
      ],
    });
    expect(toLoadBody(planOf(query, model)).query.timeDimensions).toBeUndefined();
  });

  it('is refused where a server does not know it, or would take it for another', () => {
    const known = { cubes: [funnelAnalysis.toCube(funnel, { computed: 'here', events: builtInModel })] };
    const extended = { ...funnel, extended: true };
    expect(
      issuesOf(byStep, withComputedCubes(funnelAnalysis, { cubes: [] }, [funnel], 'server', builtInModel)),
    ).toEqual([expect.stringMatching(/^unknown-member: .*sluice export/)]);
    expect(issuesOf(byStep, withComputedCubes(funnelAnalysis, known, [extended], 'server', builtInModel))).toEqual([
      expect.stringMatching(/^funnel-extended: .*sluice export/),
    ]);
    expect(issuesOf(byStep, withComputedCubes(funnelAnalysis, known, [funnel], 'server', builtInModel))).toEqual([]);
    expect(
      issuesOf(byStep, withComputedCubes(funnelAnalysis, { cubes: [] }, [funnel], 'silent-server', builtInModel)),
    ).toEqual([]);
  });
});

describe('the filters of a funnel', () => {
  const bindWith = (changes: Partial<Funnel>) =>
    bindDefinition(
      { analysis: funnelAnalysis, definition: { ...funnel, ...changes }, events: builtInModel },
      { now, zone: 'UTC' },
    );

  it('name dimensions of events', () => {
    expect(
      bindWith({
        where: [{ member: 'TrackedEvents.docHost', operator: 'equals', values: ['a.example'] }],
        breakdown: { dimension: 'TrackedEvents.agentName', attribution: 'first' },
      }).ok,
    ).toBe(true);
    for (const member of ['TrackedEvents.count', 'Sessions.docPath', 'TrackedEvents.dochost']) {
      const { ok, issues } = bindWith({ where: [{ member, operator: 'equals', values: ['1'] }] });
      expect([member, ok, issues[0]?.path.slice(0, 3)]).toEqual([member, false, ['sluice', 'where', 0]]);
    }
    expect(bindWith({ breakdown: { dimension: 'Sessions.docPath', attribution: 'first' } }).ok).toBe(false);
  });

  it('that cannot be used are told to whoever asks the funnel', () => {
    const broken = withComputedCubes(
      funnelAnalysis,
      builtInModel,
      [{ ...funnel, where: [{ member: 'TrackedEvents.dochost', operator: 'set' }] }],
      'here',
      builtInModel,
    );
    expect(bind(byStep, broken, context).issues.map(({ message }) => message)).toEqual([
      expect.stringContaining('at sluice.where[0].member'),
    ]);
    expect(issuesOf({ measures: ['TrackedEvents.count'] }, broken)).toEqual([]);
  });
});
