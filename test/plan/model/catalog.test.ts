import { expect, it } from 'vitest';
import type { MemberCatalog } from '../../../src/ask/query/member-catalog.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';

const catalog = toCatalog(builtInModel);
// Lines and flags can use the model's catalog directly.
catalog satisfies MemberCatalog;

it('finds members by full name, hidden ones too, and nothing else', () => {
  expect(catalog.find('TrackedEvents.count')).toMatchObject({
    kind: 'measure',
    cube: { name: 'TrackedEvents' },
    member: { name: 'count' },
  });
  expect(catalog.find('Jitsu.docPath')?.kind).toBe('dimension');
  expect(catalog.find('count')).toBeUndefined();
  expect(catalog.find('TrackedEvents.constructor')).toBeUndefined();
  expect(catalog.find('trackedevents.count')).toBeUndefined();
});

it.each([
  ['TrackedEvents.cuont', 'TrackedEvents.count'],
  ['trackedevents.count', 'TrackedEvents.count'],
  ['TrackedEvent.docPath', 'TrackedEvents.docPath'],
  ['pageViewCount', 'TrackedEvents.pageViewsCount'],
  ['Sessions.avrgeDurationMinutes', 'Sessions.averageDurationMinutes'],
  ['Nothing.likeIt', undefined],
])('suggests for %s: %s', (name, suggestion) => {
  expect(catalog.suggest(name)).toBe(suggestion);
});

it('suggests a member of the wanted kind first', () => {
  expect(catalog.suggest('Sessions.userCount', 'measure')).toBe('Sessions.usersCount');
  expect(catalog.suggest('Sessions.userIdd', 'dimension')).toBe('Sessions.userId');
});

it('lists names by kind', () => {
  expect(catalog.names('segment')).toEqual([
    'TrackedEvents.knownUsers',
    'TrackedEvents.bots',
    'TrackedEvents.humans',
    'ReturningUsers.returningUsers',
  ]);
  expect(catalog.names('measure')[0]).toBe('TrackedEvents.count');
});
