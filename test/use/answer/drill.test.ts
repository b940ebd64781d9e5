import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventRow, open, query, type Result, type Sluice } from '../../../src/use/index.ts';

const zone = 'America/New_York';
const now = Date.parse('2024-03-13T15:30:00Z');

/** Around the days on which clocks in New York go forward and back. */
const events: readonly EventRow[] = Array.from({ length: 600 }, (_, index): EventRow => {
  const start = Date.parse(index % 3 === 0 ? '2023-11-04T12:00:00Z' : '2024-03-08T12:00:00Z');
  const paths = ['/', '/docs', 'a "b" 100%_', '', '/prices', '/blog', '/jobs'];
  const docPath = paths[(index * index) % 7];
  return {
    utcTime: new Date(start + ((index * 7919) % 300) * 1_234_567).toISOString().slice(0, -1),
    userAnonymousId: `u${(index * 13) % 17}`,
    eventType: index % 5 === 0 ? 'link_click' : 'pageview',
    ...(index % 7 === 3 ? {} : { docPath }),
  };
});

describe('the query behind a row', () => {
  let s: Sluice;
  beforeAll(async () => {
    s = await open({ events, env: {}, now: () => now, timezone: zone, workspace: '/', onNote: () => undefined });
  });
  afterAll(() => s.close());

  const measures = ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'] as const;
  const figures = (result: Result) => result.rows().map((row) => measures.map((key) => row[key] ?? null));

  // Unique users match only if exactly the events of the row are queried.
  it.each([
    'count uniqueUsersCount by docPath',
    'count uniqueUsersCount by docPath, eventType',
    'count uniqueUsersCount by day, docPath last 6 days',
    'count uniqueUsersCount by hour from 2023-11-04 to 2023-11-06',
    'count uniqueUsersCount by hour from 2024-03-09 to 2024-03-11',
    'count uniqueUsersCount by minute from 2023-11-05T05:00:00Z to 2023-11-05T07:00:00Z',
    'count uniqueUsersCount by week from 2024-03-06 to 2024-03-12',
    'count uniqueUsersCount by month, eventType',
    'count uniqueUsersCount by docPath last 3 days where count > 2',
    'count uniqueUsersCount by docPath top 3',
    'count uniqueUsersCount by day, docPath in Asia/Kolkata',
    'count uniqueUsersCount',
  ])('%s: selects exactly its events', async (line) => {
    const result = await s.query(line, { fill: 'none' });
    expect(result.rowCount).toBeGreaterThan(0);
    for (const [index, row] of result.rows().slice(0, 3).entries()) {
      const alone = await s.drill(result, row, { by: [] });
      expect(await s.drill(result, { ...row }, { by: [] })).toEqual(alone);
      expect(await s.drill(result, index, { by: [] })).toEqual(alone);
      expect(figures(await s.query(alone)), JSON.stringify(alone)).toEqual([figures(result)[index]]);
      // The same at any later time.
      expect(figures(await s.query(alone, { asOf: '2024-05-01' }))).toEqual([figures(result)[index]]);
      const total = (part: Result) => part.rows().reduce((sum, each) => sum + Number(each[measures[0]]), 0);
      for (const options of [{}, { by: ['eventType', 'docPath'] }, { by: ['hour'] }])
        expect(total(await s.query(await s.drill(result, row, options)))).toBe(row[measures[0]]);
    }
  });

  it('distinguishes the two occurrences of a repeated hour by instants', async () => {
    const result = await s.query('count by hour from 2023-11-05 to 2023-11-05', { fill: 'none' });
    const twice = result.rows().filter((row) => String(row['TrackedEvents.utcTime.hour']).includes('T01:00'));
    expect(twice).toHaveLength(2);
    for (const row of twice) {
      const start = Date.parse(String(row['TrackedEvents.utcTime.hour']));
      const inside = events.filter(({ utcTime }) => {
        const at = Date.parse(`${String(utcTime)}Z`);
        return at >= start && at < start + 3_600_000;
      });
      const [only] = (await s.query(await s.drill(result, row, { by: [] }))).rows();
      expect(only?.['TrackedEvents.count']).toBe(inside.length);
    }
  });

  it('drills into the groups of a top N, and not into all others', async () => {
    const result = await s.query('count uniqueUsersCount by docPath top 3 with other');
    expect(result.rowCount).toBe(4);
    for (const [index, row] of result.rows().entries()) {
      if (result.marks.of('TrackedEvents.docPath', index) === 0)
        expect(figures(await s.query(await s.drill(result, row, { by: [] })))).toEqual([figures(result)[index]]);
      else await expect(s.drill(result, row)).rejects.toMatchObject({ issues: [{ code: 'not-drillable' }] });
      // A copy does not identify its row.
      await expect(s.drill(result, { ...row })).rejects.toMatchObject({ issues: [{ code: 'not-drillable' }] });
    }
  });

  it('takes everyday names and columns that no question has named yet', async () => {
    const own = { utcTime: '2024-03-08T10:00:00', eventType: 'pageview', docPath: '/', path: 'north', plan: 'pro' };
    await using sluice = await open({
      events: [own],
      env: {},
      now: () => now,
      workspace: '/',
      onNote: () => undefined,
    });
    const result = await sluice.query('count by eventType');
    for (const [by, member] of [
      ['page', 'docPath'],
      ['path', 'props.path'],
      ['plan', 'props.plan'],
    ] as const)
      expect(await sluice.drill(result, 0, { by: [by] })).toMatchObject({ dimensions: [`TrackedEvents.${member}`] });
  });

  it('accepts rows with dates, and names its members in full', async () => {
    const result = await s.query('count by day last 5 days', { times: 'date', fill: 'none' });
    const [row] = result.rows();
    const drilled = await s.drill(result, row!, { by: ['docPath'] });
    expect(drilled).toMatchObject({
      dimensions: ['TrackedEvents.docPath'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: ['2024-03-08', '2024-03-08'] }],
    });
    await expect(s.drill(result, { ...row! })).rejects.toMatchObject({
      message: 'drill(): TrackedEvents.utcTime.day is a Date.',
      hint: 'Pass a row of `result.rows()`, or its number.',
    });
  });

  it('refuses a row without events behind it, with the reason', async () => {
    const result = await s.query('count by docPath');
    await expect(s.drill(result, 99)).rejects.toThrow('The result has no row 99.');
    await expect(s.drill(result, {} as never)).rejects.toThrow('The row lacks TrackedEvents.docPath.');
    await expect(s.drill(result, 0, { by: ['docPaht'] })).rejects.toThrow('docPath');
    await expect(s.drill({} as never, 0)).rejects.toThrow('Expected a result');
    const compared = await s.query('count by day compare this week with last week');
    await expect(s.drill(compared, 0)).rejects.toMatchObject({ issues: [{ code: 'not-drillable' }] });
  });

  /** Never called; the test is that it compiles. */
  it('is typed', () => {
    const compiles = async () => {
      const typed = await s.query(query().measures('TrackedEvents.count').by('TrackedEvents.docPath'));
      await s.drill(typed, typed.rows()[0]!);
      // @ts-expect-error: a row of another result
      await s.drill(typed, { 'TrackedEvents.referer': '/' });
    };
    expect(compiles).toBeTypeOf('function');
  });
});
