import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { toProgram } from '../../../src/use/cli/program.ts';
import {
  AbortedError,
  doctor,
  type EventRow,
  init,
  type InitOptions,
  InvalidInputError,
  jsonSchema,
  open,
  type OpenOptions,
  query,
  type ReceivedHook,
  reviveResult,
  sample,
  select,
  type Sluice,
  SluiceError,
  toArrow,
  toCsv,
  toHtml,
  toMarkdown,
  toParquet,
  toXlsx,
  toTable,
  totals,
} from '../../../src/use/index.ts';
import { nameOptions } from '../../../src/use/library/option-wording.ts';
import * as library from '../../../src/use/index.ts';
import { fewEvents, type Folder, folderOf, now } from '../run-in-folder.ts';

const quiet = { env: {}, now: () => now, onNote: () => undefined } satisfies OpenOptions;

async function opened(
  files: Readonly<Record<string, string>> = {},
  options: OpenOptions = {},
): Promise<{ readonly folder: Folder; readonly s: Sluice } & AsyncDisposable> {
  const folder = folderOf({ 'events.ndjson': fewEvents, ...files });
  const s = await open({ ...quiet, workspace: folder.root, events: 'events.ndjson', ...options });
  return { folder, s, [Symbol.asyncDispose]: () => s.close() };
}

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was thrown',
    (error) => error,
  );

async function collect<Row>(rows: AsyncIterable<Row>): Promise<readonly Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** Temporary files of this process. */
function temporaryFiles(): readonly string[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(`sluice-${process.pid}-`))
    .flatMap((name) => readdirSync(path.join(tmpdir(), name), { recursive: true, encoding: 'utf8' }));
}

/** The function of each command. undefined for commands that only serve people at a terminal, with the reason. */
const functions: Readonly<Record<string, string | { readonly none: string }>> = {
  query: 'query',
  explore: { none: 'a person at a terminal' },
  load: 'load',
  model: 'model.toText',
  'funnel check': 'funnels.check',
  'funnel list': 'funnels.list',
  'funnel run': 'funnel',
  'retention check': 'definitions',
  'retention list': 'definitions',
  'retention run': 'retention',
  'lifecycle check': 'definitions',
  'lifecycle list': 'definitions',
  'lifecycle run': 'lifecycle',
  'stickiness check': 'definitions',
  'stickiness list': 'definitions',
  'stickiness run': 'stickiness',
  'paths check': 'definitions',
  'paths list': 'definitions',
  'paths run': 'paths',
  'cohort check': 'definitions',
  'cohort list': 'cohorts.list',
  'cohort users': 'cohorts.users',
  usage: 'usage',
  'report check': 'reports.check',
  'report diff': 'report',
  'report list': 'reports.list',
  'report new': 'reports.create',
  'report run': 'report',
  'report schedule': 'report',
  serve: 'serve',
  schema: 'jsonSchema',
  sample: 'sample',
  export: 'export',
  ingest: 'ingest',
  'store stats': 'store.stats',
  'store prune': 'store.prune',
  'store forget': 'store.forget',
  'api list': 'platform.tags.list',
  sync: 'sync',
  'clickhouse init': 'clickhouse.init',
  'clickhouse load': 'clickhouse.load',
  init: 'init',
  doctor: 'doctor',
  completion: { none: 'a shell' },
};

