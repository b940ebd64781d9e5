import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { eachValue, writePropertyName } from '../../src/ask/query/property-name.ts';
import type { Filter } from '../../src/ask/query/query.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { readStore } from '../../src/run/store/store-contents.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { writeEvents, type WrittenEvent } from '../run/sources/write-events.ts';
import { runs, shareOf } from '../runs.ts';
import {
  answerSlowly,
  byText,
  type Event,
  event,
  questions,
  rowsOf,
  toQuery,
  unused,
  usual,
} from './list-questions.ts';
import { folderOf, now, openFolder } from './run-in-folder.ts';

const scratch = openFolder();
const engine = await openEngine({ threads: 1 });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  scratch.remove();
});
let worldNumber = 0;

interface World {
  readonly format: 'ndjson' | 'csv';
  readonly stored: boolean;
  /** Events so large that they take columns in a store, beside a segment without columns. */
  readonly wide?: boolean;
}

/** Enough copies of events for columns. */
const copies = (events: readonly Event[]) =>
  Array.from({ length: 5200 }, (_, index): Event => ({ ...events[index % events.length]! }));

async function inWorld(
  events: readonly Event[],
  { format, stored, wide = false }: World,
  check: (sluice: Sluice) => Promise<void>,
): Promise<void> {
  const written = events.map(
    ({ user, ...properties }, index): WrittenEvent => ({
      utcTime: new Date(Date.UTC(2024, 2, 1, 0, index)).toISOString(),
      eventType: 'purchase',
      userAnonymousId: user,
      ...properties,
      ...(wide && { filler: 'x'.repeat(800) }),
    }),
  );
  worldNumber += 1;
  const place = { path: scratch.root, write: scratch.write };
  const columns = ['utcTime', 'eventType', 'userAnonymousId', 'shop', 'total', 'rate', 'items', 'tags'];
  const parts = wide ? [written.slice(0, 40), written.slice(40)] : [written];
  const files = await Promise.all(
    parts.map((part, index) =>
      writeEvents(engine, place, `w${worldNumber}-${index}`, format, 'none', part, [
        ...columns,
        ...(wide ? ['filler'] : []),
      ]),
    ),
  );
  const store = `${scratch.root}/store${worldNumber}`;
  for (const file of stored ? files : []) {
    const taken = await scratch.sluice(['ingest', file, '--store', store]);
    expect(taken, taken.stderr).toMatchObject({ code: 0 });
  }
  await using sluice = await open({
    workspace: scratch.root,
    env: {},
    now: () => now,
    onNote: () => undefined,
    ...(stored ? { store } : { events: files }),
  });
  await check(sluice);
  if (!wide) return;
  const segments = (await readStore(store))?.segments.map(({ values = [] }) => values.length > 0);
  expect(segments?.toSorted()).toEqual([false, true]);
}

