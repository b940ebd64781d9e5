import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shareOf } from '../../runs.ts';
import { AbortedError, open, type ExportOptions } from '../../../src/use/index.ts';
import { toSafeCell } from '../../../src/ask/safe-cell.ts';
import { parseCsv } from '../../run/export/unit-rows.ts';
import { remoteOptions, serve, type Served } from '../../contract/served.ts';
import { countRows, readRows, type ExportedRow } from './export-rows.ts';
import { dataOf, treeOf } from './export-tree.ts';
import { folderOf, openFolder, type Folder } from '../run-in-folder.ts';

const range = ['--range', '2024-03-01,2024-03-07'];
const members = ['utcTime', 'userAnonymousId', 'eventType', 'docPath', 'pageTitle', 'eventId', 'projectId'];

/** Events of two users on seven days, many of them equal, with texts that are difficult for each format. */
const events = Array.from({ length: 600 }, (_, index) => ({
  utcTime: new Date(Date.UTC(2024, 2, 1) + Math.floor((index * 7919) % 190) * 53 * 60_000).toISOString().slice(0, -1),
  userAnonymousId: ['ann', 'bob', null][index % 3],
  eventType: index % 4 === 0 ? 'link_click' : 'pageview',
  docPath: `/${index % 5}`,
  pageTitle: ['=HYPERLINK("http://x")', 'a,"b"\r\nc', '', null, '@x', '\u001b[31mred'][index % 6],
  projectId: index % 10 === 0 ? '7' : '42',
}));
const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
const truth = countRows(
  events.map((event) =>
    Object.fromEntries(Object.entries(event).map(([key, value]) => [`TrackedEvents.${key}`, value as string | null])),
  ),
  members,
);

let shared: Folder;
beforeAll(() => {
  shared = openFolder({ 'events.ndjson': lines });
});
afterAll(() => shared.remove());

async function run(folder: Folder, ...argv: readonly string[]) {
  const outcome = await folder.sluice(argv);
  expect([outcome.code, outcome.stderr], argv.join(' ')).toEqual([0, expect.anything()]);
  return outcome;
}

const rowsIn = (folder: Folder, name: string): readonly ExportedRow[] => readRows(path.join(folder.root, name));

