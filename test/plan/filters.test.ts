import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  dateOperators,
  presenceOperators,
  valueOperators,
  type Filter,
  type FilterOperator,
  type FilterValue,
  type MemberFilter,
} from '../../src/ask/query/query.ts';
import { patternProblem } from '../../src/plan/bind/pattern-problem.ts';
import { ask, modelOf } from './ask.ts';
import { openTestEngine, valuesOf, type Cell, type TestEngine } from './engine.ts';
import { runs } from '../runs.ts';

const model = modelOf(`
cubes:
  - name: T
    sql_table: t
    measures:
      - {name: count, type: count}
      - {name: yes, type: count, filters: [{sql: "{CUBE}.flag"}]}
      - {name: total, type: sum, sql: whole}
      - {name: mean, type: avg, sql: whole}
      - {name: least, type: min, sql: whole}
      - {name: greatest, type: max, sql: whole}
      - {name: kinds, type: count_distinct, sql: text}
      - {name: share, type: number, sql: "1.0 * {yes} / {count}"}
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true, public: true}
      - {name: kind, type: number, sql: kind}
      - {name: text, type: string, sql: text}
      - {name: whole, type: number, sql: whole}
      - {name: real, type: number, sql: amount}
      - {name: money, type: number, sql: money}
      - {name: flag, type: boolean, sql: flag}
      - {name: at, type: time, sql: happened}
`);

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine(
    'CREATE TABLE t (id INTEGER, kind INTEGER, text VARCHAR, whole BIGINT, amount DOUBLE, money DECIMAL(18,2), flag BOOLEAN, happened TIMESTAMP)',
  );
});
afterAll(() => engine[Symbol.asyncDispose]());

interface Item {
  readonly id: number;
  readonly kind: number | null;
  readonly text: string | null;
  readonly whole: bigint | null;
  readonly real: number | null;
  /** In hundredths. */
  readonly money: number | null;
  readonly flag: boolean | null;
  /** Epoch microseconds. */
  readonly at: number | null;
}

async function fill(items: readonly Item[]): Promise<void> {
  const rows = items.map(({ id, kind, text, whole, real, money, flag, at }): readonly Cell[] => [
    id,
    kind,
    text,
    whole,
    real,
    money === null ? null : money / 100,
    flag,
    at === null
      ? null
      : new Date(Math.floor(at / 1000)).toISOString().slice(0, -1) + String(at % 1000).padStart(3, '0'),
  ]);
  await engine.setup(`DELETE FROM t; ${rows.length > 0 ? `INSERT INTO t VALUES ${valuesOf(rows)}` : ''}`);
}

const texts = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', '%', '_', '\\', 'Ä', 'ä', "'", '"', '$', '1', ' ', '\n'),
  maxLength: 4,
});
const wholes = fc.constantFrom(
  -3n,
  0n,
  1n,
  2n,
  10n,
  12n,
  21n,
  9_007_199_254_740_992n,
  9_007_199_254_740_993n,
  -9_223_372_036_854_775_807n,
);
const reals = fc.constantFrom(-1.5, 0, 0.1, 0.3, 2, 12.25, 1e20, 0.1 + 0.2);
const cents = fc.constantFrom(-150, 0, 10, 1225, 200, 999_999_999_99);
const zones = ['UTC', 'America/New_York', 'Pacific/Auckland', 'Asia/Kolkata'] as const;
const days = ['2024-03-09', '2024-03-10', '2024-03-11', '2024-04-06', '2024-04-07', '2024-04-08'] as const;
const instants = fc.oneof(
  fc.integer({ min: Date.parse('2024-03-09T00:00:00Z'), max: Date.parse('2024-03-12T00:00:00Z') }),
  fc.integer({ min: Date.parse('2024-04-06T00:00:00Z'), max: Date.parse('2024-04-09T00:00:00Z') }),
  // Midnights, and a millisecond before and after.
  fc
    .tuple(fc.constantFrom(...days), fc.constantFrom(0, 5, -13, -12, 4, -5.5), fc.constantFrom(-1, 0, 1))
    .map(([date, hours, beside]) => Date.parse(date) + hours * 3_600_000 + beside),
);

