import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventMatch } from '../../../src/ask/analysis/event-match.ts';
import { type Funnel, type FunnelOrder, funnelOrders } from '../../../src/ask/funnel/funnel.ts';
import { name } from '../../../src/plan/sql/expression.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { computeFunnel, followUsers } from '../../../src/run/duckdb/funnel/follow-users.ts';
import type { FunnelRules } from '../../../src/run/analysis/funnel/funnel-rules.ts';
import { toFunnelProgram } from '../../../src/run/analysis/funnel/funnel-program.ts';
import { askOracle, type OracleEvent, type OracleResult } from './funnel-oracle.ts';
import { funnelOf, layEvents, pageAt, type SomeEvent, startOf2026 } from './some-funnel.ts';
import { runs } from '../../runs.ts';

/** Conditions for steps, for the engine and as plain code without patterns. */
const matches: readonly { readonly match: EventMatch; readonly meets: (event: SomeEvent) => boolean }[] = [
  { match: pageAt('/a'), meets: ({ path, type }) => type === 'pageview' && path === '/a' },
  { match: pageAt('/b'), meets: ({ path, type }) => type === 'pageview' && path === '/b' },
  { match: pageAt('/b', '/a'), meets: ({ path, type }) => type === 'pageview' && (path === '/a' || path === '/b') },
  { match: pageAt('/a*'), meets: ({ path, type }) => type === 'pageview' && (path === '/a' || path === '/ab') },
  { match: pageAt('/a**'), meets: ({ path, type }) => type === 'pageview' && !!path?.startsWith('/a') },
  { match: { event: 'click', targets: [], where: [] }, meets: ({ type }) => type === 'click' },
  {
    match: { event: undefined, targets: [{ path: '/b', isPattern: false }], where: [] },
    meets: ({ path }) => path === '/b',
  },
];

const apart = [0, 1] as const;
const second = 1_000_000;

interface Asked {
  readonly funnel: Funnel;
  /** The index in `matches` of each step, then of each exclusion. */
  readonly picked: readonly number[];
  readonly events: readonly SomeEvent[];
  readonly range: { readonly from?: number; readonly to?: number; readonly byEntry: boolean };
}

function arbitraryAsked(order: FunnelOrder, overlapping: boolean): fc.Arbitrary<Asked> {
  const pick = overlapping ? fc.nat(matches.length - 1) : fc.constantFrom(...apart);
  const event = fc.record({
    user: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom('ann', 'bob', "o'neil", '🙂', 'eve') },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    at: fc
      .tuple(fc.integer({ min: -3, max: 6 }), fc.constantFrom(0, 0, 0, 1, 999_999))
      .map(([seconds, rest]) => seconds * second + rest),
    path: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('/a', '/b') }, fc.constantFrom('/ab', '/a/c', null)),
    type: fc.constantFrom('pageview', 'pageview', 'pageview', 'click'),
    agent: fc.option(fc.constantFrom('x', 'y', 'z')),
  });
  return fc
    .integer({ min: 2, max: 4 })
    .chain((length) =>
      fc.record({
        steps: fc.array(pick, { minLength: length, maxLength: length }),
        within: fc.array(fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }), {
          minLength: length,
          maxLength: length,
        }),
        exclude: fc.array(fc.tuple(fc.nat(matches.length - 1), fc.nat(length - 2), fc.nat(length)), { maxLength: 2 }),
        window: fc.integer({ min: 1, max: 8 }),
        attribution: fc.oneof(
          fc.constantFrom('first' as const, 'last' as const),
          ...(order === 'unordered' ? [] : [fc.nat(length - 1)]),
        ),
        brokenDown: fc.boolean(),
        events: fc.array(event, { maxLength: 26 }),
        range: fc.record({
          from: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }),
          to: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
          byEntry: fc.boolean(),
        }),
      }),
    )
    .map(({ steps, within, exclude, window, attribution, brokenDown, events, range }): Asked => {
      const last = steps.length - 1;
      const ends = (from: number, to: number) =>
        order === 'unordered' ? { from: 0, to: last } : { from, to: Math.min(last, Math.max(from + 1, to)) };
      return {
        funnel: funnelOf([], {
          order,
          secondsToConvert: window,
          steps: steps.map((one, index) => ({
            name: `step_${index}`,
            ...matches[one]!.match,
            within: order === 'unordered' ? undefined : within[index],
          })),
          exclude: exclude.map(([one, from, to]) => ({ ...matches[one]!.match, ...ends(from, to) })),
          breakdown: brokenDown ? { dimension: 'TrackedEvents.agentName', attribution } : undefined,
        }),
        picked: [...steps, ...exclude.map(([one]) => one)],
        events,
        range: {
          ...(range.from === undefined ? {} : { from: startOf2026 + range.from * 1000 }),
          ...(range.to === undefined ? {} : { to: startOf2026 + range.to * 1000 }),
          byEntry: range.byEntry,
        },
      };
    });
}

