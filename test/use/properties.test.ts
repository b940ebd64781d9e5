import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { writePropertyName } from '../../src/ask/query/property-name.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { writeMeta } from '../../src/plan/model/write-meta.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { cellOf, writeEvents, type WrittenEvent } from '../run/sources/write-events.ts';
import { shareOf } from '../runs.ts';
import { folderOf, now, openFolder } from './run-in-folder.ts';

const keys = [
  'plan',
  'amount',
  'a.b',
  "it's",
  'quo"te',
  '$cost',
  'ün ï',
  'a/b~c',
  'day',
  'sum(x)',
  '%41',
  '{CUBE}',
  '*',
];

const values: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>('pro', 'free', "'; --", 'true', '007', '1.10', '1.1', '12.50', '1e3', null, '', true, false),
  fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100),
  fc.integer({ min: -50, max: 50 }),
  fc.constantFrom(9_007_199_254_740_991, -0.5),
);

const numbersAlone: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100),
  fc.constant(null),
);

interface World {
  /** The values of each of some events by key. */
  readonly values: Readonly<Record<string, readonly unknown[]>>;
  readonly format: 'ndjson' | 'csv' | 'parquet';
  readonly stored: boolean;
}

const events = 12;

const worlds: fc.Arbitrary<Pick<World, 'values'>> = fc.record({
  values: fc.record(
    Object.fromEntries(
      keys.map((key) => [
        key,
        fc.oneof(...[values, numbersAlone].map((each) => fc.array(each, { minLength: events, maxLength: events }))),
      ]),
    ),
  ),
});

const scratch = openFolder();
const engine = await openEngine({ threads: 1 });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  scratch.remove();
});

/** The value as text; undefined if missing. */
function textOf(value: unknown): string | undefined {
  return cellOf(value) || undefined;
}

function isNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
}

/** Sums in whole billionths, so that nothing is rounded. */
function sumOf(texts: readonly string[]): number | null {
  if (texts.length === 0) return null;
  const sum = texts.reduce((total, text) => {
    const plain = text.includes('e') ? String(Number(text)) : text;
    const [, sign, whole = '', decimals = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(plain)!;
    const amount = BigInt(whole + decimals.padEnd(9, '0'));
    return sign ? total - amount : total + amount;
  }, 0n);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(10, '0');
  return Number(`${sum < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`);
}

let worldNumber = 0;

async function inWorld(world: World, check: (sluice: Sluice) => Promise<void>): Promise<void> {
  const written = Array.from(
    { length: events },
    (_, index): WrittenEvent => ({
      utcTime: new Date(Date.UTC(2024, 2, 1, 0, index)).toISOString(),
      eventType: 'pageview',
      userAnonymousId: `u${index % 3}`,
      ...Object.fromEntries(keys.map((key) => [key, world.values[key]![index]])),
    }),
  );
  worldNumber += 1;
  const place = { path: scratch.root, write: scratch.write };
  const columns = ['utcTime', 'eventType', 'userAnonymousId', ...keys];
  const file = await writeEvents(engine, place, `w${worldNumber}`, world.format, 'none', written, columns);
  const store = `${scratch.root}/store${worldNumber}`;
  if (world.stored) {
    const taken = await scratch.sluice(['ingest', file, '--store', store]);
    expect(taken, taken.stderr).toMatchObject({ code: 0 });
  }
  const source = world.stored ? { store } : { events: file };
  await using sluice = await open({
    workspace: scratch.root,
    env: {},
    now: () => now,
    onNote: () => undefined,
    ...source,
  });
  await check(sluice);
}

describe.each([
  { place: 0, format: 'ndjson', stored: false },
  { place: 1, format: 'ndjson', stored: true },
  { place: 2, format: 'csv', stored: false },
  { place: 3, format: 'parquet', stored: false },
] as const)('a property of $format (in a store: $stored)', ({ place, ...kept }) => {
  it('agrees with an independent count, whatever its name', { timeout: 400_000 }, () =>
    fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        await inWorld({ ...world, ...kept }, async (sluice) => {
          for (const key of shareOf(keys, place, 4)) await checkProperty(sluice, key, world.values[key]!);
        });
      }),
      { numRuns: 1 },
    ),
  );
});