const items = fc
  .array(
    fc.record({
      kind: fc.option(fc.integer({ min: 1, max: 3 })),
      text: fc.option(texts),
      whole: fc.option(wholes),
      real: fc.option(reals),
      money: fc.option(cents),
      flag: fc.option(fc.boolean()),
      at: fc.option(fc.tuple(instants, fc.constantFrom(0, 999)).map(([ms, micros]) => ms * 1000 + micros)),
    }),
    { maxLength: 25 },
  )
  .map((rows) => rows.map((row, id): Item => ({ id, ...row })));

const filterOf = (
  member: string,
  operators: readonly FilterOperator[],
  value: fc.Arbitrary<FilterValue>,
  most = 3,
): fc.Arbitrary<MemberFilter> =>
  fc.record({
    member: fc.constant(`T.${member}`),
    operator: fc.constantFrom(...operators),
    values: fc.array(value, { minLength: 1, maxLength: most }),
  });

const comparisons = ['gt', 'gte', 'lt', 'lte'] as const;
const likes = ['contains', 'notContains', 'startsWith', 'notStartsWith', 'endsWith', 'notEndsWith'] as const;
const equalities = ['equals', 'notEquals', 'in', 'notIn'] as const;
const numberTexts = fc.oneof(
  wholes.map(String),
  fc.constantFrom('0.1', '12.25', '-1.5', '2.0', '999999999.99', ' 12 ', '+2', '.1'),
  fc.constantFrom(2, 12.25),
);
const orNull = <T extends FilterValue>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });
const dates = fc.oneof(
  fc.constantFrom(...days),
  instants.map((instant) => new Date(instant).toISOString()),
);
const rangeOperators = ['inDateRange', 'notInDateRange'] as const;
const oneDayOperators = ['beforeDate', 'beforeOrOnDate', 'afterDate', 'afterOrOnDate', ...comparisons] as const;

/** Regular expressions that mean the same in JavaScript. */
const patterns = fc.constantFrom(
  '^a',
  'b$',
  '^$',
  '',
  'a|Ä',
  '(a|b){2}',
  '^[^a]+$',
  '^.$',
  'a.b',
  '%',
  '[\'"]',
  '\\\\',
  '\\d',
  'ä\\n?',
);

const memberFilters: fc.Arbitrary<Filter> = fc.oneof(
  filterOf('text', [...equalities, ...likes], orNull(texts)),
  filterOf('text', comparisons, texts, 1),
  filterOf('text', ['matches', 'notMatches'], orNull(patterns)),
  filterOf('whole', ['matches', 'notMatches'], orNull(fc.constantFrom('^1', '0$', '^-?[0-9]{1,2}$'))),
  ...['whole', 'real', 'money'].flatMap((member) => [
    filterOf(member, equalities, orNull(numberTexts)),
    filterOf(member, comparisons, numberTexts, 1),
  ]),
  filterOf('whole', likes, orNull(fc.constantFrom('1', '2', '-', '%', '993'))),
  filterOf('money', likes, orNull(fc.constantFrom('.', '.50', '12', '_'))),
  filterOf('flag', equalities, orNull(fc.constantFrom<FilterValue[]>('true', 'FALSE', '1', '0', 'no', true, false))),
  filterOf('flag', likes, fc.constantFrom('ru', 'F', '')),
  filterOf('at', [...equalities, 'onTheDate'], orNull(dates)),
  filterOf('at', oneDayOperators, dates, 1),
  filterOf('at', rangeOperators, dates, 2),
  fc.record({
    member: fc.constantFrom('T.text', 'T.whole', 'T.real', 'T.flag', 'T.at'),
    operator: fc.constantFrom('set', 'notSet'),
  }),
  fc.constant<MemberFilter>({ member: 'T.yes', operator: 'measureFilter' }),
);

