import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fewEvents, folderOf, openFolder, type Folder, type World } from './run-in-folder.ts';

describe('sluice query', () => {
  let folder: Folder;

  beforeAll(() => {
    folder = openFolder({
      'events.ndjson': fewEvents,
      'sluice.yaml': 'events: events.ndjson\n',
      'queries/by-type.yaml':
        'title: Events by type\nquery:\n  measures: [TrackedEvents.count]\n  dimensions: [TrackedEvents.eventType]\n',
      'queries/per-day.json': JSON.stringify({
        query: {
          measures: ['TrackedEvents.count'],
          timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: 'last 4 days' }],
        },
      }),
    });
  });
  afterAll(() => folder.remove());

  const json = async (...argv: readonly string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await folder.sluice(['query', ...argv, '-f', 'json']);
    expect(code).toBe(0);
    // The range of this question begins before the events.
    expect(stderr).toBe(
      argv[0] === 'per-day' ? 'No events before 2024-03-06: earlier days of the range may lack data.\n' : '',
    );
    return JSON.parse(stdout);
  };
  const byType = [
    { 'TrackedEvents.eventType': 'pageview', 'TrackedEvents.count': 4 },
    { 'TrackedEvents.eventType': 'link_click', 'TrackedEvents.count': 1 },
  ];

  it('answers a query in one line, quoted or not', async () => {
    expect(await json('count by eventType')).toEqual(byType);
    expect(await json('count', 'by', 'eventType')).toEqual(byType);
  });

  it('answers a saved query by its name, by its file, and from stdin', async () => {
    expect(await json('by-type')).toEqual(byType);
    expect(await json('queries/by-type.yaml')).toEqual(byType);
    const { stdout } = await folder.sluice(['query', '-', '-f', 'json'], {
      stdin: '{"measures": ["TrackedEvents.count"]}',
    });
    expect(JSON.parse(stdout)).toEqual([{ 'TrackedEvents.count': 5 }]);
  });

  it('reads a line from stdin as on the command line', async () => {
    const { stdout } = await folder.sluice(['query', '-', '-f', 'json'], { stdin: 'count by eventType\n' });
    expect(JSON.parse(stdout)).toEqual(byType);
    const wrong = await folder.sluice(['query', '-'], { stdin: 'count by\n' });
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('A dimension or a granularity is expected here'),
    ]);
  });

  it('finds the workspace from a folder below it', async () => {
    const { code, stdout } = await folder.sluice(['query', 'by-type', '-f', 'json'], { cwd: 'queries' });
    expect([code, JSON.parse(stdout)]).toEqual([0, byType]);
  });

  it('answers flags, and applies them to a saved query', async () => {
    expect(
      await json(
        '-m',
        'count',
        '-d',
        'docPath',
        '--where',
        'eventType = pageview',
        '--order',
        'docPath:desc',
        '--limit',
        '1',
        '--quiet',
      ),
    ).toEqual([{ 'TrackedEvents.docPath': '/docs', 'TrackedEvents.count': 1 }]);
    expect(await json('by-type', '--where', 'docPath = /docs')).toEqual([
      { 'TrackedEvents.eventType': 'link_click', 'TrackedEvents.count': 1 },
      { 'TrackedEvents.eventType': 'pageview', 'TrackedEvents.count': 1 },
    ]);
  });

  it('fills missing days with zeros, unless told not to', async () => {
    const counts = (rows: unknown) => (rows as Record<string, unknown>[]).map((row) => row['TrackedEvents.count']);
    expect(counts(await json('per-day'))).toEqual([0, 0, 3, 2]);
    expect(counts(await json('per-day', '--fill', 'none'))).toEqual([3, 2]);
  });

  it('reads relative phrases against --as-of', async () => {
    expect(await json('count yesterday', '--as-of', '2024-03-07')).toEqual([{ 'TrackedEvents.count': 3 }]);
    expect(await json('count yesterday')).toEqual([{ 'TrackedEvents.count': 2 }]);
  });

  it('writes a header even if nothing was found', async () => {
    const none = ['count by docPath where docPath = /nowhere'];
    expect((await folder.sluice(['query', ...none, '-f', 'csv'])).stdout).toBe(
      'TrackedEvents.docPath,TrackedEvents.count\n',
    );
    expect((await folder.sluice(['query', ...none, '-f', 'tsv'])).stdout).toBe(
      'TrackedEvents.docPath\tTrackedEvents.count\n',
    );
    expect(await folder.sluice(['query', ...none, '-f', 'json'])).toMatchObject({
      stdout: '[]\n',
      stderr: expect.stringContaining('docPath has no value "/nowhere".'),
    });
    expect((await folder.sluice(['query', ...none])).stdout).toContain('Page');
  });

  it('keeps stdout for data: messages go to stderr', async () => {
    const { stdout, stderr } = await folder.sluice(['query', 'count by docPath top 1', '-f', 'csv']);
    expect(stdout).toBe('TrackedEvents.docPath,TrackedEvents.count\n/,3\n');
    expect(stderr).toMatch(/Limit of 1 row/);
    expect((await folder.sluice(['query', 'count by docPath top 1', '-f', 'csv', '--quiet'])).stderr).toBe('');
  });

  it('adds marks and provenance to the rows on request', async () => {
    const { rows, provenance, marks } = (await json('per-day', '--with-provenance')) as Record<
      string,
      Record<string, unknown>
    >;
    expect(rows).toHaveLength(4);
    expect(provenance).toMatchObject({
      backend: 'embedded',
      source: 'events.ndjson',
      zone: 'UTC',
      asOf: '2024-03-08T12:00:00.000Z',
      filledCells: 2,
    });
    expect(provenance).not.toHaveProperty('elapsedMs');
    expect(marks).toHaveProperty(['TrackedEvents.count', 'filled'], [0, 1]);
  });

  it('writes several formats into a folder, each file completely', async () => {
    const { code, stdout } = await folder.sluice(['query', 'by-type', '-f', 'csv,json,md', '-o', 'out']);
    expect([code, stdout]).toEqual([0, '']);
    expect(readdirSync(path.join(folder.root, 'out')).sort()).toEqual(['by-type.csv', 'by-type.json', 'by-type.md']);
    expect(readFileSync(path.join(folder.root, 'out', 'by-type.csv'), 'utf8')).toBe(
      'TrackedEvents.eventType,TrackedEvents.count\npageview,4\nlink_click,1\n',
    );
  });

  it("writes the format of the file's extension, unless -f names another", async () => {
    const json = '[{"TrackedEvents.count":5}]\n';
    const expected: Readonly<Record<string, string | RegExp>> = {
      'a.csv': 'TrackedEvents.count\n5\n',
      'a.TSV': 'TrackedEvents.count\n5\n',
      'a.json': json,
      'a.ndjson': '{"TrackedEvents.count":5}\n',
      'a.jsonl': '{"TrackedEvents.count":5}\n',
      'a.md': /^\|.*\|\n/,
      'a.txt': /^ *Events/i,
    };
    for (const [name, contents] of Object.entries(expected)) {
      expect(await folder.sluice(['query', 'count', '-o', name])).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(readFileSync(path.join(folder.root, name), 'utf8'), name).toMatch(contents);
    }
    await folder.sluice(['query', 'count', '-f', 'json', '-o', 'b.csv']);
    expect(readFileSync(path.join(folder.root, 'b.csv'), 'utf8')).toBe(json);
    for (const name of ['c.docx', 'c']) {
      const { code, stderr } = await folder.sluice(['query', 'count', '-o', name]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/has no ending of a known format[^]*\.ndjson[^]*-f[^]*markdown/),
      ]);
      expect(existsSync(path.join(folder.root, name))).toBe(false);
    }
  });

  it('accepts - for stdout', async () => {
    expect((await folder.sluice(['query', 'count', '-f', 'csv', '-o', '-'])).stdout).toBe('TrackedEvents.count\n5\n');
    expect(existsSync(path.join(folder.root, '-'))).toBe(false);
    expect((await folder.sluice(['query', 'count', '-f', 'csv,json', '-o', '-'])).code).toBe(2);
  });

  it('creates the folder of -o for several answers, and no other', async () => {
    for (const argv of [
      ['by-type', '-o', 'new/x.csv'],
      ['by-type', '-f', 'csv,json', '-o', 'new/er'],
      ['--all-saved', '-f', 'csv', '-o', 'new/er'],
    ]) {
      const { code, stderr } = await folder.sluice(['query', ...argv]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/folder .*new/)]);
    }
    folder.write('a-file', '');
    expect((await folder.sluice(['query', 'by-type', '-f', 'csv,json', '-o', 'a-file'])).stderr).toMatch(
      /a-file is not a folder/,
    );
    expect(await folder.sluice(['query', '-o', '.', '-f', 'csv', 'count'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is a folder/),
    });
    expect(existsSync(path.join(folder.root, 'new'))).toBe(false);
    expect((await folder.sluice(['query', '--all-saved', '-f', 'csv', '-o', 'fresh'])).code).toBe(0);
    expect(readdirSync(path.join(folder.root, 'fresh')).sort()).toEqual(['by-type.csv', 'per-day.csv']);
  });

  it('refuses several formats without a folder', async () => {
    const { code, stdout, stderr } = await folder.sluice(['query', 'by-type', '-f', 'csv,json']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('-o FOLDER');
  });

  it('answers all saved queries, each under its title', async () => {
    const { code, stdout } = await folder.sluice(['query', '--all-saved']);
    expect(code).toBe(0);
    expect(stdout.indexOf('Events by type\n')).toBe(0);
    expect(stdout).toContain('\nper-day\n');
  });

  it('names the saved query of each note', async () => {
    const limited = openFolder({
      'sluice.yaml': 'events: e.ndjson\n',
      'e.ndjson': fewEvents,
      'queries/one.yaml': 'query: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.docPath], limit: 1}\n',
      'queries/two.yaml': 'query: {measures: [TrackedEvents.count]}\n',
    });
    const { stderr } = await limited.sluice(['query', '--all-saved', '-f', 'csv', '-o', 'out', '--verbose']);
    limited.remove();
    expect(stderr).toMatch(/^one: Limit of 1 row/m);
    for (const line of stderr.trimEnd().split('\n')) expect(line).toMatch(/^(one|two): \S/);
  });

  it('explains without running', async () => {
    const { code, stdout } = await folder.sluice(['query', 'by-type', '--explain']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/SELECT/);
    expect(stdout).not.toContain('link_click');
    expect(await folder.sluice(['query', 'by-type', '--explain', '-o', 'plan.sql'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(readFileSync(path.join(folder.root, 'plan.sql'), 'utf8')).toBe(stdout);
  });

  it('shows a screenful of rows on a terminal and the total number; --all shows all', async () => {
    const many = Array.from(
      { length: 60 },
      (_, n) => `{"utcTime":"2024-03-06T10:00:00","userAnonymousId":"u","eventType":"pageview","docPath":"/p${n}"}\n`,
    ).join('');
    const file = folder.write('many.ndjson', many);
    const argv = ['query', 'count by docPath limit 100', '--events', file, '--no-color'];
    const terminal = { columns: 80, rows: 30 };
    const screenful = await folder.sluice(argv, { terminal });
    expect(screenful.stdout.match(/\/p\d/g)).toHaveLength(22);
    expect(screenful.stdout).toContain('60');
    expect((await folder.sluice([...argv, '--all'], { terminal })).stdout.match(/\/p\d/g)).toHaveLength(60);
    expect(screenful.stdout).toContain('rows shown; --all prints all\n');
    const days = ['query', 'count by day 2024', '--events', file, '--no-color'];
    expect((await folder.sluice(days, { terminal })).stdout).toContain('--all prints all, -f chart draws them');
  });

  it('uses colours only on a terminal that supports them', async () => {
    const terminal = { columns: 80, rows: 30 };
    const escape = '\u001b';
    expect((await folder.sluice(['query', 'per-day'], { terminal })).stdout).toContain(escape);
    const worlds: readonly World[] = [{}, { terminal, env: { NO_COLOR: '1' } }, { terminal, env: { TERM: 'dumb' } }];
    for (const world of worlds) {
      expect((await folder.sluice(['query', 'per-day'], world)).stdout).not.toContain(escape);
    }
    expect((await folder.sluice(['query', 'per-day', '--no-color'], { terminal })).stdout).not.toContain(escape);
  });

  it('exits with 130 when interrupted', async () => {
    const { code, stderr, stdout } = await folder.sluice(['query', 'by-type'], { signal: AbortSignal.abort() });
    expect([code, stderr, stdout]).toEqual([130, 'sluice: interrupted\n', '']);
  });
});

describe('sluice sample', () => {
  it('makes events whose age is reported if the answer is later', async () => {
    const folder = openFolder();
    try {
      await folder.sluice(['sample', '--count', '50', '--days', '7', '--to', '2015-05-20', '-o', 'old.parquet']);
      const note = 'No events in the range: the newest is from 2015-05-20. To ask as of then, use --as-of 2015-05-21.';
      const asked = await folder.sluice(['query', 'count last 7 days', '-f', 'json', '--events', 'old.parquet']);
      expect([asked.stdout, asked.stderr]).toEqual(['[{"TrackedEvents.count":0}]\n', `${note}\n`]);
      expect(
        (await folder.sluice(['query', 'count by docPath last 7 days', '--events', 'old.parquet'])).stdout,
      ).toContain(note);
      // The time that it names has all events of the last day.
      const then = ['query', 'count last 7 days', '-f', 'json', '--events', 'old.parquet', '--as-of', '2015-05-21'];
      expect((await folder.sluice(then)).stdout).toBe('[{"TrackedEvents.count":50}]\n');
      for (const question of ['count', 'count since 2015-05-20', 'count 2015-05-01']) {
        expect(
          (await folder.sluice(['query', question, '-f', 'json', '--events', 'old.parquet'])).stderr,
        ).not.toContain('newest');
      }
      expect(await folder.sluice(['sample', '--count', '50', '-o', 'gone/x.ndjson'])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/the folder .*gone does not exist/),
      });
    } finally {
      folder.remove();
    }
  });

  it('makes the same events for the same flags; query uses them by default and says so', async () => {
    const folder = openFolder();
    try {
      const made = await folder.sluice(['sample', '--count', '500', '--days', '7']);
      expect([made.code, made.stdout]).toEqual([0, '']);
      const file = path.join(folder.root, '.sluice', 'sample', 'events-to-2026-10-20.parquet');
      const bytes = readFileSync(file);
      const asked = await folder.sluice(['query', 'count last 7 days', '-f', 'json']);
      expect(JSON.parse(asked.stdout)).toEqual([{ 'TrackedEvents.count': 500 }]);
      expect(asked.stderr).toMatch(/sample events in .*as of 2026-10-21/);
      expect((await folder.sluice(['sample', '--if-missing', '--count', '9'])).code).toBe(0);
      expect(readFileSync(file).equals(bytes)).toBe(true);
      expect((await folder.sluice(['sample', '--count', '500', '--days', '7', '--out', 'again.parquet'])).code).toBe(0);
      expect(readFileSync(path.join(folder.root, 'again.parquet')).equals(bytes)).toBe(true);
    } finally {
      folder.remove();
    }
  });

  it('names the supported file extensions', async () => {
    const folder = openFolder();
    try {
      const { code, stderr } = await folder.sluice(['sample', '--out', 'events.xlsx']);
      expect(code).toBe(2);
      expect(stderr).toContain('.ndjson');
      expect(existsSync(path.join(folder.root, 'events.xlsx'))).toBe(false);
    } finally {
      folder.remove();
    }
  });
});

