import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Funnel } from '../../../src/ask/funnel/funnel.ts';
import { AbortedError } from '../../../src/ask/sluice-error.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { computeFunnel, followUsers } from '../../../src/run/duckdb/funnel/follow-users.ts';
import { toFunnelProgram } from '../../../src/run/analysis/funnel/funnel-program.ts';
import { splitPart } from '../../../src/run/duckdb/funnel/user-parts.ts';
import { funnelOf, layEvents, pageAt, type SomeEvent, startOf2026 } from './some-funnel.ts';

const second = 1_000_000;
const minute = 60 * second;

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

/** One user who views pages at these seconds: `/a@0 /b@1`. */
function visits(text: string, user = 'ann'): readonly SomeEvent[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((one) => {
      const [path, at] = one.split('@');
      return { user, path: path!, at: Number(at) * second };
    });
}

async function reached(funnel: Funnel, events: readonly SomeEvent[] | string): Promise<readonly number[]> {
  await layEvents(engine, typeof events === 'string' ? visits(events) : events);
  return (await computeFunnel(engine, toFunnelProgram(funnel))).all.reached;
}

describe('what other engines decide otherwise', () => {
  it.each<[string, readonly string[], Partial<Funnel>, string, readonly number[]]>([
    ['one event is not two equal steps', ['/a', '/a'], {}, '/a@0', [1, 0]],
    ['two events are two equal steps, at one time too', ['/a', '/a'], {}, '/a@0 /a@0', [1, 1]],
    ['equal times are in order, whichever was written first', ['/a', '/b', '/c'], {}, '/c@0 /b@0 /a@0', [1, 1, 1]],
    [
      'equal times are neighbours in any order, strict',
      ['/a', '/b', '/c'],
      { order: 'strict' },
      '/c@0 /a@0 /b@0',
      [1, 1, 1],
    ],
    [
      'what has the time of the first step does not stand between, strict',
      ['/a', '/b'],
      { order: 'strict' },
      '/a@0 /x@0 /b@1',
      [1, 1],
    ],
    [
      'what has the time of the last step does not stand between, strict',
      ['/a', '/b'],
      { order: 'strict' },
      '/a@0 /x@1 /b@1',
      [1, 1],
    ],
    ['what stands between ends the attempt, strict', ['/a', '/b'], { order: 'strict' }, '/a@0 /x@1 /b@2', [1, 0]],
    [
      'a first step seen again stands between, and begins anew, strict',
      ['/a', '/b'],
      { order: 'strict' },
      '/a@0 /a@1 /b@2',
      [1, 1],
    ],
    ['the window is inclusive', ['/a', '/b'], {}, '/a@0 /b@60', [1, 1]],
    ['and ends there, to the microsecond', ['/a', '/b'], {}, '/a@0 /b@60.000001', [1, 0]],
    [
      'the window begins at the first step, not at the one before',
      ['/a', '/b', '/c'],
      {},
      '/a@0 /b@50 /c@100',
      [1, 1, 0],
    ],
    ['a later beginning may come further', ['/a', '/b', '/c'], {}, '/a@0 /a@50 /b@55 /c@100', [1, 1, 1]],
    ['a step seen before the first one does not count', ['/a', '/b'], {}, '/b@0 /a@1', [1, 0]],
    ['it counts where any order will do', ['/a', '/b'], { order: 'unordered' }, '/b@0 /a@1', [1, 1]],
    ['no step but the first begins in order', ['/a', '/b'], {}, '/b@0', [0, 0]],
    ['overlapping steps share out the events of one time', ['/**', '/a', '/**'], {}, '/a@0 /x@0 /y@0', [1, 1, 1]],
    ['also where the narrow step comes last', ['/**', '/**', '/a'], {}, '/a@0 /x@0 /y@0', [1, 1, 1]],
  ])('%s', async (_, paths, more, events, answer) => {
    expect(await reached(funnelOf(paths, more), events)).toEqual(answer);
  });

  it('an excluded event at the time of a step spoils nothing, between the steps it does', async () => {
    const funnel = funnelOf(['/a', '/b'], { exclude: [{ ...pageAt('/x'), from: 0, to: 1 }] });
    expect(await reached(funnel, '/a@0 /x@0 /b@1 /x@1')).toEqual([1, 1]);
    expect(await reached(funnel, '/a@0 /x@1 /b@2')).toEqual([0, 0]);
    expect(await reached(funnel, '/a@0 /x@1 /a@2 /b@3')).toEqual([1, 1]);
    expect(await reached(funnel, '/a@0 /x@60')).toEqual([0, 0]);
    expect(await reached(funnel, '/a@0 /x@61')).toEqual([1, 0]);
  });

  it('a time since the step before is inclusive and beside the window of all', async () => {
    const funnel = funnelOf(['/a', '/b', '/c']);
    const timed = {
      ...funnel,
      steps: funnel.steps.map((step, index) => ({ ...step, within: index === 2 ? 5 : undefined })),
    };
    expect(await reached(timed, '/a@0 /b@1 /b@10 /c@15')).toEqual([1, 1, 1]);
    expect(await reached(timed, '/a@0 /b@1 /b@9 /c@15')).toEqual([1, 1, 0]);
  });
});

