import { describe, expect, it } from 'vitest';
import { bind } from '../../../src/plan/bind/bind.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { otherSpellings } from '../../../src/plan/model/event-fields.ts';
import type { Model } from '../../../src/plan/model/model.ts';
import { readMeta } from '../../../src/plan/model/read-meta.ts';
import { toMeta } from '../../../src/plan/model/write-meta.ts';
import { context, planOf } from '../ask.ts';

const read = (meta: unknown): Model => {
  const outcome = readMeta(JSON.parse(JSON.stringify(meta)));
  if (!outcome.ok) throw new Error(outcome.issues[0]?.message);
  return outcome.value;
};
const platform = {
  cubes: [
    {
      name: 'Sessions',
      type: 'cube',
      title: 'Sessions',
      isVisible: true,
      public: true,
      extra: { a: 1 },
      measures: [
        {
          name: 'Sessions.count',
          title: 'Sessions Count',
          shortTitle: 'Count',
          cumulativeTotal: false,
          cumulative: false,
          type: 'number',
          aggType: 'count',
          drillMembers: [],
          isVisible: true,
          public: true,
        },
        { name: 'Sessions.usersCount', type: 'number', aggType: 'countDistinct' },
        { name: 'Sessions.running', type: 'number', aggType: 'sum', cumulative: true },
        { name: 'Sessions.averagePerUser', type: 'number', aggType: 'number', format: { type: 'custom' } },
        { name: 'Sessions.last', type: 'time', aggType: 'max' },
        { name: 'Sessions.new', type: 'number', aggType: 'someday' },
      ],
      dimensions: [
        { name: 'Sessions.sessionID', type: 'string', isVisible: false, public: false, primaryKey: true },
        { name: 'Sessions.startAt', type: 'time', public: null, isVisible: null },
        { name: 'Sessions.endAt', type: 'time' },
        { name: 'Sessions.place', type: 'geo' },
      ],
      segments: [{ name: 'Sessions.known' }],
      hierarchies: [],
    },
    {
      name: 'checkout',
      measures: [{ name: 'checkout.count', aggType: 'count' }],
      dimensions: [
        { name: 'checkout.step', type: 'string' },
        { name: 'checkout.date', type: 'time' },
      ],
    },
  ],
};

describe('the model that a server tells', () => {
  it('has the kinds of what can be asked', () => {
    const model = read(platform);
    const [sessions, checkout] = model.cubes;
    expect(Object.fromEntries(sessions!.measures.map(({ name, type }) => [name, type]))).toEqual({
      count: 'count',
      usersCount: 'count_distinct',
      running: 'sum',
      averagePerUser: 'number',
      last: 'time',
      new: 'number',
    });
    expect(Object.fromEntries(sessions!.dimensions.map(({ name, type }) => [name, type]))).toEqual({
      sessionID: 'string',
      startAt: 'time',
      endAt: 'time',
      place: 'string',
    });
    expect([sessions!.timeMember, checkout!.timeMember]).toEqual(['startAt', 'date']);
    expect(checkout).toMatchObject({
      title: 'Checkout',
      public: true,
      measures: [{ title: 'Count', shortTitle: 'Count' }],
    });
  });

  it('adds up only what can be added up', () => {
    const { columns } = planOf(
      { measures: ['count', 'usersCount', 'averagePerUser', 'new'].map((name) => `Sessions.${name}`) },
      read(platform),
      { limits: 'remote' },
    );
    expect(columns.map(({ additive, whenAbsent }) => [additive, whenAbsent])).toEqual([
      [true, 0],
      [false, 0],
      [false, null],
      [false, null],
    ]);
    const window = planOf(
      {
        measures: ['Sessions.running'],
        timeDimensions: [{ dimension: 'Sessions.startAt', granularity: 'day', dateRange: 'last 7 days' }],
      },
      read(platform),
    );
    expect(window.columns.at(-1)).toMatchObject({ additive: false, whenAbsent: null });
  });

  it('takes flags that are null for false, and those that are missing for true', () => {
    const listed = Object.fromEntries(
      read(platform).cubes[0]!.dimensions.map((dimension) => [dimension.name, dimension.public]),
    );
    expect(listed).toEqual({ sessionID: false, startAt: false, endAt: true, place: true });
  });

  it('is what this model tells of itself', () => {
    const told = toMeta(builtInModel);
    expect(toMeta(read(told))).toEqual(told);
    for (const { name, timeMember } of read(told).cubes)
      expect(timeMember, name).toBe(builtInModel.cubes.find((cube) => cube.name === name)?.timeMember);
  });

  it('joins what hangs together', () => {
    const cube = (name: string, connectedComponent?: number) => ({
      name,
      connectedComponent,
      measures: [{ name: `${name}.count`, aggType: 'count' }],
      dimensions: [{ name: `${name}.plan`, type: 'string' }],
    });
    const model = read({ cubes: [cube('Orders', 1), cube('Users', 1), cube('Logs', 2), cube('Lone')] });
    expect(planOf({ measures: ['Orders.count'], dimensions: ['Users.plan'] }, model).columns).toHaveLength(2);
    expect(bind({ measures: ['Orders.count'], dimensions: ['Logs.plan'] }, model, context).issues).toMatchObject([
      { code: 'no-join' },
    ]);
  });

  it('is refused where it is none', () => {
    for (const value of [null, [], {}, { cubes: [{}] }, { cubes: [{ name: 'A', measures: [{ name: 'count' }] }] }])
      expect(readMeta(value)).toMatchObject({ ok: false, issues: [{ code: 'not-a-model' }] });
  });
});

describe('a member of the other vocabulary', () => {
  const model = (name: string): Model =>
    read({
      cubes: [
        {
          name: 'TrackedEvents',
          measures: [{ name: 'TrackedEvents.count', aggType: 'count' }],
          dimensions: [{ name, type: name.endsWith('Tstamp') || name.endsWith('Time') ? 'time' : 'string' }],
        },
      ],
    });
  const hint = (asked: string, known: string) =>
    bind({ dimensions: [`TrackedEvents.${asked}`] }, model(`TrackedEvents.${known}`), context).issues[0]?.hint;

  it.each([
    ['utcTime', 'derivedTstamp'],
    ['derivedTstamp', 'utcTime'],
    ['docPath', 'pageUrlpath'],
    ['eventType', 'eventName'],
    ['userLanguage', 'browserLanguage'],
    ['pageReferrer', 'referer'],
  ])('%s is offered as %s', (asked, known) =>
    expect(hint(asked, known)).toBe(`Did you mean "TrackedEvents.${known}"?`),
  );

  it('is looked for in the cubes of older versions, too', () => {
    expect(otherSpellings('Jitsu.utcTime')).toEqual(
      expect.arrayContaining(['Jitsu.derivedTstamp', 'TrackedEvents.utcTime', 'SnowplowTrackedEvents.derivedTstamp']),
    );
    expect(otherSpellings('Other.thing')).toEqual([]);
  });
});