function nested(leaf: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> {
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      leaf,
      fc.array(tie('filter'), { maxLength: 3 }).map((and): Filter => ({ and })),
      fc.array(tie('filter'), { maxLength: 3 }).map((or): Filter => ({ or })),
    ),
  })).filter;
}

/**
 * The contract's rules for each operator, value by value. `compare` is undefined for values that cannot be compared.
 */
function keeps(filter: Filter, test: (filter: MemberFilter) => boolean): boolean {
  if ('and' in filter) return filter.and.every((part) => keeps(part, test));
  if ('or' in filter) return filter.or.length === 0 || filter.or.some((part) => keeps(part, test));
  return test(filter);
}

interface Subject<T> {
  readonly value: T | null;
  readonly text: (value: T) => string;
  /** Negative, 0 or positive: the value compared with the written one. */
  readonly compare: (value: T, written: string) => number;
}

function passes<T>({ operator, values = [] }: MemberFilter, { value, text, compare }: Subject<T>): boolean {
  const written = values.filter((each) => each !== null).map(String);
  const names = { null: values.includes(null) };
  if (operator === 'set') return value !== null;
  if (operator === 'notSet') return value === null;
  const isNegative = /^not/.test(operator) && operator !== 'notInDateRange';
  if (value === null)
    return (isNegative ? !names.null : names.null) && !(comparisons as readonly string[]).includes(operator);
  const low = () => text(value).toLowerCase();
  switch (operator) {
    case 'equals':
    case 'in':
      return written.some((each) => compare(value, each) === 0);
    case 'notEquals':
    case 'notIn':
      return written.every((each) => compare(value, each) !== 0);
    case 'contains':
      return written.some((each) => low().includes(each.toLowerCase()));
    case 'notContains':
      return !written.some((each) => low().includes(each.toLowerCase()));
    case 'startsWith':
      return written.some((each) => low().startsWith(each.toLowerCase()));
    case 'notStartsWith':
      return !written.some((each) => low().startsWith(each.toLowerCase()));
    case 'endsWith':
      return written.some((each) => low().endsWith(each.toLowerCase()));
    case 'notEndsWith':
      return !written.some((each) => low().endsWith(each.toLowerCase()));
    case 'matches':
      return written.some((each) => new RegExp(each, 'iu').test(text(value)));
    case 'notMatches':
      return !written.some((each) => new RegExp(each, 'iu').test(text(value)));
    case 'gt':
      return compare(value, written[0]!) > 0;
    case 'gte':
      return compare(value, written[0]!) >= 0;
    case 'lt':
      return compare(value, written[0]!) < 0;
    case 'lte':
      return compare(value, written[0]!) <= 0;
    default:
      throw new Error(operator);
  }
}

/** Days are compared by the zone's calendar, instants by milliseconds. */
function timePasses({ operator, values = [] }: MemberFilter, at: number | null, zone: string): boolean {
  const written = values.filter((each) => each !== null).map(String);
  if (operator === 'set') return at !== null;
  if (operator === 'notSet') return at === null;
  if (at === null) {
    if (operator === 'equals' || operator === 'in' || operator === 'onTheDate') return values.includes(null);
    return (operator === 'notEquals' || operator === 'notIn') && !values.includes(null);
  }
  const instant = Math.floor(at / 1000);
  const sides = written.map((each) =>
    each.length === 10 ? order(localDay(instant, zone), each) : Math.sign(instant - Date.parse(each)),
  );
  const [first, last = first] = sides as [number, number?];
  switch (operator) {
    case 'equals':
    case 'in':
    case 'onTheDate':
      return sides.includes(0);
    case 'notEquals':
    case 'notIn':
      return !sides.includes(0);
    case 'inDateRange':
      return first >= 0 && last <= 0;
    case 'notInDateRange':
      return !(first >= 0 && last <= 0);
    case 'gt':
    case 'afterDate':
      return first > 0;
    case 'gte':
    case 'afterOrOnDate':
      return first >= 0;
    case 'lt':
    case 'beforeDate':
      return first < 0;
    case 'lte':
    case 'beforeOrOnDate':
      return first <= 0;
    default:
      throw new Error(operator);
  }
}

