import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { open, type RowValue } from '../../../src/use/index.ts';
import { runs } from '../../runs.ts';
import { remoteNames, remoteOptions, serve } from '../../contract/served.ts';
import { folderOf } from '../run-in-folder.ts';

const event = fc.record({
  at: fc.integer({ min: 0, max: 9 * 24 }).map((hours) => Date.UTC(2024, 2, 1) + hours * 3_600_000),
  user: fc.constantFrom('a', 'b', 'c', 'd'),
  type: fc.constantFrom('pageview', 'signup', 'it’s (odd) and / or'),
  plan: fc.constantFrom('', 'free', 'pro'),
  amount: fc.constantFrom('', '0.1', '2.25', '7'),
});

interface Event {
  readonly at: number;
  readonly user: string;
  readonly type: string;
  readonly plan: string;
  readonly amount: string;
}

const openOver = (events: readonly Event[], files: Readonly<Record<string, string>> = {}) =>
  open({
    workspace: folderOf({
      'events.csv': [
        'utcTime,userAnonymousId,eventType,plan,amount',
        '2024-03-01T00:00:00.000,a,pageview,free,1.5',
        ...events.map(({ at, user, type, plan, amount }) =>
          [new Date(at).toISOString().slice(0, -1), user, type, plan, amount].join(','),
        ),
      ].join('\n'),
      ...files,
    }).root,
    events: 'events.csv',
    env: {},
    now: () => Date.parse('2024-04-01T00:00Z'),
    onNote: () => undefined,
  });

/** Each measure with its value in a group of which no row meets the conditions. */
const measures = [
  ['count', 0],
  ['uniqueUsersCount', 0],
  ['sum(amount)', 0],
  ['avg(amount)', null],
  ['count / uniqueUsersCount', null],
  ['count rolling 3 days', 0],
  ['count cumulative', 0],
  ['count moving average 2', 0],
  ['count avg per user', null],
] as const;

const conditions = [
  'plan = pro',
  "eventType in (signup, 'it’s (odd) and / or')",
  'plan is not set or amount >= 2.25',
  '(plan = free or eventType = signup) and userAnonymousId != a',
  'utcTime on 2024-03-02',
  'plan = nobody',
  'weekday in (friday, saturday) and not (plan = pro)',
];

