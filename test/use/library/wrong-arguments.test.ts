import { afterAll, beforeAll, expect, it } from 'vitest';
import * as chart from '../../../src/use/chart.ts';
import * as library from '../../../src/use/index.ts';
import * as queries from '../../../src/use/query.ts';
import { fewEvents, type Folder, now, openFolder } from '../run-in-folder.ts';

type Function = (...given: readonly never[]) => unknown;
/** Functions by name, as a plain JavaScript program sees them. */
type Functions = Readonly<Record<string, unknown>>;

/** Values that a program may pass by mistake for any argument. */
const wrong: Readonly<Record<string, unknown>> = {
  nothing: null,
  number: 5,
  'no number': NaN,
  text: 'zzz',
  list: [null],
  object: { zzz: 1 },
  'object without prototype': Object.assign(Object.create(null) as object, { zzz: 1 }),
  symbol: Symbol('s'),
  function: () => undefined,
  promise: Promise.resolve(5),
  map: new Map([['a', 1]]),
  bytes: Buffer.from('x'),
  circle: (() => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    return circle;
  })(),
};
const texts = ['text'];
const numbers = ['number', 'no number'];
const all = Object.keys(wrong);

/** Valid arguments, and which of `wrong` are valid, too, at each position. None: the function has no parameters. */
interface Case {
  readonly given: readonly unknown[];
  readonly fits?: readonly (readonly string[])[];
}

let folder: Folder;
let s: library.Sluice;
let cases: Readonly<Record<string, Case>>;
/** Each public function under its public name. */
let functions: ReadonlyMap<string, Function>;

