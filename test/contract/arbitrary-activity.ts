import fc from 'fast-check';
import type { AnalysisName } from '../../src/plan/analysis/analysis-names.ts';

const match = fc.constantFrom(
  'pageview',
  'link_click',
  'any',
  { target: '/a' },
  { target: '/', where: ['TrackedEvents.agentName != Firefox'] },
  { event: 'pageview', where: ['TrackedEvents.pageTitle contains a'] },
);
const where = fc.constantFrom(
  undefined,
  undefined,
  ['TrackedEvents.docPath contains a'],
  ['TrackedEvents.localTzOffset > 0'],
);
const follow = fc.constantFrom(undefined, undefined, 'agentName', 'pageTitle');
const period = fc.constantFrom('hour', 'day', 'day', 'week', 'month');
const breakdown = fc.constantFrom(undefined, undefined, 'agentName', { dimension: 'docPath', limit: 2 }, 'pageTitle');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const definitions: Readonly<Record<string, fc.Arbitrary<object>>> = {
  retention: fc.record({
    start: maybe(match),
    return: maybe(match),
    where,
    cohort: fc.constantFrom('recurring', 'first_time', 'first_ever'),
    period,
    periods: fc.integer({ min: 1, max: 30 }),
    window: fc.constantFrom('calendar', 'calendar', '24h'),
    min_occurrences: fc.constantFrom(1, 1, 2),
    cumulative: fc.boolean(),
    breakdown,
    follow,
  }),
  lifecycle: fc.record({ active: maybe(match), where, period, follow }),
  stickiness: fc.record({
    active: maybe(match),
    where,
    period,
    every: fc.constantFrom(1, 1, 3),
    per_slot: fc.constantFrom(undefined, { at_least: 2 }, { exactly: 1 }),
    cumulative: fc.boolean(),
    follow,
  }),
};

/** An analysis of activity as plain data, with the range to ask for. */
export const askedActivity = fc.record({
  asked: fc.oneof(
    ...Object.entries(definitions).map(([analysis, definition]) =>
      definition.map((found) => ({
        analysis: analysis as AnalysisName,
        definition: Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)),
      })),
    ),
  ),
  range: fc.constantFrom('2024-03', '2024-03-09..2024-03-31', '2024-03-30..2024-04-07', '2024-04-06..2024-04-08'),
});
