import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Query } from '../../../src/ask/query/query.ts';
import { lifecycleAnalysis } from '../../../src/plan/analysis/lifecycle/lifecycle-analysis.ts';
import { lifecycleEngine } from '../../../src/run/duckdb/activity/activity-engine.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import {
  arbitraryEvents,
  askActivity,
  type Happened,
  labelOf,
  matches,
  type Scene,
  scenes,
  spansAround,
  spansOf,
} from './some-activity.ts';
import { runs } from '../../runs.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

/** Figures by `time status`, by user and period. */
function byDefinition(events: readonly Happened[], scene: Scene, isActive: (event: Happened) => boolean) {
  const around = spansAround(scene);
  const users = [...new Set(events.flatMap(({ user }) => user ?? []))];
  const figures = new Map<string, string>();
  for (const span of spansOf(scene)) {
    const previous = around[around.findIndex(({ label }) => label === span.label) - 1]!;
    const counts = { new: 0, returning: 0, resurrecting: 0, dormant: 0 };
    for (const user of users) {
      const own = events.filter((event) => event.user === user);
      const isIn = (label: number) => own.some((event) => isActive(event) && labelOf(event.at, scene) === label);
      const first = own.toSorted((a, b) => a.at - b.at)[0]!;
      const [now, before] = [isIn(span.label), isIn(previous.label)];
      if (now && labelOf(first.at, scene) === span.label) counts.new += 1;
      else if (now && before) counts.returning += 1;
      else if (now) counts.resurrecting += 1;
      else if (before) counts.dormant -= 1;
    }
    for (const [status, count] of Object.entries(counts))
      figures.set(`${span.label} ${status}`, `${count}${span.end > scene.now ? ' ~' : ''}`);
  }
  return figures;
}

const arbitraryAsked = fc
  .constantFrom(...scenes)
  .chain((scene) =>
    fc.record({ scene: fc.constant(scene), events: arbitraryEvents(scene), active: fc.nat(matches.length - 1) }),
  );

it('a lifecycle is what the definition says, figure by figure', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryAsked, async ({ scene, events, active }) => {
      const { match, meets } = matches[active]!;
      const ask = (more: Pick<Query, 'measures' | 'dimensions'>) =>
        askActivity(engine, events, {
          analysis: lifecycleAnalysis,
          compute: lifecycleEngine,
          definition: { name: 'some', active: match, where: [], period: scene.period },
          scene,
          query: { ...more, timeDimensions: [{ dimension: 'some.time', dateRange: [...scene.days] }] },
        });
      const keyOf = (row: object) => {
        const { 'some.time': time, 'some.status': status } = row as Record<string, unknown>;
        return `${Date.parse(`${String(time)}Z`)} ${String(status)}`;
      };
      const dimensions = ['some.time', 'some.status'];
      const result = await ask({ measures: ['some.users'], dimensions });
      const marked = (index: number) => (result.marks.of('some.users', index) > 0 ? ' ~' : '');
      const figures = result
        .rows()
        .map((row, index) => [keyOf(row), `${Number(row['some.users'])}${marked(index)}`] as const);
      const expected = byDefinition(events, scene, meets);
      expect(new Map(figures)).toEqual(expected);
      // A separate statement lists users.
      const listed = (await ask({ dimensions: [...dimensions, 'some.user'] })).rows().map(keyOf);
      for (const [key, figure] of expected)
        expect([key, listed.filter((one) => one === key).length]).toEqual([key, Math.abs(Number.parseInt(figure, 10))]);
    }),
    { numRuns: runs(150, 1500) },
  );
}, 600_000);
