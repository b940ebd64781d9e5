import { describe, expect, it } from 'vitest';
import type { TimeRange } from '../../../src/ask/time/range.ts';
import {
  exportAll,
  openExportWorld,
  rowsOf,
  september,
  type ExportedWindow,
  type ExportWorld,
} from './export-world.ts';
import { someEvents, type Manners, type PlatformEvent } from './scripted-platform.ts';

/** Each row of the table with its count, as text, unordered. */
async function tableOf({ platform }: ExportWorld): Promise<readonly string[]> {
  const rows = await platform.sql(
    `SELECT strftime(instant, '%Y-%m-%dT%H:%M:%S.%g') , visitor, path, type, title, count(*)::VARCHAR FROM events GROUP BY instant, visitor, path, type, title`,
  );
  return rows.map((row) => JSON.stringify(row)).toSorted();
}

const names = ['utcTime', 'userAnonymousId', 'docPath', 'eventType', 'pageTitle', 'count'];

function exportedRows(exported: readonly ExportedWindow[]): readonly string[] {
  return rowsOf(exported)
    .map((row) =>
      JSON.stringify(
        names.map((name) => row[`TrackedEvents.${name}`]).map((value) => (value === null ? null : String(value))),
      ),
    )
    .toSorted();
}

function eventsOf(exported: readonly ExportedWindow[]): number {
  return rowsOf(exported).reduce((sum, row) => sum + Number(row['TrackedEvents.count']), 0);
}

const week: TimeRange = { start: Date.UTC(2026, 8, 1), end: Date.UTC(2026, 8, 8) };
const noon = Date.UTC(2026, 8, 3, 12) * 1_000;

/** This many rows at one instant, in a day with some more. */
function pile(rows: number, at = noon): readonly PlatformEvent[] {
  const others = Array.from({ length: 20 }, (_, index) => ({
    at: at + (index - 10) * 3_600_000_000 + 1_000,
    user: 'someone',
    path: `/${index}`,
  }));
  return [
    ...others,
    ...Array.from({ length: rows }, (_, index) => ({
      at,
      user: `user-${index % 7}`,
      path: `/page/${index}`,
      title: index % 5 === 0 ? null : 'Title',
    })),
  ];
}

describe('an export', () => {
  it('holds every row of the table once, in the order of their times, by requests without offset', async () => {
    await using world = await openExportWorld(someEvents(5_000), {}, { limit: 300 });
    const exported = await exportAll(world, september);
    expect(exportedRows(exported)).toEqual(await tableOf(world));
    const times = rowsOf(exported).map((row) => row['TrackedEvents.utcTime']!);
    expect(times).toEqual(times.toSorted());
    expect(exported.every(({ fetched }) => fetched.settled && fetched.attempts === 1)).toBe(true);
    expect(world.platform.pages.every(({ offset }) => offset === 0)).toBe(true);
    expect(world.platform.pages).toHaveLength(exported.length);
    expect(world.oddities).toEqual([]);
  });

  it('keeps the number of events that are equal in all that is exported', async () => {
    const twins = Array.from({ length: 30 }, (_, index) => ({ at: noon + (index % 3) * 1_000, user: 'a', path: '/' }));
    await using world = await openExportWorld(twins, {}, { limit: 10 });
    const exported = await exportAll(world, week);
    expect(rowsOf(exported)).toHaveLength(3);
    expect(eventsOf(exported)).toBe(30);
    expect(exported.every(({ fetched }) => fetched.settled)).toBe(true);
  });

  it('has rows that are alike, of instants that are finer than a millisecond, as often as there are', async () => {
    const fine = Array.from({ length: 9 }, (_, index) => ({ at: noon + index * 250, user: 'a', path: '/' }));
    await using world = await openExportWorld([
      ...fine,
      ...fine.map((event) => ({ ...event, at: event.at + 86_400_000_000 })),
    ]);
    const exported = await exportAll(world, week);
    expect(rowsOf(exported)).toHaveLength(18);
    expect(
      exported
        .map(({ fetched }) => [fetched.events, fetched.settled, fetched.attempts])
        .filter(([events]) => events !== 0),
    ).toEqual([
      [9, true, 2],
      [9, true, 1],
    ]);
    expect(world.oddities.map(({ code }) => code)).toEqual(['rows-alike']);
    expect(world.clock.waits).toEqual([]);
  });

  it('has a window for a day without events', async () => {
    await using world = await openExportWorld([], {});
    const exported = await exportAll(world, week);
    expect(exported.map(({ fetched, text }) => [fetched.rows, fetched.events, fetched.settled, text])).toEqual(
      Array(7).fill([0, 0, true, '']),
    );
  });

  it('pages an instant that has more rows than come at once, and nothing else', async () => {
    await using world = await openExportWorld(pile(1_000), {}, { limit: 100 });
    const exported = await exportAll(world, week);
    expect(exportedRows(exported)).toEqual(await tableOf(world));
    const paged = exported.filter(({ window }) => window.events > 100);
    expect(paged.map(({ window, fetched }) => [window.end - window.start, fetched.rows, fetched.settled])).toEqual([
      [1, 1_000, true],
    ]);
    expect(new Set(world.platform.pages.filter(({ offset }) => offset > 0).map(({ range }) => range.join()))).toEqual(
      new Set(['2026-09-03T12:00:00.000,2026-09-03T12:00:00.000']),
    );
  });
});