async function checkProperty(sluice: Sluice, key: string, all: readonly unknown[]): Promise<void> {
  const name = writePropertyName([key]);
  const texts = all.map(textOf);
  const present = texts.filter((text) => text !== undefined);
  if (present.length === 0) {
    await expect(sluice.query(`count by ${name}`)).rejects.toThrow(/no dimension|no member/);
    return;
  }
  const grouped = await sluice.query(`count by ${name}`);
  const { type } = grouped.columns[0]!;
  const numbers = present.filter(isNumber);
  if (type === 'number') expect(numbers.length).toBe(present.length);
  if (type === 'number') expect(new Set(present.map(Number)).size).toBe(new Set(present).size);
  if (all.every((value) => value === null || typeof value === 'number')) expect(type).toBe('number');
  const asType = (text: string | undefined) =>
    text === undefined ? null : type === 'number' ? Number(text) : type === 'boolean' ? text === 'true' : text;
  const expected = new Map<unknown, number>();
  for (const text of texts) expected.set(asType(text), (expected.get(asType(text)) ?? 0) + 1);
  const found = grouped.rows().map((row) => Object.values(row));
  expect(new Map(found.map(([value, count]) => [value, count]))).toEqual(expected);

  const [value] = [...expected.keys()].filter((each) => each !== null);
  const filtered = await sluice.query({
    measures: ['TrackedEvents.count'],
    filters: [{ member: `TrackedEvents.${name}`, operator: 'equals', values: [value as string] }],
  });
  expect(filtered.rows()).toEqual([{ 'TrackedEvents.count': expected.get(value) }]);

  // As people write them: 5, not 5.0.
  const written = texts.map(asType).flatMap((each) => (each === null ? [] : [String(each).toLowerCase()]));
  for (const [operator, test] of [
    ['contains', (text: string, part: string) => text.includes(part)],
    ['endsWith', (text: string, part: string) => text.endsWith(part)],
  ] as const)
    for (const part of ['0', '.', '.5', 'e']) {
      const filters = [{ member: `TrackedEvents.${name}`, operator, values: [part] }];
      const count = await sluice.query({ measures: ['TrackedEvents.count'], filters });
      const matching = written.filter((text) => test(text, part)).length;
      expect(count.rows(), `${name} ${operator} ${part}`).toEqual([{ 'TrackedEvents.count': matching }]);
    }

  if (numbers.length === 0) {
    await expect(sluice.query(`sum(${name})`)).rejects.toThrow('is a number');
    return;
  }
  const line = ['sum', 'avg', 'min', 'max', 'median', 'distinct'].map((each) => `${each}(${name})`).join(', ');
  const computed = await sluice.query(line);
  const [sum, avg, min, max, median, distinct] = Object.values(computed.rows()[0]!).map(Number);
  const sorted = numbers.map(Number).sort((one, other) => one - other);
  expect(sum).toBe(sumOf(numbers));
  const average = sumOf(numbers)! / numbers.length;
  expect(Math.abs(avg! - average)).toBeLessThan(1e-6 + Math.abs(average) * 1e-15);
  expect([min, max]).toEqual([sorted[0]! + 0, sorted.at(-1)! + 0]);
  const middle = (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
  expect(median).toBeCloseTo(middle, 6);
  expect(distinct).toBe(new Set(present.map(asType)).size);
  const left = present.length - numbers.length;
  expect(computed.provenance.uncounted.reduce((sum, { rows }) => sum + rows, 0)).toBe(left);

  const greater = await sluice.query(`count where ${name} > 0`);
  expect(greater.rows()[0]!['TrackedEvents.count']).toBe(sorted.filter((number) => number > 0).length);
}

const mixed = [
  {
    utcTime: '2024-03-01T10:00:00Z',
    userAnonymousId: 'u1',
    plan: 'pro',
    amount: 0.1,
    cart: { total: 5, at: { vat: 1 } },
  },
  { utcTime: '2024-03-01T11:00:00Z', userAnonymousId: 'u2', plan: 'free', amount: 'oops', cart: { total: 1.5 } },
  {
    utcTime: '2024-03-02T11:00:00Z',
    userAnonymousId: 'u2',
    amount: 0.2,
    customEventProps: { tier: 'gold', plan: 'pro' },
  },
]
  .map((event) => JSON.stringify({ eventType: 'pageview', ...event }))
  .join('\n');

describe('properties of a file', () => {
  const ask = (line: string, ...more: readonly string[]) =>
    folderOf({ 'a.ndjson': mixed }).sluice(['query', line, '--events', 'a.ndjson', '-f', 'csv', ...more]);

  it('are dimensions, also nested ones and those of custom events', async () => {
    expect((await ask('count by props.plan')).stdout).toBe(
      'TrackedEvents.props.plan,TrackedEvents.count\npro,2\nfree,1\n',
    );
    expect((await ask('count by props.tier where props.cart.at.vat is not set')).stdout).toContain('gold,1');
    expect((await ask('count where props.customEventProps.plan = pro')).stdout).toBe('TrackedEvents.count\n1\n');
    expect((await ask('count by props.cart.total where props.cart.total >= 2')).stdout).toContain('\n5,1\n');
  });

  it('that are IDs of whole numbers are shown without separators of thousands', async () => {
    const line = '{"utcTime":"2024-03-01T10:00:00Z","ga_session_id":1792875600,"orderId":12345,"paid":5000}';
    const folder = folderOf({ 'a.ndjson': line });
    const { stdout } = await folder.sluice(['query', 'count by ga_session_id, orderId, paid', '--events', 'a.ndjson']);
    expect(stdout).toMatch(/1792875600 +12345 +5,000/);
  });

  it('add up exactly, and report values that are not numbers', async () => {
    const answer = await ask('sum(props.amount), p90(props.cart.total), countDistinct( props.plan )');
    expect(answer.stdout.split('\n')[1]).toBe('0.3,4.65,2');
    expect(answer.stderr).toContain('1 event whose props.amount is not a number');
    expect((await ask('count where props.amount > 0.1')).stderr).toContain(
      'a number in 2 of the 3 events that have it',
    );
  });

  it('that no event has are refused, with the nearest name', async () => {
    const typo = await ask('count by props.plna');
    expect(typo).toMatchObject({ code: 2 });
    expect(typo.stderr).toContain('Did you mean "props.plan"?');
    expect((await ask('sum(props.amuont)')).stderr).toContain('Did you mean "sum(props.amount)"?');
    expect((await ask('sum(props.plan)')).stderr).toContain('No value of "props.plan" is a number');
    expect((await ask('count by props.Plan')).stderr).toContain('Did you mean "props.plan"?');
  });

  it('with decimal commas between commas are text, until declared', async () => {
    const folder = folderOf({ 'a.csv': 'utcTime,userId,amount\n2024-03-01T10:00:00Z,a,"1.234,5"\n' });
    const asked = ['query', 'sum(props.amount)', '--events', 'a.csv', '-f', 'csv'];
    const { code, stderr } = await folder.sluice(asked);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        '"1.234,5" is text: declare the decimal mark of the file in sluice.yaml, `decimal: \',\'`',
      ) as string,
    ]);
    folder.write('sluice.yaml', "decimal: ','\n");
    expect((await folder.sluice(asked)).stdout).toContain('1234.5');
  });

  it('are found by their bare name, unless a member has it', async () => {
    for (const line of ['count by props.plan', 'sum(props.amount) by docPath where props.plan = pro'])
      expect(await ask(line.replaceAll('props.', ''))).toEqual(await ask(line));
    expect((await ask('count by dey')).stderr).toContain('Did you mean "day"?');
    expect((await ask('count by zzzz')).stderr).toContain('Run `sluice model` to list the members');
  });

  it('belong to events and not to sessions, which says what to ask instead', async () => {
    const folder = folderOf({
      'a.csv':
        'time,user,event,plan,session\n2024-03-01 09:00:00,ann,view,pro,a\n2024-03-01 09:01:00,ann,view,pro,a\n2024-03-01 09:02:00,ann,view,free,a\n2024-03-02 09:00:00,bob,view,free,b\n',
    });
    const ask = (line: string) => folder.sluice(['query', line, '--events', 'a.csv', '-f', 'csv']);
    for (const line of ['sessions by plan', 'Sessions.averageDurationMinutes where plan = pro'])
      expect(await ask(line)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          'hint: Use members of one of them: a session has no properties of its events, which may differ within it. If events have session IDs, `TrackedEvents.distinct(sessionId)` counts the sessions with such events.',
        ) as string,
      });
    expect((await ask('TrackedEvents.distinct(sessionId) by plan')).stdout.split('\n').slice(1)).toEqual([
      'free,2',
      'pro,1',
      '',
    ]);
  });

  it('in a column `props` need not repeat its name, unless another column has theirs', async () => {
    const event = (rest: object) => JSON.stringify({ utcTime: '2024-03-01T10:00:00Z', ...rest });
    const lines = [event({ props: { plan: 'pro', cart: { total: 5 } } }), event({ props: { plan: 'free' } })];
    const folder = folderOf({
      'a.ndjson': lines.join('\n'),
      'b.ndjson': event({ plan: 'top', props: { plan: 'pro' } }),
    });
    const stdoutOf = async (line: string, files: string) =>
      (await folder.sluice(['query', line, '--events', files, '-f', 'csv'])).stdout;
    const whole = await stdoutOf('count by props.props.plan', 'a.ndjson');
    expect(whole).toMatch(/free,1\npro,1\n|pro,1\nfree,1\n/);
    for (const name of ['props.plan', 'plan', '"plan"'])
      expect(await stdoutOf(`count by ${name}`, 'a.ndjson')).toBe(whole);
    expect(await stdoutOf('sum of cart.total where plan = pro', 'a.ndjson')).toMatch(/\n5\n$/);
    expect(await stdoutOf('count by props.plan', 'b.ndjson')).toMatch(/\ntop,1\n$/);
    expect(await stdoutOf('count by props.props.plan', 'b.ndjson')).toMatch(/\npro,1\n$/);
    expect((await folder.sluice(['query', 'count by pln', '--events', 'a.ndjson'])).stderr).toContain(
      'props.props.plan',
    );
  });

  it('work in query files, load bodies and the builder', async () => {
    const query = {
      measures: ['TrackedEvents.sum(props.amount)'],
      dimensions: ['TrackedEvents.props.plan'],
      filters: [{ member: 'TrackedEvents.props.plan', operator: 'set' as const }],
      order: { 'TrackedEvents.props.plan': 'desc' as const },
    };
    const folder = folderOf({ 'a.ndjson': mixed, 'q.yaml': JSON.stringify({ query }) });
    const file = await folder.sluice(['query', 'q.yaml', '--events', 'a.ndjson', '-f', 'csv']);
    expect(file, file.stderr).toMatchObject({ code: 0 });
    expect(file.stdout).toBe('TrackedEvents.props.plan,TrackedEvents.sum(props.amount)\npro,0.3\nfree,0\n');
    await using sluice = await open({
      workspace: folder.root,
      env: {},
      events: 'a.ndjson',
      now: () => now,
      onNote: () => undefined,
    });
    const loaded = await sluice.load({ query });
    expect(loaded.status, JSON.stringify(loaded.body)).toBe(200);
    expect(JSON.stringify(loaded.body)).toContain('"TrackedEvents.sum(props.amount)":"0.3"');
    expect((await sluice.query(query)).rows()).toHaveLength(2);
  });

  it('have no percentile of a single row', async () => {
    const query = { measures: ['TrackedEvents.median(props.amount)'], ungrouped: true };
    const folder = folderOf({ 'a.ndjson': mixed, 'q.yaml': JSON.stringify({ query }) });
    const answer = await folder.sluice(['query', 'q.yaml', '--events', 'a.ndjson']);
    expect(answer).toMatchObject({ code: 2 });
    expect(answer.stderr).toContain('Leave "ungrouped" out.');
  });

  it('are listed', async () => {
    const folder = folderOf({ 'a.ndjson': mixed });
    const listed = await folder.sluice(['model', 'props', '--events', 'a.ndjson']);
    expect(listed.stdout, listed.stderr).toMatch(/props\.amount +string .*3 of the sampled events/);
    expect(listed.stdout).toContain('props.cart.at.vat');
    expect((await folder.sluice(['model', 'props', '--events', 'a.ndjson', '-f', 'ts'])).stdout).toContain(
      "'TrackedEvents.sum(props.amount)'",
    );
  });

  it('appear in reports with charts', async () => {
    const report = '# Plans\n\n```chart\nsum(props.amount) by props.plan\n```\n';
    const folder = folderOf({ 'a.ndjson': mixed, 'r.md': report });
    const run = await folder.sluice(['report', 'run', 'r.md', '--events', 'a.ndjson', '-o', 'r.html']);
    expect(run.code, run.stderr).toBe(0);
  });

  it('are read from files of several kinds', async () => {
    const folder = folderOf({
      'a.ndjson': mixed,
      'b.csv': 'utcTime,eventType,amount\n2024-03-03T00:00:00Z,pageview,1.5\n',
    });
    const both = await folder.sluice([
      'query',
      'sum(props.amount)',
      '--events',
      'a.ndjson',
      '--events',
      'b.csv',
      '-f',
      'csv',
    ]);
    expect(both.stdout, both.stderr).toContain('\n1.8\n');
  });

  it('report that integers beyond the exact range of floats and of decimals are compared as floats', async () => {
    const ids = ['9007199254740992', '9007199254740993', '18446744073709551615'];
    const lines = [...ids, '1e-12'].map((id) => `{"utcTime":"2024-03-03T00:00:00Z","eventType":"order","id":${id}}\n`);
    const folder = folderOf({ 'a.ndjson': lines.join('') });
    const answer = await folder.sluice(['query', `count where props.id > ${ids[0]}`, '--events', 'a.ndjson']);
    expect(answer.stdout).toContain(
      '"props.id" has whole numbers beyond 9007199254740991, which are compared as 64-bit floats: neighbouring numbers count as equal.',
    );
    const apart = await folder.sluice(['query', 'count by props.id', '--events', 'a.ndjson', '-f', 'csv']);
    for (const id of ids) expect(apart.stdout).toContain(`${id},1`);
  });

  it('are read past invalid lines, which are reported', async () => {
    const folder = folderOf({ 'a.ndjson': `${mixed}\n{"utcTime":"never","plan":"pro"}\n` });
    const answer = await folder.sluice(['query', 'count by props.plan', '--events', 'a.ndjson', '-f', 'csv']);
    expect(answer.stdout).toContain('pro,2');
    expect(answer.stderr).toMatch(/1 line/);
  });

  it('are named if no event has the one of a sum, and none of them has numbers', async () => {
    const folder = folderOf({ 'a.csv': 'time,plan,amount\n2026-10-01 10:00:00,free,\n' });
    const answer = await folder.sluice(['query', 'sum(amount)', '--events', 'a.csv']);
    expect(answer.stderr).toContain(
      'No event has it. Run `sluice model props` to list the properties, such as props.plan.',
    );
  });

  it('are refused on a server, with an alternative', async () => {
    const server = createServer((_, response) => response.end(writeMeta(builtInModel)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const folder = folderOf({ 'sluice.yaml': `backend: cube\ncube: {url: "http://127.0.0.1:${port}"}\n` });
    const answer = await folder.sluice(['query', 'count by props.plan']);
    expect(answer.code).toBe(2);
    expect(answer.stderr).toContain('Load events that have properties');
  });
});

