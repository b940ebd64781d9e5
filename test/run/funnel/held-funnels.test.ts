import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { funnelOrders } from '../../../src/ask/funnel/funnel.ts';
import { name } from '../../../src/plan/sql/expression.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { computeFunnel, followUsers } from '../../../src/run/duckdb/funnel/follow-users.ts';
import { toFunnelProgram } from '../../../src/run/analysis/funnel/funnel-program.ts';
import { runs } from '../../runs.ts';
import { askHeldOracle, type HeldEvent } from './funnel-oracle.ts';
import { funnelOf, layEvents, pageAt, type SomeEvent, startOf2026 } from './some-funnel.ts';

const paths = ['/a', '/b', '/c'] as const;
const second = 1_000_000;

/** Funnels over few pages, whose events carry a product (`custom`) and a place (`session`), or none. */
const asked = fc.constantFrom(...funnelOrders).chain((order) =>
  fc.record({
    order: fc.constant(order),
    steps: fc.array(fc.constantFrom(...paths), { minLength: 2, maxLength: 3 }),
    exclude: fc.option(fc.constantFrom(...paths), { nil: undefined }),
    window: fc.integer({ min: 1, max: 8 }),
    hold: fc.constantFrom(['custom'], ['custom', 'session'] as const),
    attribution: fc.constantFrom('first' as const, 'last' as const, undefined),
    entriesBefore: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    memory: fc.constantFrom(undefined, 200),
    // A time centuries away makes the engine pass times and codes apart.
    far: fc.boolean(),
    events: fc.array(
      fc.record({
        user: fc.constantFrom('ann', 'ann', 'bob', "o'neil", null),
        at: fc.tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(0, 0, 1)).map(([at, more]) => at * second + more),
        path: fc.constantFrom(...paths, '/x'),
        custom: fc.constantFrom('1', '1', '2', "'; 2", '', null),
        session: fc.constantFrom('x', 'x', 'y', null),
        agent: fc.constantFrom('m', 'n', '🙂', '\uffff', null),
      }),
      { maxLength: 16 },
    ),
  }),
);
type Asked = typeof asked extends fc.Arbitrary<infer One> ? One : never;

const columns = { custom: 'custom_event_name', session: 'session_id' } as const;

function programOf({ order, steps, exclude, window, hold, attribution }: Asked) {
  const funnel = funnelOf(steps, {
    order,
    secondsToConvert: window,
    exclude: exclude === undefined ? [] : [{ ...pageAt(exclude), from: 0, to: steps.length - 1 }],
    hold,
    breakdown: attribution && { dimension: 'TrackedEvents.agentName', attribution },
  });
  return toFunnelProgram(funnel, {
    hold: hold.map((one) => name(columns[one as keyof typeof columns])),
    breakdown: attribution && name('agent_name'),
  });
}

function expectedOf({ order, steps, exclude, window, hold, attribution, entriesBefore, events }: Asked) {
  const heldOf = (event: SomeEvent) => hold.map((one) => event[one as keyof typeof columns] ?? null);
  const lookedAt =
    entriesBefore === undefined ? events : events.filter(({ at }) => at < (entriesBefore + window) * second);
  const rules = {
    order,
    window: window * second,
    steps: steps.map((path) => ({ condition: paths.indexOf(path), within: Infinity })),
    exclusions: exclude === undefined ? [] : [{ condition: paths.indexOf(exclude), from: 0, to: steps.length - 1 }],
  };
  const toEvent = (event: Asked['events'][number]): HeldEvent => ({
    time: event.at,
    meets: paths.flatMap((path, index) => (path === event.path ? [index] : [])),
    value: event.agent,
    held: heldOf(event),
  });
  const users = Map.groupBy(
    lookedAt.filter(({ user }) => user !== null),
    ({ user }) => user!,
  );
  const matters = ({ path }: SomeEvent) => [...steps, exclude].includes(path as (typeof paths)[number]);
  return {
    users: [...users].map(([user, own]) => ({
      user,
      ...askHeldOracle(rules, own.map(toEvent), attribution, (entriesBefore ?? Infinity) * second),
    })),
    unheld: lookedAt.filter((event) => event.user !== null && matters(event) && heldOf(event).includes(null)).length,
    withoutUser: lookedAt.filter(
      (event) => event.user === null && (order === 'strict' || matters(event)) && !heldOf(event).includes(null),
    ).length,
  };
}

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

