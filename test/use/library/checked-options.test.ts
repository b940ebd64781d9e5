import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { bind } from '../../../src/plan/bind/bind.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import * as library from '../../../src/use/index.ts';
import { optionSchemas } from '../../../src/use/workspace/check-options.ts';
import { fewEvents, type Folder, now, openFolder } from '../run-in-folder.ts';

const { InvalidInputError, open, query } = library;

/** Functions as a plain JavaScript program sees them. */
type Loose = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

const loose = library as unknown as Loose;
const notInstants = [NaN, Infinity, -Infinity, 1e20, -1e20, new Date(NaN), new Date(1e18), null, {}];

describe('the library, called from plain JavaScript', () => {
  let folder: Folder;
  let sluice: Loose & AsyncDisposable;
  let result: unknown;

  beforeAll(async () => {
    folder = openFolder({ 'events.ndjson': fewEvents });
    const opened = await open({
      workspace: folder.root,
      events: 'events.ndjson',
      env: {},
      now: () => now,
      onNote: () => undefined,
    });
    result = await opened.query('count by docPath');
    sluice = opened as unknown as Loose & AsyncDisposable;
  });
  afterAll(async () => {
    await sluice[Symbol.asyncDispose]();
    folder.remove();
  });

  const messageOf = async (work: () => unknown): Promise<string> => {
    const error: unknown = await (async () => work())().then(
      () => 'nothing was thrown',
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(InvalidInputError);
    const { message, hint = '' } = error as InstanceType<typeof InvalidInputError>;
    return `${message} ${hint}`;
  };

  it('says which options belong to `open`', async () => {
    expect(await messageOf(() => sluice['query']?.('count', { knownAt: '2024-03-08' }))).toContain(
      'Pass it to `open`: `open({ knownAt: … })`.',
    );
    expect(await messageOf(() => loose['doctor']?.({ knownAt: '2024-03-08' }))).toContain('Allowed keys: workspace');
  });

  it('refuses an invalid reference time, and does not hang', async () => {
    for (const asOf of notInstants) {
      for (const line of ['count yesterday', 'count by day last 30 days', 'count']) {
        expect(await messageOf(() => sluice['query']?.(line, { asOf })), String(asOf)).toContain(
          '"asOf" must be text, a Date or milliseconds since 1970',
        );
      }
    }
    for (const present of notInstants) {
      const bound = bind({ measures: ['TrackedEvents.count'] }, builtInModel, {
        now: present as number,
        limits: 'local',
      });
      const isInstant = typeof present === 'number' && Math.abs(present) < 1e15;
      expect(bound.ok).toBe(isInstant);
      await using other = await open({
        workspace: folder.root,
        events: 'events.ndjson',
        env: {},
        now: (() => present) as () => number,
      });
      expect(await messageOf(() => other.query('count yesterday'))).toContain('now() must return an instant');
    }
  });

  it('supports the whole calendar, and reports times beyond it', async () => {
    const [first, last] = [-62_135_596_800_000, 253_402_300_799_999];
    for (const asOf of [first, last, 0])
      await expect(sluice['query']?.('count', { asOf })).resolves.toMatchObject({ rowCount: 1 });
    expect(await messageOf(() => sluice['query']?.('count last 7 days', { asOf: first }))).toContain(
      '7 days reach beyond the years 0001 to 9999',
    );
    await expect(sluice['query']?.('count by day last 7 days', { asOf: last })).resolves.toMatchObject({ rowCount: 7 });
  });

  it('refuses invalid arguments of a builder', async () => {
    const builder = query() as unknown as Record<string, (...given: readonly unknown[]) => typeof builder>;
    const counted = builder['measures']?.('TrackedEvents.count');
    const wrong: readonly (readonly [string, unknown, string])[] = [
      [
        'values in a list',
        counted?.['where']?.('TrackedEvents.docPath', 'equals', ['/', '/docs']),
        "where(member, operator, 'a', 'b')",
      ],
      ['a direction', counted?.['order']?.('TrackedEvents.count', 'descending'), 'It can be asc or desc'],
      ['an operator', counted?.['where']?.('TrackedEvents.docPath', 'equal', '/'), 'Did you mean "equals"?'],
      ['a granularity', counted?.['time']?.('TrackedEvents.utcTime', 'days'), 'Did you mean "day"?'],
      ['a limit', counted?.['limit']?.('10'), '"limit" must be a number'],
      ['a fraction', counted?.['limit']?.(1.5), '"limit" must be'],
      ['an offset', counted?.['offset']?.(-1), '"offset" must be'],
      ['a member', builder['measures']?.(7), 'must be text'],
      ['a zone', counted?.['zone']?.(2), '"timezone" must be text'],
    ];
    for (const [what, asked, hint] of wrong)
      expect(await messageOf(() => sluice['query']?.(asked)), what).toContain(hint);
    for (const asked of [undefined, null, 5, true, [], () => undefined])
      await messageOf(() => sluice['query']?.(asked));
  });

  it('refuses empty lists of a builder, which would mean everything', async () => {
    const count = query().measures('count');
    for (const asked of [
      count.whereAny([]),
      count.whereAll([['docPath', 'set'], { or: [] }]),
      count.whereAny([{ and: [] }]),
    ])
      expect(await messageOf(() => sluice['query']?.(asked))).toContain('requires at least one condition');
    expect(await messageOf(() => sluice['query']?.(count.compare()))).toContain('must have at least 1 entry');
  });

  it('says what a question, a setting and a workspace must be', async () => {
    const events = [{ docPath: '/', note: 'x' }];
    const asked = async (options: library.OpenOptions) => {
      await using s = await open({ env: {}, now: () => now, onNote: () => undefined, ...options });
      return await s.query('count');
    };
    for (const [given, shown] of [
      [null, 'null'],
      [undefined, 'undefined'],
      [['count'], 'a list'],
      [5, 'the number 5'],
    ])
      expect(await messageOf(() => sluice['query']?.(given))).toContain(
        `query(): Expected a line, a query or a builder, not ${String(shown)}.`,
      );
    expect(await messageOf(() => loose['withOther']?.(result, -1))).toContain('a whole number of at least 0, not -1.');
    const other = query().measures('count').by('docPath').withOther();
    expect(await messageOf(() => sluice['query']?.(other))).toContain('`.limit(5).withOther()`');
    await expect(asked({ workspace: folder.root, timezone: 'X' })).rejects.toThrow(
      /\nerror {2}open\(\{timezone\}\): "X" is not a time zone\./,
    );
    await expect(asked({ workspace: path.join(folder.root, 'none') })).rejects.toMatchObject({
      code: 'events-not-found',
      message: expect.stringMatching(/^The workspace .*none does not exist\.$/) as string,
    });
    await expect(asked({ workspace: folder.root, events })).rejects.toMatchObject({
      message: 'The events in memory have no time.',
      hint: "They have docPath, note. Pass `columns: {utcTime: 'COLUMN'}`, or name the field utcTime.",
    });
  });

  it('suggests the intended option', async () => {
    const near: readonly (readonly [string, () => unknown, string])[] = [
      ['query', () => sluice['query']?.('count', { fil: 'none' }), 'Did you mean "fill"?'],
      ['query', () => sluice['query']?.('count', { fill: 'non' }), 'Did you mean "none"?'],
      ['query', () => sluice['query']?.('count', { ranges: 'besides' }), 'Did you mean "beside"?'],
      ['query', () => sluice['query']?.('count', { fillWith: 1 }), '"fillWith" cannot be'],
      ['query', () => sluice['query']?.('count', { signal: {} }), '"signal" must be an AbortSignal'],
      ['query', () => sluice['query']?.('count', { onWait: 1 }), '"onWait" must be a function'],
      ['write', () => sluice['write']?.('count', 'a.csv', { format: 'cvs' }), 'Did you mean "csv"?'],
      ['write', () => sluice['write']?.('count', 'a.svg', { chart: { preference: 'lines' } }), 'line'],
      ['write', () => sluice['write']?.('count', 5), 'The file must be text'],
      ['funnel', () => sluice['funnel']?.('x', { trend: 'days' }), 'Did you mean "day"?'],
      ['funnel', () => sluice['funnel']?.(7), 'must be text'],
      ['export', () => sluice['export']?.('out', { range: 'yesterday', formt: 'csv' }), 'Did you mean "format"?'],
      ['export', () => sluice['export']?.('out', { range: 'yesterday', concurrency: 0 }), '"concurrency" must be'],
      ['export', () => sluice['export']?.('out'), ''],
      ['explain', () => sluice['explain']?.('count', { asof: now }), 'Did you mean "asOf"?'],
      ['explain', () => sluice['explain']?.({ measure: [] }), 'Did you mean "measures"?'],
      ['validate', () => sluice['validate']?.('count', { limit: 'none' }), 'Did you mean "limits"?'],
      ['report', () => sluice['report']?.('weekly', { param: {} }), 'Did you mean "params"?'],
      ['usage', () => sluice['usage']?.({ months: 0 }), '"months" must be'],
      ['ingest', () => sluice['ingest']?.([]), 'at least one file'],
      ['ingest', () => sluice['ingest']?.([5]), 'must be text'],
      ['serve', () => sluice['serve']?.({ port: 70_000 }), '"port" must be'],
      ['sample', () => loose['sample']?.({ count: 5 }), 'Unknown key'],
      ['load', () => sluice['load']?.({}, { querytype: 'multi' }), 'Did you mean "queryType"?'],
      [
        'writeResult',
        () => loose['writeResult']?.(result, path.join(folder.root, 'a.csv'), { withProvenence: true }),
        'Did you mean "withProvenance"?',
      ],
      ['writeResult', () => loose['writeResult']?.(sluice['query']?.('count'), 'a.csv'), '`await query(…)`'],
      ['toSvg', () => loose['toSvg']?.(result, { widht: 5 }), 'Did you mean "width"?'],
      ['toSvg', () => loose['toSvg']?.(result, { width: 1e9 }), '"width" must be at most'],
      ['toPng', () => loose['toPng']?.(result, { scale: NaN }), '"scale" must be'],
      ['toText', () => loose['toText']?.(result, { colours: 3 }), '"colours"'],
      ['toChart', () => loose['toChart']?.(undefined), 'Expected a result'],
      ['readSavedQuery', () => loose['readSavedQuery']?.(Buffer.from('query: {}')), 'Decode bytes first'],
      ['writeSavedQuery', () => loose['writeSavedQuery']?.({ query: { measures: 'x' } }), '"measures" must be a list'],
      ['open', () => loose['open']?.({ event: 'x.csv' }), 'Did you mean "events"?'],
      ['open', () => loose['open']?.({ now }), '"now" must be a function'],
      ['open', () => loose['open']?.({ onNote: true }), '"onNote" must be a function'],
    ];
    for (const [name, work, words] of near) expect(await messageOf(work), name).toContain(words);
  });

  it('refuses unknown options of every function that has options', async () => {
    const reportOf = () => sluice['report']?.('weekly') as Loose;
    const storeOf = () => sluice['store'] as unknown as Loose;
    const clickHouse = () => sluice['clickhouse'] as unknown as Loose;
    const calls: Readonly<Record<keyof typeof optionSchemas, (options: unknown) => unknown>> = {
      open: (options) => loose['open']?.(options),
      query: (options) => sluice['query']?.('count', options),
      write: (options) => sluice['write']?.('count', 'a.csv', options),
      explain: (options) => sluice['explain']?.('count', options),
      drill: async (options) => {
        const result = (await sluice['query']?.('count')) as object;
        return sluice['drill']?.(result, 0, options);
      },
      stream: async (options) => (sluice['stream']?.('count', options) as AsyncGenerator<unknown> | undefined)?.next(),
      validate: (options) => sluice['validate']?.('count', options),
      report: (options) => sluice['report']?.('weekly', options),
      'report.run': (options) => reportOf()['run']?.(options),
      'report.check': (options) => reportOf()['check']?.(options),
      'report.diff': (options) => reportOf()['diff']?.(options),
      'reports.create': (options) =>
        (sluice['reports'] as unknown as Record<string, (name: string, options: unknown) => unknown>)['create']?.(
          'x',
          options,
        ),
      'reports.list': (options) =>
        (sluice['reports'] as unknown as Record<string, (options: unknown) => unknown>)['list']?.(options),
      'report.due': (options) => reportOf()['due']?.(options),
      'report.schedule': (options) => reportOf()['schedule']?.(options),
      usage: (options) => sluice['usage']?.(options),
      ingest: (options) => sluice['ingest']?.('a.csv', options),
      'store.prune': (options) => storeOf()['prune']?.('2024-03-08', options),
      'store.forget': (options) => storeOf()['forget']?.('ann', options),
      'clickhouse.init': (options) => clickHouse()['init']?.(options),
      'clickhouse.load': (options) => clickHouse()['load']?.(options),
      serve: (options) => sluice['serve']?.(options),
      sample: (options) => loose['sample']?.(options),
      doctor: (options) => loose['doctor']?.(options),
      platform: async (options) => library.platform(options as object).tags.list({ id: 1 }),
      sync: (options) => sluice['sync']?.(options),
      platformCall: async (options) =>
        (sluice['platform'] as unknown as library.PlatformClient).tags.list({ id: 1 }, options as object),
      init: (options) => loose['init']?.(options),
      verifyExport: (options) => sluice['verifyExport']?.('out', options),
      funnel: (options) => sluice['funnel']?.('x', options),
      planExport: (options) => sluice['planExport']?.('out', options),
      users: (options) => sluice['users']?.('count', options),
      'cohorts.list': (options) => (sluice['cohorts'] as unknown as Loose)['list']?.(options),
      'users of a cell': (options) => sluice['users']?.({ analysis: 'funnel', definition: 'f', cell: {} }, options),
      'cohorts.users': (options) => (sluice['cohorts'] as unknown as Loose)['users']?.('x', options),
      toTypeScript: (options) => (sluice['model'] as unknown as Loose)['toTypeScript']?.(options),
      analysis: (options) => sluice['retention']?.('x', options),
      export: (options) => sluice['export']?.('out', options),
      load: (options) => sluice['load']?.({}, options),
      writeResult: (options) => loose['writeResult']?.(result, 'a.csv', options),
      toTable: (options) => loose['toTable']?.(result, options),
      toHtml: (options) => loose['toHtml']?.(result, options),
      toArrow: (options) => loose['toArrow']?.(result, options),
      toChart: (options) => loose['toChart']?.(result, options),
      toVegaLite: (options) => loose['toVegaLite']?.(result, options),
      toSvg: (options) => loose['toSvg']?.(result, options),
      toPng: (options) => loose['toPng']?.(result, options),
      toText: (options) => loose['toText']?.(result, options),
      readSavedQuery: (options) => loose['readSavedQuery']?.('query: {}', options),
    };
    for (const [name, call] of Object.entries(calls)) {
      const known = Object.keys(optionSchemas[name as keyof typeof optionSchemas].shape);
      await fc.assert(
        fc.asyncProperty(
          fc.string({ minLength: 1 }).filter((key) => !known.includes(key) && key !== '__proto__'),
          async (key) => {
            expect(await messageOf(() => call({ [key]: 1 })), name).toContain('Unknown key');
          },
        ),
        { numRuns: 5 },
      );
      for (const options of [null, 'csv', 5, []])
        expect(await messageOf(() => call(options)), `${name} ${String(options)}`).not.toBe('');
    }
  });

  it('refuses invalid arrangements, with the nearest column or option', async () => {
    const { pivot, select, share, totals, withOther } = loose;
    const shape = {
      rows: ['TrackedEvents.docPath'],
      columns: 'TrackedEvents.docPath',
      values: ['TrackedEvents.count'],
    };
    const wrong: readonly (readonly [() => unknown, string])[] = [
      [() => share?.(result, { within: ['TrackedEvents.docPaht'] }), 'Did you mean "TrackedEvents.docPath"?'],
      [() => share?.(result, { witin: [] }), 'Did you mean "within"?'],
      [() => share?.(result, { within: 'TrackedEvents.docPath' }), 'must be a list of columns'],
      [() => share?.(sluice['query']?.('count')), '`await query(…)`'],
      [() => totals?.(undefined), 'Expected a result'],
      [() => withOther?.(result, 1.5), 'must be a whole number'],
      [() => withOther?.(result, 1, 5), 'must be text'],
      [() => pivot?.(result), 'must be an object'],
      [() => pivot?.(result, { ...shape, rows: undefined }), '"rows" must be a list'],
      [() => pivot?.(result, { ...shape, columns: 'TrackedEvents.cuont' }), 'Did you mean "TrackedEvents.count"?'],
      [() => pivot?.(result, { ...shape, values: [7] }), 'must be text'],
      [() => pivot?.(result, { ...shape, maxColumns: 0 }), '"maxColumns" must be'],
      [() => pivot?.(result, { ...shape, colums: 1 }), 'Did you mean "columns"?'],
      [() => select?.(result, 'TrackedEvents.count'), 'Expected columns'],
      [() => select?.(result, {}), 'at least one column'],
      [() => select?.(result, { n: 'TrackedEvents.cuont' }), 'Did you mean "TrackedEvents.count"?'],
      [() => select?.(result, ['TrackedEvents.count', 'TrackedEvents.count']), 'named twice'],
      [() => (result as library.Result).values('TrackedEvents.cuont'), 'Did you mean "TrackedEvents.count"?'],
    ];
    for (const [work, words] of wrong) expect(await messageOf(work)).toContain(words);
  });

  it('refuses copies of a result, and says how to revive them', async () => {
    const drill = (copy: unknown) => sluice['drill']?.(copy, 0);
    const writeResult = (copy: unknown) => loose['writeResult']?.(copy, path.join(folder.root, 'copy.csv'));
    const pivot = (copy: unknown) => loose['pivot']?.(copy, { rows: [], columns: 'x', values: [] });
    const withResult = 'toCsv toTable toMarkdown toHtml toXlsx toParquet toArrow toSvg toPng toText toVegaLite toChart';
    const others = 'select share totals withOther';
    const functions = [drill, writeResult, pivot, ...`${withResult} ${others}`.split(' ').map((name) => loose[name])];
    for (const work of functions) {
      expect(work).toBeTypeOf('function');
      for (const copy of [structuredClone(result), { ...(result as object) }])
        expect(await messageOf(() => work?.(copy))).toContain(
          'not a copy of one. Pass it through `reviveResult` first.',
        );
    }
  });

  it('refuses a value of the wrong type for every option of every function', async () => {
    // Settings of `open` have their own schema, and texts such as times are read later.
    for (const [name, schema] of Object.entries(optionSchemas)) {
      for (const [option, type] of Object.entries<z.ZodType>(schema.shape)) {
        if (name === 'open' && type.safeParse(Symbol('anything')).success) continue;
        for (const value of [Symbol('none'), NaN])
          expect(schema.safeParse({ [option]: value }).success, `${name} ${option} ${String(value)}`).toBe(false);
      }
    }
  });

  it('writes a builder as a saved query', async () => {
    const text = await library.writeSavedQuery({ query: query().measures('TrackedEvents.count').limit(5) });
    const read = await library.readSavedQuery(text);
    expect(read.ok && read.value.query).toEqual({ measures: ['TrackedEvents.count'], limit: 5 });
  });
});