describe('patterns of paths', () => {
  it.each([
    ['/p/*', ['/p/', '/p/kettle', '/p/ä\n\u001b[1m'], ['/p/kettle/red', '/p', '/P/kettle', 'x/p/kettle']],
    ['/p/**', ['/p/', '/p/kettle/red\nx'], ['/p']],
    ['/*/edit', ['/a/edit', '//edit'], ['/a/b/edit', '/edit']],
    ['/a.b(c)+[d]$^|?\\*', ['/a.b(c)+[d]$^|?\\x'], ['/aXb(c)+[d]$^|?\\x', '/a.bcc[d]$^|?\\x']],
    ["/'; DROP TABLE events; --*", ["/'; DROP TABLE events; --!"], ['/']],
  ])('%s takes what it says and nothing else', async (pattern, taken, others) => {
    const events = [...taken, ...others].map((path, index) => ({ user: `u${index}`, path, at: 0 }));
    await layEvents(engine, events);
    const users: string[] = [];
    for await (const batch of followUsers(engine, toFunnelProgram(funnelOf([pattern, '/never'])), { keys: true }))
      users.push(...batch.keys!);
    expect(users.toSorted()).toEqual(taken.map((_, index) => `u${index}`));
  });
});

describe('much of something', () => {
  it('a hundred steps are a hundred steps, in all orders, told apart by paths or by patterns', async () => {
    const pages = Array.from({ length: 100 }, (_, step) => `/page-${step}`);
    const events = pages.slice(0, 98).map((path, index) => ({ user: 'ann', path, at: index }));
    const depths = Array.from({ length: 100 }, (_, step) => (step < 98 ? 1 : 0));
    for (const order of ['ordered', 'strict', 'unordered'] as const) {
      expect(await reached(funnelOf(pages, { order }), events)).toEqual(depths);
      expect(
        await reached(
          funnelOf(
            pages.map((page) => `*${page}`),
            { order },
          ),
          events,
        ),
      ).toEqual(depths);
    }
  });

  it('a hundred equal steps take a hundred events', async () => {
    const pages = Array.from({ length: 100 }, () => '/a');
    const events = Array.from({ length: 99 }, (_, index) => ({ user: 'ann', path: '/a', at: Math.floor(index / 3) }));
    for (const order of ['ordered', 'strict', 'unordered'] as const)
      expect((await reached(funnelOf(pages, { order }), events)).indexOf(0)).toBe(99);
  });

  it('one user has a million events, all of them in the wrong order but the last', async () => {
    await engine.rows(`CREATE OR REPLACE TABLE events AS SELECT 'ann' AS user_key, TIMESTAMP '2026-01-01' + to_microseconds(i * 2000000) AS utc_time,
      CASE WHEN i = 999999 THEN '/c' WHEN i % 3 = 0 THEN '/b' ELSE '/a' END AS doc_path, 'pageview' AS event_type, NULL AS agent_name FROM range(1000000) t(i)`);
    for (const order of ['ordered', 'unordered'] as const) {
      expect(
        (await computeFunnel(engine, toFunnelProgram(funnelOf(['/a', '/b', '/c'], { order })), { times: true })).all,
      ).toMatchObject({ reached: [1, 1, 1] });
    }
    expect(
      (await computeFunnel(engine, toFunnelProgram(funnelOf(['/a', '/**', '/c'], { order: 'strict' })))).all.reached,
    ).toEqual([1, 1, 1]);
    const spoiling = { ...pageAt('/b'), from: 1, to: 2 };
    expect(
      (await computeFunnel(engine, toFunnelProgram(funnelOf(['/a', '/b', '/c'], { exclude: [spoiling] })))).all.reached,
    ).toEqual([1, 1, 1]);
  });

  it('times centuries apart are as exact as others', async () => {
    // More than 2^53 microseconds, so only even numbers of them are exact.
    const centuries = 400 * 365 * 86_400 * second;
    const events: readonly SomeEvent[] = [
      { user: 'ann', path: '/a', at: -centuries },
      { user: 'ann', path: '/a', at: 1 },
      { user: 'ann', path: '/b', at: 60 * second + 1 },
      { user: 'bob', path: '/a', at: 0 },
      { user: 'bob', path: '/b', at: 60 * second + 1 },
      { user: 'bob', path: '/b', at: centuries },
      { user: 'eve', path: '/a', at: -centuries - 2 },
      { user: 'eve', path: '/b', at: -centuries },
    ];
    await layEvents(engine, events);
    const answer = await computeFunnel(engine, toFunnelProgram(funnelOf(['/a', '/b'])), {
      times: true,
      bucketOf: (entry) => entry,
    });
    expect(answer.all).toMatchObject({ reached: [3, 2], toConvert: [{ mean: 0 }, { mean: 30_000.001 }] });
    expect(answer.byEntry).toEqual([
      { bucket: startOf2026 - centuries / 1000 - 1, reached: [1, 1] },
      { bucket: startOf2026, reached: [2, 1] },
    ]);
    const entries = await computeFunnel(engine, toFunnelProgram(funnelOf(['/a', '/b'])), {
      from: startOf2026 - centuries / 1000 - 1,
      to: startOf2026,
      byEntry: true,
    });
    expect(entries.all.reached).toEqual([2, 1]);
    const year = 365 * 86_400;
    const converted = async (years: number) => {
      const { all } = await computeFunnel(
        engine,
        toFunnelProgram(funnelOf(['/a', '/b'], { secondsToConvert: years * year })),
        { times: true },
      );
      return [all.reached, all.toConvert[1]?.mean];
    };
    await layEvents(engine, [
      { user: 'ann', path: '/a', at: -centuries },
      { user: 'ann', path: '/b', at: 0 },
    ]);
    expect(await converted(399)).toEqual([[1, 0], undefined]);
    expect(await converted(400)).toEqual([[1, 1], centuries / 1000]);
  });
});