beforeAll(async () => {
  folder = openFolder({
    'events.ndjson': fewEvents,
    'queries/pages.yaml': 'query: {measures: [TrackedEvents.count]}\n',
    'reports/daily.md': '---\ntitle: Daily\nschedule: daily at 06:00\n---\n\nNothing.\n',
  });
  const place = { workspace: folder.root, env: {} };
  s = await library.open({ ...place, events: 'events.ndjson', now: () => now, onNote: () => undefined });
  const result = await s.query('count by docPath, day last 7 days');
  const { marks } = result;
  const [report, usage] = [s.report('daily'), await s.usage({ month: '2024-03' })];
  const run = await report.run();
  const builder = library.query().measures('TrackedEvents.count');
  functions = new Map([
    ...functionsOf('', library as unknown as Functions),
    ...functionsOf('', chart as unknown as Functions),
    ...functionsOf('query/', queries as unknown as Functions),
    ...functionsOf('s.', s as unknown as Functions),
    ...functionsOf('s.model.', s.model as unknown as Functions),
    ...functionsOf('report.', report as unknown as Functions),
    ...functionsOf('run.', run as unknown as Functions),
    ...functionsOf('usage.', usage as unknown as Functions),
    ...functionsOf('result.', result as unknown as Functions),
    ...functionsOf('marks.', marks as unknown as Functions),
    ...functionsOf('builder.', builder as unknown as Functions),
  ]);
  const asked = { measures: ['TrackedEvents.count'] };
  const [count, page, time] = ['TrackedEvents.count', 'TrackedEvents.docPath', 'TrackedEvents.utcTime'];
  const retention = { period: 'day', periods: 2 };
  const taken: Case = { given: [result, {}] };
  const none: Case = { given: [] };
  cases = {
    open: { given: [{}] },
    doctor: { given: [{}] },
    sample: { given: [{}] },
    init: { given: [{}] },
    jsonSchema: { given: ['query'] },
    platform: { given: [{}] },
    query: none,
    queryFrom: { given: [asked], fits: [['object', 'object without prototype', 'circle']] },
    readSavedQuery: { given: ['query: {}', {}], fits: [texts] },
    writeSavedQuery: { given: [{ query: asked }] },
    writeResult: { given: [result, 'a.csv', {}] },
    reviveResult: { given: [structuredClone(result)] },
    toCsv: { given: [result] },
    toMarkdown: { given: [result] },
    toParquet: { given: [result] },
    toXlsx: { given: [result] },
    ...Object.fromEntries(
      ['toTable', 'toHtml', 'toArrow', 'toChart', 'toVegaLite', 'toSvg', 'toPng', 'toText'].map((name) => [
        name,
        taken,
      ]),
    ),
    select: { given: [result, [count]] },
    share: taken,
    totals: { given: [result] },
    withOther: { given: [result, 1, 'Other'], fits: [[], ['number'], texts] },
    pivot: { given: [result, { rows: [page], columns: page, values: [count] }] },

    'query/query': none,
    'query/queryFrom': { given: [asked], fits: [['object', 'object without prototype', 'circle']] },
    'query/toQuery': { given: [asked], fits: [['object', 'object without prototype', 'circle']] },
    'query/toCanonicalQuery': { given: [asked] },
    // Resolves with the issues.
    'query/readQuery': { given: [asked], fits: [all] },
    'query/readNotation': { given: ['count', {}], fits: [texts] },
    'query/writeNotation': { given: [asked, {}] },

    's.query': { given: ['count', {}] },
    's.stream': { given: ['count', {}] },
    's.write': { given: ['count', 'a.csv', {}] },
    's.drill': { given: [result, 0, {}], fits: [[], ['number']] },
    's.explain': { given: ['count', {}] },
    's.parse': { given: ['count'], fits: [texts] },
    // Resolves with the issues.
    's.validate': { given: ['count', {}], fits: [all] },
    's.load': { given: [{ query: asked }, {}], fits: [all] },
    's.saved.list': none,
    's.saved.load': { given: ['pages'] },
    's.funnels.list': none,
    's.funnels.check': { given: [['a.yaml']] },
    's.definitions': { given: ['retention'] },
    's.cohorts.list': { given: [{}] },
    's.cohorts.users': { given: ['x', {}] },
    's.funnel': { given: [{ steps: ['/', '/docs'] }, {}] },
    's.retention': { given: [retention, {}] },
    's.paths': { given: [{ from: 'pageview' }, {}] },
    's.lifecycle': { given: [{ period: 'day' }, {}] },
    's.stickiness': { given: [{ period: 'day' }, {}] },
    's.analysis': { given: ['retention', retention, {}] },
    's.users': { given: ['count', {}] },
    's.report': { given: ['daily', {}], fits: [texts] },
    's.reports.list': { given: [{}] },
    's.reports.check': { given: [{}] },
    's.reports.due': { given: [{}] },
    's.reports.schedule': { given: [{ for: 'cron' }] },
    's.reports.create': { given: ['x', {}], fits: [texts] },
    's.usage': { given: [{}] },
    's.export': { given: ['out', { range: '2024-03-06' }], fits: [texts] },
    's.planExport': { given: ['out', { range: '2024-03-06' }], fits: [texts] },
    's.verifyExport': { given: ['out', {}], fits: [texts] },
    's.ingest': { given: ['events.ndjson', {}], fits: [texts] },
    's.store.stats': none,
    's.store.prune': { given: ['2020-01-01', {}], fits: [['number']] },
    's.store.forget': { given: ['nobody', {}], fits: [texts] },
    's.clickhouse.init': { given: [{}] },
    's.clickhouse.load': { given: [{}] },
    's.serve': { given: [{}] },
    's.sync': { given: [{}] },
    's.close': none,
    's.model.toTypeScript': { given: [{}] },
    's.model.toText': { given: ['json'] },
    's.model.properties': none,

    'report.run': { given: [{}] },
    'report.diff': { given: [{}] },
    'report.check': { given: [{}] },
    'report.due': { given: [{}] },
    'report.schedule': { given: [{ for: 'cron' }] },
    'run.toText': { given: ['markdown'] },
    'usage.toText': { given: ['table'] },

    'result.values': { given: [count] },
    'result.codes': { given: [count] },
    'result.rows': none,
    'result.toArquero': none,
    'result.toJSON': none,
    // A column without marks accepts this.
    'marks.isFilled': { given: [0, count], fits: [numbers, all] },
    'marks.isPartial': { given: [0, count], fits: [numbers, all] },
    'marks.of': { given: [count, 0], fits: [all, numbers] },
    'marks.flags': { given: [count], fits: [all] },

    'builder.measures': { given: [count] },
    // A formula with a short name belongs to the cube.
    'builder.formula': { given: ['TrackedEvents.twice', 'count * 2'], fits: [texts] },
    'builder.dimensions': { given: [page] },
    'builder.by': { given: [page] },
    'builder.time': { given: [time, 'day', 'yesterday'] },
    'builder.range': { given: ['yesterday'] },
    'builder.compare': { given: ['yesterday', 'today'] },
    'builder.segments': { given: ['TrackedEvents.bots'] },
    'builder.where': { given: [page, 'equals', '/'], fits: [[], [], ['nothing', 'number', 'text']] },
    'builder.whereAny': { given: [[[page, 'equals', '/']]] },
    'builder.whereAll': { given: [[[page, 'equals', '/']]] },
    'builder.order': { given: [count, 'desc'], fits: [texts] },
    'builder.limit': { given: [5], fits: [['number']] },
    'builder.offset': { given: [5], fits: [['number']] },
    'builder.zone': { given: ['UTC'] },
    'builder.withOther': none,
    'builder.total': none,
    'builder.ungrouped': none,
    'builder.toQuery': none,
    'builder.toSavedQuery': none,
    'builder.toJSON': none,
  };
});
afterAll(async () => {
  await s?.close();
  folder?.remove();
});