describe('an export', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve({ workspace: shared.root, events: 'events.ndjson', env: {} });
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it.each(['embedded', 'platform', 'cube'] as const)(
    'from %s contains every event once, with its count',
    async (backend) => {
      const { env = {}, host, project } = backend === 'embedded' ? {} : remoteOptions(backend, served.url);
      const flags =
        backend === 'embedded'
          ? ['--events', 'events.ndjson']
          : ['--backend', backend, ...(host === undefined ? [] : ['--host', host, '--project', String(project)])];
      const { code, stderr } = await shared.sluice(
        ['export', ...range, '-o', `of-${backend}`, '--timezone', 'Asia/Kolkata', ...flags],
        { env: env as Readonly<Record<string, string>> },
      );
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^Exported \d+ events in \d+ rows, .* 7 windows\.\n$/)]);
      const rows = rowsIn(shared, `of-${backend}`);
      const local = (text: string) =>
        Date.parse(`${text}Z`) >= Date.UTC(2024, 1, 29, 18, 30) &&
        Date.parse(`${text}Z`) < Date.UTC(2024, 2, 7, 18, 30);
      expect(countRows(rows, members)).toEqual(
        new Map([...truth].filter(([key]) => local((JSON.parse(key) as [string])[0]))),
      );
      expect(
        readdirSync(path.join(shared.root, `of-${backend}`))
          .filter((name) => !name.startsWith('.'))
          .sort(),
      ).toEqual([...Array.from({ length: 7 }, (_, index) => `2024-03-0${index + 1}`), 'export.manifest.json']);
      expect((await run(shared, 'export', '--verify', '-o', `of-${backend}`)).stderr).toContain(
        ' matches its manifests: ',
      );
    },
  );

  it('reports lines of its files that cannot be read, in each run and in its summary', async () => {
    shared.write('broken.ndjson', `${lines}{"utcTime":"yesterday"}\n`);
    for (const to of ['broken', 'broken.csv'])
      for (const said of ['Exported', 'The export is already up to date']) {
        const argv = ['export', ...range, '-o', to, '--events', 'broken.ndjson', '--summary', 'json'];
        const { code, stdout, stderr } = await shared.sluice(argv);
        expect([code, stderr]).toEqual([
          5,
          expect.stringMatching(
            new RegExp(
              `^${said}[^\\n]*\\nbroken.ndjson:601: a time that cannot be read: yesterday\\n1 line is not counted \\(exit code 5\\)\\n$`,
            ),
          ),
        ]);
        expect(JSON.parse(stdout)).toMatchObject({ outcome: 'partial', complete: false, rejected: { count: 1 } });
      }
  });

  it('contains the same rows in every format, in the same order', async () => {
    await run(shared, 'export', ...range, '--events', 'events.ndjson', '-o', 'plain');
    const rows = rowsIn(shared, 'plain');
    expect(countRows(rows, members)).toEqual(truth);
    expect(rows.map((row) => row['TrackedEvents.utcTime'])).toEqual(
      rows.map((row) => row['TrackedEvents.utcTime']).sort(),
    );
    for (const [to, ...flags] of [
      ['packed', '--pack', 'zstd'],
      ['array', '-f', 'json', '--pack', 'gzip'],
      ['one.ndjson'],
      ['one.json.zst'],
    ]) {
      await run(shared, 'export', ...range, '--events', 'events.ndjson', '-o', to!, ...flags);
      expect([to, rowsIn(shared, to!)]).toEqual([to, rows]);
    }
    await run(
      shared,
      'export',
      ...range,
      '--events',
      'events.ndjson',
      '-o',
      'one.csv',
      '--safe-csv',
      '-d',
      'pageTitle',
      '-d',
      'docPath',
    );
    const [header, ...cells] = parseCsv(readFileSync(path.join(shared.root, 'one.csv'), 'utf8'));
    expect(header).toEqual(
      ['utcTime', 'userAnonymousId', 'pageTitle', 'docPath', 'count'].map((name) => `TrackedEvents.${name}`),
    );
    const sum = cells.reduce((total, row) => total + Number(row.at(-1)), 0);
    expect(sum).toBe(600);
    expect(new Set(cells.map((row) => row[2]))).toEqual(
      new Set(
        events.map(({ pageTitle }) => (pageTitle === null || pageTitle === undefined ? null : toSafeCell(pageTitle))),
      ),
    );
    expect(readdirSync(shared.root).filter((name) => name.startsWith('.one'))).toEqual([]);
  });

  it('records windows without events as empty', async () => {
    await run(
      shared,
      'export',
      '--range',
      '2024-02-01,2024-02-02',
      '--events',
      'events.ndjson',
      '-f',
      'csv',
      '-o',
      'none',
    );
    const files = [...dataOf(path.join(shared.root, 'none')).keys()];
    expect(files).toHaveLength(2);
    for (const file of files)
      expect(readFileSync(path.join(shared.root, 'none', file), 'utf8')).toMatch(
        /^TrackedEvents\.utcTime,.*,TrackedEvents\.count\n$/,
      );
  });

  it('repeats rows by their count on request', async () => {
    await run(shared, 'export', ...range, '--events', 'events.ndjson', '-o', 'each', '--expand');
    const rows = rowsIn(shared, 'each');
    expect(rows).toHaveLength(600);
    expect(new Set(rows.map((row) => row['TrackedEvents.count']))).toEqual(new Set(['1']));
    expect(countRows(rows, members)).toEqual(truth);
  });

  it('reports if events cannot be told apart because members are left out', async () => {
    const { code, stderr } = await shared.sluice([
      'export',
      ...range,
      '--events',
      'events.ndjson',
      '-o',
      'less',
      '-d',
      'docPath',
      '--without',
      'userAnonymousId',
    ]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('The export is incomplete. Without TrackedEvents.userAnonymousId'),
    ]);
    expect(Object.keys(rowsIn(shared, 'less')[0]!)).toEqual([
      'TrackedEvents.utcTime',
      'TrackedEvents.docPath',
      'TrackedEvents.count',
    ]);
  });
});