describe('a funnel whose steps share values', () => {
  it('is what the definition says, user by user', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (one) => {
        const { entriesBefore, memory, far } = one;
        const farAway = { user: 'far', at: -700 * 365 * 86_400 * second, path: '/a', custom: '1', session: 'x' };
        await layEvents(engine, far ? [...one.events, farAway] : one.events);
        const options = {
          from: undefined,
          ...(entriesBefore === undefined ? {} : { to: startOf2026 + entriesBefore * 1000, byEntry: true }),
          memory,
        };
        const program = programOf(one);
        const { users, unheld, withoutUser } = expectedOf(one);
        const begun = users.filter(({ depth }) => depth > 0);
        const followed = new Map<string, unknown>();
        for await (const batch of followUsers(engine, program, { ...options, keys: true }))
          for (let user = 0; user < batch.count; user++) {
            const steps = program.steps.length;
            if (batch.keys![user] === 'far') continue;
            followed.set(batch.keys![user]!, {
              depth: batch.depth[user],
              entry: batch.entry[user],
              elapsed: [...batch.elapsed.subarray(user * steps, user * steps + batch.depth[user]!)],
              value: batch.values?.[user] ?? null,
            });
          }
        expect(followed).toEqual(
          new Map(
            begun.map(({ user, depth, times, value }) => [
              user,
              {
                depth,
                entry: Math.floor(times[0]! / 1000) + startOf2026,
                elapsed: times.map((time) => (time - times[0]!) / 1000),
                value: one.attribution === undefined ? null : value,
              },
            ]),
          ),
        );
        const answer = await computeFunnel(engine, program, options);
        expect([answer.spoiled, answer.unheld, answer.withoutUser]).toEqual([
          users.filter(({ spoiled }) => spoiled).length,
          unheld,
          withoutUser,
        ]);
      }),
      { numRuns: runs(300) },
    );
  });

  /** One user's events: page, product, second. */
  const visits = (text: string): readonly SomeEvent[] =>
    text.split(' ').map((one) => {
      const [path = '', custom = '', at = ''] = one.split(/[:@]/);
      return { user: 'ann', path, custom: custom === '-' ? null : custom, at: Number(at) * second };
    });

  it.each([
    ['steps with different values are no attempt', '/a:1@0 /b:2@1', {}, [1, 0]],
    ['other events may carry other values', '/a:1@0 /a:2@1 /b:1@2', {}, [1, 1]],
    ['a user counts once', '/a:1@0 /b:1@1 /a:2@2 /b:2@3', {}, [1, 1]],
    ['an event without a value is no step', '/a:1@0 /b:-@1', {}, [1, 0]],
    ['an event with another value does not stand between, strict', '/a:1@0 /x:2@1 /b:1@2', { order: 'strict' }, [1, 1]],
    ['nor one without a value, strict', '/a:1@0 /x:-@1 /b:1@2', { order: 'strict' }, [1, 1]],
    ['an event with the same value does, strict', '/a:1@0 /x:1@1 /b:1@2', { order: 'strict' }, [1, 0]],
    ['an excluded event with another value spoils nothing', '/a:1@0 /c:2@1 /b:1@2', { exclude: '/c' }, [1, 1]],
    ['one with the same value does', '/a:1@0 /c:1@1 /b:1@2', { exclude: '/c' }, [0, 0]],
    ['another combination still counts', '/a:1@0 /c:1@1 /b:1@2 /a:2@3', { exclude: '/c' }, [1, 0]],
    ['any order', '/b:1@0 /a:2@1 /a:1@2', { order: 'unordered' }, [1, 1]],
  ] as const)('%s', async (_, text, more, reached) => {
    await layEvents(engine, visits(text));
    const all = { order: 'ordered', steps: ['/a', '/b'], exclude: undefined, window: 60, hold: ['custom'] } as const;
    const program = programOf({ ...all, attribution: undefined, ...more } as unknown as Asked);
    expect((await computeFunnel(engine, program)).all.reached).toEqual(reached);
  });
});