describe('memory', () => {
  const pages = ['/a', '/b', '/c'];
  const layMany = () =>
    engine.rows(`CREATE OR REPLACE TABLE events AS SELECT CASE WHEN i % 50 > 0 THEN 'user ' || (hash(i) % 20000) END AS user_key, TIMESTAMP '2026-01-01' + to_seconds(i) AS utc_time,
    ['/a', '/b', '/c', '/d'][1 + (hash(i, 1) % 4)::INT] AS doc_path, 'pageview' AS event_type FROM range(200000) t(i)`);

  it('is kept small by several passes, which give the same answer', async () => {
    await layMany();
    const program = toFunnelProgram(funnelOf(pages, { secondsToConvert: 86_400 }));
    const whole = await computeFunnel(engine, program, { times: true });
    expect(whole.withoutUser).toBeGreaterThan(2000);
    expect(await computeFunnel(engine, program, { times: true, memory: 500_000 })).toEqual(whole);
  });

  it('of a part is that of its four parts', () => {
    const part = { index: 3, of: 5 };
    for (let hash = 0; hash < 100; hash++) {
      expect(splitPart(part).filter(({ index, of }) => hash % of === index)).toHaveLength(
        hash % part.of === part.index ? 1 : 0,
      );
    }
  });

  it('that the engine lacks is found by passes over fewer users', async () => {
    await using small = await openEngine({ threads: 2, memoryLimit: '40MB' });
    await small.rows(`CREATE VIEW events AS SELECT CASE WHEN i % 50 > 0 THEN 'a user whose name is long enough for a heap ' || (hash(i) % 400000) END AS user_key, TIMESTAMP '2026-01-01' + to_seconds(i) AS utc_time,
      ['/a', '/b', '/c', '/d'][1 + (hash(i, 1) % 4)::INT] AS doc_path, 'pageview' AS event_type FROM range(800000) t(i)`);
    await expect(
      small.rows("SELECT user_key, list(utc_time) FROM events WHERE doc_path <> '/d' GROUP BY user_key"),
    ).rejects.toThrow(/Out of Memory/);
    const answer = await computeFunnel(small, toFunnelProgram(funnelOf(pages, { secondsToConvert: 86_400 })), {
      memory: 2 ** 40,
    });
    const [row] = await small.rows(
      "SELECT count(DISTINCT user_key), count(*) FILTER (WHERE user_key IS NULL) FROM events WHERE doc_path = '/a'",
    );
    expect(answer.all.reached[0]).toBe(Number(row![0]));
    expect(answer.withoutUser).toBeGreaterThan(Number(row![1]));
  });

  it('is not needed any longer once the signal fires', async () => {
    await layMany();
    const program = toFunnelProgram(funnelOf(pages));
    await expect(computeFunnel(engine, program, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortedError);
    const stop = new AbortController();
    const running = (async () => {
      for await (const _users of followUsers(engine, program, { signal: stop.signal })) stop.abort();
    })();
    await expect(running).rejects.toBeInstanceOf(AbortedError);
  });
});

describe('sessions', () => {
  it("are the tracker's, else a user's events with gaps of at most half an hour", async () => {
    await layEvents(engine, [
      { user: 'ann', path: '/a', at: 0, session: 's1' },
      { user: 'bob', path: '/b', at: 5 * minute, session: 's1' },
      { user: 'eve', path: '/a', at: 0 },
      { user: 'eve', path: '/x', at: 30 * minute },
      { user: 'eve', path: '/b', at: 60 * minute },
      { user: 'dan', path: '/a', at: 0 },
      { user: 'dan', path: '/b', at: 30 * minute + 1 },
      { user: 'fay', path: '/a', at: 0 },
      { user: 'fay', path: '/b', at: minute, session: 's2' },
      { user: null, path: '/a', at: 0 },
      { user: null, path: '/a', at: 0, session: 's3' },
      { user: 'gus', path: '/a', at: 0, project: '2' },
      { user: 'gus', path: '/b', at: minute },
      { user: 'hal', path: '/a', at: 0 },
      { user: 'hal', path: '/x', at: 20 * minute, project: '2' },
      { user: 'hal', path: '/b', at: 40 * minute },
    ]);
    const program = (project?: string) =>
      toFunnelProgram(funnelOf(['/a', '/b'], { by: 'session', secondsToConvert: 7200 }), {}, project);
    expect(await computeFunnel(engine, program())).toMatchObject({ all: { reached: [7, 2] }, withoutUser: 1 });
    expect(await computeFunnel(engine, program('1'))).toMatchObject({ all: { reached: [6, 2] } });
  });
});

describe('what has no meaning in any order', () => {
  const steps = funnelOf(['/a', '/b', '/c']).steps;
  it.each<[string, Partial<Funnel>]>([
    ['unordered-within', { steps: steps.map((step) => ({ ...step, within: 5 })) }],
    ['unordered-stretch', { exclude: [{ ...pageAt('/x'), from: 1, to: 2 }] }],
    ['unordered-attribution', { breakdown: { dimension: 'TrackedEvents.agentName', attribution: 1 } }],
  ])('is refused: %s', (code, more) => {
    expect(() => toFunnelProgram(funnelOf(['/a', '/b', '/c'], { order: 'unordered', ...more }))).toThrow(
      expect.objectContaining({ code }),
    );
  });
});