describe('a source that misbehaves is noticed, and the export is exact all the same, where it', () => {
  const drop = (share: number) => (rows: readonly string[], index: number) =>
    index === 2 ? rows.slice(0, Math.floor(rows.length * share)) : rows;

  it.each<[string, Manners, readonly string[]]>([
    ['gives fewer rows at once than it is asked for', { cap: 130 }, ['rows-capped']],
    ['refuses the limit', { cap: 1_000, refusesLimit: true }, ['rows-capped']],
    ['gives rows in another order', { ignoresOrder: 'stable' }, ['order-ignored']],
    ['gives rows in no order', { ignoresOrder: 'never-the-same' }, ['order-ignored']],
    ['leaves out the end of an answer', { rows: drop(0.6) }, ['answer-short']],
    ['gives nothing once', { rows: drop(0) }, []],
    [
      'gives a row in place of another',
      { rows: (rows, index) => (index === 3 ? rows.toSpliced(5, 1, rows[4]!) : rows) },
      [],
    ],
    ['gives a row twice', { rows: (rows, index) => (index === 3 ? rows.toSpliced(5, 0, rows[4]!) : rows) }, []],
    ['lays rows out for people', { writes: 'pretty' }, ['rows-written-otherwise']],
    ['puts spaces between rows', { writes: 'spaced' }, ['rows-written-otherwise']],
    ['puts the members of some rows in another order', { writes: 'reordered' }, ['rows-written-otherwise']],
    ['writes numbers as numbers', { writes: 'numbers' }, []],
    [
      'says that it received too many requests',
      {
        instead: (index) =>
          index % 5 === 3 ? { status: 429, headers: { 'Retry-After': '7' }, text: 'Retry later' } : undefined,
      },
      [],
    ],
    [
      'breaks off in the middle of answers',
      {
        trick: (index, bytes) =>
          index % 4 === 2 ? { kind: 'cut-off', after: Math.floor(bytes / 2), reset: index % 8 === 2 } : undefined,
      },
      [],
    ],
    [
      'ends some answers early, as if they were complete',
      {
        trick: (index, bytes) =>
          index % 3 === 2 ? { kind: 'half', after: Math.floor((bytes * (index % 10)) / 10) } : undefined,
      },
      [],
    ],
    ['lets wait', { continueWait: 2 }, []],
    [
      'is not well',
      { instead: (index) => (index % 6 === 1 ? { status: 502, json: { message: 'Connection refused' } } : undefined) },
      [],
    ],
    ['counts hours in fewer rows than there are', { cap: 5 }, ['rows-capped']],
  ])('%s', async (_, manners, codes) => {
    await using world = await openExportWorld(
      someEvents(manners.refusesLimit ? 12_000 : manners.cap === 5 ? 200 : 2_500, 7),
      manners,
      { limit: manners.refusesLimit ? 2_000 : 400 },
    );
    const exported = await exportAll(world, week);
    expect(exportedRows(exported)).toEqual(await tableOf(world));
    expect(exported.map(({ fetched }) => fetched.why).filter((why) => why !== undefined)).toEqual([]);
    expect(exported.every(({ fetched }) => fetched.settled)).toBe(true);
    expect(world.oddities.map(({ code }) => code)).toEqual(codes);
    const times = rowsOf(exported).map((row) => row['TrackedEvents.utcTime']!);
    expect(times).toEqual(times.toSorted());
  });

  it.each<[string, Manners, readonly string[]]>([
    ['gives a page of an instant twice', { rows: repeatOnce() }, ['page-repeated']],
    [
      'gives a short page in the middle of an instant',
      { rows: (rows, index, offset) => (offset > 0 && index % 3 === 0 ? rows.slice(0, 40) : rows) },
      [],
    ],
    ['gives fewer rows at once in an instant', { cap: 30 }, []],
    ['keeps to an order of its own in an instant', { ignoresOrder: 'stable' }, ['order-ignored']],
  ])('%s', async (_, manners, codes) => {
    await using world = await openExportWorld(pile(500), manners, { limit: 100 });
    const exported = await exportAll(world, week);
    expect(exportedRows(exported)).toEqual(await tableOf(world));
    expect(exported.every(({ fetched }) => fetched.settled)).toBe(true);
    expect(world.oddities.map(({ code }) => code)).toEqual(codes);
  });

  function repeatOnce(): Manners['rows'] {
    let [before, repeated]: [readonly string[], boolean] = [[], false];
    return (rows, _index, offset) => {
      if (offset === 300 && !repeated) {
        repeated = true;
        return before;
      }
      before = rows;
      return rows;
    };
  }
});

