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
    name: 'Sessions.count', title: 'Sessions Count', shortTitle: 'Count', description: 'Number of sessions.',
    cumulativeTotal: false, cumulative: false, type: 'number', aggType: 'count',
    drillMembers: [], drillMembersGrouped: { measures: [], dimensions: [] }, isVisible: true, public: true,
  });
  expect(cube('TrackedEvents')?.measures[0]?.drillMembersGrouped).toEqual({ measures: [], dimensions: ['TrackedEvents.eventId', 'TrackedEvents.pageTitle'] });
});

it('describes dimensions and segments as the platform does', () => {
  expect(cube('Sessions')?.dimensions.find(({ name }) => name === 'Sessions.sessionID')).toMatchObject({
    title: 'Sessions Session Id', shortTitle: 'Session Id', type: 'string', suggestFilterValues: true, isVisible: false, public: false, primaryKey: true,
  });
  expect(cube('TrackedEvents')?.segments[0]).toMatchObject({
    name: 'TrackedEvents.knownUsers', title: 'Tracked Events Known Users', shortTitle: 'Known Users', isVisible: true, public: true,
  });
});

it('writes the same as JSON', () => {
  expect(JSON.parse(writeMeta(builtInModel))).toEqual(JSON.parse(JSON.stringify(meta)));
});
