import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { open } from '../../src/use/index.ts';
import { openScriptedServer } from '../run/http/scripted-server.ts';
import { answered, token } from '../run/load/remote.ts';
import { over, typeOf } from './over-events.ts';
import { folderOf } from './run-in-folder.ts';
import { dateIn, hourMs, plusDays, type Seen, usersOf } from './analysis/trends-oracle.ts';
import { runs } from '../runs.ts';

const count = 'TrackedEvents.count';
const users = 'TrackedEvents.uniqueUsersCount';
const docPath = 'TrackedEvents.docPath';
const eventType = 'TrackedEvents.eventType';
const day = 'TrackedEvents.utcTime.day';

const worlds = fc.record({
  limit: fc.integer({ min: 1, max: 4 }),
  byType: fc.boolean(),
  byDay: fc.boolean(),
  compares: fc.boolean(),
  events: fc.array(
    fc.record({
      at: fc
        .integer({ min: -6 * 24, max: 4 * 24 - 1 })
        .map((hours) => Date.parse('2024-03-30T00:00Z') + hours * hourMs),
      user: fc.constantFrom('a', 'b', 'c'),
      path: fc.constantFrom('', '/x', '/y', '/z', 'Other'),
    }),
    { maxLength: 40 },
  ),
});

const last = (value: string) => (value === '' ? '\uffff' : value);

