import { expect, expectTypeOf, it } from 'vitest';
import {
  InvalidInputError,
  open,
  pivot,
  query,
  type Result,
  select,
  share,
  totals,
  toTable,
  withOther,
} from '../../src/use/index.ts';

const events = [
  ['ana', 'pageview', '/'],
  ['ana', 'pageview', '/pricing'],
  ['ben', 'pageview', '/pricing'],
  ['ben', 'link_click', '/pricing'],
  ['cleo', 'pageview', '/docs'],
].map(([userAnonymousId, eventType, docPath], index) => ({
  utcTime: `2024-03-04T0${index}:00:00Z`,
  userAnonymousId,
  eventType,
  docPath,
}));

const s = await open({ events, asOf: '2024-03-08', onNote: () => undefined });
const pages = await s.query(
  query()
    .measures('TrackedEvents.count', 'TrackedEvents.uniqueUsersCount')
    .by('TrackedEvents.docPath')
    .order('TrackedEvents.count', 'desc'),
);
const days = await s.query('count by eventType, day 2024-03-03..2024-03-04');
await s.close();

it('select keeps marks, types and provenance under names of the caller', () => {
  const chosen = select(days, { views: 'TrackedEvents.count', day: 'TrackedEvents.utcTime.day' });
  expect(chosen.columns.map(({ key, title }) => [key, title])).toEqual([
    ['views', 'views'],
    ['day', 'day'],
  ]);
  expect(chosen.rows()).toEqual(
    days.rows().map((row) => ({ views: row['TrackedEvents.count'], day: row['TrackedEvents.utcTime.day'] })),
  );
  for (let row = 0; row < days.rowCount; row += 1)
    expect(chosen.marks.of('views', row)).toBe(days.marks.of('TrackedEvents.count', row));
  expect(days.rows().some((_, row) => days.marks.isFilled(row))).toBe(true);
  expect(chosen.types.get('views')).toEqual(days.types.get('TrackedEvents.count'));
  expect(chosen.provenance).toBe(days.provenance);
});

it('rows stay typed through select, share and totals', () => {
  const [row] = select(pages, { page: 'TrackedEvents.docPath', users: 'TrackedEvents.uniqueUsersCount' }).rows();
  expectTypeOf(row!.page).toEqualTypeOf<string | null>();
  expectTypeOf(row!.users).toEqualTypeOf<number | null>();
  const [shared] = share(pages).rows();
  expectTypeOf(shared!['TrackedEvents.count']).toEqualTypeOf<number | null>();
  expectTypeOf(shared!['TrackedEvents.count.share']).toEqualTypeOf<number | null | undefined>();
  expect(shared).toMatchObject({ 'TrackedEvents.docPath': '/pricing', 'TrackedEvents.count.share': 60 });
  expectTypeOf(totals(pages).rows()[0]!['TrackedEvents.count']).toEqualTypeOf<number | null | undefined>();
  expect(totals(pages).rows()).toEqual([{ 'TrackedEvents.count': 5, 'TrackedEvents.uniqueUsersCount': null }]);
});

it('a table from a program says what it leaves out, and names no flag', async () => {
  const text = await toTable(pages, { maxRows: 1 });
  expect(text).toContain('1 of 3 rows shown');
  expect(text).not.toContain('--');
});

it.each<[name: string, call: () => unknown, said: string]>([
  [
    'pivot',
    () => pivot(days, { rows: ['x'], columns: 'TrackedEvents.eventType', values: [] }),
    'There is no column "x".',
  ],
  ['pivot', () => pivot(days, 'TrackedEvents.eventType' as never), 'pivot(): Expected options'],
  [
    'pivot',
    () => pivot(days, { row: [], columns: 'a', values: [] } as never),
    'There is no option "row". Did you mean "rows"?',
  ],
  [
    'pivot',
    () => pivot(days, { rows: 'a', columns: 'a', values: [] } as never),
    '"rows" must be a list of keys of columns.',
  ],
  [
    'pivot',
    () => pivot(days, { rows: [], columns: 'TrackedEvents.count', values: [], maxColumns: NaN }),
    '"maxColumns"',
  ],
  ['share', () => share(pages, { within: ['TrackedEvents.docpath'] }), 'Did you mean "TrackedEvents.docPath"?'],
  ['share', () => share(pages, { inside: [] } as never), 'There is no option "inside".'],
  ['totals', () => totals([] as never), 'totals(): Expected a result.'],
  ['withOther', () => withOther(pages, 1.5), 'must be a whole number'],
  ['select', () => select(pages, { a: 'TrackedEvents.cuont' }), 'Did you mean "TrackedEvents.count"?'],
  ['select', () => select(pages, {}), 'select(): Expected names'],
  ['select', () => select(undefined as unknown as Result, { a: 'b' }), 'select(): Expected a result.'],
  ['values', () => pages.values('TrackedEvents.cuont'), 'Did you mean "TrackedEvents.count"?'],
])('%s refuses what it cannot use: %#', (_, call, said) => {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(InvalidInputError);
  const { message, hint } = thrown as InvalidInputError;
  expect(`${message} ${hint}`).toContain(said);
});