describe('the library covers the command line', () => {
  it('names the function of every command', async () => {
    await using world = await opened();
    const program = toProgram({ stdout: {}, stderr: {}, env: {} } as never, {} as never, () => undefined);
    const commands = program.commands.flatMap((command) =>
      command.commands.length === 0
        ? [command.name()]
        : command.commands.map((part) => `${command.name()} ${part.name()}`),
    );
    expect(Object.keys(functions).sort()).toEqual(commands.sort());
    for (const [command, name] of Object.entries(functions)) {
      if (typeof name !== 'string') continue;
      const found = name.split('.').reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>>)?.[key], {
        ...library,
        ...world.s,
        model: world.s.model,
      });
      expect(typeof found, command).toBe('function');
    }
  });

  it('answers a report with parameters, as data, as text and as files', async () => {
    const report =
      '---\ntitle: Day {{day}}\nparams:\n  day: {type: text, default: yesterday}\n---\n\n```query\nname: total\nquery: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, dateRange: "{{day}}"}]}\n```\n';
    await using world = await opened({ 'reports/daily.md': report, 'reports/broken.md': '---\ntitle: [\n---\n' });
    const { s, folder } = world;
    expect((await s.reports.list()).map(({ name }) => name)).toEqual(['broken', 'daily']);
    const run = await s.report('daily', { params: { day: '2024-03-06' } }).run({ to: 'daily.html' });
    expect([run.status, run.report.title, run.files]).toEqual([
      'good',
      'Day 2024-03-06',
      [{ path: path.join(folder.root, 'daily.html'), kept: false }],
    ]);
    expect(await run.toText()).toContain('3');
    const { code, stdout } = await folder.sluice([
      ...[
        'report',
        'run',
        'daily',
        '--param',
        'day=2024-03-06',
        '--events',
        'events.ndjson',
        '--as-of',
        '2024-03-08T12:00',
      ],
    ]);
    expect([code, await run.toText('markdown')]).toEqual([0, stdout]);
    expect((await s.report('daily').check()).issues).toEqual([]);
    expect((await s.reports.check()).map(({ ok }) => ok)).toEqual([false, true]);
    expect(await caught(s.report('dayly').run())).toMatchObject({ hint: 'Did you mean "daily"?' });
    expect(await caught(s.report('daily').schedule({ for: 'cron' }))).toMatchObject({
      message: expect.stringContaining('has no schedule'),
    });
  });

  it('runs due reports, each slot once, and writes schedules', async () => {
    const report =
      '---\ntitle: Daily\nschedule: daily at 06:00\ndeliver: [{folder: due}]\n---\n\n```query\nquery: {measures: [TrackedEvents.count]}\n```\n';
    await using world = await opened({ 'reports/daily.md': report });
    const { s, folder } = world;
    const first = await s.report('daily').due({ asOf: '2024-03-08T12:00Z' });
    expect(first.errors).toEqual([]);
    expect(first.runs.map(({ slot, settled }) => [slot, settled])).toEqual([['2024-03-08T06:00:00.000Z', true]]);
    expect(readdirSync(path.join(folder.root, 'due'))).toEqual(['daily-2024-03-08.html']);
    const again = await s.reports.due({ asOf: Date.parse('2024-03-08T13:00Z') });
    expect([again.runs, again.next]).toEqual([[], { report: 'daily', slot: Date.parse('2024-03-09T06:00Z') }]);
    expect(await s.report('daily').schedule({ for: 'cron', command: ['npx', 'sluice'] })).toMatch(
      /^0 \* .* npx sluice report run --due reports\/daily\.md$/m,
    );
  });

  it('counts usage like the command', async () => {
    await using world = await opened({ 'sluice.yaml': 'events: events.ndjson\n' });
    const { s, folder } = world;
    const usage = await s.usage({ month: '2024-03' });
    expect(usage.result.rows()).toHaveLength(1);
    expect(usage.failures).toEqual([]);
    const { stdout } = await folder.sluice(['usage', '--month', '2024-03', '-f', 'markdown']);
    expect(await usage.toText('markdown')).toBe(stdout);
    expect(await caught(s.usage({ groups: ['nobody'] }))).toBeInstanceOf(InvalidInputError);
  });

  it('loads events, queries them at once, and manages their store', async () => {
    const folder = folderOf({ 'events.ndjson': fewEvents });
    await using s = await open({ ...quiet, workspace: folder.root });
    expect(await caught(s.store.stats())).toMatchObject({ code: 'store-not-found' });
    expect(await caught(s.ingest('nothing.ndjson'))).toMatchObject({ code: 'events-not-found' });
    expect(await s.ingest(['events.ndjson'])).toMatchObject({ added: 5, events: 5, rejected: 0 });
    expect((await s.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 5 }]);
    expect(await s.store.stats()).toMatchObject({ events: 5, users: 2 });
    expect(await s.store.prune('2024-03-07', { dryRun: true })).toMatchObject({ removed: 3, events: 2, dryRun: true });
    expect(await s.store.forget('ann')).toMatchObject({ removed: 2, after: 3 });
    expect(await s.store.prune(new Date('2024-03-07'))).toMatchObject({ removed: 1, events: 2 });
    expect((await s.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 2 }]);
  });

  it('refuses a file of unknown columns with the proposed mapping, unless that is accepted', async () => {
    const folder = folderOf({ 'shop.csv': 'happened,who,what\n2024-03-06T10:00:00Z,ann,bought\n' });
    await using s = await open({ ...quiet, workspace: folder.root });
    const refused = (await caught(s.ingest('shop.csv'))) as InvalidInputError;
    expect(refused).toBeInstanceOf(InvalidInputError);
    expect(refused.hint).toMatch(/sources:[^]*utcTime: happened/);
    expect(await s.ingest('shop.csv', { onUnmapped: () => true })).toMatchObject({ added: 1 });
  });

  it('plans, writes and verifies an export', async () => {
    await using world = await opened();
    const range = ['2024-03-06', '2024-03-07'] as const;
    const plan = await world.s.planExport('out', { range });
    expect([plan.place, plan.events, plan.there]).toEqual([path.join(world.folder.root, 'out'), 5, 0]);
    expect(existsSync(plan.place)).toBe(false);
    expect(await world.s.export('out', { range })).toMatchObject({ outcome: 'done', events: 5 });
    expect(await world.s.verifyExport('out')).toMatchObject({ events: 5, findings: [] });
    expect(await world.s.planExport('out', { range })).toMatchObject({ events: 0, there: plan.windows.length });
    const error = (await caught(world.s.export('more', {}))) as InvalidInputError;
    expect(error.hint).toBe("Add `range: '2026-09-01,2026-09-30'` (whole days, both included).");
    expect(await caught(world.s.verifyExport('none'))).toMatchObject({
      code: 'no-export',
      hint: 'Specify the folder or file of an export with the first argument.',
    });
  });

  it('serves until its handle or sluice is closed', async () => {
    await using world = await opened();
    const server = await world.s.serve();
    const status = (url: string) =>
      fetch(`${url}/cubejs-api/v1/meta`).then(
        (response) => response.status,
        () => 0,
      );
    expect(await status(server.url)).toBe(200);
    await server.close();
    expect(await status(server.url)).toBe(0);
    const another = await world.s.serve({ token: 'correct-horse' });
    expect(await status(another.url)).toBe(403);
    await world.s.close();
    expect(await status(another.url)).toBe(0);
  });

  it('receives webhooks with the server or alone, until its handle or sluice is closed', async () => {
    await using world = await opened();
    const send = (url: string | undefined, id: string) =>
      fetch(url!, {
        method: 'POST',
        headers: { 'x-gitlab-token': 'correct-horse', 'webhook-id': id, 'content-type': 'application/json' },
        body: '{}',
      }).then(
        ({ status }) => status,
        () => 0,
      );
    const told: string[] = [];
    const hooks = {
      token: () => Promise.resolve('correct-horse'),
      onDelivery: ({ id }: ReceivedHook) => told.push(id),
    };
    const server = await world.s.serve({ hooks });
    expect((await fetch(`${server.url}/cubejs-api/v1/meta`)).status).toBe(200);
    expect([await send(server.hooksUrl, 'a'), await send(server.hooksUrl, 'a')]).toEqual([201, 200]);
    expect(await caught(world.s.serve({ hooks }))).toMatchObject({ code: 'listener-taken' });
    expect(await caught(world.s.serve({ hooks: {} }))).toMatchObject({
      code: 'hook-secret-needed',
      hint: expect.stringContaining('`hooks.token` or `hooks.signingSecret`'),
    });
    await server.close();
    expect(await send(server.hooksUrl, 'b')).toBe(0);
    const alone = await world.s.serve({ hooks: { ...hooks, only: true } });
    expect([await send(alone.url, 'a'), await send(alone.hooksUrl, 'b')]).toEqual([200, 201]);
    await world.s.close();
    expect(await send(alone.url, 'c')).toBe(0);
    expect(told).toEqual(['a', 'a', 'a', 'b']);
  });

  it('sets up a workspace like the command, which can be opened and queried at once', async () => {
    const files = { 'events.ndjson': fewEvents };
    const [mine, theirs] = [folderOf(files), folderOf(files)];
    const { root, written, findings, queries } = await init({
      workspace: mine.root,
      timezone: 'Europe/Berlin',
      env: {},
      now: () => now,
    });
    expect(root).toBe(mine.root);
    expect(findings.map(({ verdict }) => verdict)).toEqual(['ok']);
    expect((await theirs.sluice(['init', '--yes', '--timezone', 'Europe/Berlin'])).code).toBe(0);
    for (const file of written) {
      const name = path.relative(mine.root, file);
      expect(readFileSync(file, 'utf8'), name).toBe(readFileSync(path.join(theirs.root, name), 'utf8'));
    }
    expect(written.length).toBeGreaterThan(3);
    await using s = await open({ ...quiet, workspace: root });
    expect((await s.saved.list()).map(({ name }) => name).sort()).toEqual([...queries].sort());
    expect((await s.query(queries[0]!)).rowCount).toBeGreaterThan(0);
    expect(await caught(init({ workspace: root, env: {} }))).toMatchObject({ code: 'config-exists' });
    const again = await init({ workspace: root, env: {}, now: () => now, force: true });
    expect([again.written, again.kept.length]).toEqual([[path.join(root, 'sluice.yaml')], written.length - 2]);
  });

  it('writes nothing if a check fails, unless forced', async () => {
    const folder = folderOf({ 'empty.ndjson': '', 'shop.csv': 'happened,who,what\n2024-03-06T10:00:00Z,ann,bought\n' });
    const set = (options: InitOptions) => init({ workspace: folder.root, env: {}, ...options });
    const before = readdirSync(folder.root);
    expect(await caught(set({ events: 'gone.ndjson' }))).toMatchObject({
      code: 'events-not-found',
      hint: expect.stringContaining('`force: true`'),
    });
    const late = await caught(set({ platform: { url: 'http://127.0.0.1:1', project: 5, tokenFile: 'token' } }));
    expect(late).toBeInstanceOf(SluiceError);
    expect(await caught(set({ events: 'shop.csv' }))).toMatchObject({ hint: expect.stringContaining('happened') });
    expect(await caught(set({ timezone: 'Berlin' }))).toMatchObject({ code: 'invalid-config' });
    expect(readdirSync(folder.root)).toEqual(before);
    const { findings } = await set({ events: 'gone.ndjson', force: true });
    expect(findings.map(({ verdict }) => verdict)).toEqual(['fails']);
    await set({ events: 'shop.csv', force: true, onUnmapped: () => true });
    await using s = await open({ ...quiet, workspace: folder.root });
    expect((await s.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 1 }]);
  });

  it('lists and loads saved queries, to be changed and run', async () => {
    await using world = await opened({
      'queries/pages.yaml':
        'title: Pages\nfill: none\nquery: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.docPath], order: {TrackedEvents.count: desc}}\n',
    });
    const { s } = world;
    expect((await s.saved.list()).map(({ name }) => name)).toEqual(['pages']);
    const pages = await s.saved.load('pages');
    expect((await s.query(pages)).rowCount).toBe(2);
    expect((await s.query(pages.limit(1))).rows()).toEqual([
      { 'TrackedEvents.docPath': '/', 'TrackedEvents.count': 3 },
    ]);
    expect(await caught(s.saved.load('page'))).toMatchObject({ hint: 'Did you mean "pages"?' });
  });

  it('reads lines and checks queries without running them', async () => {
    await using world = await opened({}, { events: 'gone.ndjson' });
    const { s } = world;
    expect(await s.parse('count by docPath top 3')).toMatchObject({ ok: true, value: { limit: 3 } });
    expect(await s.parse('cuont')).toMatchObject({
      ok: false,
      issues: [{ code: 'unknown-member', span: { column: 1 } }],
    });
    expect(await s.validate({ measures: ['TrackedEvents.count'], filters: [] })).toMatchObject({
      ok: true,
      value: { measures: ['TrackedEvents.count'] },
    });
    const wrong = await s.validate({ measures: ['TrackedEvents.cuont'], dimensions: ['TrackedEvents.page'] });
    expect(wrong.ok ? [] : wrong.issues.map(({ code }) => code)).toEqual(['unknown-member', 'unknown-member']);
    expect(await s.validate({ limit: 'x' } as never)).toMatchObject({ ok: false });
  });

  it('lists and checks funnels, writes the model, and knows the schemas', async () => {
    await using world = await opened({
      'funnels/buy.yaml':
        'seconds_to_convert: 3600\nsteps:\n  - {name: home, target: /, action: pageview}\n  - {name: docs, target: /docs, action: pageview}\n',
    });
    const { s } = world;
    expect((await s.funnels.list()).map(({ name }) => name)).toEqual(['buy']);
    expect(await s.funnels.check()).toMatchObject([{ name: 'buy', ok: true, file: 'funnels/buy.yaml' }]);
    expect(await s.model.toTypeScript({ name: 'Events' })).toMatch(
      /export interface Events \{[^]*'TrackedEvents\.count': number;/,
    );
    expect(JSON.parse(await s.model.toText('json'))).toHaveProperty('cubes');
    expect(await jsonSchema('query')).toHaveProperty(['properties', 'query']);
  });

  it('makes a sample that queries find, with its own reference time', async () => {
    const folder = folderOf();
    const options = { workspace: folder.root, events: 300, days: 10 };
    const made = await sample(options);
    expect([made.written, made.to, path.relative(folder.root, made.file)]).toEqual([
      true,
      '2026-10-20',
      '.sluice/sample/events-to-2026-10-20.parquet',
    ]);
    expect((await sample({ ...options, ifMissing: true })).written).toBe(false);
    const warnings: string[] = [];
    await using s = await open({ workspace: folder.root, env: {}, onWarning: (text) => warnings.push(text) });
    const result = await s.query('count last 10 days');
    expect(result.rows()).toEqual([{ 'TrackedEvents.count': 300 }]);
    expect(result.provenance.asOf).toBe('2026-10-21T00:00:00.000Z');
    expect(warnings.join()).toContain('sample events');
    const { findings } = await doctor({ workspace: folder.root, env: {} });
    expect(findings.filter(({ verdict }) => verdict === 'fails')).toEqual([]);
  });
});

