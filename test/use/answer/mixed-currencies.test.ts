import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bad } from '../../../src/ask/outcome.ts';
import type { Query } from '../../../src/ask/query/query.ts';
import type { Plan } from '../../../src/plan/plan.ts';
import { tellMixedCurrencies } from '../../../src/use/answer/mixed-currencies.ts';
import { open } from '../../../src/use/index.ts';
import type { Session } from '../../../src/use/workspace/session.ts';
import { runs } from '../../runs.ts';
import { folderOf } from '../run-in-folder.ts';

const ofCurrencies = / is in several currencies/;

/** The sentences on currencies that come with the answers to lines over these records. */
async function tell(
  records: readonly object[],
  lines: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<readonly (readonly string[])[]> {
  const s = await open({
    workspace: folderOf({
      'events.ndjson': records
        .map((record, index) =>
          JSON.stringify({ utcTime: `2024-03-0${1 + (index % 9)}T10:00:00Z`, userId: `u${index % 3}`, ...record }),
        )
        .join('\n'),
      ...files,
    }).root,
    ...(!files['sluice.yaml'] && { events: 'events.ndjson' }),
    env: {},
    now: () => Date.parse('2024-04-01T00:00Z'),
    onNote: () => undefined,
  });
  try {
    const told = [];
    for (const line of lines)
      told.push(((await s.query(line)).provenance.lacking ?? []).filter((text) => ofCurrencies.test(text)));
    return told;
  } finally {
    await s[Symbol.asyncDispose]();
  }
}

const paid = (amount: number, currency: string | null, more: object = {}) => ({ amount, currency, ...more });

describe('amounts of several currencies', () => {
  const records = [
    paid(1, 'EUR', { plan: 'pro', net_value: 2, quantity: 1, syntax: 2, country: 'DE' }),
    paid(2, 'USD', { plan: 'free', net_value: 3, quantity: 1, syntax: 2, country: 'US' }),
    paid(3, 'EUR', { plan: 'pro', net_value: 4, quantity: 1, syntax: 2, country: 'DE' }),
    { plan: 'free', quantity: 2 },
    { currency: 'GBP', quantity: 3 },
  ];

  it('are told with each figure of an amount', async () => {
    const [said, ...others] = await tell(records, [
      'sum(amount)',
      'avg(amount) by plan',
      'max(amount) by week',
      'median(net_value)',
      'sum(amount) / users as each',
      'sum(amount) rolling 3 days by day March 2024',
      'sum(amount) cumulative by day March 2024',
      'sum(amount) avg per user',
      'users by sum(amount) per user',
      '(sum(amount) where country != FR) as x, count',
      'sum(amount) share by plan',
      'sum(amount) by plan top 1 with other',
      'sum(amount) by plan where sum(amount) > 1',
      'sum(amount * quantity)',
      'sum(amount) 2024-03-01..2024-03-03',
      'sum(amount) 2024-03-03..2024-03-04 compare with previous',
    ]);
    expect(said).toEqual([
      '"amount" is in several currencies ("EUR", "USD"), and its figures do not convert them. Add `by currency`, or `where currency = EUR`.',
    ]);
    expect(others.map((each) => each.length)).toEqual(others.map(() => 1));
  });

  it('are told whatever was asked before', async () => {
    for (const before of ['count where amount > 1', 'count by amount', 'raw events amount', 'count by net_value'])
      expect((await tell(records, [before, 'sum(amount)', 'sum(net_value)'])).map((said) => said.length)).toEqual([
        0, 1, 1,
      ]);
    const files = { 'queries/buyers.yaml': 'cohort: {did: {event: any, where: [amount > 0]}}\n' };
    expect(await tell(records, ['sum(amount) where cohort = buyers'], files)).toEqual([
      [expect.stringMatching(ofCurrencies)],
    ]);
  });

  it('are not told where a figure has one of them, or no amount', async () => {
    const lines = [
      'sum(amount) by currency',
      'sum(amount) by plan, currency',
      'sum(amount) where currency = EUR',
      'sum(amount) where plan = pro',
      'sum(amount) 2024-03-03..2024-03-04',
      '(sum(amount) where country = DE) as x, count',
      'sum(quantity)',
      'sum(syntax)',
      'count',
      'distinct(amount) by plan',
    ];
    expect(await tell(records, lines)).toEqual(lines.map(() => []));
  });

  it('are found under other names, beside the amount or at the event', async () => {
    const both = (make: (currency: string) => object) => [make('EUR'), make('USD')];
    const said = async (make: (currency: string) => object, line: string) => (await tell(both(make), [line]))[0];
    expect(await said((currency) => ({ 'Order Value': 1, 'Currency Code': currency }), 'sum("Order Value")')).toEqual([
      '"Order Value" is in several currencies ("EUR", "USD"), and its figures do not convert them. Add `by "Currency Code"`, or `where "Currency Code" = EUR`.',
    ]);
    const ways: readonly (readonly [(currency: string) => object, string, string])[] = [
      [(currencyCode) => ({ totalPrice: 1, currencyCode }), 'sum(totalPrice)', 'currencyCode'],
      [(each) => ({ total: 1, total_currency: each }), 'sum(total)', 'total_currency'],
      [(currency) => ({ payment: { total: 1, currency } }), 'sum(payment.total)', 'payment.currency'],
      [(currency) => ({ payment: { total: 1 }, currency }), 'sum(payment.total)', 'currency'],
      [
        (currency) => ({ items: [{ price: 1, quantity: 2, currency }] }),
        'sum(items.price * items.quantity)',
        'props.items[].currency',
      ],
      [(currency) => ({ items: [{ price: 1 }], currency }), 'sum(items.price)', 'currency'],
    ];
    for (const [make, line, name] of ways) {
      const [sentence] = (await said(make, line)) ?? [];
      expect(sentence, line).toContain(`Add \`by ${name}\``);
      const [, condition = ''] = /`(where [^`]+)`/.exec(sentence ?? '') ?? [];
      expect(await tell(both(make), [`${line} by ${name}`, `${line} ${condition}`]), line).toEqual([[], []]);
    }
  });

  it('are told for measures of a model', async () => {
    const files = {
      'orders.csv': 'id,at,total,currency\n1,2024-03-01T00:00:00Z,5,EUR\n2,2024-03-01T00:00:00Z,7,CHF\n',
      'model.yml': `cubes:
  - name: Orders
    sql_table: orders
    measures:
      - {name: revenue, type: sum, sql: total}
      - {name: count, type: count}
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true}
      - {name: currency, type: string, sql: currency}
      - {name: at, type: time, sql: at}
`,
      'sluice.yaml': 'model: model.yml\ntables:\n  orders: orders.csv\n',
    };
    const lines = [
      'Orders.revenue',
      'Orders.revenue by currency',
      'Orders.count',
      'Orders.revenue where currency = EUR',
    ];
    const [said, ...others] = await tell([], lines, files);
    expect(said).toEqual([expect.stringContaining('"revenue" is in several currencies ("CHF", "EUR")')]);
    expect(others).toEqual([[], [], []]);
  });

  it('are told if the currency is in a table that the model joins', async () => {
    const files = {
      'orders.csv': 'id,shop,total\n1,a,5\n2,b,7\n3,a,9\n',
      'shops.csv': 'id,currency\na,EUR\nb,CHF\n',
      'model.yml': `cubes:
  - name: orders
    sql_table: orders
    joins: [{name: shops, relationship: many_to_one, sql: "{CUBE}.shop = {shops}.id"}]
    measures: [{name: total, type: sum, sql: total}, {name: count, type: count}]
    dimensions: [{name: id, type: number, sql: id, primary_key: true}, {name: shop, type: string, sql: shop}]
  - name: shops
    sql_table: shops
    measures: [{name: count, type: count}]
    dimensions:
      - {name: id, type: string, sql: id, primary_key: true}
      - {name: currency, type: string, sql: currency}
`,
      'sluice.yaml': 'model: model.yml\ntables: {orders: orders.csv, shops: shops.csv}\n',
    };
    const lines = [
      'orders.total',
      'orders.total by shops.currency',
      'orders.total where shops.currency = EUR',
      'orders.total where shop = a',
      'orders.count',
    ];
    expect(await tell([], lines, files)).toEqual([
      [
        '"total" is in several currencies ("CHF", "EUR"), and its figures do not convert them. Add `by shops.currency`, or `where shops.currency = CHF`.',
      ],
      [],
      [],
      [],
      [],
    ]);
  });

  it('are told for values of retention, of the events that it adds up', async () => {
    const events = [
      paid(1, 'EUR', { eventType: 'order', plan: 'pro' }),
      paid(2, 'USD', { eventType: 'order', plan: 'free' }),
      paid(3, 'EUR', { eventType: 'order', plan: 'pro' }),
      paid(4, 'GBP', { eventType: 'refund', plan: 'pro' }),
    ];
    const lines = [
      'retention of order value sum(amount) by day March 2024',
      'retention of order value avg(amount) by day where plan = pro March 2024',
      'retention of order value sum(amount) by day 2024-03-03..2024-03-04',
      'retention of order value sum(amount) by day, currency March 2024',
      'retention of order returning refund value sum(amount) by day where plan = pro March 2024',
      'retention of any value sum(amount) by day where plan = pro March 2024',
      'retention of order by day March 2024',
    ];
    expect(await tell(events, lines)).toEqual([
      [
        '"amount" is in several currencies ("EUR", "USD"), and its figures do not convert them. Add `where currency = EUR`.',
      ],
      [],
      [],
      [],
      [expect.stringContaining('("EUR", "GBP")')],
      [expect.stringContaining('("EUR", "GBP")')],
      [],
    ]);
  });

  it('are looked up once for the same rows, however many figures and plans have them', async () => {
    const looked: Query[] = [];
    const bind = (query: Query) => {
      looked.push(query);
      return bad([]);
    };
    const dimensions = ['props.amount', 'props.currency'].map((name) => ({ name, type: 'string' }));
    const session = {
      settings: { backend: { value: 'embedded' } },
      model: { cubes: [{ name: 'TrackedEvents', dimensions, measures: [] }] },
      bind,
    } as unknown as Session;
    const of = (...computes: readonly string[]) => computes.map((each) => `TrackedEvents.${each}(props.amount)`);
    const plan = (query: Query) => ({ query, now: 0 }) as unknown as Plan;
    const filters = [{ member: 'TrackedEvents.docPath', operator: 'equals' as const, values: ['/'] }];
    const plans = [
      plan({ measures: of('sum', 'avg') }),
      plan({ measures: of('max') }),
      plan({ measures: of('min'), filters }),
    ];
    expect(await tellMixedCurrencies(session, plans, undefined)).toEqual([]);
    expect(looked.map((query) => query.filters?.length)).toEqual([2, 3]);
  });

  it('are told exactly if the rows with an amount have several', async () => {
    const record = fc.record(
      {
        amount: fc.constantFrom(1, 2.5, null),
        currency: fc.constantFrom('EUR', 'USD', '', null),
        plan: fc.constantFrom('free', 'pro'),
      },
      { requiredKeys: ['plan'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 6 }), async (rows) => {
        // A first record makes both names known.
        const all = [{ amount: 1, currency: 'EUR', plan: 'pro' }, ...rows];
        const isMixed = (some: typeof all) =>
          new Set(
            some.filter(({ amount, currency }) => typeof amount === 'number' && currency).map((one) => one.currency),
          ).size > 1;
        const told = await tell(all, [
          'sum(amount) by plan',
          'sum(amount) where plan = pro',
          'sum(amount) by currency',
        ]);
        const pro = all.filter(({ plan }) => plan === 'pro');
        expect(told.map((each) => each.length > 0)).toEqual([isMixed(all), isMixed(pro), false]);
      }),
      { numRuns: runs(15) },
    );
  });
});
