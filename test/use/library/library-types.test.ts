import { describe, expectTypeOf, it } from 'vitest';
import {
  type AskOptions,
  type DatedRow,
  type GivenRetention,
  type LooseDatedRow,
  type LooseRow,
  open,
  pivot,
  type PlainResult,
  query,
  type Result,
  reviveResult,
  type RowOf,
  type RowValue,
  type RowOptions,
  type RowStream,
  select,
  share,
  type Sluice,
  toArrow,
  toCsv,
  totals,
  withOther,
  type ZonedTime,
} from '../../../src/use/index.ts';

interface Shop {
  measures: { 'Orders.count': number; 'Orders.total': number | bigint | string };
  dimensions: { 'Orders.city': string; 'Orders.paidAt': string };
  times: { 'Orders.paidAt': string };
  segments: never;
}

const asked = query<Shop>()
  .measures('Orders.count', 'Orders.total')
  .by('Orders.city', 'Orders.paidAt')
  .time('Orders.paidAt', 'day');

/** An interface has no index signature. */
interface Visit {
  utcTime: string;
  docPath?: string;
}

/** Never called; the test is that it compiles. */
async function compiles(s: Sluice): Promise<void> {
  const result = await s.query(asked);
  for (const { key } of result.columns) expectTypeOf(result.rows()[0]![key]).not.toBeAny();
  expectTypeOf(result.columns[0]!.key).toEqualTypeOf<
    'Orders.count' | 'Orders.total' | 'Orders.city' | 'Orders.paidAt' | 'Orders.paidAt.day'
  >();
  const [row] = result.rows();
  expectTypeOf(row!['Orders.count']).toEqualTypeOf<number | null>();
  expectTypeOf(row!['Orders.total']).toEqualTypeOf<number | bigint | string | null>();
  expectTypeOf(row!['Orders.paidAt.day']).toEqualTypeOf<string>();
  const [cohort] = (await s.retention({ period: 'day' }, { times: 'date' })).rows();
  expectTypeOf(cohort!['retention.cohort.day']).toEqualTypeOf<Date>();
  expectTypeOf(cohort!['retention.size']).toEqualTypeOf<number>();
  const [life] = (await s.lifecycle({}, { times: 'temporal', range: 'last 4 weeks' })).rows();
  expectTypeOf(life!['lifecycle.time.week']).toEqualTypeOf<ZonedTime>();
  expectTypeOf(await s.funnel({ steps: ['/', '/a'] }, { times: 'date' })).toEqualTypeOf<Result<LooseDatedRow>>();
  expectTypeOf(await s.funnel({ steps: ['/', '/a'] })).toEqualTypeOf<Result>();
  expectTypeOf(await s.analysis('paths', 'ways')).toEqualTypeOf<Result>();
  const weekly: GivenRetention = { period: 'week', start: { event: 'signup' } };
  expectTypeOf((await s.retention(weekly)).rows()[0]!['retention.size']).toEqualTypeOf<number>();
  await s.retention({ start: { any_of: ['/a'], where: ['docHost = x'] }, breakdown: { dimension: 'x', limit: 2 } });
  await s.stickiness({ per_slot: { at_least: 2 }, active: { event: 'any' } });
  // @ts-expect-error: no such key
  await s.retention({ period: 'week', retrun: 'signup' });
  // @ts-expect-error: no such key of events
  await s.retention({ period: 'week', start: { event: 'signup', wher: [] } });
  // @ts-expect-error: no such key
  await s.lifecycle({ period: 'week', activ: 'any' });
  // @ts-expect-error: no such key
  await s.paths({ max_steps: 3, form: '/' });
  // @ts-expect-error: no such type of times
  await s.funnel('checkout', { times: 'number' });
  // @ts-expect-error: a sum is not always a number
  const sum: number | null = row!['Orders.total'];
  const [dated] = (await s.query(asked, { times: 'date', limits: 'local' })).rows();
  expectTypeOf(dated!['Orders.paidAt.day']).toEqualTypeOf<Date>();
  expectTypeOf(dated!['Orders.paidAt']).toEqualTypeOf<Date | null>();
  expectTypeOf(dated!['Orders.city']).toEqualTypeOf<string | null>();
  const [zoned] = (await s.query(asked, { times: 'temporal' })).rows();
  expectTypeOf(zoned!['Orders.paidAt.day']).toEqualTypeOf<ZonedTime>();
  expectTypeOf(zoned!['Orders.city']).toEqualTypeOf<string | null>();
  for await (const each of s.stream(asked, { times: 'temporal' }))
    expectTypeOf(each).toEqualTypeOf<DatedRow<typeof asked, ZonedTime>>();
  for await (const each of s.stream(asked, { times: 'date' }))
    expectTypeOf(each).toEqualTypeOf<DatedRow<typeof asked>>();
  for await (const each of s.stream(asked)) expectTypeOf(each).toEqualTypeOf<RowOf<typeof asked>>();
  expectTypeOf(s.stream('count')).toEqualTypeOf<RowStream<LooseRow>>();
  expectTypeOf(s.stream('count', { times: 'date' })).toEqualTypeOf<RowStream<LooseDatedRow>>();
  expectTypeOf((await s.query('count')).toJSON()).toEqualTypeOf<PlainResult>();
  expectTypeOf(toCsv(await s.query(asked))).toEqualTypeOf<Promise<string>>();
  expectTypeOf(toArrow(await s.query(asked))).toEqualTypeOf<Promise<Uint8Array>>();
  const shop = await s.query(asked);
  const [shared] = share(shop, { within: ['Orders.city'] }).rows();
  expectTypeOf(shared!['Orders.count']).toEqualTypeOf<number | null>();
  expectTypeOf(shared!['Orders.count.share']).toEqualTypeOf<number | null | undefined>();
  // @ts-expect-error: no such column
  share(shop, { within: ['Orders.town'] });
  const [chosen] = select(shop, { city: 'Orders.city', orders: 'Orders.count' }).rows();
  expectTypeOf(chosen!).toEqualTypeOf<{ readonly city: string | null; readonly orders: number | null }>();
  expectTypeOf(select(shop, ['Orders.city']).rows()[0]!).toEqualTypeOf<{ readonly 'Orders.city': string | null }>();
  // @ts-expect-error: no such column
  select(shop, { city: 'Orders.town' });
  const [total] = totals(shop).rows();
  expectTypeOf(total!['Orders.count']).toEqualTypeOf<number | null | undefined>();
  expectTypeOf(withOther(shop, 3).rows()[0]!['Orders.paidAt.day']).toEqualTypeOf<string | null>();
  const [cells] = pivot(shop, { rows: ['Orders.paidAt.day'], columns: 'Orders.city', values: ['Orders.count'] }).rows();
  expectTypeOf(cells!['Orders.paidAt.day']).toEqualTypeOf<string>();
  expectTypeOf(cells!['Orders.count["Bonn"]']).toEqualTypeOf<number | null | undefined>();
  // @ts-expect-error: no such column
  pivot(shop, { rows: ['Orders.day'], columns: 'Orders.city', values: ['Orders.count'] });
  const compared = asked.compare('this week', 'last week');
  const [beside] = (await s.query(compared, { ranges: 'beside' })).rows();
  expectTypeOf(beside!['Orders.count.previous']).toEqualTypeOf<number | null>();
  expectTypeOf(beside!['Orders.count.change']).toEqualTypeOf<number | null>();
  expectTypeOf(beside!['Orders.total.change']).toEqualTypeOf<number | bigint | string | null>();
  expectTypeOf(beside!['Orders.total.changePercent']).toEqualTypeOf<number | null>();
  expectTypeOf(beside!['Orders.count.previous.2']).toEqualTypeOf<number | null | undefined>();
  expectTypeOf(beside!['Orders.paidAt.day.previous']).toEqualTypeOf<string | null | undefined>();
  // @ts-expect-error: the ranges are in the same row
  void beside!.compareDateRange;
  // @ts-expect-error: a text does not change
  void beside!['Orders.city.change'];
  const usual = query().measures('TrackedEvents.count').by('TrackedEvents.docPath').compare('today', 'yesterday');
  const [known] = (await s.query(usual, { ranges: 'beside' })).rows();
  expectTypeOf(known!['TrackedEvents.count']).toEqualTypeOf<number | null>();
  expectTypeOf(known!['TrackedEvents.count.change']).toEqualTypeOf<number | null>();
  expectTypeOf(known!['TrackedEvents.docPath']).toEqualTypeOf<string | null>();
  const short = query<Shop>()
    .measures('count', 'total')
    .by('city')
    .time('paidAt', 'day')
    .where('city', 'equals', 'Bonn')
    .order('day')
    .order('count', 'desc');
  const [brief] = (await s.query(short)).rows();
  expectTypeOf(brief!['Orders.count']).toEqualTypeOf<number | null | undefined>();
  expectTypeOf(brief!['Orders.total']).toEqualTypeOf<number | bigint | string | null | undefined>();
  expectTypeOf(brief!['Orders.paidAt.day']).toEqualTypeOf<string | undefined>();
  // @ts-expect-error: no such member
  query<Shop>().measures('cuont');
  // @ts-expect-error: no such dimension
  query<Shop>().by('twon');
  const ofProperties = query<Shop>()
    .measures('TrackedEvents.sum(props.amount)', 'p90(props.amount)')
    .by('day', 'Orders.paidAt.month', 'TrackedEvents.props.plan', 'props.region')
    .where('props.plan', 'equals', 'pro')
    .where('TrackedEvents.sum(props.amount)', 'gt', 5)
    .order('TrackedEvents.sum(props.amount)', 'desc');
  const [property] = (await s.query(ofProperties)).rows();
  expectTypeOf(property!['TrackedEvents.sum(props.amount)']).toEqualTypeOf<RowValue>();
  expectTypeOf(property!['TrackedEvents.props.plan']).toEqualTypeOf<RowValue>();
  expectTypeOf(property!['TrackedEvents.props.region']).toEqualTypeOf<RowValue | undefined>();
  expectTypeOf(property!['TrackedEvents.p90(props.amount)']).toEqualTypeOf<RowValue | undefined>();
  expectTypeOf(property!['Orders.paidAt.month']).toEqualTypeOf<RowValue>();
  expectTypeOf(property!['Orders.paidAt.day']).toEqualTypeOf<RowValue | undefined>();
  // @ts-expect-error: rows have full names
  void brief!['count'];
  const [stacked] = (await s.query(compared)).rows();
  expectTypeOf(stacked!.compareDateRange).toEqualTypeOf<string>();
  // @ts-expect-error: the ranges are in separate rows
  void stacked!['Orders.count.previous'];
  const [datedBeside] = (await s.query(compared, { ranges: 'beside', times: 'date' })).rows();
  expectTypeOf(datedBeside!['Orders.paidAt.day.previous']).toEqualTypeOf<Date | null | undefined>();
  expectTypeOf(datedBeside!['Orders.count.change']).toEqualTypeOf<number | null>();
  for await (const each of s.stream(compared, { ranges: 'beside' }))
    expectTypeOf(each['Orders.count.changePercent']).toEqualTypeOf<number | null>();
  const [given] = (await s.query<{ 'Orders.count': number }>('Orders.count')).rows();
  expectTypeOf(given!).toEqualTypeOf<{ 'Orders.count': number }>();
  for await (const each of s.stream<{ 'Orders.count': number }>('Orders.count', { times: 'date' }))
    expectTypeOf(each['Orders.count']).toEqualTypeOf<number>();
  const options: AskOptions & RowOptions = {};
  void (await s.query(asked, options)).rowCount;
  const loose: Result = await s.query('count');
  expectTypeOf(select(loose, { views: 'any' }).rows()[0]!.views).toEqualTypeOf<
    string | number | bigint | boolean | null
  >();
  shop.values('Orders.city');
  shop.codes('Orders.paidAt.day');
  shop.marks.isFilled(0, 'Orders.count');
  expectTypeOf(shop.data['Orders.count']).toEqualTypeOf<ReturnType<typeof shop.values>>();
  // @ts-expect-error: no such column
  shop.values('Orders.town');
  // @ts-expect-error: no such column
  shop.codes('Orders.town');
  // @ts-expect-error: no such column
  shop.marks.of('Orders.town', 0);
  // @ts-expect-error: no such column
  shop.marks.flags('Orders.town');
  // @ts-expect-error: no such column
  void shop.data['Orders.town'];
  loose.values('any');
  const any: Result = shop;
  const some: Result<object> = shop;
  some.values(any.columns[0]!.key);
  expectTypeOf(reviveResult(structuredClone(shop))).toEqualTypeOf<typeof shop>();
  // @ts-expect-error: no such option
  await s.query(asked, { asof: 5, fill: 'none' });
  // @ts-expect-error: dates or text
  await s.query(asked, { times: 'number' });
  await open({ events: [{ utcTime: new Date() }], platform: { url: 'https://x.example', token: async () => 'x' } });
  const visits: readonly Visit[] = [];
  await open({ events: visits });
  await open({ events: new Set<Visit>() });
  // @ts-expect-error: events are objects or names of files
  await open({ events: [5] });
  // @ts-expect-error: a list is no event
  await open({ events: [['2024-03-06', 'ann']] });
  // @ts-expect-error: a date is no event
  await open({ events: [new Date()] });
  // @ts-expect-error: an export has a range, or resumes
  await s.export('out');
  // @ts-expect-error: no such scheduler
  await s.report('x').schedule({ for: 'launchd' });
  void [sum, loose];
}

describe('an opened library', () => {
  it('has typed answers', () => expectTypeOf(compiles).toBeFunction());

  it('hides its internals', () => {
    expectTypeOf<
      Extract<keyof Sluice, 'bind' | 'run' | 'runJson' | 'openedBackend' | 'settings' | 'prepare'>
    >().toBeNever();
    expectTypeOf<Sluice['store']>().not.toBeFunction();
  });
});