describe('a property of times', () => {
  it('is compared with whole days, like the time of the event', async () => {
    const times = [
      '2026-09-30 23:59:59',
      '2026-10-01 00:00:00',
      '2026-10-30 10:00:00',
      '2026-10-31 10:00:00',
      '2026-11-01 00:00:00',
      '',
    ];
    const folder = folderOf({
      'a.csv': `utcTime,cancelled_at,due\n${times.map((time) => `2026-09-01 09:00:00,${time},${time.slice(0, 10)}\n`).join('')}`,
    });
    for (const member of ['cancelled_at', 'due'])
      for (const [condition, count] of [
        ['between 2026-10-01 and 2026-10-31', 3],
        ['<= 2026-10-31', 4],
        ['< 2026-10-31', 3],
        ['> 2026-10-31', 1],
        ['>= 2026-10-31', 2],
        ['> 2026-09-30', 4],
      ] as const) {
        const { stdout } = await folder.sluice([
          'query',
          `count where ${member} ${condition}`,
          '--events',
          'a.csv',
          '-f',
          'csv',
        ]);
        expect([member, condition, stdout.split('\n')[1]]).toEqual([member, condition, String(count)]);
      }
  });

  it('has days of its own if it has times: the day of the event is not taken for one', async () => {
    const folder = folderOf({ 'a.csv': 'utcTime,finished_at,note\n2026-09-01 09:00:00,2026-09-02 10:00:00,x\n' });
    const ask = (line: string) => folder.sluice(['query', line, '--events', 'a.csv', '-f', 'csv']);
    for (const line of ['count by finished_at day', 'count by finished_at by day', 'count by finished_at daily']) {
      const { stdout } = await ask(line);
      expect([line, stdout.split('\n')[1]]).toEqual([line, '2026-09-02T00:00:00.000,1']);
    }
    for (const line of ['count by finished_at, day', 'count by note day']) {
      const { stdout } = await ask(line);
      expect([line, stdout]).toEqual([line, expect.stringContaining(',2026-09-01T00:00:00.000,1')]);
    }
  });
});