/** The answer by definition, user by user. */
function expected({ funnel, picked, events, range: { from = -Infinity, to = Infinity, byEntry } }: Asked) {
  const rules: FunnelRules = {
    order: funnel.order,
    window: funnel.secondsToConvert * second,
    steps: funnel.steps.map((step, index) => ({
      condition: picked[index]!,
      within: (step.within ?? Infinity) * second,
    })),
    exclusions: funnel.exclude.map((one, index) => ({
      condition: picked[funnel.steps.length + index]!,
      from: one.from,
      to: one.to,
    })),
  };
  const toMicros = (instant: number) => (instant - startOf2026) * 1000;
  const lookedAt = events.filter(
    ({ at }) => at >= toMicros(from) && at < toMicros(byEntry ? to + funnel.secondsToConvert * 1000 : to),
  );
  const meetsOf = (event: SomeEvent) => matches.flatMap(({ meets }, index) => (meets(event) ? [index] : []));
  const users = [
    ...Map.groupBy(
      lookedAt.filter(({ user }) => user !== null),
      ({ user }) => user!,
    ),
  ].map(([user, own]) => {
    const ofUser = own.map(
      (event): OracleEvent => ({ time: event.at, meets: meetsOf(event), value: event.agent ?? null }),
    );
    return { user, ...askOracle(rules, ofUser, funnel.breakdown?.attribution, byEntry ? toMicros(to) : Infinity) };
  });
  const matters = (event: SomeEvent) => funnel.order === 'strict' || meetsOf(event).some((one) => picked.includes(one));
  return { users, withoutUser: lookedAt.filter((event) => event.user === null && matters(event)).length };
}

function reachedBy(users: readonly OracleResult[], steps: number): readonly number[] {
  return Array.from({ length: steps }, (_, step) => users.filter(({ depth }) => depth > step).length);
}

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

const programOf = (funnel: Funnel) => toFunnelProgram(funnel, { breakdown: funnel.breakdown && name('agent_name') });

async function expectDefinition(asked: Asked) {
  await layEvents(engine, asked.events);
  const { users, withoutUser } = expected(asked);
  const steps = asked.funnel.steps.length;
  const program = programOf(asked.funnel);
  const answer = await computeFunnel(engine, program, {
    ...asked.range,
    times: true,
    bucketOf: (entry) => Math.floor(entry / 2000),
  });
  expect(answer.all.reached).toEqual(reachedBy(users, steps));
  expect([answer.spoiled, answer.withoutUser]).toEqual([users.filter(({ spoiled }) => spoiled).length, withoutUser]);
  const begun = users.filter(({ depth }) => depth > 0);
  const entryOf = ({ times }: OracleResult) => Math.floor(times[0]! / 1000) + startOf2026;
  const byValue = [...Map.groupBy(begun, ({ value }) => value)].map(([value, own]) => ({
    value,
    reached: reachedBy(own, steps),
  }));
  if (asked.funnel.breakdown)
    expect(new Set(answer.byValue!.map(({ value, reached }) => ({ value, reached })))).toEqual(new Set(byValue));
  const byEntry = [...Map.groupBy(begun, (user) => Math.floor(entryOf(user) / 2000))].map(([bucket, own]) => ({
    bucket,
    reached: reachedBy(own, steps),
  }));
  expect(answer.byEntry).toEqual(byEntry.toSorted((a, b) => a.bucket - b.bucket));
  answer.all.toConvert.forEach((spread, step) => expect(spread?.mean).toEqual(meanTime(begun, step)));
  const followed = new Map<string, readonly number[]>();
  for await (const batch of followUsers(engine, program, { ...asked.range, keys: true, memory: 200 })) {
    for (let user = 0; user < batch.count; user++) {
      followed.set(batch.keys![user]!, [
        batch.depth[user]!,
        batch.entry[user]!,
        ...batch.elapsed.subarray(user * steps, user * steps + batch.depth[user]!),
      ]);
    }
  }
  expect(followed).toEqual(
    new Map(
      begun.map((user) => [
        user.user,
        [user.depth, entryOf(user), ...user.times.map((time) => (time - user.times[0]!) / 1000)],
      ]),
    ),
  );
}

function meanTime(users: readonly OracleResult[], step: number): unknown {
  const times = users.filter(({ depth }) => depth > step).map((user) => (user.times[step]! - user.times[0]!) / 1000);
  return times.length === 0 ? undefined : expect.closeTo(times.reduce((sum, time) => sum + time, 0) / times.length, 6);
}

describe.each(funnelOrders)('a funnel over events in the engine, %s', (order) => {
  it('is what the definition says, user by user, with overlapping steps', async () => {
    await fc.assert(fc.asyncProperty(arbitraryAsked(order, true), expectDefinition), { numRuns: runs(60) });
  });

  it('is what the definition says, user by user, where paths alone tell the steps apart', async () => {
    await fc.assert(fc.asyncProperty(arbitraryAsked(order, false), expectDefinition), { numRuns: runs(40) });
  });
});
