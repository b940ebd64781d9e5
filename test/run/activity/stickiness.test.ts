import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stickinessAnalysis } from '../../../src/plan/analysis/stickiness/stickiness-analysis.ts';
import { stickinessEngine } from '../../../src/run/duckdb/activity/activity-engine.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { arbitraryEvents, askActivity, labelOf, matches, scenes, spansOf } from './some-activity.ts';
import { runs } from '../../runs.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

const conditions = {
  '>=': (events: number, wanted: number) => events >= wanted,
  '<=': (events: number, wanted: number) => events > 0 && events <= wanted,
  '=': (events: number, wanted: number) => events === wanted,
};

const arbitraryAsked = fc.constantFrom(...scenes).chain((scene) =>
  fc.record({
    scene: fc.constant(scene),
    events: arbitraryEvents(scene, 60),
    active: fc.nat(matches.length - 1),
    every: fc.constantFrom(1, 1, 2, 3),
    perSlot: fc.record({
      operator: fc.constantFrom('>=' as const, '<=' as const, '=' as const),
      events: fc.integer({ min: 1, max: 3 }),
    }),
    cumulative: fc.boolean(),
  }),
);

it('a stickiness is what the definition says, figure by figure', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryAsked, async ({ scene, events, active, every, perSlot, cumulative }) => {
      const { match, meets } = matches[active]!;
      const result = await askActivity(engine, events, {
        analysis: stickinessAnalysis,
        compute: stickinessEngine,
        definition: { name: 'some', active: match, where: [], period: scene.period, every, perSlot, cumulative },
        scene,
        query: {
          measures: ['some.users', 'some.total'],
          dimensions: ['some.periods'],
          timeDimensions: [{ dimension: 'some.date', dateRange: [...scene.days] }],
          order: [['some.periods', 'asc']],
        },
      });
      const spans = spansOf(scene);
      const slots = Array.from({ length: Math.ceil(spans.length / every) }, (_, slot) =>
        spans.slice(slot * every, (slot + 1) * every).map(({ label }) => label),
      );
      const slotsOfUsers = [...new Set(events.flatMap(({ user }) => user ?? []))].map(
        (user) =>
          slots.filter((labels) => {
            const own = events.filter(
              (event) => event.user === user && meets(event) && labels.includes(labelOf(event.at, scene)),
            );
            return conditions[perSlot.operator](own.length, perSlot.events);
          }).length,
      );
      const shown = slotsOfUsers.filter((count) => count > 0);
      const isOpen = spans.at(-1)!.end > scene.now;
      expect(
        result
          .rows()
          .map((row, index) => [
            ...['some.periods', 'some.users', 'some.total'].map((key) => Number(row[key])),
            result.marks.of('some.users', index) > 0,
          ]),
      ).toEqual(
        slots.map((_, index) => [
          index + 1,
          shown.filter((count) => (cumulative ? count >= index + 1 : count === index + 1)).length,
          shown.length,
          isOpen,
        ]),
      );
    }),
    { numRuns: runs(150, 1500) },
  );
}, 600_000);
