import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCatalog } from '../../src/plan/model/catalog.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { withFullNames } from '../../src/ask/notation/full-names.ts';
import { readNotation } from '../../src/ask/notation/read-notation.ts';
import { open, type Queryable, query } from '../../src/use/index.ts';
import { runs } from '../runs.ts';
import { fewEvents, folderOf, now } from './run-in-folder.ts';

async function asking<T>(work: (validate: (asked: Queryable | string) => Promise<unknown>) => Promise<T>): Promise<T> {
  const folder = folderOf({ 'events.ndjson': fewEvents });
  await using sluice = await open({
    workspace: folder.root,
    events: 'events.ndjson',
    env: {},
    now: () => now,
    onNote: () => {},
  });
  return await work(async (asked) => {
    const read = await sluice.validate(asked);
    return read.ok ? read.value : read.issues.map(({ message, hint }) => [message, hint]);
  });
}

describe('short names in a query of a program', () => {
  it('mean the same as in a line', () =>
    asking(async (validate) => {
      const same = async (asked: Queryable, line: string) =>
        expect(await validate(asked)).toEqual(await validate(line));
      await same(
        query()
          .measures('count')
          .by('docPath')
          .time('utcTime', 'day')
          .range('last 7 days')
          .order('count', 'desc')
          .limit(3),
        'count by docPath, day last 7 days order by count desc limit 3',
      );
      await same(
        query().measures('count').by('day').range('last 7 days').order('day'),
        'count by day last 7 days order by day',
      );
      await same(query().measures('count').range('last 7 days'), 'count last 7 days');
      await same(
        query().measures('Sessions.count').by('agentName').range('today'),
        'Sessions.count by agentName today',
      );
      await same(
        query()
          .measures('averageDurationMinutes')
          .where('count', 'gt', 2)
          .whereAny([
            ['agentName', 'equals', 'Chrome'],
            ['osName', 'set'],
          ]),
        'averageDurationMinutes where count > 2 and (agentName = Chrome or osName is set)',
      );
      await same(
        query()
          .measures('count')
          .formula('each', 'TrackedEvents.count / TrackedEvents.uniqueUsersCount')
          .segments('bots'),
        'count, count / uniqueUsersCount as each segment bots',
      );
    }));

  it('that are unknown are reported with the nearest name', () =>
    asking(async (validate) => {
      expect(await validate(query().measures('cuont'))).toEqual([
        ['There is no measure "TrackedEvents.cuont".', 'Did you mean "TrackedEvents.count"?'],
      ]);
      expect(await validate(query().measures('count').by('docPaht'))).toEqual([
        ['There is no dimension "TrackedEvents.docPaht".', 'Did you mean "TrackedEvents.docPath"?'],
      ]);
      const odd = { measures: ['count', 5], filters: [{ member: 7 }, { or: 'no' }], order: 'x', timeDimensions: {} };
      expect(await validate(odd as never)).not.toHaveLength(0);
    }));

  it('give the rows of full names', async () => {
    const folder = folderOf({ 'events.ndjson': fewEvents });
    await using sluice = await open({ workspace: folder.root, events: 'events.ndjson', env: {}, now: () => now });
    const [row] = (await sluice.query(query().measures('count'))).rows();
    expect(row!['TrackedEvents.count']).toBe(5);
    expect((await sluice.query({ measures: ['count'] })).rows()).toEqual([{ 'TrackedEvents.count': 5 }]);
  });

  it('are also columns with signs and spaces, as in a line', async () => {
    const rows = [
      { utcTime: '2024-03-06T10:00:00Z', 'Plan (x)': 'pro', 'Order value': 5, 'Customer no.': 'c1' },
      { utcTime: '2024-03-06T11:00:00Z', 'Plan (x)': 'free', 'Order value': 2, 'Customer no.': 'c2' },
    ];
    const folder = folderOf({
      'sluice.yaml': 'columns: {userId: Customer no.}\n',
      'rows.ndjson': rows.map((row) => JSON.stringify(row)).join('\n'),
    });
    await using s = await open({
      workspace: folder.root,
      events: 'rows.ndjson',
      env: {},
      now: () => now,
      onNote: () => {},
    });
    const same = async (asked: Queryable, line: string) =>
      expect((await s.query(asked)).rows()).toEqual((await s.query(line)).rows());
    const sum = query().measures('sum(Order value)');
    await same(sum.by('Plan (x)').order('Plan (x)'), 'sum(Order value) by "Plan (x)" order by "Plan (x)"');
    await same(sum.by('props.Plan (x)'), 'sum("Order value") by Plan (x)');
    await same(sum.where('TrackedEvents.props.Plan (x)', 'equals', 'pro'), 'sum(Order value) where "Plan (x)" = pro');
    await same(query().by('Plan (x)').range(['2024-03-06', '2024-03-06']), 'by "Plan (x)" 2024-03-06');
    await same(query().measures('count').by('Customer no.'), 'count by "Customer no."');
    for (const name of ['docPth', 'props.Plan (y)', 'Plan (y)'])
      await expect(s.query(query().measures('count').by('docPath').order(name))).rejects.toMatchObject({
        issues: [{ code: 'unknown-member' }],
      });
  });

  it('are also fields within columns, attributed values and figures of each user', async () => {
    const rows = [
      { utcTime: '2024-03-06T10:00:00Z', userId: 'a', customer: { tier: 'gold' }, price: 2, 'First touch': 'x' },
      { utcTime: '2024-03-06T11:00:00Z', userId: 'a', customer: { tier: 'iron' }, price: 3 },
      { utcTime: '2024-03-06T12:00:00Z', userId: 'b', customer: { tier: 'iron' }, price: 4, 'First touch page': 'y' },
    ];
    const folder = folderOf({ 'rows.ndjson': rows.map((row) => JSON.stringify(row)).join('\n') });
    const options = { workspace: folder.root, events: 'rows.ndjson', env: {}, now: () => now, onNote: () => {} };
    const same = async (asked: Queryable, line: string) => {
      await using s = await open(options);
      expect((await s.query(asked)).rows()).toEqual((await s.query(line)).rows());
    };
    await same({ measures: ['TrackedEvents.count'], dimensions: ['customer.tier'] }, 'count by customer.tier');
    await same(query().measures('count').by('price'), 'count by price');
    await same(query().measures('count').where('price', 'gt', 2), 'count where price > 2');
    await same(query().measures('count').by('price').order('price', 'desc'), 'count by price order by price desc');
    await same({ dimensions: ['customer.tier'] }, 'by customer.tier');
    await same(query().by('customer.tier').range('2024-03-06'), 'by customer.tier 2024-03-06');
    await same(query().by('customer.tier').measures('count').range('2024-03-06'), 'count by customer.tier 2024-03-06');
    await same(query().measures('count').where('customer.tier', 'equals', 'iron'), 'count where customer.tier = iron');
    for (const name of ['first touch customer.tier', 'firstTouch.customer.tier', 'first touch "customer.tier"'])
      await same(query().measures('count').by(name).order(name), 'count by first touch customer.tier');
    await same(query().measures('users').by('count per user'), 'users by count per user');
    await same(query().measures('users').by('perUser.sum(price)'), 'users by sum(price) per user');
    await same({ measures: ['sum(price * "price")'], dimensions: ['"price"'] }, 'sum(price * price) by price');
    await same({ measures: ['count'], dimensions: ['First touch page'] }, 'count by "First touch page"');
    await using s = await open(options);
    for (const name of ['customer.tear', 'nothing.tier', 'first touch nothing'])
      await expect(s.query({ measures: ['count'], dimensions: [name] })).rejects.toMatchObject({
        issues: [{ code: 'unknown-member' }],
      });
  });

  const members = toCatalog(builtInModel);
  const cube = fc.constantFrom(...builtInModel.cubes.filter((each) => each.public));

  it('are found for every member, and full names stay', () => {
    fc.assert(
      fc.property(cube, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (of, picks) => {
        const pick = (kind: 'measures' | 'dimensions') => {
          const names = Object.keys(of[kind]);
          return picks.map((at) => `${of.name}.${names[at % names.length]}`);
        };
        const full = {
          measures: pick('measures'),
          dimensions: pick('dimensions'),
          order: [[pick('measures')[0]!, 'asc']] as const,
        };
        expect(withFullNames(full, { members })).toEqual(full);
        const [first = '', ...rest] = full.measures;
        const short = (name: string) => name.slice(name.indexOf('.') + 1);
        const asked = {
          measures: [first, ...rest.map(short)],
          dimensions: full.dimensions.map(short),
          order: full.order.map(([name, direction]) => [short(name), direction] as const),
        };
        expect(withFullNames(asked, { members })).toEqual(full);
        const line = readNotation(`${asked.measures.join(', ')} by ${asked.dimensions.join(', ')}`, { members });
        if (line.ok) expect(line.value.measures?.[0]).toBe(first);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('a column with a name that else is a synonym of a dimension', () => {
  const events = [
    { time: '2024-03-01T10:00:00Z', user: 'a', event: 'view', url: 'https://x.org/one', page: 3, path: 'north' },
    { time: '2024-03-01T11:00:00Z', user: 'b', event: 'view', url: 'https://x.org/two', page: 3, path: 'south' },
    { time: '2024-03-02T10:00:00Z', user: 'a', event: 'buy', url: 'https://x.org/one', page: 1, path: 'north' },
  ];
  const columns = 'columns: {utcTime: time, userId: user, eventType: event, url: url}';
  const text = events.map((event) => JSON.stringify(event)).join('\n');
  const questions: Readonly<Record<string, string>> = {
    'count by page': '3,2\n1,1\n',
    'count by path order by path desc': 'south,1\nnorth,2\n',
    'count where page = 3': '2\n',
    'count by Path order by count desc': '/one,2\n/two,1\n',
    'count by docPath order by count desc': '/one,2\n/two,1\n',
    'distinct(path)': '2\n',
    'max(page)': '3\n',
    'users by first touch path order by users desc': 'north,1\nsouth,1\n',
    'pages by day': '',
  };

  it.each(['--events own.ndjson', '--config mapped.yaml', '--store kept'])('is the column with %s', async (how) => {
    const folder = folderOf({ 'own.ndjson': text, 'mapped.yaml': `events: own.ndjson\n${columns}\n` });
    if (how.startsWith('--store'))
      await folder.sluice(['ingest', 'own.ndjson', '--config', 'mapped.yaml', '--store', 'kept']);
    for (const [line, rows] of Object.entries(questions)) {
      const { stdout, stderr } = await folder.sluice(['query', line, '-f', 'csv', ...how.split(' ')]);
      expect([line, stdout.split('\n').slice(1).join('\n')], stderr).toEqual([line, rows]);
    }
  });

  it('stays the dimension in files without such a column', async () => {
    const { stdout } = await folderOf({ 'events.ndjson': fewEvents }).sluice([
      'query',
      'count by page, browser order by page',
      '-f',
      'csv',
      '--events',
      'events.ndjson',
    ]);
    expect(stdout.split('\n')[0]).toBe('TrackedEvents.docPath,TrackedEvents.agentName,TrackedEvents.count');
  });
});
