import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Filter, Query } from '../../src/ask/query/query.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { cellOf, writeEvents, type WrittenEvent } from '../run/sources/write-events.ts';
import { runs } from '../runs.ts';
import { folderOf, now, openFolder } from './run-in-folder.ts';

interface Item {
  readonly sku?: string | null;
  readonly price?: number | string | null;
  readonly qty?: number;
}

interface Event {
  readonly user: string;
  readonly shop: string | null;
  readonly total: number | null;
  /** With so many decimals that its products are floats. */
  readonly rate: number | null;
  readonly items: unknown;
  readonly tags: unknown;
}

const item: fc.Arbitrary<Item> = fc.record(
  {
    sku: fc.constantFrom('A', 'B', 'ab', "it's", 'a"b', '', null),
    price: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: -500, max: 9999 }).map((cents) => cents / 100) },
      fc.constantFrom('1.5', 'oops', null),
    ),
    qty: fc.integer({ min: 0, max: 5 }),
  },
  { requiredKeys: [] },
);
const items: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.array(item, { maxLength: 4 }) },
  // A single item without a list, odd values in a list, and nothing.
  fc.oneof(item, fc.array(fc.constantFrom<unknown>(null, 'text', 5, [], { sku: 'A' }), { maxLength: 3 })),
  fc.constantFrom(null, ''),
);
const tags: fc.Arbitrary<unknown> = fc.oneof(
  fc.array(fc.constantFrom<unknown>('eu', 'new', 'EU', '', null, 5, true, 1.5, { k: 'v' }), { maxLength: 4 }),
  fc.constantFrom<unknown>('eu', 7, '["eu", "new"]', '[draft]', null, ''),
);
const event: fc.Arbitrary<Event> = fc.record({
  user: fc.constantFrom('u', 'v', 'w'),
  shop: fc.constantFrom('north', 'south', null),
  total: fc.option(fc.integer({ min: 0, max: 100 })),
  rate: fc.option(fc.integer({ min: 0, max: 1e9 }).map((parts) => parts / 1e8)),
  items,
  tags,
});

/** The values of a list, or one missing value if there are none. */
function valuesOf(list: unknown): readonly unknown[] {
  if (typeof list === 'string' && /^\[.*\]$/.test(list)) {
    try {
      return valuesOf(JSON.parse(list));
    } catch {
      return [list];
    }
  }
  return Array.isArray(list) ? (list.length > 0 ? list : [undefined]) : [list];
}

function textOf(value: unknown): string | undefined {
  return cellOf(value) || undefined;
}

function fieldOf(value: unknown, key: keyof Item): string | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? textOf((value as Item)[key])
    : undefined;
}

/** One value of a list, with its event. */
interface Row {
  readonly event: Event;
  readonly value: unknown;
}

type Read = (row: Row) => string | number | null;
type Measure = (rows: readonly Row[]) => number | null;

const text =
  (read: (row: Row) => string | undefined): Read =>
  (row) =>
    read(row) ?? null;
const sku = text(({ value }) => fieldOf(value, 'sku'));
const tag = text(({ value }) => textOf(value));
const shop = text(({ event: { shop: name } }) => name ?? undefined);
const numberIn = (key: 'price' | 'qty') => (row: Row) => {
  const found = Number(fieldOf(row.value, key) ?? Number.NaN);
  return Number.isNaN(found) ? [] : [found];
};
const productIn = (row: Row) =>
  numberIn('price')(row).flatMap((price) => numberIn('qty')(row).map((qty) => price * qty));
const eventsOf = (rows: readonly Row[]) => [...new Set(rows.map(({ event: one }) => one))];
const totalsOf = (rows: readonly Row[]) => eventsOf(rows).flatMap(({ total }) => total ?? []);
const sum = (numbers: readonly number[]) =>
  numbers.length === 0 ? null : numbers.reduce((all, one) => all + Math.round(one * 100), 0) / 100;
const distinct = (read: Read) => (rows: readonly Row[]) =>
  new Set(rows.map(read).filter((value) => value !== null)).size;