describe('a figure with its own conditions', () => {
  it('is what a question with these conditions answers for the same group', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 40 }),
        fc.constantFrom(...measures),
        fc.constantFrom(...conditions),
        fc.constantFrom('', ' by plan', ' by day', ' by day, plan', ' by eventType, week'),
        fc.constantFrom('', ' where eventType != signup', ' where userAnonymousId in (a, b) and plan is set'),
        async (events, [measure, absent], condition, by, where) => {
          const range = ' from 2024-03-01 to 2024-03-09';
          fc.pre(!/rolling|cumulative|average/.test(measure) || / day|week/.test(by));
          await using sluice = await openOver(events);
          const ask = async (line: string) =>
            (await sluice.query(line)).rows() as readonly Readonly<Record<string, RowValue>>[];
          const all = await ask(`count, (${measure} where ${condition}) as figure${by}${range}${where}`);
          const narrowed = where === '' ? ` where ${condition}` : `${where} and (${condition})`;
          const own = await ask(`${measure} as figure${by}${range}${narrowed}`);
          const groupOf = (row: object) =>
            JSON.stringify(Object.entries(row).filter(([key]) => !/count$|figure$/.test(key)));
          const figures = new Map(own.map((row) => [groupOf(row), row['TrackedEvents.figure']]));
          const groups = await ask(`count${by}${range}${where}`);
          expect(all.map(groupOf).sort()).toEqual(groups.map(groupOf).sort());
          for (const row of all) {
            const expected = figures.get(groupOf(row));
            expect(row['TrackedEvents.figure'], groupOf(row)).toEqual(expected === undefined ? absent : expected);
          }
        },
      ),
      { numRuns: runs(240) },
    );
  });

  const some: readonly Event[] = [
    { at: Date.UTC(2024, 2, 2), user: 'a', type: 'signup', plan: 'pro', amount: '2.25' },
    { at: Date.UTC(2024, 2, 3), user: 'b', type: 'pageview', plan: 'pro', amount: 'ten' },
    { at: Date.UTC(2024, 2, 3), user: 'c', type: 'pageview', plan: 'free', amount: 'six' },
    { at: Date.UTC(2024, 2, 4), user: 'c', type: 'pageview', plan: 'free', amount: '7' },
  ];

  it('stands beside others, in formulas, orders, limits, comparisons and the group of all others', async () => {
    await using sluice = await openOver(some);
    const ask = async (line: string) => (await sluice.query(line)).rows().map((row) => Object.values(row));
    expect(await ask('(count where eventType = signup) / (count where eventType = pageview) as rate')).toEqual([
      [0.25],
    ]);
    expect(await ask('(count where plan = pro) - (count where plan = free) as more by eventType')).toEqual([
      ['signup', 1],
      ['pageview', -2],
    ]);
    expect(await ask('(users where plan = pro) by userAnonymousId bottom 1')).toEqual([['c', 0]]);
    expect(await ask('(count where eventType = pageview) as views by plan top 1 with other')).toEqual([
      ['free', 3],
      ['Other', 1],
    ]);
    expect(await ask('top 1 plan by (count where eventType = signup)')).toEqual([['pro', 1]]);
    expect(await ask('(count where plan = pro) as own by day where own > 0 from 2024-03-01 to 2024-03-04')).toEqual([
      ['2024-03-02T00:00:00.000', 1],
      ['2024-03-03T00:00:00.000', 1],
    ]);
    const compared = await ask('(count where plan = free) as own compare 2024-03-04 with 2024-03-03');
    expect(compared.map((row) => row.at(-1))).toEqual([1, 1]);
  });

  it('is named by its conditions', async () => {
    await using sluice = await openOver(some);
    const result = await sluice.query("(sum(amount) where plan = pro) / users, (users where plan in (free, 'x y'))");
    expect(result.columns.map(({ label }) => label)).toEqual([
      'Sum of amount (plan = pro) / unique users',
      "Unique users (plan in (free, 'x y'))",
    ]);
  });

  it('notes what it could not count, and values that no event has', async () => {
    await using sluice = await openOver(some);
    const { provenance } = await sluice.query('count, (sum(amount) where plan = pro) as own, (users where plan = nix)');
    expect(provenance.uncounted.filter((each) => each.rows > 0)).toEqual([
      { what: 'events whose props.amount is not a number (plan = pro)', rows: 1 },
    ]);
    expect(provenance.lacking).toEqual(['props.plan has no value "nix". Values are "free", "pro".']);
  });

  it.each(remoteNames)('is asked of a %s server in questions of its own', async (name) => {
    const folder = folderOf({
      'events.csv': [
        'utcTime,userAnonymousId,eventType,docPath,projectId',
        ...some.map(({ at, user, type, plan }) =>
          [new Date(at).toISOString().slice(0, -1), user, type, plan, 42].join(','),
        ),
      ].join('\n'),
    });
    const now = () => Date.parse('2024-04-01T00:00Z');
    await using served = await serve({ workspace: folder.root, events: 'events.csv', env: {}, now });
    await using remote = await open({ ...remoteOptions(name, served.url), workspace: folder.root, now });
    const line =
      'count, (users where eventType = pageview) / users as part, (count cumulative where docPath = free) as soFar by day, docPath from 2024-03-02 to 2024-03-05 order by soFar desc';
    const [asked, known] = [await remote.query(line), await served.local.query(line)];
    expect(asked.rows()).toEqual(known.rows());
    expect(known.rows().map((row) => row['TrackedEvents.soFar'])).toContain(2);
  });

  it('has the users who meet its conditions, and formulas those of their parts', async () => {
    await using sluice = await openOver(some);
    const listed = async (line: string) => (await sluice.users(line)).rows().map((row) => Object.values(row));
    expect(await listed('(count where plan = pro) as own by day')).toEqual([
      ['a', 'anonymous', 1],
      ['b', 'anonymous', 1],
    ]);
    expect(await listed('(count where plan = pro) / (count where eventType = signup) as rate')).toEqual([
      ['a', 'anonymous', 1],
      ['b', 'anonymous', null],
    ]);
    expect(await listed('count / users as each where plan = free')).toEqual([
      ['a', 'anonymous', 1],
      ['c', 'anonymous', 2],
    ]);
  });

  it('is read from query files', async () => {
    await using sluice = await openOver(some, {
      'queries/rate.yaml':
        'title: Rate\nquery:\n  formulas:\n    TrackedEvents.rate: "(count where plan = pro)   / (count where eventType = \'a  b\' or plan is set)"\n',
      'queries/line.yaml': 'query: (count where plan = pro) / count as rate\n',
    });
    expect((await sluice.query('rate')).rows()).toEqual([{ 'TrackedEvents.rate': 0.4 }]);
    expect((await sluice.query('line')).rows()).toEqual([{ 'TrackedEvents.rate': 0.4 }]);
  });

  it('has conditions on rows only, which hints explain', async () => {
    await using sluice = await openOver(some);
    await expect(sluice.query('(count where count > 1) by plan')).rejects.toThrow(
      /"TrackedEvents.count" is a measure, and a condition in brackets selects rows/,
    );
    await expect(sluice.query('(count where plan = pro or count > 1) by plan')).rejects.toThrow(
      /"TrackedEvents.count" is a measure, and a condition in brackets selects rows/,
    );
    await expect(sluice.query('(count where nothing = 1) by plan')).rejects.toThrow(/There is no member "nothing"/);
    await expect(sluice.query('count where plan = pro / count by week')).rejects.toThrow(
      /Put a figure and its own condition in brackets: `\(count where plan = pro\) \/ …`/,
    );
    await expect(sluice.query('signups / page_views by week')).rejects.toThrow(
      /It is an event: write `\(count where eventType = signup\)`/,
    );
    await expect(sluice.query('signups by week')).rejects.toThrow(
      /It is an event: write `count where eventType = signup`/,
    );
  });
});
