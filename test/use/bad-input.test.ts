import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fewEvents, folderOf, openFolder, type Folder, type Outcome } from './run-in-folder.ts';

/** A user's mistake: plain words on stderr, nothing on stdout, and never a stack trace. */
function expectMistake({ code, stdout, stderr }: Outcome, ...parts: readonly (string | RegExp)[]): void {
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  for (const part of parts) expect(stderr).toMatch(part);
  expect(stderr).not.toMatch(/\n\s+at .*:\d+/);
  expect(stderr).not.toContain('bug');
}

describe('bad input', () => {
  let folder: Folder;

  beforeAll(() => {
    folder = openFolder({
      'events.ndjson': fewEvents,
      'sluice.yaml': 'events: events.ndjson\n',
      'queries/top-pages.yaml':
        'query: {measures: [TrackedEvents.pageViewsCount], dimensions: [TrackedEvents.docPath]}\n',
    });
  });
  afterAll(() => folder.remove());

  it('locates an unknown member, and suggests the nearest name', async () => {
    expectMistake(
      await folder.sluice(['query', 'cuont by docPath']),
      /1:1 {2}error/,
      /\^{5}/,
      /Did you mean "?count"?/,
    );
    folder.write(
      'bad.yaml',
      'query:\n  measures: [TrackedEvents.pageViewCount]\n  dimensions: [TrackedEvents.docPth]\n',
    );
    expectMistake(
      await folder.sluice(['query', 'bad.yaml']),
      /bad\.yaml:2:/,
      /bad\.yaml:3:/,
      /pageViewsCount/,
      /docPath/,
    );
  });

  it('reports a wrong operator, with the valid ones', async () => {
    folder.write(
      'bad.yaml',
      'query:\n  measures: [TrackedEvents.count]\n  filters:\n    - {member: TrackedEvents.docPath, operator: equal, values: [/]}\n',
    );
    expectMistake(await folder.sluice(['query', 'bad.yaml']), /bad\.yaml:4:/, /equals/);
    expectMistake(await folder.sluice(['query', 'count where docPath ~~ x']), /\^/);
  });

  it('refuses a limit of 60,000 on the platform', async () => {
    const { code, stdout, stderr } = await folder.sluice(['load', '-'], {
      stdin: '{"query": {"measures": ["TrackedEvents.count"], "limit": 60000}}',
    });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({ error: expect.stringMatching(/60000.*50000/) });
    expect(stderr).toMatch(/sluice export/);
    expect((await folder.sluice(['query', 'count limit 60000', '-f', 'json'])).code).toBe(0);
  });

  it('reports an unreadable range, with valid examples', async () => {
    expectMistake(await folder.sluice(['query', '-m', 'count', '--range', 'last sevn dayz']), /sevn/, /last 7 days/);
    expectMistake(await folder.sluice(['query', '-m', 'count', '--range', '2024-02-30']), /2024-02-30/);
  });

  it('reports a circular reference in a model, with the cycle', async () => {
    folder.write(
      'circle.yaml',
      `cubes:
  - name: Orders
    sql_table: orders
    measures:
      - {name: a, type: number, sql: "{b} + 1"}
      - {name: b, type: number, sql: "{a} + 1"}
`,
    );
    folder.write('circle/sluice.yaml', 'model: ../circle.yaml\n');
    expectMistake(
      await folder.sluice(['query', '-m', 'Orders.a'], { cwd: 'circle' }),
      /circle\.yaml:\d+/,
      /circ|itself/i,
    );
    expectMistake(await folder.sluice(['model'], { cwd: 'circle' }), /circle\.yaml:\d+/);
  });

  it('skips and reports a line of 50 MB, with file and line', async () => {
    const [first = '', ...rest] = fewEvents.trimEnd().split('\n');
    const broken = `{"utcTime": "2024-03-06T10:00:00", "docPath": "${'x'.repeat(50 << 20)}`;
    const file = folder.write('long.ndjson', `${[first, broken, ...rest].join('\n')}\n`);
    const { code, stdout, stderr } = await folder.sluice(['query', 'count', '-f', 'json', '--events', file]);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toEqual([{ 'TrackedEvents.count': 5 }]);
    expect(stderr).toMatch(/long\.ndjson:2: /);
    expect(stderr.length).toBeLessThan(2000);
  });

  it('reports a byte that is not UTF-8: in events by line, in a query by line and column', async () => {
    const bytes = Buffer.concat([
      Buffer.from(fewEvents),
      Buffer.from('{"utcTime":"2024-03-06T10:00:00","docPath":"/\xff"}\n', 'latin1'),
    ]);
    for (const [name, contents] of [
      ['bytes.ndjson', bytes],
      ['bytes.ndjson.gz', gzipSync(bytes)],
    ] as const) {
      const { code, stderr } = await folder.sluice([
        'query',
        'count',
        '-f',
        'json',
        '--events',
        folder.write(name, contents),
      ]);
      expect(code).toBe(5);
      expect(stderr).toContain(`${name}:6: `);
    }
    folder.write('bytes.yaml', Buffer.from('title: caf\xe9\nquery: {}\n', 'latin1'));
    expectMistake(await folder.sluice(['query', 'bytes.yaml']), /bytes\.yaml:1:11/, /UTF-8/);
  });

  it('reports missing files, with the next command', async () => {
    expectMistake(
      await folder.sluice(['query', 'count', '--events', 'nothing/*.ndjson']),
      /nothing\/\*\.ndjson/,
      /sluice sample/,
    );
    expectMistake(await folder.sluice(['query', 'count'], { env: { SLUICE_EVENTS: 'gone.parquet' } }), /gone\.parquet/);
    expectMistake(await folder.sluice(['query', 'gone.yaml']), /file gone\.yaml does not exist/);
    expectMistake(
      await folder.sluice(['query', 'count', '--config', 'gone.yaml']),
      /configuration file gone\.yaml does not exist/,
    );
    const empty = openFolder();
    expectMistake(await empty.sluice(['query', 'count']), /No events are configured/, /sluice sample/);
    empty.remove();
  });

  it('suggests the nearest name for a mistyped saved query, command, flag, format or cube', async () => {
    expectMistake(await folder.sluice(['query', 'top-pagse']), /Did you mean "top-pages"\?/);
    expectMistake(await folder.sluice(['qurey']), /Did you mean query\?/);
    expectMistake(await folder.sluice(['query', 'count', '--formta', 'csv']), /Did you mean --format\?/);
    expectMistake(await folder.sluice(['report', 'chek']), /Did you mean check\? Type: sluice report check --help/);
    expectMistake(
      await folder.sluice(['store', 'burn']),
      /unknown command 'burn'\n {2}For all commands, run: sluice store --help/,
    );
    expectMistake(
      await folder.sluice(['query', 'count', '--fill', 'atuo']),
      /^sluice: --fill must be auto, all or none, not "atuo"\.\n {2}Did you mean auto\? For all options, run: sluice query --help\n$/,
    );
    expectMistake(
      await folder.sluice(['schema', "it's"]),
      /^sluice: schema must be query, .* or report-json, not "it's"\.\n {2}For all options, run: sluice schema --help\n$/,
    );
    expectMistake(
      await folder.sluice(['report', 'schedule', 'x', '--for', 'crn']),
      /For all options, run: sluice report schedule --help/,
    );
    expectMistake(await folder.sluice(['sample', '-n', 'many']), /--count does not accept "many"\. Use a whole number/);
    expectMistake(await folder.sluice(['query', 'count', '-f', 'jsn']), /Did you mean "(json|tsv)"/);
    expectMistake(await folder.sluice(['model', 'TrackdEvents']), /Did you mean "TrackedEvents"\?/);
  });

  it('reports empty stdin, or an empty file, in one line', async () => {
    folder.write('empty.yaml', ' \n');
    for (const [argv, where] of [
      [['load'], 'stdin'],
      [['query', '-'], 'stdin'],
      [['query', 'empty.yaml'], 'empty.yaml'],
      [['load', 'empty.yaml'], 'empty.yaml'],
    ] as const) {
      expectMistake(
        await folder.sluice(argv, { stdin: '\n' }),
        new RegExp(`sluice: ${where} is empty\\.\\n {2}hint: Write a query`),
      );
    }
  });

  it('answers an empty query with what can be asked', async () => {
    expectMistake(await folder.sluice(['query']), /Specify a query/, /top-pages/);
  });

  it('reports a missing backend as a usage error with the available one', async () => {
    expectMistake(
      await folder.sluice(['query', 'count', '--backend', 'clickhouse']),
      /clickhouse/,
      /SLUICE_CLICKHOUSE_URL/,
    );
    expectMistake(await folder.sluice(['query', 'count', '--backend', 'platfrm']), /embedded/);
  });

  it('locates syntax errors in YAML and JSON', async () => {
    folder.write('broken.yaml', 'query:\n  measures: [TrackedEvents.count\n');
    expectMistake(await folder.sluice(['query', 'broken.yaml']), /broken\.yaml:\d+:\d+/);
    expectMistake(await folder.sluice(['load', '-'], { stdin: '{"query": {"measures": [}' }), /stdin:1:\d+/);
    expectMistake(await folder.sluice(['load', '-'], { stdin: '' }), /stdin/);
  });

  it.each<[string, string, string, ...RegExp[]]>([
    [
      'a window of zero',
      'query',
      'query:\n  formulas: {TrackedEvents.mau: TrackedEvents.count rolling 0 days}\n',
      /:2:\d+/,
      /from 1 to 1000/,
    ],
    ['no periods', 'retention', 'retention:\n  period: week\n  periods: 0\n', /:3:12/, /at least 1, not 0/],
    [
      'a cohort that refers to itself',
      'query',
      'cohort:\n  all:\n    - cohort: wrong\n',
      /:3:15/,
      /refers to itself: wrong → wrong/,
    ],
    ['steps before no point', 'paths', 'paths:\n  steps_before: 2\n', /:2:17/, /"steps_before" requires "through"/],
    ['"keep: last" without an end point', 'paths', 'paths:\n  keep: last\n', /:2:9/, /"keep" requires "to"/],
    ['an empty point', 'paths', 'paths:\n  from: ""\n', /:2:9/, /"from" must not be empty\./],
  ])('locates %s in a definition', async (_, command, text, ...parts) => {
    const own = folderOf({
      'events.ndjson': fewEvents,
      'sluice.yaml': 'events: events.ndjson\n',
      'queries/wrong.yaml': text,
    });
    expectMistake(
      await own.sluice([command, ...(text.startsWith('cohort') ? ['wrong.users by wrong.date'] : ['wrong'])]),
      /queries\/wrong\.yaml/,
      ...parts,
    );
  });

  it('locates a window of zero in a line', async () => {
    const expected = [/\^/, /from 1 to 1000 is expected here, not "0"/, /rolling 28 days/];
    expectMistake(await folder.sluice(['query', 'count rolling 0 days by day']), /^1:15 /m, ...expected);
  });

  it('reports a wrong time zone and a wrong reference time', async () => {
    expectMistake(await folder.sluice(['query', 'count', '--timezone', 'Europe/Berln']), /Europe\/Berlin/);
    expectMistake(await folder.sluice(['query', '-m', 'count', '--timezone', 'Europe/Berln']), /Europe\/Berlin/);
    expectMistake(await folder.sluice(['query', 'count', '--as-of', 'tomorow']), /--as-of/, /2024-03-08/);
  });

  it('removes control characters of web data on terminals', async () => {
    const hostile = '\u001b[31mred\u001b]0;title\u0007\u0000\u202egnp.exe';
    const file = folder.write(
      'hostile.ndjson',
      `${JSON.stringify({ utcTime: '2024-03-06T10:00:00', userAnonymousId: 'u', eventType: 'pageview', docPath: hostile })}\n{"docPath": "${'\\u001b[2J'}"}\n`,
    );
    for (const format of ['table', 'markdown', 'csv', 'tsv', 'json', 'ndjson']) {
      const { stdout, stderr } = await folder.sluice(['query', 'count by docPath', '-f', format, '--events', file]);
      expect(stdout).toContain('red');
      expect(stdout + stderr, format).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      // A direction override is not a control character: files keep it, tables do not show it.
      if (format === 'table' || format === 'markdown') expect(stdout).not.toContain('\u202e');
    }
    const mistake = await folder.sluice(['query', `count where ${hostile}`]);
    expect(mistake.code).toBe(2);
    expect(mistake.stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
