import { describe, expect, it } from 'vitest';
import type { Asked, AskOptions } from '../../src/use/index.ts';
import { filled } from '../../src/shape/result/marks.ts';
import { contractEvents, contractNow, hostilePath } from './contract-events.ts';
import { fillQuestions } from './contract-fill.ts';
import { agent, count, path, per, time, users, where } from './contract-words.ts';
import { type OpenContract, openedOnce } from './contract.ts';
import { expectTable, tableOf } from './tables.ts';

export interface LocalAbilities {
  /** The files can represent an empty text. */
  readonly tellsEmptyText: boolean;
  /** Repeated event IDs are counted, and a note says so. */
  readonly tellsRepeats: boolean;
}

/** What engines with local events can do beyond a remote answer. */
export function describeLocalContract(
  name: string,
  open: OpenContract,
  { tellsEmptyText, tellsRepeats }: LocalAbilities,
): void {
  describe(`${name} knows the whole answer`, () => {
    const sluice = openedOnce(open);
    const repeats = tellsRepeats ? [expect.stringMatching(/^1 event repeats the ID of another one/) as string] : [];
    const apart = contractEvents.filter((event) => !event.sessionId && !event.userId && !event.userAnonymousId).length;
    const sessionless = `Of all events, whatever their time, ${apart} have neither a session ID nor a user, and are in no session.`;
    const ask = (asked: Asked, options?: AskOptions) => sluice().query(asked, { asOf: contractNow, ...options });

    describe('and fills what is missing', () => {
      it.each(Object.entries(fillQuestions))('%s', async (_, { query, options, rows, total, note, truncated }) => {
        const result = await ask(query, options);
        expectTable(
          tableOf(result),
          rows.map((row) => row.slice(0, -1)),
        );
        for (const { key, kind } of result.columns) {
          if (kind === 'time' || kind === 'measure')
            expect(
              rows.map((_, row) => result.marks.of(key, row)),
              key,
            ).toEqual(rows.map((row) => row.at(-1)));
        }
        const { provenance } = result;
        expect(provenance).toMatchObject({
          rows: rows.length,
          truncated: truncated === undefined ? null : { limit: truncated },
          filledCells:
            rows.filter((row) => ((row.at(-1) as number) & filled) !== 0).length * (query.measures?.length ?? 0),
          notes: [
            ...(query.measures?.some((measure) => measure.startsWith('Sessions.')) ? [sessionless] : []),
            ...(note ? [expect.stringMatching(note)] : []),
          ],
        });
        expect(provenance.repeated ?? []).toEqual(repeats);
        expect(provenance.total).toBe(total);
      });

      it('in buckets of several minutes and hours, from midnight and from a change of the clock', async () => {
        const day = '2024-10-27 in Europe/Berlin';
        const hours = await ask(`count by 6 hours ${day}`, { fill: 'all' });
        expect(tableOf(hours)).toEqual([
          ['2024-10-27T00:00:00.000+02:00', 3],
          ['2024-10-27T02:00:00.000+01:00', 2],
          ['2024-10-27T06:00:00.000+01:00', 0],
          ['2024-10-27T12:00:00.000+01:00', 0],
          ['2024-10-27T18:00:00.000+01:00', 1],
        ]);
        const minutes = tableOf(await ask(`count, uniqueUsersCount by 15 minutes ${day}`, { fill: 'none' }));
        expect(minutes.map(([label, events]) => [String(label).slice(11, 16), events])).toEqual([
          ['01:45', 1],
          ['02:15', 1],
          ['02:30', 1],
          ['02:00', 1],
          ['02:30', 1],
          ['23:45', 1],
        ]);
      });

      it('and figures of hours are those of the clock in the zone', async () => {
        const day = '2024-10-27 in Europe/Berlin';
        const line = `max(hourOfDay), min(hourOfDay), distinct(hourOfDay), max(weekday) ${day}`;
        expect(tableOf(await ask(line))).toEqual([[23, 1, 3, 7]]);
        expect(tableOf(await ask(`max(hourOfDay) by 12 hours ${day}`)).map(([, latest]) => latest)).toEqual([2, 2, 23]);
      });

      it.each([
        [where(path, 'matches', '^/DOCS'), where(path, 'startsWith', '/docs')],
        [where(path, 'matches', 'install$', '^/docs$'), where(path, 'endsWith', 'Install', 'docs')],
        [where(path, 'notMatches', '^/'), where(path, 'notStartsWith', '/')],
        [where(agent, 'matches', '^(safari|chrome)$', null), where(agent, 'in', 'Safari', 'Chrome', null)],
        [where(agent, 'notMatches', 'o', null), where(agent, 'notContains', 'o', null)],
        [where('TrackedEvents.pageTitle', 'matches', '\\\\'), where('TrackedEvents.pageTitle', 'contains', '\\')],
        [where('TrackedEvents.hourOfDay', 'matches', '^2[0-9]$'), where('TrackedEvents.hourOfDay', 'gte', 20)],
      ])('regular expressions select the rows of other operators: %j', async (pattern, plain) => {
        const query = { measures: [count], dimensions: [path] };
        const expected = tableOf(await ask({ ...query, filters: [plain] }));
        expect(expected.length).toBeGreaterThan(0);
        expect(tableOf(await ask({ ...query, filters: [pattern] }))).toEqual(expected);
      });

      it('which changes no total', async () => {
        const query = per('day', ['2024-10-01', '2024-11-30']);
        const added = async (fill: 'auto' | 'none') =>
          (await ask(query, { fill })).rows().reduce((sum, row) => sum + Number(row[count]), 0);
        expect(await added('auto')).toBe(24);
        expect(await added('none')).toBe(24);
      });
    });

    describe('and where it comes from', () => {
      it('range, zone, present and backend', async () => {
        const { provenance } = await ask(per('day', ['2024-10-27', '2024-10-28'], 'europe/berlin'));
        expect(provenance).toMatchObject({
          range: { start: '2024-10-26T22:00:00.000Z', end: '2024-10-28T23:00:00.000Z' },
          zone: 'Europe/Berlin',
          asOf: '2024-11-06T12:00:00.000Z',
          truncated: null,
          rejected: { count: 0, examples: [] },
          notes: [],
        });
        expect(provenance.repeated ?? []).toEqual(repeats);
        expect((await ask('count')).provenance.range).toBeNull();
      });

      it('says what could not be counted', async () => {
        expect((await ask({ measures: [users] })).provenance.uncounted).toEqual([
          { what: 'events without a user', rows: 3 },
        ]);
        expect((await ask({ measures: [users], dimensions: [path] })).provenance.uncounted).toEqual([
          { what: 'events without a user', rows: 3 },
        ]);
        expect((await ask('Sessions.uniqueUsersCount')).provenance.uncounted).toEqual([
          { what: 'sessions without a user', rows: 1 },
          { what: 'sessions have events of several users, and each counts only for the first of them', rows: 0 },
        ]);
        const inOctober = 'by day from 2024-10-25 to 2024-10-31';
        for (const line of [
          `uniqueUsersCount rolling 7 days ${inOctober}`,
          `count rolling 7 days, uniqueUsersCount cumulative ${inOctober}`,
          `count avg per user ${inOctober}`,
          'count max per user by docPath',
          'count p90 per user by docPath',
        ])
          expect((await ask(line)).provenance.uncounted, line).toEqual([
            { what: 'events without a user', rows: line.endsWith(inOctober) ? 2 : 3 },
          ]);
        expect((await ask({ measures: [users], filters: [where(path, 'equals', '/')] })).provenance.uncounted).toEqual([
          { what: 'events without a user', rows: 0 },
        ]);
        expect((await ask('count')).provenance.uncounted).toEqual([]);
      });

      it('says that rows follow the limit, and that none do', async () => {
        const truncated = async (limit: number, total = false, offset = 0) =>
          (await ask({ measures: [count], dimensions: [path], limit, offset, total })).provenance.truncated;
        expect(await truncated(3)).toEqual({ limit: 3 });
        expect(await truncated(8)).toEqual({ limit: 8 });
        expect(await truncated(9)).toBeNull();
        expect(await truncated(9, true)).toBeNull();
        expect(await truncated(8, true)).toEqual({ limit: 8 });
        expect(await truncated(3, true, 6)).toBeNull();
        expect(await truncated(10)).toBeNull();
      });

      it('takes any limit', async () => {
        expect((await ask({ measures: [count], dimensions: [path], limit: 1_000_000 })).rowCount).toBe(9);
      });

      it('says what of the question has no effect', async () => {
        const { provenance } = await ask({
          measures: [count],
          order: { [path]: 'asc' },
          timeDimensions: [{ dimension: time }],
        });
        expect(provenance.notes).toHaveLength(2);
        for (const member of [path, time]) expect(provenance.notes).toContainEqual(expect.stringContaining(member));
      });
    });

    it('gives pages that put together are the whole', async () => {
      for (const order of [undefined, [[users, 'asc']], []] as const) {
        const query = { measures: [count, users], dimensions: [agent, path], ...(order && { order }) };
        const whole = tableOf(await ask(query));
        const pages = [];
        for (let offset = 0; offset < whole.length; offset += 4)
          pages.push(...tableOf(await ask({ ...query, limit: 4, offset })));
        expect(pages).toEqual(whole);
        expect(whole.length).toBeGreaterThan(8);
      }
    });

    it('gives rows as they are, where nothing is grouped: 1 for what counts', async () => {
      const query = {
        measures: [count, 'TrackedEvents.linkClicksCount', users],
        dimensions: [path],
        filters: [where(time, 'inDateRange', '2024-10-28', '2024-11-01')],
        ungrouped: true,
        total: true,
      };
      const result = await ask(query);
      expect(tableOf(result)).toEqual(
        [
          ['/', 1, null, 1],
          ['/Docs', 1, null, 1],
          [hostilePath, 1, null, null],
          [hostilePath, 1, null, null],
        ].toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
      );
      expect(result.provenance.total).toBe(4);
    });

    it.runIf(tellsEmptyText)('tells empty text from none', async () => {
      const title = 'TrackedEvents.pageTitle';
      const query = { measures: [count], dimensions: [title], filters: [where(path, 'equals', '/a')] };
      expect(tableOf(await ask(query))).toEqual([
        ['', 1],
        [null, 1],
      ]);
      expect(tableOf(await ask({ ...query, filters: [...query.filters, where(title, 'equals', '')] }))).toEqual([
        ['', 1],
      ]);
      expect(tableOf(await ask({ ...query, filters: [...query.filters, where(title, 'set')] }))).toEqual([['', 1]]);
    });
  });
}
