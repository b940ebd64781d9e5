import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Funnel, funnelOrders } from '../../../src/ask/funnel/funnel.ts';
import { name } from '../../../src/plan/sql/expression.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { computeFunnel } from '../../../src/run/duckdb/funnel/follow-users.ts';
import { toFunnelProgram } from '../../../src/run/analysis/funnel/funnel-program.ts';
import { openEventFiles } from '../../../src/run/duckdb/reading/event-files.ts';
import { funnelOf, pageAt } from './some-funnel.ts';
import { realEvents } from '../../data/real-events.ts';

const file = realEvents;

interface Visit {
  readonly time: number;
  readonly path: string;
  readonly page: boolean;
  readonly agent: string;
}

function readUsers(): readonly (readonly Visit[])[] {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  const users = new Map<string, Visit[]>();
  for (const line of lines) {
    const event = JSON.parse(line) as Readonly<Record<string, string>>;
    const of = (field: string) => event[`TrackedEvents.${field}`]!;
    const visit = {
      time: Date.parse(/Z$/.test(of('utcTime')) ? of('utcTime') : `${of('utcTime')}Z`),
      path: of('docPath'),
      page: of('eventType') === 'pageview',
      agent: of('agentName'),
    };
    const own = users.get(of('userAnonymousId'));
    if (own) own.push(visit);
    else users.set(of('userAnonymousId'), [visit]);
  }
  return [...users.values()].map((own) => own.sort((a, b) => a.time - b.time));
}

type Meets = (visit: Visit) => boolean;

/**
 * Two or three steps by plain loops, each event used once: for each first event all second ones, for each of these all
 * third ones. `between` may reject events strictly between the first and the last.
 */
function countByLoops(
  users: readonly (readonly Visit[])[],
  steps: readonly Meets[],
  window: number,
  between: Meets = () => true,
): readonly number[] {
  const reached = steps.map(() => 0);
  for (const visits of users) {
    let best = 0;
    const follow = (chosen: readonly Visit[]) => {
      const [first, last] = [chosen[0]!, chosen.at(-1)!];
      if (
        visits.some(
          (visit) => visit.time > first.time && visit.time < last.time && !chosen.includes(visit) && !between(visit),
        )
      )
        return;
      best = Math.max(best, chosen.length);
      if (chosen.length === steps.length) return;
      for (const visit of visits)
        if (
          visit.time >= last.time &&
          visit.time - first.time <= window &&
          !chosen.includes(visit) &&
          steps[chosen.length]!(visit)
        )
          follow([...chosen, visit]);
    };
    for (const visit of visits) if (best < steps.length && steps[0]!(visit)) follow([visit]);
    for (let step = 0; step < best; step++) reached[step]! += 1;
  }
  return reached;
}

const at =
  (path: string): Meets =>
  (visit) =>
    visit.page && visit.path === path;
const xdotool = ['/projects/xdotool/', '/projects/xdotool/xdotool.xhtml'] as const;
const hour = 3_600_000;

describe('funnels over real events of May 2015', () => {
  const users = readUsers();

  async function compute(funnel: Funnel, options: Parameters<typeof computeFunnel>[2] = {}) {
    await using engine = await openEngine({});
    await openEventFiles(engine, [file], 'anonymous');
    return await computeFunnel(
      engine,
      toFunnelProgram(funnel, { breakdown: funnel.breakdown && name('agent_name') }),
      options,
    );
  }

  it('count as plain loops over the file do, in order and with nothing between', async () => {
    const steps = xdotool.map(at);
    const ordered = countByLoops(users, steps, hour);
    expect((await compute(funnelOf(xdotool, { secondsToConvert: 3600 }))).all.reached).toEqual(ordered);
    expect((await compute(funnelOf(xdotool, { secondsToConvert: 3600, order: 'strict' }))).all.reached).toEqual(
      countByLoops(users, steps, hour, () => false),
    );
    expect(ordered[1]).toBeGreaterThan(10);
  });

  it('count steps that overlap, three of them', async () => {
    const blog: Meets = (visit) => visit.page && /^\/blog\/[^/]*\/[^/]*$/.test(visit.path);
    const any: Meets = (visit) => visit.page;
    const expected = countByLoops(users, [any, blog, any], 24 * hour);
    expect((await compute(funnelOf(['**', '/blog/*/*', '**'], { secondsToConvert: 86_400 }))).all.reached).toEqual(
      expected,
    );
    expect(expected[2]).toBeGreaterThan(50);
  });

  it('add up over a breakdown and over the days of entry, in every order', async () => {
    for (const order of funnelOrders) {
      const answer = await compute(
        funnelOf(xdotool, {
          order,
          secondsToConvert: 3600,
          breakdown: { dimension: 'TrackedEvents.agentName', attribution: 'first' },
        }),
        { bucketOf: (entry) => Math.floor(entry / (24 * hour)) },
      );
      for (const series of [answer.byValue!, answer.byEntry!]) {
        expect(answer.all.reached).toEqual(
          xdotool.map((_, step) => series.reduce((sum, { reached }) => sum + reached[step]!, 0)),
        );
        expect(series.length).toBeGreaterThan(1);
      }
    }
  });

  it('leave out those whom an excluded page spoilt', async () => {
    const exclude = [{ ...pageAt('/projects/xdotool/xdotool.xhtml'), from: 0, to: 1 }];
    const answer = await compute(funnelOf(['/projects/xdotool/', '/'], { secondsToConvert: 3600, exclude }));
    const plain = await compute(funnelOf(['/projects/xdotool/', '/'], { secondsToConvert: 3600 }));
    expect(answer.spoiled).toBeGreaterThan(0);
    expect(answer.all.reached[0]! + answer.spoiled).toBe(plain.all.reached[0]);
  });
});