const calendars = new Map(
  zones.map((zone) => [
    zone as string,
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }),
  ]),
);

function localDay(instant: number, zone: string): string {
  return calendars.get(zone)!.format(instant);
}

function order<T>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Exact, in millionths. */
function exact(text: string): bigint {
  const [, sign, whole = '', part = ''] = /^([+-]?)(\d*)\.?(\d*)$/.exec(text.trim())!;
  const size = BigInt(whole || '0') * 1_000_000n + BigInt(part.padEnd(6, '0'));
  return sign === '-' ? -size : size;
}

function oracle(item: Item, zone: string): (filter: MemberFilter) => boolean {
  return (filter) => {
    switch (filter.member) {
      case 'T.yes':
        return item.flag === true;
      case 'T.text':
        return passes(filter, { value: item.text, text: String, compare: order });
      case 'T.whole':
        return passes(filter, {
          value: item.whole,
          text: String,
          compare: (value, written) => order(value * 1_000_000n, exact(written)),
        });
      case 'T.real':
        return passes(filter, {
          value: item.real,
          text: String,
          compare: (value, written) => order(value, Number(written)),
        });
      case 'T.money':
        return passes(filter, {
          value: item.money,
          text: (value) => String(value / 100),
          compare: (value, written) => order(BigInt(value) * 10_000n, exact(written)),
        });
      case 'T.flag':
        return passes(filter, {
          value: item.flag,
          text: String,
          compare: (value, written) => (value === /^(true|1)$/i.test(written) ? 0 : 1),
        });
      case 'T.at':
        return timePasses(filter, item.at, zone);
      default:
        throw new Error(filter.member);
    }
  };
}

it('keeps the rows that the contract says, whatever operators are nested in whatever groups', async () => {
  const seen = new Set<FilterOperator>();
  const note = (filter: Filter): boolean => keeps(filter, ({ operator }) => Boolean(seen.add(operator)));
  await fc.assert(
    fc.asyncProperty(
      items,
      fc.array(nested(memberFilters), { minLength: 10, maxLength: 10 }),
      fc.constantFrom(...zones),
      async (rows, filters, zone) => {
        await fill(rows);
        for (const filter of filters) {
          note(filter);
          const answer = await ask(
            engine,
            { dimensions: ['T.id'], filters: [filter], timezone: zone, limit: 1000 },
            model,
          );
          const wanted = rows.filter((row) => keeps(filter, oracle(row, zone))).map((row) => row.id);
          expect(
            answer.map((row) => row['T.id']),
            JSON.stringify(filter),
          ).toEqual(wanted);
        }
      },
    ),
    { numRuns: runs(150) },
  );
  // An `or` stops at its first true part, so not every evaluation is recorded; but every operator must occur.
  expect([...seen].toSorted()).toEqual([...valueOperators, ...presenceOperators, ...dateOperators].toSorted());
});

it.each([
  ...[
    '^/docs/[0-9]+$',
    '(?i)a',
    '(?P<year>\\d{4})',
    '(?s:a.b)',
    '\\Qa(b\\E',
    '[[:alpha:]]+',
    '\\pL',
    '[^\\]]',
    'a{2,3}?',
    '\\.html',
  ],
  ...['(', ')', '[a', 'a**', '*', 'a{3,2}', '(?=a)', '(?<!a)', '(a)\\1', '\\'],
])('finds what is wrong with a regular expression as the engine does: %s', async (pattern) => {
  const asked = engine.rows(`SELECT regexp_matches('a', '${pattern}') AS found`);
  const refused = await asked.then(
    () => false,
    () => true,
  );
  expect(patternProblem(pattern) !== undefined).toBe(refused);
});

