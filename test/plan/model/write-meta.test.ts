import fc from 'fast-check';
import { expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toMeta, writeMeta } from '../../../src/plan/model/write-meta.ts';

const meta = toMeta(builtInModel);
const cube = (name: string) => meta.cubes.find((candidate) => candidate.name === name);

it('lists the public cubes only', () => {
  expect(meta.cubes.map(({ name }) => name)).toEqual(['TrackedEvents', 'Sessions', 'ReturningUsers']);
});

it('describes a measure as the platform does', () => {
  expect(cube('Sessions')?.measures[0]).toEqual({
    name: 'Sessions.count',
    title: 'Sessions Count',
    shortTitle: 'Count',
    description: 'Number of sessions.',
    cumulativeTotal: false,
    cumulative: false,
    type: 'number',
    aggType: 'count',
    drillMembers: [],
    drillMembersGrouped: { measures: [], dimensions: [] },
    isVisible: true,
    public: true,
  });
  expect(cube('TrackedEvents')?.measures[0]?.drillMembersGrouped).toEqual({
    measures: [],
    dimensions: ['TrackedEvents.eventId', 'TrackedEvents.pageTitle'],
  });
});

it('describes dimensions and segments as the platform does', () => {
  expect(cube('Sessions')?.dimensions.find(({ name }) => name === 'Sessions.sessionID')).toMatchObject({
    title: 'Sessions Session Id',
    shortTitle: 'Session Id',
    type: 'string',
    suggestFilterValues: true,
    isVisible: false,
    public: false,
    primaryKey: true,
  });
  expect(cube('TrackedEvents')?.segments[0]).toMatchObject({
    name: 'TrackedEvents.knownUsers',
    title: 'Tracked Events Known Users',
    shortTitle: 'Known Users',
    isVisible: true,
    public: true,
  });
});

it('writes the same as JSON', () => {
  expect(JSON.parse(writeMeta(builtInModel))).toEqual(JSON.parse(JSON.stringify(meta)));
});

it('names aggregates as Cube does', () => {
  const types = [...new Set(meta.cubes.flatMap(({ measures }) => measures.map(({ aggType }) => aggType)))];
  expect(types).toContain('countDistinct');
  expect(types.filter((type) => type.includes('_'))).toEqual([]);
});

it('numbers the cubes that hang together by joins, in either direction, and no others', () => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
  const edges = fc.uniqueArray(
    fc.tuple(fc.nat(6), fc.nat(6)).filter(([from, to]) => from !== to),
    { maxLength: 8, selector: (edge) => edge.join() },
  );
  fc.assert(
    fc.property(edges, (joined) => {
      const cubes = names.map((name, index) => ({
        ...builtInModel.cubes[0]!,
        name,
        measures: [],
        dimensions: [],
        segments: [],
        public: true,
        joins: joined
          .filter(([from]) => from === index)
          .map(([, to]) => ({ cube: names[to]!, relationship: 'one_to_one', sql: [] }) as const),
      }));
      const numbers = toMeta({ cubes }).cubes.map(({ connectedComponent }) => connectedComponent);
      // Warshall's closure of the joins, in both directions.
      const hang = names.map((_, a) =>
        names.map((_each, b) => joined.some(([from, to]) => (from === a && to === b) || (from === b && to === a))),
      );
      for (const via of names.keys())
        for (const a of names.keys())
          for (const b of names.keys()) if (hang[a]![via] && hang[via]![b]) hang[a]![b] = true;
      for (const a of names.keys()) {
        expect(numbers[a] === undefined).toBe(!hang[a]!.includes(true));
        for (const b of names.keys())
          if (a !== b) expect(numbers[a] !== undefined && numbers[a] === numbers[b]).toBe(hang[a]![b]);
      }
    }),
  );
});