describe('reading results', () => {
  it('survives structuredClone, and is a result again after the copy', async () => {
    await using world = await opened();
    const result = await world.s.query('count, uniqueUsersCount by day, docPath from 2024-03-05 to 2024-03-08');
    for (const sent of [result, select(result, ['TrackedEvents.docPath', 'TrackedEvents.count']), totals(result)]) {
      const copy = structuredClone(sent);
      expect(copy).toEqual(sent);
      expect(copy.data).toEqual(Object.fromEntries(sent.columns.map(({ key }) => [key, sent.values(key as never)])));
      const revived = reviveResult(copy);
      expect(revived.toJSON()).toEqual(sent.toJSON());
      expect(await toCsv(revived)).toBe(await toCsv(sent));
      expect(revived.rows()).toEqual(sent.rows());
      expect(structuredClone(revived)).toEqual(sent);
    }
    const dated = await world.s.query('count by day', { times: 'date' });
    expect(structuredClone(dated).data['TrackedEvents.utcTime.day']).toEqual(dated.values('TrackedEvents.utcTime.day'));
  });

  it('returns plain data that can be cloned and written, with marks and provenance', async () => {
    await using world = await opened();
    const result = await world.s.query('count by day from 2024-03-05 to 2024-03-08');
    const plain = result.toJSON();
    expect(structuredClone(plain)).toEqual(plain);
    expect(JSON.parse(JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify(plain)));
    expect(plain.rows).toEqual(result.rows());
    expect(plain.marks).toEqual({
      'TrackedEvents.count': { filled: [0, 3], partialByPresent: [3] },
      ...dayMarks(plain),
    });
    const { stdout } = await world.folder.sluice([
      'query',
      'count by day from 2024-03-05 to 2024-03-08',
      '-f',
      'json',
      '--with-provenance',
      '--events',
      'events.ndjson',
    ]);
    expect(JSON.parse(stdout).marks).toEqual(plain.marks);
  });

  /** Marks of columns other than the measure's. */
  function dayMarks({ marks }: ReturnType<library.Result['toJSON']>) {
    const { 'TrackedEvents.count': _, ...others } = marks;
    return others;
  }

  it('identifies filled and partial rows by predicates', async () => {
    await using world = await opened();
    const { marks, rowCount } = await world.s.query('count by day from 2024-03-05 to 2024-03-08');
    const rows = Array.from({ length: rowCount }, (_, row) => row);
    expect(rows.filter((row) => marks.isFilled(row))).toEqual([0, 3]);
    expect(rows.filter((row) => marks.isFilled(row, 'TrackedEvents.count'))).toEqual([0, 3]);
    expect(rows.filter((row) => marks.isPartial(row))).toEqual([3]);
    expect([marks.isFilled(99), marks.isPartial(0, 'no such column')]).toEqual([false, false]);
  });

  it('keeps values, marks and types of selected columns under new names', async () => {
    await using world = await opened();
    const result = await world.s.query('count by day from 2024-03-05 to 2024-03-08');
    const chosen = library.select(result, { events: 'TrackedEvents.count', day: 'TrackedEvents.utcTime.day' });
    expect(chosen.rows()).toEqual(
      result.rows().map((row) => ({ events: row['TrackedEvents.count'], day: row['TrackedEvents.utcTime.day'] })),
    );
    expect(chosen.toJSON().marks['events']).toEqual(result.toJSON().marks['TrackedEvents.count']);
    expect(await toCsv(chosen)).toMatch(/^events,day\n/);
    expect(await toTable(chosen)).toMatch(/^events +day/);
    expect((await toParquet(chosen)).length).toBeGreaterThan(100);
  });

  it('returns text and bytes equal to the files', async () => {
    await using world = await opened();
    const { s, folder } = world;
    const result = await s.query('count by docPath');
    for (const [name, text] of Object.entries({
      'a.csv': toCsv,
      'a.md': toMarkdown,
      'a.txt': toTable,
      'a.html': toHtml,
    })) {
      await s.write('count by docPath', name);
      expect(await text(result), name).toBe(readFileSync(path.join(folder.root, name), 'utf8'));
    }
    for (const [name, bytes] of Object.entries({
      'a.parquet': () => toParquet(result),
      'a.xlsx': () => toXlsx(result),
      'a.arrow': () => toArrow(result),
      'a.arrows': () => toArrow(result, { form: 'stream' }),
    })) {
      await s.write('count by docPath', name);
      expect(Buffer.from(await bytes()).equals(readFileSync(path.join(folder.root, name))), name).toBe(true);
    }
    expect(await toTable(result, { maxRows: 1 })).toMatch(/^… 1 of 2 rows shown$/m);
  });

  it('returns dates for times on request, in the zone of the query', async () => {
    await using world = await opened();
    const asked = query().measures('TrackedEvents.count').time('TrackedEvents.utcTime', 'day', '2024-03-06');
    const { rows, toJSON } = await world.s.query(asked, { times: 'date', timezone: 'America/New_York' });
    expect(rows()).toEqual([
      { 'TrackedEvents.utcTime.day': new Date('2024-03-06T05:00:00Z'), 'TrackedEvents.count': 3 },
    ]);
    expect(toJSON().rows[0]).toMatchObject({ 'TrackedEvents.utcTime.day': '2024-03-06T00:00:00.000' });
    const moments = query().by('TrackedEvents.utcTime').limit(1).order('TrackedEvents.utcTime');
    const [first] = (await world.s.query(moments, { times: 'date', timezone: 'America/New_York' })).rows();
    expect(first?.['TrackedEvents.utcTime']).toEqual(new Date('2024-03-06T10:00:00Z'));
  });

  it('keeps dates in whatever is made of a result', async () => {
    await using world = await opened();
    const asked = query()
      .measures('TrackedEvents.count')
      .by('docPath')
      .time('TrackedEvents.utcTime', 'day', '2024-03-06');
    const dated = await world.s.query(asked, { times: 'date' });
    const time = 'TrackedEvents.utcTime.day';
    const derived = {
      share: library.share(dated),
      select: library.select(dated, [time]),
      renamed: library.select(dated, { [time]: time }),
      other: library.withOther(dated, 1),
      pivot: library.pivot(dated, { rows: [time], columns: 'TrackedEvents.docPath', values: ['TrackedEvents.count'] }),
      copy: library.reviveResult(structuredClone(dated)),
    };
    for (const [name, result] of Object.entries(derived)) {
      const [row] = result.rows() as readonly Record<string, unknown>[];
      expect(row?.[time], name).toEqual(new Date('2024-03-06'));
      const [plain] = (result as library.Result).toJSON().rows;
      expect(plain?.[time], name).toBe('2024-03-06T00:00:00.000');
    }
    expect(derived.share.toJSON().columns.some((column) => 'times' in column)).toBe(false);
  });
});