const ofEvents: Readonly<Record<string, Measure>> = {
  count: (rows) => eventsOf(rows).length,
  uniqueUsersCount: (rows) => new Set(rows.map(({ event: { user } }) => user)).size,
  'sum(props.total)': (rows) => sum(totalsOf(rows)),
  'sum(props.total*props.total)': (rows) => sum(totalsOf(rows).map((total) => total * total)),
  'avg(props.total)': (rows) => {
    const all = totalsOf(rows);
    return all.length === 0 ? null : sum(all)! / all.length;
  },
};
const lists = {
  items: {
    key: 'props.items[].sku',
    read: sku,
    measures: {
      ...ofEvents,
      'sum(props.items[].price)': (rows) => sum(rows.flatMap(numberIn('price'))),
      'max(props.items[].price)': (rows) => {
        const all = rows.flatMap(numberIn('price'));
        return all.length === 0 ? null : Math.max(...all);
      },
      'avg(props.items[].qty)': (rows) => {
        const all = rows.flatMap(numberIn('qty'));
        return all.length === 0 ? null : sum(all)! / all.length;
      },
      'median(props.items[].qty)': (rows) => {
        const all = rows.flatMap(numberIn('qty')).sort((one, other) => one - other);
        const [low, high] = [all[Math.floor((all.length - 1) / 2)], all[Math.ceil((all.length - 1) / 2)]];
        return low === undefined ? null : (low + high!) / 2;
      },
      'distinct(props.items[].sku)': distinct(sku),
      'sum(props.items[].price*props.items[].qty)': (rows) => sum(rows.flatMap(productIn)),
      'max(props.items[].price*props.rate)': (rows) => {
        const all = rows.flatMap((row) =>
          numberIn('price')(row).flatMap((price) => (row.event.rate === null ? [] : price * row.event.rate)),
        );
        return all.length === 0 ? null : Math.max(...all);
      },
    } as Readonly<Record<string, Measure>>,
    values: ['A', "it's", 'a"b', 'none'],
  },
  tags: {
    key: 'props.tags[]',
    read: tag,
    measures: { ...ofEvents, 'distinct(props.tags[])': distinct(tag) } as Readonly<Record<string, Measure>>,
    values: ['eu', '5', 'true', '[draft]'],
  },
};

/** The values that measures cannot use, by what the answer says of them. */
const unused: Readonly<Record<string, (row: Row) => boolean>> = {
  'sum(props.items[].price)': (row) => fieldOf(row.value, 'price') !== undefined && numberIn('price')(row).length === 0,
  'max(props.items[].price)': (row) => unused['sum(props.items[].price)']!(row),
  'sum(props.items[].price*props.items[].qty)': (row) =>
    (fieldOf(row.value, 'price') ?? fieldOf(row.value, 'qty')) !== undefined && productIn(row).length === 0,
  'max(props.items[].price*props.rate)': (row) =>
    fieldOf(row.value, 'price') !== undefined && (numberIn('price')(row).length === 0 || row.event.rate === null),
};

interface Condition {
  readonly operator: 'equals' | 'notEquals' | 'contains' | 'set' | 'notSet';
  readonly value: string;
}

interface Question {
  readonly list: keyof typeof lists;
  readonly measures: readonly string[];
  readonly by: readonly ('list' | 'shop')[];
  readonly where: Condition | undefined;
  readonly inShop: boolean;
}

const questions: fc.Arbitrary<Question> = fc.constantFrom('items' as const, 'tags' as const).chain((list) =>
  fc.record({
    list: fc.constant(list),
    measures: fc.uniqueArray(fc.constantFrom(...Object.keys(lists[list].measures)), { minLength: 1, maxLength: 4 }),
    by: fc.uniqueArray(fc.constantFrom('list' as const, 'shop' as const), { maxLength: 2 }),
    where: fc.option(
      fc.record({
        operator: fc.constantFrom('equals', 'notEquals', 'contains', 'set', 'notSet'),
        value: fc.constantFrom(...lists[list].values),
      }),
      { nil: undefined },
    ),
    inShop: fc.boolean(),
  }),
);

const full = (short: string) => `TrackedEvents.${short}`;

function toQuery({ list, measures, by, where, inShop }: Question): Query {
  const { key } = lists[list];
  const filters: Filter[] = [
    ...(where
      ? [
          where.operator === 'set' || where.operator === 'notSet'
            ? { member: full(key), operator: where.operator }
            : { member: full(key), operator: where.operator, values: [where.value] },
        ]
      : []),
    ...(inShop ? [{ member: full('props.shop'), operator: 'equals' as const, values: ['north'] }] : []),
  ];
  // A question reads the values of a list only if it names them.
  const named = by.includes('list') || where || measures.some((measure) => measure.includes('[]'));
  return {
    measures: [...measures, ...(named ? [] : [`distinct(${key})`])].map(full),
    dimensions: by.map((each) => full(each === 'list' ? key : 'props.shop')),
    filters,
  };
}