describe('a window that cannot be right is told, never taken', () => {
  async function unsettled(
    events: readonly PlatformEvent[],
    manners: Manners,
  ): Promise<{ readonly why: string; readonly codes: readonly string[]; readonly others: boolean }> {
    await using world = await openExportWorld(events, manners, { limit: 100 });
    const exported = await exportAll(world, week);
    const wrong = exported.filter(({ fetched }) => !fetched.settled);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]!.fetched.attempts).toBeGreaterThanOrEqual(1);
    return { why: wrong[0]!.fetched.why!, codes: world.oddities.map(({ code }) => code), others: exported.length > 1 };
  }

  it('where the offset is ignored', async () => {
    expect(await unsettled(pile(300), { ignoresOffset: true })).toMatchObject({
      why: expect.stringContaining('same page at every offset') as string,
      codes: ['offset-ignored'],
      others: true,
    });
  });

  it('where the order is never the same', async () => {
    expect(await unsettled(pile(300), { ignoresOrder: 'never-the-same' })).toMatchObject({
      why: expect.stringContaining('Its order is not stable') as string,
    });
  });

  it('where pages begin with the same row and go on with others', async () => {
    let pinned: string | undefined;
    const rows: Manners['rows'] = (page, _index, offset) => {
      if (page.length < 100) return page;
      pinned = offset === 0 ? page[0]! : pinned;
      return [pinned ?? page[0]!, ...page.slice(1)];
    };
    expect(await unsettled(pile(400), { rows })).toMatchObject({
      why: expect.stringContaining('Its order is not stable') as string,
      codes: [],
    });
  });

  it('where a row is always left out', async () => {
    const events = pile(50);
    expect(await unsettled(events, { rows: (rows) => rows.filter((row) => !row.includes('/page/17"')) })).toMatchObject(
      { why: expect.stringContaining('it drops rows') as string },
    );
  });

  it('where instants are finer than they can be asked for', async () => {
    const fine = Array.from({ length: 4 }, (_, index) => ({
      at: Date.UTC(2026, 8, 4) * 1_000 - 1 - index * 500_000,
      user: 'a',
      path: `/${index}`,
    }));
    expect(await unsettled(fine, { exactInstants: true })).toMatchObject({
      why: expect.stringContaining('times are finer') as string,
    });
  });

  it('where such instants lie behind the last window that is counted with others', async () => {
    for (const [zone, end] of [
      ['UTC', Date.UTC(2026, 8, 8)],
      ['Asia/Kolkata', Date.UTC(2026, 8, 4, 18, 30)],
    ] as const) {
      await using world = await openExportWorld([{ at: end * 1_000 - 400, user: 'a', path: '/' }], {
        exactInstants: true,
      });
      const start = end - 3 * 86_400_000;
      const exported = await exportAll(world, { start, end: end + (zone === 'UTC' ? 0 : 86_400_000) }, { zone });
      expect([
        zone,
        exported.filter(({ fetched }) => !fetched.settled).map(({ window, fetched }) => [window.end, fetched.why]),
      ]).toEqual([zone, [[end, expect.stringContaining('times are finer')]]]);
    }
  });

  it('where it never stops changing', async () => {
    let late = 0;
    await using world = await openExportWorld(pile(5));
    world.platform.manners.before = async (_index, kind) => {
      if (kind === 'rows') await world.platform.add([{ at: noon + (late += 1) * 1_000_000, user: 'late', path: '/' }]);
    };
    const [day] = await exportAll(world, { start: Date.UTC(2026, 8, 3), end: Date.UTC(2026, 8, 4) });
    expect(day!.fetched).toMatchObject({
      settled: false,
      attempts: 4,
      why: 'The source counted 28 events before its rows were fetched, and 29 afterwards.',
    });
    expect(world.clock.waits).toEqual([1_000, 5_000, 15_000]);
    expect(world.oddities.map(({ code }) => code)).toEqual(['source-changed']);
  });

  it('where rows of another time come', async () => {
    await using world = await openExportWorld(pile(50), { ignoresRange: true });
    await expect(exportAll(world, week)).rejects.toMatchObject({ code: 'rows-outside', name: 'ExportError' });
  });
});

describe('a source that changes', () => {
  it.each<[string, 'rows' | 'count', number]>([
    ['before the rows are fetched', 'rows', 2],
    ['after they were fetched, before they are counted again', 'count', 3],
  ])('%s: the window is fetched again, and has what came late', async (_, kind, nth) => {
    await using world = await openExportWorld(someEvents(2_000, 7), {}, { limit: 400 });
    let seen = 0;
    world.platform.manners.before = async (_index, asked) => {
      if (asked !== kind || (seen += 1) !== nth) return;
      const days = kind === 'rows' ? [1, 2] : [1];
      await world.platform.add(
        days.map((day) => ({ at: Date.UTC(2026, 8, day, 5) * 1_000, user: 'late', path: '/late' })),
      );
    };
    const exported = await exportAll(world, week);
    expect(exportedRows(exported).filter((row) => row.includes('"/late"'))).toHaveLength(1);
    expect(
      exported.map(({ fetched }) => [fetched.settled, fetched.attempts]).filter(([, attempts]) => attempts !== 1),
    ).toEqual([[true, 2]]);
  });
});