describe('a stream of rows', () => {
  it('has the rows of the whole answer, and ends with the provenance', async () => {
    await using world = await opened();
    for (const asked of [
      'count by docPath',
      'count by day last 7 days',
      'count by docPath compare 2024-03-06 with 2024-03-07',
    ]) {
      const whole = await world.s.query(asked);
      const rows: unknown[] = [];
      const stream = world.s.stream(asked);
      let step = await stream.next();
      for (; !step.done; step = await stream.next()) rows.push(step.value);
      expect(rows).toEqual(whole.rows());
      expect(step.value).toMatchObject({ queryHash: whole.provenance.queryHash, rows: rows.length });
    }
    const [day] = await collect(world.s.stream('count by day 2024-03-06', { times: 'date' }));
    expect(day?.['TrackedEvents.utcTime.day']).toEqual(new Date('2024-03-06'));
    expect(await caught(world.s.stream('cuont').next())).toBeInstanceOf(InvalidInputError);
    expect(await caught(world.s.stream('count by day today', { strict: true }).next())).toMatchObject({
      code: 'incomplete-answer',
    });
  });

  it('takes no more memory for half a million rows, and frees the answer when its loop ends early', {
    timeout: 120_000,
  }, async () => {
    const folder = folderOf({
      'numbers.yaml':
        'cubes:\n  - name: N\n    sql: SELECT range AS id, md5(range::VARCHAR) AS word FROM range(500000)\n    measures: [{name: count, type: count}]\n    dimensions: [{name: id, type: number, sql: id, primary_key: true}, {name: word, type: string, sql: word}]\n',
    });
    await using s = await open({ ...quiet, workspace: folder.root, model: 'numbers.yaml' });
    const asked = { dimensions: ['N.id', 'N.word'], ungrouped: true };
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    let rows = 0;
    let sum = 0;
    let most = 0;
    let before = 0;
    for await (const row of s.stream(asked)) {
      rows += 1;
      sum += Number(row['N.id']);
      if (rows % 50_000 !== 0) continue;
      // Rows that are released but not yet collected do not count.
      collectGarbage();
      const { heapUsed } = process.memoryUsage();
      if (before === 0) before = heapUsed;
      most = Math.max(most, heapUsed - before);
    }
    expect([rows, sum]).toEqual([500_000, (499_999 * 500_000) / 2]);
    // Half a million rows of 32 characters would be more than 75 MB.
    expect(most).toBeLessThan(32 * 2 ** 20);
    const kept = temporaryFiles();
    for await (const row of s.stream(asked)) if (row['N.id'] !== null) break;
    expect(temporaryFiles()).toEqual(kept);
    expect((await s.query('N.count')).rows()).toEqual([{ 'N.count': 500_000 }]);
  });
});