const holds: Readonly<Record<Condition['operator'], (found: string | null, value: string) => boolean>> = {
  equals: (found, value) => found === value,
  notEquals: (found, value) => found !== value,
  contains: (found, value) => found?.toLowerCase().includes(value.toLowerCase()) === true,
  set: (found) => found !== null,
  notSet: (found) => found === null,
};

function rowsOf(events: readonly Event[], { list, where, inShop }: Question): readonly Row[] {
  const { read } = lists[list];
  return events
    .flatMap((one): readonly Row[] => valuesOf(one[list]).map((value) => ({ event: one, value })))
    .filter((row) => where === undefined || holds[where.operator](read(row) as string | null, where.value))
    .filter((row) => !inShop || row.event.shop === 'north');
}

function answerSlowly(events: readonly Event[], question: Question, query: Query): readonly Record<string, unknown>[] {
  const { list, by } = question;
  const { read, measures } = lists[list];
  const rows = rowsOf(events, question);
  const keys = by.map((each): [string, Read] => (each === 'list' ? [lists[list].key, read] : ['props.shop', shop]));
  const groups =
    keys.length === 0
      ? [rows]
      : [...Map.groupBy(rows, (row) => JSON.stringify(keys.map(([, get]) => get(row)))).values()];
  return groups.map((group) =>
    Object.fromEntries([
      ...keys.map(([key, get]) => [full(key), get(group[0]!)]),
      ...(query.measures ?? []).map((measure) => [measure, measures[measure.slice(full('').length)]!(group)]),
    ]),
  );
}

/** Has all properties, whatever the other events have. */
const usual: Event = {
  user: 'z',
  shop: 'west',
  total: 1,
  rate: 0.00000001,
  items: [{ sku: 'Z', price: 1, qty: 1 }, { sku: 'Y' }],
  tags: ['z', 'y'],
};

const scratch = openFolder();
const engine = await openEngine({ threads: 1 });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  scratch.remove();
});
let worldNumber = 0;

async function inWorld(
  events: readonly Event[],
  { format, stored }: { readonly format: 'ndjson' | 'csv'; readonly stored: boolean },
  check: (sluice: Sluice) => Promise<void>,
): Promise<void> {
  const written = events.map(
    ({ user, ...properties }, index): WrittenEvent => ({
      utcTime: new Date(Date.UTC(2024, 2, 1, 0, index)).toISOString(),
      eventType: 'purchase',
      userAnonymousId: user,
      ...properties,
    }),
  );
  worldNumber += 1;
  const place = { path: scratch.root, write: scratch.write };
  const columns = ['utcTime', 'eventType', 'userAnonymousId', 'shop', 'total', 'rate', 'items', 'tags'];
  const file = await writeEvents(engine, place, `w${worldNumber}`, format, 'none', written, columns);
  const store = `${scratch.root}/store${worldNumber}`;
  if (stored) {
    const taken = await scratch.sluice(['ingest', file, '--store', store]);
    expect(taken, taken.stderr).toMatchObject({ code: 0 });
  }
  await using sluice = await open({
    workspace: scratch.root,
    env: {},
    now: () => now,
    onNote: () => undefined,
    ...(stored ? { store } : { events: file }),
  });
  await check(sluice);
}

const byText = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))).sort();

const rounded = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === 'number' && !key.includes('props.shop') ? Math.round(value * 1e6) / 1e6 : value,
    ]),
  );

describe.each([
  { format: 'ndjson', stored: false },
  { format: 'ndjson', stored: true },
  { format: 'csv', stored: false },
] as const)('the values of lists in $format (in a store: $stored)', (world) => {
  it('give what a count over all values and events gives', { timeout: 400_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 12 }),
        fc.array(questions, { minLength: 12, maxLength: 12 }),
        (events, asked) =>
          inWorld([...events, usual], world, async (sluice) => {
            for (const question of asked) {
              const query = toQuery(question);
              const result = await sluice.query(query);
              expect(byText(result.rows().map(rounded)), JSON.stringify(query)).toEqual(
                byText(answerSlowly([...events, usual], question, query).map(rounded)),
              );
              const rows = rowsOf([...events, usual], question);
              const left = question.measures.map((measure) => rows.filter((row) => unused[measure]?.(row)).length);
              // Measures of the same property say the same.
              const twice = ['sum', 'max'].every((each) => question.measures.includes(`${each}(props.items[].price)`));
              expect(
                result.provenance.uncounted.reduce((total, each) => total + each.rows, 0),
                JSON.stringify(query),
              ).toBe(
                left.reduce((total, each) => total + each, 0) -
                  (twice ? rows.filter(unused['sum(props.items[].price)']!).length : 0),
              );
            }
          }),
      ),
      { numRuns: runs(24), endOnFailure: true },
    ),
  );
});