describe('an export loaded into a store', () => {
  const questions = [
    'count, uniqueUsersCount by projectId, pageTitle, docPath',
    'Sessions.count, Sessions.averageDurationMinutes by Sessions.startAt.day',
  ];
  const answers = async (folder: Folder, events?: string) => {
    await using sluice = await open({ workspace: folder.root, events, env: {}, onNote: () => undefined });
    const found: unknown[] = [];
    for (const question of questions)
      found.push((await sluice.query(`${question} from 2024-03-01 to 2024-03-07`)).rows());
    return found;
  };

  const forms: readonly (readonly [string, ...string[]])[] = [
    ['dir'],
    ['dir', '--pack', 'gzip', '-f', 'json', '--expand'],
    ['dir', '-f', 'csv', '--pack', 'zstd'],
    ['dir', '-f', 'parquet'],
    ['all.parquet', '--expand'],
    ['all.csv.gz'],
  ];
  it.each(shareOf(forms, 0, 2))(
    'as %s %s %s %s gives the answers of its source, and loading it again changes nothing',
    async (to, ...flags) => {
      // CSV readers cannot distinguish the empty text from null.
      const folder = folderOf({
        'events.ndjson': [to, ...flags].join(' ').includes('csv')
          ? lines.replaceAll('"pageTitle":""', '"pageTitle":"-"')
          : lines,
      });
      const expected = await answers(folder, 'events.ndjson');
      await run(folder, 'export', ...range, '--events', 'events.ndjson', '-o', to, ...flags);
      await run(folder, 'ingest', to);
      expect(await answers(folder)).toEqual(expected);
      expect((await run(folder, 'ingest', to)).stderr).toContain('Nothing was added.');
      expect(await answers(folder)).toEqual(expected);
    },
  );

  it('is recognised in another format, without duplicate events', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    await run(folder, 'export', ...range, '--events', 'events.ndjson', '-o', 'one');
    await run(folder, 'export', ...range, '--events', 'events.ndjson', '-o', 'two', '-f', 'csv', '--expand');
    await run(folder, 'ingest', 'one');
    const { code, stderr } = await folder.sluice(['ingest', 'two']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('with other content')]);
    expect(stderr).toContain('has 600 events');
  });
});