it('keeps large whole numbers apart also where decimals stand beside them', async () => {
  const whole = [9_007_199_254_740_992n, 9_007_199_254_740_993n];
  await fill(
    whole.map((each, id) => ({
      id,
      kind: null,
      text: null,
      whole: each,
      real: null,
      money: null,
      flag: null,
      at: null,
    })),
  );
  const idsOf = async (operator: FilterOperator) =>
    (
      await ask(
        engine,
        { dimensions: ['T.id'], filters: [{ member: 'T.whole', operator, values: ['9007199254740993', '0.1'] }] },
        model,
      )
    ).map((row) => row['T.id']);
  expect(await idsOf('in')).toEqual([1]);
  expect(await idsOf('notIn')).toEqual([0]);
});

it('lets several filters all hold', async () => {
  await fc.assert(
    fc.asyncProperty(items, fc.array(memberFilters, { maxLength: 4 }), async (rows, filters) => {
      await fill(rows);
      const answer = await ask(engine, { dimensions: ['T.id'], filters }, model);
      expect(answer.map((row) => row['T.id'])).toEqual(
        rows.filter((row) => filters.every((filter) => keeps(filter, oracle(row, 'UTC')))).map((row) => row.id),
      );
    }),
    { numRuns: runs(30) },
  );
});

const measureFilters: fc.Arbitrary<Filter> = fc.oneof(
  filterOf('count', [...equalities, ...comparisons], fc.constantFrom('0', '1', '2', '3.5')),
  filterOf('total', [...equalities], orNull(fc.constantFrom('0', '9', '12', '-3'))),
  filterOf('total', comparisons, fc.constantFrom('0', '9', '12')),
  filterOf('mean', comparisons, fc.constantFrom('0', '5.5', '1')),
  filterOf('least', [...equalities, ...comparisons], fc.constantFrom('0', '1', '10')),
  filterOf('greatest', likes, fc.constantFrom('1', '2')),
  filterOf('kinds', [...equalities, ...comparisons], fc.constantFrom('0', '1', '2')),
  filterOf('share', comparisons, fc.constantFrom('0', '0.5', '1')),
  fc.record({
    member: fc.constantFrom('T.total', 'T.greatest', 'T.count'),
    operator: fc.constantFrom('set', 'notSet'),
  }),
);

it('keeps the groups that the contract says, also by measures that are not in the answer', async () => {
  const smaller = items.map((rows) =>
    rows.map((row) => ({
      ...row,
      whole: row.whole === null || row.whole > 100n || row.whole < -100n ? null : row.whole,
    })),
  );
  await fc.assert(
    fc.asyncProperty(
      smaller,
      fc.array(nested(measureFilters), { minLength: 6, maxLength: 6 }),
      async (rows, filters) => {
        await fill(rows);
        const groups = [...Map.groupBy(rows, (row) => row.kind)].toSorted(
          ([left], [right]) => (left ?? 9) - (right ?? 9),
        );
        for (const filter of filters) {
          const answer = await ask(
            engine,
            { dimensions: ['T.kind'], measures: ['T.count'], order: [], filters: [filter] },
            model,
          );
          const wanted = groups.filter(([, members]) =>
            keeps(filter, (each) => passes(each, measured(each.member, members))),
          );
          expect(answer, JSON.stringify(filter)).toEqual(
            wanted.map(([kind, members]) => ({ 'T.kind': kind, 'T.count': members.length })),
          );
        }
      },
    ),
    { numRuns: runs(30) },
  );
});

function measured(member: string, rows: readonly Item[]): Subject<number> {
  const numbers = rows.flatMap((row) => (row.whole === null ? [] : [Number(row.whole)]));
  const sum = numbers.reduce((total, each) => total + each, 0);
  const some = (value: number) => (numbers.length === 0 ? null : value);
  const values: Readonly<Record<string, number | null>> = {
    'T.count': rows.length,
    'T.total': some(sum),
    'T.mean': some(sum / numbers.length),
    'T.least': some(Math.min(...numbers)),
    'T.greatest': some(Math.max(...numbers)),
    'T.kinds': new Set(rows.map((row) => row.text).filter((text) => text !== null)).size,
    'T.share': rows.filter((row) => row.flag).length / rows.length,
  };
  return { value: values[member]!, text: String, compare: (value, written) => order(value, Number(written)) };
}
