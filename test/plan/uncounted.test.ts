import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../src/ask/query/query.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { duckDb } from '../../src/plan/sql/duckdb.ts';
import { toStatement } from '../../src/plan/sql/to-statement.ts';
import { runs } from '../runs.ts';
import { ask, planOf } from './ask.ts';
import { type Cell, eventsTable, openTestEngine, type Row, type TestEngine, valuesOf } from './engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine(eventsTable);
});
afterAll(() => engine[Symbol.asyncDispose]());

interface Event {
  readonly user: string | null;
  readonly session: string | null;
  /** Hours after the start of 2024-03-01. */
  readonly hour: number;
  readonly type: string;
  readonly agent: string | null;
}

const start = Date.parse('2024-03-01T00:00:00Z');
const hour = 3_600_000;

async function fill(events: readonly Event[]): Promise<void> {
  const rows = events.map(({ user, session, hour: at, type, agent }): readonly Cell[] => [
    user,
    session,
    new Date(start + at * hour).toISOString().slice(0, -1),
    type,
    agent,
  ]);
  await engine.setup(
    `DELETE FROM events; ${rows.length > 0 ? `INSERT INTO events (user_key, session_id, utc_time, event_type, agent_name) VALUES ${valuesOf(rows)}` : ''}`,
  );
}

const events = fc.array(
  fc.record({
    user: fc.constantFrom('u', 'v', null),
    session: fc.constantFrom('s', '', null),
    hour: fc.integer({ min: 0, max: 24 * 20 }),
    type: fc.constantFrom('pageview', 'link_click'),
    agent: fc.constantFrom('Firefox', null),
  }),
  { maxLength: 30 },
);

/** Days of March, the last one included. */
const ranges = fc.tuple(fc.integer({ min: 5, max: 12 }), fc.integer({ min: 0, max: 8 })).map(([from, more]) => ({
  from,
  to: Math.min(from + more, 20),
}));
const dateRange = ({ from, to }: { readonly from: number; readonly to: number }) =>
  [from, to].map((day) => `2024-03-${String(day).padStart(2, '0')}`) as [string, string];
const dayOf = ({ hour: at }: Event) => Math.floor(at / 24) + 1;

/** The number that all rows of an answer tell together. */
const told = (rows: readonly Row[], what: string) =>
  rows.reduce((sum, row) => sum + Number(row[`uncounted: ${what}`] ?? 0), 0);

const series = (formulas: Query['formulas'], range: Parameters<typeof dateRange>[0], more: Query = {}): Query => ({
  measures: Object.keys(formulas ?? {}),
  formulas: formulas!,
  timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: dateRange(range) }],
  ...more,
});
/** The plan of the measures that an engine answers. */
const rowsOf = (query: Query) => {
  const plan = planOf(query, builtInModel);
  return engine.run(toStatement(plan.derived?.base ?? plan, duckDb));
};

describe('events without a user', () => {
  it('are told once beside users of windows that overlap, also those before the range', async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        ranges,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom([], ['TrackedEvents.agentName']),
        async (all, range, days, dimensions) => {
          await fill(all);
          const formulas = { 'TrackedEvents.active': `uniqueUsersCount rolling ${days} days` };
          const wanted = all.filter(
            (event) => event.user === null && dayOf(event) > range.from - days && dayOf(event) <= range.to,
          );
          expect(told(await rowsOf(series(formulas, range, { dimensions })), 'events without a user')).toBe(
            wanted.length,
          );
        },
      ),
      { numRuns: runs(80) },
    );
  });

  it('are told of the longest of several windows', async () => {
    await fc.assert(
      fc.asyncProperty(events, ranges, fc.boolean(), async (all, range, isRange) => {
        await fill(all);
        const rows = await rowsOf(
          series(
            {
              'TrackedEvents.week': 'uniqueUsersCount rolling 3 days',
              'TrackedEvents.month': isRange ? 'uniqueUsersCount cumulative' : 'uniqueUsersCount rolling 7 days',
              'TrackedEvents.own': 'uniqueUsersCount',
            },
            range,
          ),
        );
        const wanted = all.filter(
          (event) => event.user === null && dayOf(event) > range.from - (isRange ? 3 : 7) && dayOf(event) <= range.to,
        );
        expect(told(rows, 'events without a user')).toBe(wanted.length);
      }),
      { numRuns: runs(40) },
    );
  });

  it('are told beside figures per user, if the measure counts such events', async () => {
    await fc.assert(
      fc.asyncProperty(events, ranges, fc.constantFrom('count', 'linkClicksCount'), async (all, range, measure) => {
        await fill(all);
        const rows = await rowsOf(series({ 'TrackedEvents.each': `${measure} avg per user` }, range));
        const wanted = all.filter(
          (event) =>
            event.user === null &&
            dayOf(event) >= range.from &&
            dayOf(event) <= range.to &&
            (measure === 'count' || event.type === 'link_click'),
        );
        expect(told(rows, 'events without a user')).toBe(wanted.length);
      }),
      { numRuns: runs(40) },
    );
  });

  it('are told beside sessions per user, which divide by users', async () => {
    await fill([{ user: null, session: 's', hour: 200, type: 'pageview', agent: null }]);
    const rows = await ask(engine, { measures: ['Sessions.averagePerUser'] }, builtInModel);
    expect(told(rows, 'sessions without a user')).toBe(1);
  });
});