describe('an incremental export', () => {
  it('equals the export of all days in the end, and reports incomplete windows each time', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    const source = ['--events', 'events.ndjson'];
    const first = await run(
      folder,
      'export',
      '--range',
      '2024-03-01,2024-03-02',
      ...source,
      '-o',
      'out',
      '--as-of',
      '2024-03-02T10:59Z',
    );
    expect(first.stderr).toContain('2024-03-02T09:00:00.000Z and later is not exported yet');
    for (const asOf of [
      '2024-03-02T11:00Z',
      '2024-03-02T11:01Z',
      '2024-03-04T03:00Z',
      '2024-03-08T00:59Z',
      '2024-03-08T01:00Z',
    ])
      await run(folder, 'export', '--since-last', ...source, '-o', 'out', '--as-of', asOf);
    expect(countRows(rowsIn(folder, 'out'), members)).toEqual(truth);
    const verified = await folder.sluice(['export', '--verify', '-o', 'out', '--as-of', '2024-03-08T01:00Z']);
    expect(verified).toMatchObject({ code: 0, stderr: expect.stringContaining('600 events') as string });
    const again = await run(folder, 'export', '--since-last', ...source, '-o', 'out', '--as-of', '2024-03-08T01:30Z');
    expect(again.stderr).toContain('The export is already up to date');
    // Hours that were exported separately are windows of their own; the rest are days and their remainders.
    expect(dataOf(path.join(folder.root, 'out')).size).toBeLessThan(20);
  });

  it('keeps its query, format, source and time', async () => {
    const folder = folderOf({ 'events.ndjson': lines, 'others.ndjson': lines });
    const asking = ['export', ...range, '--events', 'events.ndjson', '-o', 'out'];
    await run(folder, ...asking);
    const before = treeOf(folder.root);
    for (const [change, words] of [
      [['-f', 'csv'], 'as ndjson, not as csv'],
      [['--pack', 'gzip'], 'not as ndjson, gzip'],
      [['--expand'], 'one row per event'],
      [['-d', 'docPath'], 'with TrackedEvents.'],
      [['--events', 'others.ndjson'], 'from events.ndjson'],
      [['--project', '42'], 'not 42'],
      [['--range', '2024-02-01'], 'another range'],
    ] as const) {
      const { code, stderr } = await folder.sluice([...asking, ...change]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
    for (const [change, words] of [
      [['--range', '2024-03-01'], '--range'],
      [['-f', 'csv'], 'a format'],
      [['-d', 'docPath'], '-d'],
    ] as const) {
      const { code, stderr } = await folder.sluice(['export', '--since-last', '-o', 'out', ...change]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
    expect(treeOf(folder.root)).toEqual(before);
    // A matching export is extended.
    await run(folder, ...asking, '--range', '2024-02-28,2024-02-29');
    expect((await run(folder, 'export', '--verify', '-o', 'out')).stderr).toContain('9 files');
  });
});

describe('an export that is stopped', () => {
  it.each([
    ['out', 'whole'],
    ['all.csv.gz', 'whole.csv.gz'],
  ] as const)('repeatedly, as %s, gives the same bytes as without stops', async (to, whole) => {
    const folder = folderOf({ 'events.ndjson': lines });
    await using sluice = await open({ workspace: folder.root, events: 'events.ndjson', env: {} });
    const asked: ExportOptions = { range: ['2024-03-01', '2024-03-07'], concurrency: 2 };
    await sluice.export(whole, asked);
    for (const stop of to === 'out' ? [1, 2, 4, 6] : [1, 4, 7]) {
      const controller = new AbortController();
      const stopped = sluice.export(to, {
        ...asked,
        signal: controller.signal,
        onProgress: (stage) => {
          if (stage.kind === 'assembling' || stage.windows >= stop) controller.abort();
        },
      });
      await expect(stopped).rejects.toBeInstanceOf(AbortedError);
      expect([...treeOf(folder.root).keys()].filter((file) => file.endsWith('.part'))).toEqual([]);
      expect(existsSync(path.join(folder.root, 'all.csv.gz'))).toBe(false);
    }
    const report = await sluice.export(to, asked);
    expect(report).toMatchObject({ outcome: 'done', windows: 7, events: 600 });
    if (to === 'out') expect(dataOf(path.join(folder.root, to))).toEqual(dataOf(path.join(folder.root, whole)));
    else expect(readFileSync(path.join(folder.root, to))).toEqual(readFileSync(path.join(folder.root, whole)));
  });

  it('says how to resume', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    const controller = new AbortController();
    const watch = setInterval(() => {
      if (
        existsSync(path.join(folder.root, 'out')) &&
        readdirSync(path.join(folder.root, 'out'), { encoding: 'utf8', recursive: true }).some((name) =>
          /part-.*manifest/.test(name),
        )
      )
        controller.abort();
    }, 1);
    const { code, stderr } = await folder.sluice(
      ['export', '--range', '2024-02-26,2024-03-07', '--events', 'events.ndjson', '-o', 'out', '--concurrency', '1'],
      { signal: controller.signal },
    );
    clearInterval(watch);
    expect([code, stderr]).toEqual([
      130,
      expect.stringMatching(
        /^Stopped: (?:[1-9]|10) of 11 windows are in out and stay there\. Run the same command again to resume\.\nsluice: interrupted\n$/,
      ),
    ]);
  });

  it('between writing a manifest and its file resumes as if neither existed', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    const asking = ['export', ...range, '--events', 'events.ndjson', '-o', 'out'];
    await run(folder, ...asking);
    const before = dataOf(folder.root);
    const [file] = [...dataOf(path.join(folder.root, 'out')).keys()];
    const place = path.join(folder.root, 'out', file!);
    renameSync(place, path.join(path.dirname(place), `.${path.basename(place)}.part`));
    expect((await folder.sluice(['export', '--verify', '-o', 'out'])).code).toBe(5);
    await run(folder, ...asking);
    expect(dataOf(folder.root)).toEqual(before);
    expect((await run(folder, 'export', '--verify', '-o', 'out')).stderr).toContain('matches its manifests');
  });
});

describe('a single file that is incomplete', () => {
  async function beginFile(folder: Folder, asOf: string, ...days: readonly string[]): Promise<void> {
    await using sluice = await open({
      workspace: folder.root,
      events: 'events.ndjson',
      env: {},
      now: () => Date.parse(asOf),
    });
    const controller = new AbortController();
    const options: ExportOptions = {
      range: [days[0]!, days[1]!],
      signal: controller.signal,
      onProgress: (stage) => {
        if (stage.kind === 'assembling') controller.abort();
      },
    };
    await expect(sluice.export('all.ndjson', options)).rejects.toBeInstanceOf(AbortedError);
  }

  it('is not reused for other days', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    await beginFile(folder, '2024-04-01T00:00Z', '2024-03-01', '2024-03-03');
    const { code, stderr } = await folder.sluice([
      'export',
      '--range',
      '2024-03-03,2024-03-05',
      '--events',
      'events.ndjson',
      '-o',
      'all.ndjson',
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('contains windows of another range: 2024-03-01')]);
    expect(existsSync(path.join(folder.root, 'all.ndjson'))).toBe(false);
  });

  it('resumed with a clock that is behind says of which time its rows are', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    await beginFile(folder, '2024-03-03T14:00Z', '2024-03-01', '2024-03-03');
    await run(
      folder,
      'export',
      '--range',
      '2024-03-01,2024-03-03',
      '--events',
      'events.ndjson',
      '-o',
      'all.ndjson',
      '--as-of',
      '2024-03-03T11:00Z',
    );
    const { window } = JSON.parse(readFileSync(path.join(folder.root, 'all.ndjson.manifest.json'), 'utf8')) as {
      readonly window: { readonly end: string };
    };
    const times = rowsIn(folder, 'all.ndjson').map((row) => `${row['TrackedEvents.utcTime']}Z`);
    expect(window.end).toBe('2024-03-03T13:00:00.000Z');
    expect(times.filter((time) => time >= window.end)).toEqual([]);
    expect(times.some((time) => time > '2024-03-03T10:00:00.000Z')).toBe(true);
  });
});