describe('the life cycle of an opened library', () => {
  it('closes without harm to the process while an answer is pending', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { s } = await opened();
    void s.query('count by docPath');
    await s.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('refuses calls after it is closed; closing again has no effect', async () => {
    const { s } = await opened();
    await s.query('count');
    await s.close();
    await s.close();
    for (const work of [
      () => s.query('count'),
      () => s.stream('count').next(),
      () => s.store.stats(),
      () => s.report('daily').run(),
      () => s.parse('count'),
    ]) {
      const error = (await caught(work())) as SluiceError;
      expect(error).toBeInstanceOf(SluiceError);
      expect([error.code, error.kind, error.message]).toEqual(['closed', 'usage', 'sluice is closed.']);
    }
  });

  it('aborts running queries and streams when closed, and neither looks complete', async () => {
    const folder = folderOf({
      'numbers.yaml':
        'cubes:\n  - name: Many\n    sql: SELECT range AS id FROM range(400000000)\n    measures: [{name: distinct, type: count_distinct, sql: "md5(id::VARCHAR)"}]\n  - name: Some\n    sql: SELECT range AS id FROM range(50000)\n    dimensions: [{name: id, type: number, sql: id, primary_key: true}]\n',
    });
    const s = await open({ ...quiet, workspace: folder.root, model: 'numbers.yaml' });
    const stream = s.stream({ dimensions: ['Some.id'], ungrouped: true });
    expect((await stream.next()).done).toBe(false);
    const going = caught(s.query('Many.distinct'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await s.close();
    expect(await going).toBeInstanceOf(AbortedError);
    expect(await caught(stream.next())).toBeInstanceOf(AbortedError);
  });

  it('accepts events from memory: arrays, iterables and asynchronous ones, and deletes its copies', async () => {
    const rows: readonly EventRow[] = [
      { utcTime: new Date('2024-03-06T10:00:00Z'), userId: 'ann', eventType: 'pageview', docPath: '/' },
      { utcTime: '2024-03-06T11:00:00', userId: 'bob', eventType: 'pageview', docPath: '/docs', props: { n: 12n } },
    ];
    async function* later() {
      yield* rows;
    }
    const folder = folderOf();
    for (const events of [rows, new Set(rows), later()]) {
      const s = await open({ ...quiet, workspace: folder.root, events });
      const result = await s.query('count by docPath');
      expect(
        result
          .rows()
          .map((row) => row['TrackedEvents.docPath'])
          .sort(),
      ).toEqual(['/', '/docs']);
      expect(result.provenance.source).toBe('events in memory');
      expect(temporaryFiles().filter((name) => name.endsWith('events.ndjson'))).toHaveLength(1);
      expect((await s.query('count 2024-03-06')).rows()).toEqual([{ 'TrackedEvents.count': 2 }]);
      await s.close();
      expect(temporaryFiles().filter((name) => name.endsWith('events.ndjson'))).toEqual([]);
    }
    // Rows of Arrow tables have their own type.
    const arrow = rows.map((row) => Object.assign({ [Symbol.toStringTag]: 'Row' }, row) as EventRow);
    await using tagged = await open({ ...quiet, workspace: folder.root, events: arrow });
    expect((await tagged.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 2 }]);
    for (const events of [new Set<EventRow>(), []]) {
      await using none = await open({ ...quiet, workspace: folder.root, events });
      expect((await none.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 0 }]);
    }
    const odd = [Number.NaN, -Infinity, null].map((amount) => ({ utcTime: '2024-03-06', amount }));
    await using numbers = await open({ ...quiet, workspace: folder.root, events: odd });
    const amounts = (await numbers.query('count by amount')).rows().map((row) => row['TrackedEvents.props.amount']);
    expect(amounts).toEqual(expect.arrayContaining(['NaN', '-Infinity', null]));
    expect(await caught(open({ ...quiet, workspace: folder.root, events: [5] as never }))).toMatchObject({
      message: expect.stringContaining('Event 0 must be a plain object'),
    });
  });

  it('queries a platform and a Cube deployment from options, with tokens from a function', async () => {
    const ofProject = fewEvents.replaceAll('{', '{"TrackedEvents.projectId":"42",');
    await using world = await opened({ 'events.ndjson': ofProject });
    const server = await world.s.serve({ token: 'correct-horse-battery' });
    let asked = 0;
    const token = async () => {
      asked += 1;
      return 'correct-horse-battery';
    };
    const folder = folderOf();
    await using platform = await open({
      ...quiet,
      workspace: folder.root,
      platform: { url: server.url, project: 42, token },
    });
    expect((await platform.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 5 }]);
    await using cube = await open({
      ...quiet,
      workspace: folder.root,
      cube: { url: `${server.url}/cubejs-api/v1`, token },
    });
    const result = await cube.query('count');
    expect([result.rows(), result.provenance.backend]).toEqual([[{ 'TrackedEvents.count': 5 }], 'cube']);
    expect(asked).toBeGreaterThan(1);
    const wrong = await caught(
      open({
        ...quiet,
        workspace: folder.root,
        cube: { url: `${server.url}/cubejs-api/v1`, token: 'wrong-token-here' },
      }).then(async (s) => s.query('count').finally(() => s.close())),
    );
    expect(wrong).toMatchObject({ kind: 'authentication' });
    expect(String((wrong as Error).message)).not.toContain('wrong-token-here');
    const thrown = await caught(
      open({
        ...quiet,
        workspace: folderOf().root,
        cube: {
          url: `${server.url}/cubejs-api/v1`,
          token: () => {
            throw new Error('vault');
          },
        },
      }),
    );
    expect(thrown).toMatchObject({ code: 'token-unreadable', cause: { message: 'vault' } });
  });
});