it('csv for programs keeps what csv for spreadsheets protects, streamed and stored, too', async () => {
  const paths = ['=1+1', '@x', 'a\u0000b', 'ab', '\u001b[2J'];
  const folder = folderOf({
    'e.ndjson': paths
      .map((docPath) =>
        JSON.stringify({ utcTime: '2024-03-07T10:00:00Z', eventType: 'x', userAnonymousId: 'a', docPath }),
      )
      .join('\n'),
  });
  const ask = (...flags: string[]) =>
    folder.sluice(['query', 'count by docPath order by docPath', '--events', 'e.ndjson', ...flags]);
  for (const format of ['csv', 'tsv']) {
    const raw = await ask('-f', format, '--raw-csv');
    expect(raw.code, raw.stderr).toBe(0);
    for (const text of paths) expect(raw.stdout).toContain(`\n${text}${format === 'csv' ? ',' : '\t'}1\n`);
    expect((await ask('-f', format)).stdout).toContain("'=1+1");
  }
  const file = await ask('-o', 'raw.csv', '--raw-csv');
  expect([file.code, readFileSync(path.join(folder.root, 'raw.csv'), 'utf8')]).toEqual([
    0,
    (await ask('-f', 'csv', '--raw-csv')).stdout,
  ]);
  expect(await ask('-f', 'json', '--raw-csv')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--raw-csv requires csv or tsv, not json.') as string,
  });
});
