import fc from 'fast-check';
import type { Filter, Query } from '../../src/ask/query/query.ts';
import { cellOf } from '../run/sources/write-events.ts';

interface Item {
  readonly sku?: string | null;
  readonly price?: number | string | null;
  readonly qty?: number;
}

/** An event with lists. */
export interface Event {
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
export const event: fc.Arbitrary<Event> = fc.record({
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

/** A figure of each user, and the mean or the greatest of these figures. */
const perUser =
  (compute: 'avg' | 'max', measure: Measure): Measure =>
  (rows) => {
    const all = [...Map.groupBy(rows, ({ event: { user } }) => user).values()].flatMap((own) => measure(own) ?? []);
    if (all.length === 0) return null;
    return compute === 'max' ? Math.max(...all) : sum(all)! / all.length;
  };

/** Measures that are formulas, by their names. */
const formulas: Readonly<Record<string, string>> = {
  totalOfUser: 'TrackedEvents.sum(props.total) max per user',
  eventsOfUser: 'TrackedEvents.count avg per user',
  quantityOfUser: 'TrackedEvents.sum(props.items[].qty) avg per user',
  kindsOfUser: 'TrackedEvents.distinct(props.items[].sku) avg per user',
};

const ofEvents: Readonly<Record<string, Measure>> = {
  totalOfUser: perUser('max', (rows) => sum(totalsOf(rows))),
  eventsOfUser: perUser('avg', (rows) => eventsOf(rows).length || null),
  count: (rows) => eventsOf(rows).length,
  uniqueUsersCount: (rows) => new Set(rows.map(({ event: { user } }) => user)).size,
  'sum(props.total)': (rows) => sum(totalsOf(rows)) ?? 0,
  'sum(props.total*props.total)': (rows) => sum(totalsOf(rows).map((total) => total * total)) ?? 0,
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
      'sum(props.items[].price)': (rows) => sum(rows.flatMap(numberIn('price'))) ?? 0,
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
      quantityOfUser: perUser('avg', (rows) => sum(rows.flatMap(numberIn('qty')))),
      kindsOfUser: perUser('avg', (rows) => distinct(sku)(rows) || null),
      'sum(props.items[].price*props.items[].qty)': (rows) => sum(rows.flatMap(productIn)) ?? 0,
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
export const unused: Readonly<Record<string, (row: Row) => boolean>> = {
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

export interface Question {
  readonly list: keyof typeof lists;
  readonly measures: readonly string[];
  readonly by: readonly ('list' | 'shop')[];
  readonly where: Condition | undefined;
  readonly inShop: boolean;
}

export const questions: fc.Arbitrary<Question> = fc.constantFrom('items' as const, 'tags' as const).chain((list) =>
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

export function toQuery({ list, measures, by, where, inShop }: Question): Query {
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
  const named =
    by.includes('list') || where || measures.some((measure) => (formulas[measure] ?? measure).includes('[]'));
  return {
    measures: [...measures, ...(named ? [] : [`distinct(${key})`])].map(full),
    dimensions: by.map((each) => full(each === 'list' ? key : 'props.shop')),
    filters,
    formulas: Object.fromEntries(
      measures.flatMap((measure) => (formulas[measure] ? [[full(measure), formulas[measure]]] : [])),
    ),
  };
}

const holds: Readonly<Record<Condition['operator'], (found: string | null, value: string) => boolean>> = {
  equals: (found, value) => found === value,
  notEquals: (found, value) => found !== value,
  contains: (found, value) => found?.toLowerCase().includes(value.toLowerCase()) === true,
  set: (found) => found !== null,
  notSet: (found) => found === null,
};

export function rowsOf(events: readonly Event[], { list, where, inShop }: Question): readonly Row[] {
  const { read } = lists[list];
  return events
    .flatMap((one): readonly Row[] => valuesOf(one[list]).map((value) => ({ event: one, value })))
    .filter((row) => where === undefined || holds[where.operator](read(row) as string | null, where.value))
    .filter((row) => !inShop || row.event.shop === 'north');
}

export function answerSlowly(
  events: readonly Event[],
  question: Question,
  query: Query,
): readonly Record<string, unknown>[] {
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
export const usual: Event = {
  user: 'z',
  shop: 'west',
  total: 1,
  rate: 0.00000001,
  items: [{ sku: 'Z', price: 1, qty: 1 }, { sku: 'Y' }],
  tags: ['z', 'y'],
};

/** Rows in any order, their numbers without rounding errors. */
export const byText = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows
    .map(rounded)
    .map((row) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))))
    .sort();

const rounded = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === 'number' && !key.includes('props.shop') ? Math.round(value * 1e6) / 1e6 : value,
    ]),
  );