const orders = [
  {
    user: 'a',
    total: 30,
    tags: ['new', 'eu'],
    items: [
      { sku: 'A', price: 10 },
      { sku: 'B', price: 20 },
    ],
  },
  {
    user: 'b',
    total: 20,
    tags: ['eu'],
    items: [
      { sku: 'A', price: 10 },
      { sku: 'A', price: 'oops' },
    ],
  },
  { user: 'b', total: 5, tags: [], items: [] },
]
  .map(({ user, ...rest }, index) =>
    JSON.stringify({ utcTime: `2024-03-01T1${index}:00:00Z`, eventType: 'order', userAnonymousId: user, ...rest }),
  )
  .join('\n');

describe('a line about the values of lists', () => {
  const ask = (line: string, ...more: readonly string[]) =>
    folderOf({ 'a.ndjson': orders }).sluice(['query', line, '--events', 'a.ndjson', '-f', 'csv', ...more]);

  it('may leave out the brackets before a dot', async () => {
    for (const line of [
      'sum(items[].price) by items[].sku',
      'count where items[].sku = A and tags[] = eu',
      'sum(items[].price * total) by day',
    ]) {
      const answer = await ask(line);
      expect(answer, answer.stderr).toMatchObject({ code: 0 });
      expect(await ask(line.replaceAll('items[]', 'items'))).toEqual(answer);
    }
  });

  it('multiplies properties, and says which values are no numbers', async () => {
    const { stdout, stderr } = await ask('sum(items.price * total), count by items.sku');
    expect(stdout.split('\n').slice(1, -1).sort()).toEqual([',,1', 'A,500,2', 'B,600,1']);
    expect(stderr).toContain('1 value in lists whose props.items[].price * props.total is not a number');
    expect((await ask('sum(total * total)')).stdout).toContain('\n1325\n');
    expect((await ask('sum(\'total\' * "total")')).stdout).toContain('\n1325\n');
    expect((await ask('sum(total * nope)')).stderr).toContain('No event has "nope"');
    expect((await ask('sum(total*total)')).stderr).toContain('write blanks around the sign: `sum(total * total)`');
    expect((await ask('sum(total * items.sku)')).stderr).toContain('No value of "props.items[].sku" is a number');
    expect((await ask('sum(items.price * tags[])')).stderr).toContain('It multiplies the values of two lists');
  });

  it('is refused where an event stands for itself', async () => {
    for (const [line, message] of [
      ['median(total) by items.sku', 'would use an event once for each value of its list'],
      ['sum(items.price) by tags[]', 'would count a value once for each value of another list'],
      ['count rolling 2 days by day where tags[] = eu 2024-03', 'Query it without the values of lists'],
      ['funnel order then order by tags[]', 'an event can have several values in a list'],
      ["funnel 'order where tags[] = eu or items.sku = A' then order", 'combines the values of two lists with "or"'],
      ['count by first touch tags[]', 'has no first or last touch'],
      ['Sessions.count by tags[]', 'No join connects "TrackedEvents" and "Sessions"'],
      ['count by tagz[]', 'Did you mean "props.tags[]"?'],
    ] as const) {
      const answer = await ask(line);
      expect(answer, line).toMatchObject({ code: 2 });
      expect(answer.stderr, line).toContain(message);
    }
  });

  it('tests events of analyses, each condition the same value', async () => {
    const users = async (step: string) => {
      const { stdout, stderr } = await ask(`funnel '${step}' then order`);
      return [stdout.split('\n')[1]?.split(',').at(-1), stderr];
    };
    expect((await users('order where items.sku = A'))[0]).toBe('2');
    expect((await users('order where items.sku = B and items.price > 15'))[0]).toBe('1');
    expect((await users('order where items.sku = A and items.price > 15'))[0]).toBe('0');
    expect((await users('order where items.sku is not set'))[0]).toBe('1');
    expect((await users('order where tags[] = eu and items.sku = B'))[0]).toBe('1');
    const [none, note] = await users('order where items.sku = Q');
    expect([none, note]).toEqual(['0', expect.stringContaining('No event has the props.items[].sku "Q"') as string]);
  });

  it('is suggested where a list is compared as a whole', async () => {
    expect((await ask('count where tags = eu')).stderr).toContain(
      'To compare each value of a list, write props.tags[].',
    );
  });
});