describe('foreign files in an export folder', () => {
  let exported: Folder;
  beforeAll(async () => {
    exported = openFolder({ 'events.ndjson': lines });
    await run(exported, 'export', ...range, '--events', 'events.ndjson', '-o', 'out');
  });
  afterAll(() => exported.remove());

  it('are reported and left alone', async () => {
    const folder = folderOf({
      'events.ndjson': lines,
      'out/notes.txt': 'precious',
      'out/2024-03-01/mine.ndjson': 'precious',
      'out/.hidden': 'precious',
    });
    const { stderr } = await run(folder, 'export', ...range, '--events', 'events.ndjson', '-o', 'out');
    expect(stderr).toMatch(/mine\.ndjson and 1 more file in out are no part of the export, and left alone\./);
    for (const name of ['notes.txt', '2024-03-01/mine.ndjson', '.hidden'])
      expect(readFileSync(path.join(folder.root, 'out', name), 'utf8')).toBe('precious');
    const { code, stderr: found } = await folder.sluice(['export', '--verify', '-o', 'out']);
    expect([code, found]).toEqual([1, expect.stringContaining('notes.txt is not part of the export')]);
  });

  it('are never overwritten', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    const asking = ['export', ...range, '--events', 'events.ndjson', '-o'];
    await run(folder, ...asking, 'out');
    const [file] = [...dataOf(path.join(folder.root, 'out')).keys()];
    rmSync(path.join(folder.root, 'out', `${file!}.manifest.json`));
    const before = treeOf(folder.root);
    expect(await folder.sluice([...asking, 'out'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already exists without a manifest') as string,
    });
    folder.write('mine.csv', 'precious');
    expect(await folder.sluice([...asking, 'mine.csv'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('mine.csv is in the way') as string,
    });
    rmSync(path.join(folder.root, 'mine.csv'));
    expect(dataOf(folder.root)).toEqual(
      new Map([...before].filter(([name]) => !name.endsWith('.json') && !name.includes('/.'))),
    );
  });

  it.each<[string, (file: string) => void, RegExp, number]>([
    [
      'a changed byte',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('pageview', 'pageviev')),
      /SHA-256 is different/,
      1,
    ],
    [
      'a truncated file',
      (file) => writeFileSync(file, readFileSync(file).subarray(0, -1)),
      /bytes, but its manifest says \d+/,
      1,
    ],
    [
      'the manifest counts more rows',
      (file) => edit(file, (manifest) => ({ ...manifest, rows: Number(manifest['rows']) + 1 })),
      /rows, but its manifest says \d+/,
      1,
    ],
    [
      'the manifest counts fewer events',
      (file) => edit(file, (manifest) => ({ ...manifest, events: Number(manifest['events']) - 1 })),
      /events, but its manifest says \d+/,
      1,
    ],
    ['the manifest is broken', (file) => writeFileSync(`${file}.manifest.json`, '{'), /not JSON/, 1],
    [
      'a different window',
      (file) =>
        edit(file, (manifest) => ({
          ...manifest,
          window: { start: '2024-03-01T00:00:00.000Z', end: '2024-03-02T12:00:00.000Z' },
        })),
      /has a manifest for another window/,
      1,
    ],
    ['a different query', (file) => edit(file, (manifest) => ({ ...manifest, query: 'x' })), /another query/, 1],
    [
      'a missing window',
      (file) => {
        rmSync(file);
        rmSync(`${file}.manifest.json`);
      },
      /2024-03-01T00:00:00\.000Z to 2024-03-02T00:00:00\.000Z is missing/,
      5,
    ],
    [
      'a duplicate file',
      (file) => writeFileSync(path.join(path.dirname(file), 'copy.ndjson'), readFileSync(file)),
      /copy\.ndjson is not part/,
      1,
    ],
  ])('are found by --verify: %s', async (_, change, words, expected) => {
    const folder = folderOf();
    cpSync(path.join(exported.root, 'out'), path.join(folder.root, 'out'), { recursive: true });
    const [file] = [...dataOf(path.join(folder.root, 'out')).keys()];
    change(path.join(folder.root, 'out', file!));
    const { code, stderr } = await folder.sluice(['export', '--verify', '-o', 'out']);
    expect([code, stderr]).toEqual([expected, expect.stringMatching(words)]);
    expect(stderr).toMatch(
      expected === 5
        ? /To repair it: run the export again/
        : /To repair it: (?:remove each damaged file|move files that are not part)/,
    );
  });
});