function functionsOf(before: string, from: Functions): readonly (readonly [string, Function])[] {
  return Object.getOwnPropertyNames(from).flatMap((name): readonly (readonly [string, Function])[] => {
    const value = from[name];
    if (typeof value === 'function')
      return /^[A-Z]|^constructor$/.test(name) ? [] : [[before + name, value.bind(from) as Function]];
    const hasMore = before === 's.' && !['model', 'platform'].includes(name) && typeof value === 'object';
    return hasMore ? functionsOf(`${before}${name}.`, value as Functions) : [];
  });
}

/** Runs a function to its end: reads streams, runs builders, closes servers. */
async function call(name: string, given: readonly unknown[]): Promise<void> {
  const made = await (functions.get(name) as Function)(...(given as readonly never[]));
  if (typeof made !== 'object' || made === null) return;
  if (name === 's.stream') await (made as AsyncGenerator).next();
  else if (name === 'platform') await (made as library.PlatformClient).tags.list({ id: 1 });
  else if (name.startsWith('builder.') && 'toQuery' in made) await s.query(made as library.QueryBuilder);
}

it('has a case for every public function', () => {
  expect(Object.keys(cases).sort()).toEqual([...functions.keys()].sort());
});

it('refuses wrong values at every position of every function with a SluiceError, and accepts none', async () => {
  const faults: string[] = [];
  for (const [name, { given, fits = [] }] of Object.entries(cases)) {
    for (const place of given.keys()) {
      for (const [kind, value] of Object.entries(wrong)) {
        const isRight = fits[place]?.includes(kind) ?? false;
        const error: unknown = await call(name, given.with(place, value)).then(
          () => undefined,
          (thrown: unknown) => thrown ?? 'nothing',
        );
        const said = `${name}, argument ${place}: ${kind}`;
        if (error === undefined) {
          if (!isRight) faults.push(`${said} is accepted`);
        } else if (!(error instanceof library.SluiceError)) faults.push(`${said}: ${String(error)}`);
      }
    }
  }
  expect(faults).toEqual([]);
}, 60_000);

it('names the function and the mistake', async () => {
  const said: readonly (readonly [string, readonly unknown[], string])[] = [
    ['sample', [{ count: 5 }], 'The options of sample() have errors.'],
    ['sample', [{ count: 5, seeds: 1 }], 'The options of sample() have 2 errors.'],
    ['report.run', [{ formats: ['docx'] }], 'The options of report.run() have errors.'],
    ['s.users', ['count', { times: 'date' }], 'The options of users() have errors.'],
    ['s.query', [5], 'query(): Expected a line, a query or a builder'],
    ['s.query', ['count', Promise.resolve({})], 'query(): The options must be an object, not a promise.'],
    ['s.store.prune', [{}], 'store.prune(): Expected a time, not a mapping.'],
    ['jsonSchema', ['quer'], 'The file format cannot be the text "quer".'],
    ['s.analysis', ['retentoin', {}], 'The analysis cannot be the text "retentoin".'],
    ['marks.isFilled', [{}], 'isFilled(): The row must be a number, not a mapping.'],
    ['s.model.toTypeScript', [{ name: 'My Model' }], 'must be the name of a TypeScript interface'],
  ];
  for (const [name, given, words] of said) {
    const error = await call(name, given).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(words);
  }
  expect(await call('jsonSchema', ['quer']).catch((thrown: unknown) => thrown)).toMatchObject({
    hint: 'Did you mean "query"?',
  });
});