describe.each([
  { format: 'ndjson', stored: false },
  { format: 'ndjson', stored: true },
  { format: 'ndjson', stored: true, wide: true },
  { format: 'csv', stored: false },
] as const)('the values of lists in $format (in a store: $stored, with columns: $wide)', (world) => {
  it('give what a count over all values and events gives', { timeout: 400_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 12 }),
        fc.array(questions, { minLength: 12, maxLength: 12 }),
        (some, asked) => {
          const events = 'wide' in world ? copies([...some, usual]) : [...some, usual];
          return inWorld(events, world, async (sluice) => {
            for (const question of asked) {
              const query = toQuery(question);
              const result = await sluice.query(query);
              expect(byText(result.rows()), JSON.stringify(query)).toEqual(
                byText(answerSlowly(events, question, query)),
              );
              const rows = rowsOf(events, question);
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
          });
        },
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

const hostile = ['a.b', "it's", 'quo"te', '$cost', 'ün ï', 'a/b~c', 'sum(x)', '%41', '{CUBE}', '*', '[]', 'value', 'v'];

/** One item without a list. */
const single = {
  utcTime: '2024-03-02T10:00:00Z',
  eventType: 'order',
  userAnonymousId: 'c',
  items: { sku: 'A', price: 7 },
  cart: { total: 3 },
};

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
    expect(stdout.split('\n').slice(1, -1).sort()).toEqual([',0,1', 'A,500,2', 'B,600,1']);
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
      ['count rolling 2 days by day, tags[] 2024-03', 'Query it without the values of lists'],
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

  it('tests events of a query without counting one twice', async () => {
    const value = async (line: string) => (await ask(line)).stdout.split('\n')[1];
    expect(await value('median(total) where items.sku = A')).toBe('25');
    expect(await value('sum(items.price) where tags[] = new')).toBe('30');
    expect(await value('count where tags[] = eu and items.sku = B')).toBe('1');
    expect(await value('count where tags[] = new or items.sku = A')).toBe('2');
    expect(await value('count where items.sku = A and items.price > 10')).toBe('0');
    const rolling = await ask('count rolling 2 days by day where tags[] = eu from 2024-03-01 to 2024-03-02');
    expect(rolling.stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(/,2$/) as string,
      expect.stringMatching(/,2$/) as string,
    ]);
    const { stdout } = await ask('events where items.sku = A');
    expect(stdout.split('\n').filter((line) => line.includes('order'))).toHaveLength(2);
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

  it.each(['file', 'store'])('reads values outside of lists as well, if some events have lists (%s)', async (kind) => {
    const folder = folderOf({ 'b.ndjson': `${orders}\n${JSON.stringify(single)}\n` });
    await folder.sluice(['ingest', 'b.ndjson', '--store', 's']);
    const source = kind === 'file' ? ['--events', 'b.ndjson'] : ['--store', 's'];
    const sum = (line: string) => folder.sluice(['query', line, ...source, '-f', 'csv']);
    for (const line of ['sum(items.price)', 'sum(props.items.price)', 'sum(items[].price)'])
      expect((await sum(line)).stdout, line).toBe('TrackedEvents.sum(props.items[].price)\n47\n');
    expect((await sum('sum(items.0.price)')).stdout).toContain('\n20\n');
    expect((await sum('sum(cart.total)')).stdout).toBe('TrackedEvents.sum(props.cart.total)\n3\n');
    const query = JSON.stringify({ query: { measures: ['TrackedEvents.sum(props.items.price)'] } });
    folder.write('q.yaml', query);
    const exact = await folder.sluice(['query', 'q.yaml', ...source]);
    expect([exact.code, exact.stderr]).toEqual([2, expect.stringContaining('sum(props.items[].price)') as string]);
  });

  it.each([
    { kind: 'file', place: 0 },
    { kind: 'store', place: 1 },
  ])('reads lists and keys of any name ($kind)', async ({ kind, place }) => {
    const event = (at: number) => ({
      utcTime: `2024-03-01T1${at}:00:00Z`,
      eventType: 'order',
      userAnonymousId: `u${at}`,
      ...Object.fromEntries(hostile.map((key) => [key, [{ [key]: at }, { [key]: 10 }]])),
    });
    const folder = folderOf({ 'h.ndjson': `${[1, 2].map((at) => JSON.stringify(event(at))).join('\n')}\n` });
    if (kind === 'store') await folder.sluice(['ingest', 'h.ndjson', '--store', 's']);
    const source = kind === 'store' ? { store: `${folder.root}/s` } : { events: 'h.ndjson' };
    await using sluice = await open({
      workspace: folder.root,
      env: {},
      now: () => now,
      onNote: () => undefined,
      ...source,
    });
    for (const key of shareOf(hostile, place, 2)) {
      const name = writePropertyName([key, eachValue, key]);
      const measures = ['sum', 'distinct'].map((compute) => `TrackedEvents.${compute}(${name})`);
      const filters: Filter[] = [{ member: `TrackedEvents.${name}`, operator: 'lt', values: ['10'] }];
      expect(
        (await sluice.query({ measures })).rows().map((row) => Object.values(row)),
        key,
      ).toEqual([[23, 3]]);
      const [few] = (await sluice.query({ measures: [...measures, 'TrackedEvents.count'], filters })).rows();
      expect(Object.values(few!), key).toEqual([3, 2, 2]);
      const only: Filter[] = [{ member: `TrackedEvents.${name}`, operator: 'equals', values: ['1'] }];
      expect((await sluice.query({ measures: ['TrackedEvents.count'], filters: only })).rows(), key).toEqual([
        { 'TrackedEvents.count': 1 },
      ]);
    }
  });

  it('is suggested where a list is compared as a whole', async () => {
    expect((await ask('count where tags = eu')).stderr).toContain(
      'To compare each value of a list, write props.tags[].',
    );
  });
});