function edit(file: string, change: (manifest: Readonly<Record<string, unknown>>) => unknown): void {
  const manifest = `${file}.manifest.json`;
  writeFileSync(
    manifest,
    JSON.stringify(change(JSON.parse(readFileSync(manifest, 'utf8')) as Readonly<Record<string, unknown>>)),
  );
}

describe('the export command', () => {
  it.each<[readonly string[], string]>([
    [['-o', 'x'], 'Specify a date range'],
    [range, 'Specify an output with -o'],
    [[...range, '-o', '-'], 'to files'],
    [[...range, '-o', 'x.txt'], 'cannot be exported as table'],
    [[...range, '-o', 'x.tsv'], 'cannot be exported as tsv'],
    [[...range, '-o', 'x.csv', '-f', 'json'], 'csv by its ending'],
    [[...range, '-o', 'x.csv', '--pack', 'gzip'], 'not packed'],
    [[...range, '-o', 'x', '-f', 'parquet', '--pack', 'zstd'], 'cannot be compressed again'],
    [[...range, '-o', 'x', '--safe-csv'], 'csv'],
    [['--range', '2024-03-07,2024-03-01', '-o', 'x'], 'range'],
    [['--range', 'whenever', '-o', 'x'], 'whenever'],
    [[...range, '-o', 'x', '-d', 'nothing'], 'nothing'],
    [[...range, '-o', 'x/y'], 'its parent folder does not exist'],
    [['--since-last', '-o', 'x'], 'does not contain an export'],
    [['--since-last', '-o', 'x.csv'], 'folder'],
    [['--verify', '-o', 'x'], 'no export'],
    [[...range, '-o', 'x', '--concurrency', '0'], '1 to 64'],
    [[...range, '-o', 'x', '--watermark', 'soon'], '90m'],
    [[...range, '-o', 'x', '--timezone', 'Mars'], 'Mars'],
    [[...range, '-o', 'x', '--cube', 'Nothing'], 'Nothing'],
  ])('refuses %j', async (flags, words) => {
    const folder = folderOf({ 'events.ndjson': lines });
    const { code, stderr, stdout } = await folder.sluice(['export', '--events', 'events.ndjson', ...flags]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(words)]);
    expect(readdirSync(folder.root)).toEqual(['events.ndjson']);
  });

  it('shows its plan and writes nothing', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    const { stdout } = await run(
      folder,
      'export',
      ...range,
      '--events',
      'events.ndjson',
      '-o',
      'out',
      '--explain',
      '-d',
      'docPath',
    );
    expect(stdout).toContain(
      '"dimensions":["TrackedEvents.utcTime","TrackedEvents.userAnonymousId","TrackedEvents.docPath"]',
    );
    expect(stdout).toMatch(
      /2024-03-01T00:00:00\.000Z to 2024-03-02T00:00:00\.000Z {2}\d+ events\n[\s\S]*7 windows with 600 events from events\.ndjson, to out\.\n$/,
    );
    expect(readdirSync(folder.root)).toEqual(['events.ndjson']);
  });

  it('prints a summary as JSON to stdout', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    const { stdout, stderr } = await run(
      folder,
      'export',
      '--range',
      '2024-03-01,2024-03-09',
      '--events',
      'events.ndjson',
      '-o',
      'out',
      '--summary',
      'json',
      '--quiet',
    );
    expect(stderr).toBe('');
    const closed = {
      outcome: 'done',
      windows: 8,
      events: 600,
      added: { windows: 8 },
      complete: false,
      closedUntil: '2024-03-08T11:00:00.000Z',
      unsettled: [],
      range: { start: '2024-03-01T00:00:00.000Z', end: '2024-03-10T00:00:00.000Z' },
    };
    expect(JSON.parse(stdout)).toMatchObject(closed);
  });

  it('shows its progress on a terminal', async () => {
    const folder = folderOf({ 'events.ndjson': lines });
    const { stderr } = await folder.sluice(['export', ...range, '--events', 'events.ndjson', '-o', 'out'], {
      terminal: { columns: 80, rows: 24 },
    });
    expect(stderr).toContain('Exported 600 events');
  });
});