describe('wording for options', () => {
  it('accepts a reference time as text, Date and number, in the zone of the query', async () => {
    await using world = await opened();
    const counts = async (options: library.AskOptions) =>
      (await world.s.query('count yesterday', options)).rows()[0]?.['TrackedEvents.count'];
    for (const asOf of [
      '2024-03-07',
      '2024-03-07T05:00',
      new Date('2024-03-07T05:00Z'),
      Date.parse('2024-03-07T05:00Z'),
    ])
      expect(await counts({ asOf })).toBe(3);
    // The day begins later there, so yesterday only has the events before 05:00 UTC of the next day.
    expect(await counts({ asOf: '2024-03-07', timezone: 'America/New_York' })).toBe(3);
    expect(await counts({ asOf: '2024-03-07T02:00Z', timezone: 'America/New_York' })).toBe(0);
    expect(await caught(counts({ asOf: 'someday' }))).toMatchObject({
      message: expect.stringContaining('"someday" is not a date'),
    });
    await using fixed = await open({
      ...quiet,
      now: undefined,
      workspace: world.folder.root,
      events: 'events.ndjson',
      asOf: '2024-03-08',
    });
    expect((await fixed.query('count yesterday')).rows()).toEqual([{ 'TrackedEvents.count': 2 }]);
    expect((await fixed.query('count yesterday')).provenance.asOf).toBe('2024-03-08T00:00:00.000Z');
  });

  it.each([
    ['Add `--range yesterday`.', "Add `range: 'yesterday'`."],
    ['Remove `--since-last`.', 'Remove `sinceLast`.'],
    ['To replace it: --force', 'To replace it: `force`'],
    ['--by-entry and --trend need events.', '`byEntry` and `trend` need events.'],
    ['Run `sluice export --range yesterday -o DIR`.', 'Run `sluice export --range yesterday -o DIR`.'],
    ['For the format, run: sluice schema report --help', 'For the format, run: sluice schema report --help'],
    ['give Node more memory with --max-old-space-size.', 'give Node more memory with --max-old-space-size.'],
    ["Specify files: `--events 'events/*.ndjson.gz'`.", "Specify files: `events: 'events/*.ndjson.gz'`."],
    ['Use `--bind 127.0.0.1 --port 0`.', "Use `host: '127.0.0.1', port: 0`."],
    ['docPath has no value "--range x". Use --as-of.', 'docPath has no value "--range x". Use `asOf`.'],
    ['a value "with a " and --range" stays', 'a value "with a " and --range" stays'],
    [
      '1:1  error  No\n  count by "--range"\n  hint: Use --range',
      '1:1  error  No\n  count by "--range"\n  hint: Use `range`',
    ],
    ['No events found at data/--final-version.csv.', 'No events found at data/--final-version.csv.'],
    ['No events found at exports -o old/--events.csv.', 'No events found at exports -o old/--events.csv.'],
    ['2024-03-06 - 2024-03-07, a--b and -1 stay', '2024-03-06 - 2024-03-07, a--b and -1 stay'],
  ])('replaces flags by the names of options: %s', (text, named) => {
    expect(nameOptions(text)).toBe(named);
  });

  it('names options in the notes of answers', async () => {
    const told: string[] = [];
    const folder = folderOf({ 'events.ndjson': fewEvents });
    await using s = await open({ ...quiet, workspace: folder.root, onNote: ({ text }) => told.push(text) });
    await s.ingest('events.ndjson');
    const { provenance } = await s.query('count last 7 days', { asOf: '2024-05-01' });
    const said = [...told, ...provenance.notes, provenance.endsEarly ?? ''].join('\n');
    expect(said).toContain('`asOf`');
    expect(said).not.toMatch(/(^|[\s(`])--[a-z]/);
  });

  it('names options in hints that name flags on the command line', async () => {
    await using world = await opened();
    const hints = [
      [() => world.s.export('out', { sinceLast: true, range: 'yesterday' }), '`sinceLast`'],
      [() => world.s.serve({ host: '0.0.0.0' }), '`token`'],
      [() => world.s.export('a.csv', { range: 'yesterday', safeCells: true, format: 'ndjson' }), ''],
    ] as const;
    for (const [work, words] of hints) {
      const { message, hint = '' } = (await caught(work())) as SluiceError;
      expect(`${message} ${hint}`).toContain(words);
      expect(`${message} ${hint}`.replace(/`sluice [^`]*`/g, '')).not.toMatch(/(^|\s|`)--?[a-z]/);
    }
  });
});