describe('a row for all other groups', () => {
  it('counts their rows, in every bucket and range', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async ({ limit, byType, byDay, compares, events }) => {
        const toDate = dateIn('Europe/Berlin');
        const range = ['2024-03-30', '2024-04-01'] as const;
        const typed = events.map((event, index) => ({ ...event, type: typeOf(index) }));
        const within = (from: string, to: string) => typed.filter(({ at }) => toDate(at) >= from && toDate(at) <= to);
        const groupOf = (event: (typeof typed)[number]) =>
          JSON.stringify([event.path, ...(byType ? [event.type] : [])]);
        const here = within(...range);
        const ranked = [...Map.groupBy(here, groupOf)]
          .map(([group, own]) => ({ group, parts: JSON.parse(group) as string[], size: own.length }))
          .sort(
            (a, b) =>
              b.size - a.size ||
              (last(a.parts[0]!) < last(b.parts[0]!)
                ? -1
                : last(a.parts[0]!) > last(b.parts[0]!)
                  ? 1
                  : a.parts[1]! < b.parts[1]!
                    ? -1
                    : 1),
          );
        const first = ranked.slice(0, limit).map(({ group }) => group);
        const before = within('2024-03-27', '2024-03-29');
        const isOther = (event: (typeof typed)[number]) => !first.includes(groupOf(event));
        const hasOthers = ranked.length > limit || (compares && before.some(isOther));
        const figures = (own: readonly Seen[]) => [own.length, usersOf(own)];
        const days = byDay ? [0, 1, 2].map((offset) => plusDays(range[0], offset)) : [undefined];
        const expected = days.flatMap((date) =>
          [...first, ...(hasOthers ? ['others'] : [])].map((group) => {
            const of = (all: readonly (typeof typed)[number][], on: string | undefined) =>
              all.filter(
                (event) =>
                  (group === 'others' ? isOther(event) : groupOf(event) === group) &&
                  (on === undefined || toDate(event.at) === on),
              );
            return JSON.stringify([
              group,
              date,
              figures(of(here, date)),
              ...(compares ? [figures(of(before, date === undefined ? undefined : plusDays(date, -3)))] : []),
            ]);
          }),
        );
        await using sluice = await over(typed);
        const measures = 'count, users';
        const by = ['docPath', ...(byType ? ['eventType'] : []), ...(byDay ? ['day'] : [])].join(', ');
        const line = `${measures} by ${by} from ${range[0]} to ${range[1]} ${compares ? 'compare with previous' : ''} top ${limit} with other in Europe/Berlin`;
        const result = await sluice.query(line, { ranges: 'beside' });
        const rows = result.rows().map((row, index) => {
          const marked = result.marks.of(docPath, index) === 16;
          if (marked)
            expect(row[docPath]).toBe(first.some((group) => group.startsWith('["Other"')) ? '(Other)' : 'Other');
          return JSON.stringify([
            marked ? 'others' : JSON.stringify([row[docPath] ?? '', ...(byType ? [row[eventType]] : [])]),
            byDay ? String(row[day]).slice(0, 10) : undefined,
            [row[count], row[users]],
            ...(compares ? [[row[`${count}.previous`], row[`${users}.previous`]]] : []),
          ]);
        });
        expect(rows).toEqual(expected);
      }),
      { numRuns: runs(30) },
    );
  });

  it('has its own moving averages and running sums, and groups are ranked by the measure over the range', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            at: fc.integer({ min: -3, max: 5 }).map((days) => Date.parse('2024-03-04T10:00Z') + days * 24 * hourMs),
            user: fc.constantFrom('a', 'b', 'c'),
            path: fc.constantFrom('/v', '/w', '/x', '/y'),
          }),
          { maxLength: 40 },
        ),
        fc.integer({ min: 1, max: 3 }),
        async (events, limit) => {
          const days = [0, 1, 2, 3].map((offset) => plusDays('2024-03-04', offset));
          const toDate = dateIn('UTC');
          const here = events.filter(({ at }) => days.includes(toDate(at)));
          const ranked = [...Map.groupBy(here, ({ path }) => path)]
            .sort(([one, own], [other, others]) => others.length - own.length || (one < other ? -1 : 1))
            .map(([path]) => path);
          const first = ranked.slice(0, limit);
          const groups = [...first, ...(ranked.length > limit ? ['others'] : [])];
          const of = (group: string, dates: readonly string[]) =>
            events.filter(
              ({ at, path }) =>
                dates.includes(toDate(at)) && (group === 'others' ? !first.includes(path) : path === group),
            ).length;
          const expected = days.flatMap((date, index) =>
            groups.map((group) => [
              group,
              date,
              of(group, [date, plusDays(date, -1)]) / 2,
              of(group, days.slice(0, index + 1)),
            ]),
          );
          await using sluice = await over(events);
          const result = await sluice.query(
            `count moving average 2 as mean, count cumulative as sum by docPath, day 2024-03-04..2024-03-07 top ${limit} with other`,
          );
          const rows = result.rows().map((row, index) => {
            const group = result.marks.of(docPath, index) === 16 ? 'others' : row[docPath];
            return [group, String(row[day]).slice(0, 10), row['TrackedEvents.mean'], row['TrackedEvents.sum']];
          });
          expect(rows).toEqual(expected);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('has its own formulas and shares', async () => {
    const events = Array.from({ length: 30 }, (_, index) => ({
      at: Date.parse('2024-03-04T10:00Z') + index * hourMs,
      user: `u${index % 4}`,
      path: `/${index % 5}`,
    }));
    await using sluice = await over(events);
    const line = 'count, count / users as each, count share as part by docPath 2024-03 top 2 with other';
    const rows = (await sluice.query(line)).rows();
    expect(rows.map((row) => [row[docPath], row[count], row['TrackedEvents.each'], row['TrackedEvents.part']])).toEqual(
      [
        ['/0', 6, 6 / 4, 20],
        ['/1', 6, 6 / 4, 20],
        ['Other', 18, 18 / 4, 60],
      ],
    );
  });

  it('queries a server for all rows except those of the first groups', async () => {
    const asked: unknown[] = [];
    await using server = await openScriptedServer((request) => {
      if (request.path.endsWith('/meta')) {
        return {
          json: {
            cubes: [
              {
                name: 'TrackedEvents',
                measures: [
                  { name: count, aggType: 'count' },
                  { name: users, aggType: 'countDistinct' },
                ],
                dimensions: [
                  { name: docPath, type: 'string' },
                  { name: 'TrackedEvents.utcTime', type: 'time' },
                ],
              },
            ],
          },
        };
      }
      const { query } = JSON.parse(request.body) as { query: { dimensions?: string[] } };
      asked.push(query);
      return answered(
        query.dimensions
          ? [
              { [docPath]: '/a', [count]: '9', [users]: '3' },
              { [docPath]: null, [count]: '5', [users]: '2' },
              { [docPath]: '/c', [count]: '4', [users]: '2' },
            ]
          : [{ [count]: '6', [users]: '4' }],
      );
    });
    const folder = folderOf({ 'sluice.yaml': `backend: platform\nplatform: {url: "${server.url}", project: 42}\n` });
    await using sluice = await open({
      workspace: folder.root,
      env: { SLUICE_TOKEN: token },
      now: () => Date.parse('2024-04-02T00:00Z'),
      onNote: () => undefined,
    });
    const rows = (
      await sluice.query('count, count / uniqueUsersCount as each by docPath 2024-03 top 2 with other')
    ).rows();
    expect(rows).toEqual([
      { [docPath]: '/a', [count]: 9, 'TrackedEvents.each': 3 },
      { [docPath]: null, [count]: 5, 'TrackedEvents.each': 2.5 },
      { [docPath]: 'Other', [count]: 6, 'TrackedEvents.each': 1.5 },
    ]);
    expect(asked).toMatchObject([
      { measures: [count, users], dimensions: [docPath], limit: 3 },
      {
        measures: [count, users],
        filters: [
          {
            and: [
              { member: docPath, operator: 'notEquals', values: ['/a'] },
              { member: docPath, operator: 'set' },
            ],
          },
        ],
      },
    ]);
    expect(asked[1]).not.toHaveProperty('dimensions');
    expect(JSON.stringify(asked)).not.toMatch(/formulas|"other"/);
    await expect(sluice.query('uniqueUsersCount rolling 28 days by day 2024-03')).rejects.toThrow(
      /which the server does not support/,
    );
  });

  it.each([
    ['count by docPath with other', /needs a limit/],
    ['count top 3 with other', /needs a measure and a dimension/],
    ['count by docPath top 3 with other where count > 2', /would leave out groups/],
    ['count by docPath top 3 offset 2 with other', /combined with an offset/],
  ])('%s is refused', async (line, message) => {
    await using sluice = await over([]);
    await expect(sluice.query(line)).rejects.toThrow(message);
  });
});

describe('the note on events without a user', () => {
  const path = (name: string, events: number, nobodies: number) =>
    Array.from({ length: events }, (_, index) =>
      JSON.stringify({
        utcTime: '2024-03-01T10:00:00Z',
        userAnonymousId: index < nobodies ? null : `${name}${index}`,
        docPath: `/${name}`,
        tags: ['x', 'y'],
      }),
    );
  const files = {
    'e.ndjson': ['a', 'b', 'c', 'd'].flatMap((name, index) => path(name, 9 - index, index + 1)).join('\n'),
  };

  it.each([1, 2, 3, 9])('counts each once beside the first %i groups and others', async (limit) => {
    const line = `users by docPath order by docPath limit ${limit} with other`;
    const { stderr } = await folderOf(files).sluice(['query', line, '--events', 'e.ndjson', '-f', 'csv']);
    expect(stderr).toContain('10 events without a user are not counted.');
  });

  it('counts each once beside the values of a list', async () => {
    const line = 'users, distinct(tags[])';
    const { stderr } = await folderOf(files).sluice(['query', line, '--events', 'e.ndjson', '-f', 'csv']);
    expect(stderr).toContain('10 events without a user are not counted.');
  });
});
