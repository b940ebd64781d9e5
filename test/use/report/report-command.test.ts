import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fewEvents, folderOf } from '../run-in-folder.ts';

const days =
  'query:\n  measures: [TrackedEvents.count, TrackedEvents.uniqueUsersCount]\n  timeDimensions:\n    - {dimension: TrackedEvents.utcTime, granularity: day}\nrange: "{{ days }}"';
const head = '---\ntitle: "Days: {{ days }}"\nparams:\n  days: {type: range, default: last 3 days}\n---\n\n';
const good = `${head}There were {{ d.count.total }} events of {{ d.uniqueUsersCount.total }} people.\n\n\`\`\`query\nname: d\n${days}\n\`\`\`\n`;
const check = (expectation: string) => `\n\`\`\`check\nexpect:\n  - ${expectation}\n\`\`\`\n`;
const files = { 'events.ndjson': fewEvents, 'sluice.yaml': 'events: events.ndjson\n', 'reports/days.md': good };

describe('sluice report run', () => {
  it('names columns as a cell does, in tables, comparisons and pivots, with what they are counted in', async () => {
    const report = `---
title: Named
---

\`\`\`compare
name: c
query: {measures: [TrackedEvents.count, TrackedEvents.uniqueUsersCount]}
range: 2024-03-06
labels: {TrackedEvents.count: Hits}
units: {count: thousands, uniqueUsersCount: heads}
show: table
\`\`\`

\`\`\`query
query: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.eventType], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day}]}
range: 2024-03-06
pivot: TrackedEvents.utcTime.day
labels: {eventType: Kind}
\`\`\`

\`\`\`query
query: {measures: [TrackedEvents.count]}
range: 2024-03-06
units: {count: clicks}
\`\`\`
`;
    const folder = folderOf({ ...files, 'reports/named.md': report });
    const { code, stdout } = await folder.sluice(['report', 'run', 'named']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      '| Hits in thousands (2024-03-06) | Hits in thousands (2024-03-05) | Hits in thousands (change) | Hits (change in %) | Unique users in heads (2024-03-06) |',
    );
    expect(stdout).toContain('| Kind | 2024-03-06 |');
    expect(stdout).toContain('Events in clicks: **3**');
    folder.write('reports/named.md', report.replace('{eventType: Kind}', '{evntType: Kind, eventType: Sort}'));
    const checked = await folder.sluice(['report', 'check', 'named']);
    expect(checked.code).toBe(2);
    expect(checked.stdout).toContain('The result has no column "evntType".');
    expect(checked.stdout.match(/ {2}error {2}/g)).toHaveLength(1);
  });

  it('reads short names of conditions and pivots beside a line, a query and a saved query', async () => {
    const beside =
      'range: 2024-03-06\nshow: table\npivot: day\nfilters: [{member: eventType, operator: equals, values: [pageview]}]';
    const cells = [
      'query: count by docPath, day 2024-03-05',
      'query: {measures: [count], dimensions: [docPath], timeDimensions: [{dimension: utcTime, granularity: day}]}',
      'from: saved',
    ];
    const folder = folderOf({
      ...files,
      'queries/saved.yaml': 'query: count by docPath, day last 3 days\n',
      'reports/short.md': `---\ntitle: Short\n---\n${cells.map((cell) => `\n\`\`\`query\n${cell}\n${beside}\n\`\`\`\n`).join('')}`,
    });
    const { code, stdout } = await folder.sluice(['report', 'run', 'short', '-f', 'md']);
    expect(code, stdout).toBe(0);
    const [first, ...others] = stdout.match(/^\|(?:.|\n\|)*/gm) ?? [];
    const full = await folder.sluice(['query', 'count by docPath 2024-03-06 where eventType = pageview', '-f', 'md']);
    expect(first?.replace('2024-03-06', 'Events')).toBe(full.stdout.trim());
    expect(others).toEqual([first, first]);
  });

  it('compares the rows of an analysis, which it does not lay out as those of one range', async () => {
    const cell = (query: string) => `\`\`\`compare\nquery: ${query} 2024-03-06..2024-03-07\n\`\`\`\n`;
    const report = `---\ntitle: Compared\n---\n\n${cell('lifecycle of any by day')}\n${cell('retention of any by day')}`;
    const { code, stdout } = await folderOf({ ...files, 'reports/compared.md': report }).sluice([
      'report',
      'run',
      'compared',
    ]);
    expect(code).toBe(0);
    for (const measure of ['Users', 'Size', 'Rate']) expect(stdout).toContain(`${measure} (2024-03-04 to 2024-03-05)`);
    expect(stdout).not.toContain('Not drawn');
  });

  it('draws each analysis that a cell asks for', async () => {
    const lines = ['paths', 'lifecycle of any by day', 'retention of any by day', 'stickiness of any by day'];
    const cells = lines.map((line) => `\`\`\`query\nquery: ${line} 2024-03-04..2024-03-07\n\`\`\`\n`);
    const report = `---\ntitle: Drawn\n---\n\n${cells.join('\n')}`;
    const { code, stdout } = await folderOf({ ...files, 'reports/drawn.md': report }).sluice([
      'report',
      'run',
      'drawn',
      '-f',
      'html',
    ]);
    expect(code).toBe(0);
    expect(stdout.match(/<figure/g)).toHaveLength(lines.length);
  });

  it('writes a report that says what was counted, of when, in which zone and out of what', async () => {
    const { code, stdout, stderr } = await folderOf(files).sluice(['report', 'run', 'days']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      [
        '# Days: 2024-03-05 to 2024-03-07',
        '',
        'There were 5 events of 2 people.',
        '',
        '| Day | Events | Unique users |',
        '| --- | ---: | ---: |',
        '| 2024-03-05 · | 0 | 0 |',
        '| 2024-03-06 | 3 | 2 |',
        '| 2024-03-07 | 2 | 1 |',
        '',
        '- · filled: there were no rows',
        '- No events before 2024-03-06: earlier days of the range may lack data.',
        '',
        '*2024-03-05 to 2024-03-07 · UTC · from events.ndjson (embedded)*',
        '',
        '---',
        '',
        '*days: 2024-03-05 to 2024-03-07 · As of 2024-03-08 12:00 · days in UTC*',
        '',
      ].join('\n'),
    );
  });

  it('takes parameters, a file by its path, several formats into a folder, and gives the same bytes again', async () => {
    const folder = folderOf(files);
    const run = () =>
      folder.sluice(['report', 'run', 'reports/days.md', '--param', 'days=2024-03-07', '-f', 'md,json', '-o', 'out/']);
    expect(await run()).toMatchObject({ code: 0, stdout: '', stderr: 'Wrote out/days.md.\nWrote out/days.json.\n' });
    const read = () =>
      ['days.md', 'days.json'].map((name) => readFileSync(path.join(folder.root, 'out', name), 'utf8'));
    const [markdown = '', json = ''] = read();
    expect(markdown).toContain('There were 2 events of 1 people.');
    expect(JSON.parse(json)).toMatchObject({
      sluice: 'report',
      version: 1,
      title: 'Days: 2024-03-07',
      zone: 'UTC',
      asOf: '2024-03-08T12:00:00.000Z',
      status: 'good',
      blocks: [
        {
          kind: 'prose',
          figures: [{ path: 'd.count.total', value: 2, provenance: { source: 'events.ndjson' } }, { value: 1 }],
        },
        {
          kind: 'cell',
          parts: [
            {
              result: {
                rows: [{ 'TrackedEvents.count': 2 }],
                provenance: { queryHash: expect.any(String) as string, zone: 'UTC', asOf: '2024-03-08T12:00:00.000Z' },
              },
            },
          ],
        },
      ],
    });
    await run();
    expect(read()).toEqual([markdown, json]);
    expect(readdirSync(path.join(folder.root, 'out'))).toEqual(['days.json', 'days.md']);
  });

  it('uses the zone of the report, and its clock is the same for every cell', async () => {
    const zoned = good.replace('params:', 'timezone: Pacific/Auckland\nparams:');
    const { stdout } = await folderOf({ ...files, 'reports/days.md': zoned }).sluice([
      'report',
      'run',
      'days',
      '--param',
      'days=today',
      '--as-of',
      '2024-03-06T23:30:00Z',
    ]);
    expect(stdout).toContain('# Days: 2024-03-07\n\nThere were 3 events of 1 people.');
    expect(stdout).toContain('*days: 2024-03-07 · As of 2024-03-07 12:30 · days in Pacific/Auckland*');
  });

  it.each([
    [['--param', 'day=2024'], 'Did you mean "days"?'],
    [['--param', 'days=last moon'], 'last moon'],
    [['--param', 'days'], 'has no value'],
    [['--param', 'days=today', '--param', 'days=yesterday'], 'given twice'],
    [['-f', 'md,json'], 'need an output folder'],
    [['-f', 'xlsx'], '"xlsx" is not a format'],
    [['-o', 'out.doc'], 'has no ending of a known format'],
    [['--to', 'a@example.org'], '--to is only for emails (`-f eml`).'],
  ])('refuses %j', async (flags, words) => {
    const { code, stdout, stderr } = await folderOf(files).sluice(['report', 'run', 'days', ...flags]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });

  it('names the report that was meant, and draws every issue of one that cannot be used', async () => {
    const folder = folderOf({
      ...files,
      'reports/bad.md': `${head}{{ e.count }}\n\n\`\`\`query\n${days.replace('count,', 'conut,')}\n\`\`\`\n`,
    });
    expect((await folder.sluice(['report', 'run', 'dys'])).stderr).toContain('Did you mean "days"?');
    const { code, stderr } = await folder.sluice(['report', 'run', 'bad']);
    expect(code).toBe(2);
    expect(stderr).toContain('reports/bad.md:7:1  error  There is no cell or parameter "e".');
  });
});

it('shows prose on a terminal without what a terminal obeys, and keeps it in files', async () => {
  const prose = 'Hello \u001b[2J\u009b31m\tthere';
  const folder = folderOf({
    'e.ndjson': fewEvents,
    'reports/h.md': `---\ntitle: Title\n---\n\n${prose}\n\n\`\`\`query\nquery: {measures: [TrackedEvents.count]}\n\`\`\`\n`,
  });
  const run = ['report', 'run', 'h', '--events', 'e.ndjson'];
  const shown = await folder.sluice(run, { terminal: { columns: 80, rows: 24 } });
  expect(shown.stdout).toContain('Hello ␛[2J\ufffd31m\tthere\n');
  expect(shown.stdout).toMatch(/^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$/);
  expect((await folder.sluice(run)).stdout).toContain(prose);
});

describe('a report that fails', () => {
  const failing = `${good}${check('{figure: d.count.total, atLeast: 10, because: It is a busy site.}')}`;

  it('by a check has exit code 1, and says what was expected and found', async () => {
    const { code, stdout, stderr } = await folderOf({ ...files, 'reports/days.md': failing }).sluice([
      'report',
      'run',
      'days',
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain('- ✗ **failed** · d.count.total is at least 10: It is 5. It is a busy site.');
    expect(stderr).toContain('Check failed: d.count.total is at least 10. It is 5.');
  });

  const half = `${good}\n\`\`\`query\ntitle: Elsewhere\nquery: {measures: [T.count]}\n\`\`\`\n`;

  it('by a cell has exit code 5, and the rest stands', async () => {
    const model =
      'cubes:\n  - {name: TrackedEvents, sql_table: events, measures: [{name: count, type: count}, {name: uniqueUsersCount, type: count_distinct, sql: user}], dimensions: [{name: utcTime, type: time, sql: time}]}\n  - {name: T, sql_table: others, measures: [{name: count, type: sum, sql: a}]}\n';
    const folder = folderOf({
      'sluice.yaml': 'model: model.yaml\ntables: {events: events.csv, others: others.csv}\n',
      'model.yaml': model,
      'events.csv': 'time,user\n2024-03-06T10:00:00,ann\n',
      'others.csv': 'a\n1\n',
      'reports/half.md': half,
    });
    expect((await folder.sluice(['report', 'run', 'half'])).code).toBe(0);
    writeFileSync(path.join(folder.root, 'others.csv'), 'a\nnone\n');
    const { code, stdout, stderr } = await folder.sluice(['report', 'run', 'half']);
    expect(code).toBe(5);
    expect(stdout).toContain('There were 1 events of 1 people.');
    expect(stdout).toContain('**✗ failed: Elsewhere**');
    expect(stderr).toContain('Failed: Elsewhere');
  });

  it('by every cell says so by the first failure', async () => {
    const folder = folderOf({ ...files, 'events.ndjson': '' });
    const { code } = await folder.sluice(['report', 'run', 'days', '--events', 'none/*.ndjson']);
    expect(code).toBe(2);
  });

  it('leaves an older one as it is, stands beside it until the next good one, and replaces it where that is asked for', async () => {
    const folder = folderOf(files);
    const out = path.join(folder.root, 'out');
    const run = (...flags: string[]) =>
      folder.sluice(['report', 'run', 'days', '-f', 'md,json', '-o', 'out', ...flags]);
    await run();
    const before = readFileSync(path.join(out, 'days.md'), 'utf8');
    folder.write('reports/days.md', failing);
    const { code, stderr } = await run();
    expect(code).toBe(1);
    expect(stderr).toContain('The previous report is kept. See out/days.failed.md');
    expect(readdirSync(out)).toEqual(['days.failed.json', 'days.failed.md', 'days.json', 'days.md']);
    expect(readFileSync(path.join(out, 'days.md'), 'utf8')).toBe(before);
    await run('--force');
    expect(readFileSync(path.join(out, 'days.md'), 'utf8')).toContain('✗');
    folder.write('reports/days.md', good);
    await run();
    expect(readdirSync(out)).toEqual(['days.json', 'days.md']);
    expect(readFileSync(path.join(out, 'days.md'), 'utf8')).toBe(before);
  });

  it('is written where there was none before, and a stopped one leaves nothing', async () => {
    const folder = folderOf({ ...files, 'reports/days.md': failing });
    expect((await folder.sluice(['report', 'run', 'days', '-o', 'days.md'])).code).toBe(1);
    expect(existsSync(path.join(folder.root, 'days.md'))).toBe(true);
    const stopped = await folder.sluice(['report', 'run', 'days', '-o', 'other.md'], { signal: AbortSignal.abort() });
    expect(stopped.code).toBe(130);
    expect(readdirSync(folder.root).filter((name) => name.includes('other'))).toEqual([]);
  });
});

describe('sluice report check', () => {
  const bad = `${head}{{ d.cuont.total }} {{ x }}\n\n\`\`\`query\nname: d\n${days}\n\`\`\`\n\n\`\`\`funnel\nfunnel: none\n\`\`\`\n`;

  it('finds nothing wrong with good reports, and leaves other texts alone', async () => {
    const folder = folderOf({
      ...files,
      'reports/README.md': '# Reports\n\n```query\n```\n',
      'reports/notes.txt': 'x',
    });
    expect(await folder.sluice(['report', 'check'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '1 report: 0 errors, 0 warnings.\n',
    });
  });

  it('tells every problem of every file, with line and column', async () => {
    const folder = folderOf({
      ...files,
      'reports/bad.md': bad.replace(' {{ x }}', ''),
      'reports/worse.md': '---\ntitel: x\n---\n',
    });
    const { code, stdout, stderr } = await folder.sluice(['report', 'check']);
    expect([code, stderr]).toEqual([2, '3 reports: 3 errors, 0 warnings.\n']);
    expect(stdout.match(/^\S+:\d+:\d+ /gm)?.map((place) => place.trim())).toEqual([
      'reports/bad.md:7:1',
      'reports/bad.md:19:9',
      'reports/worse.md:2:1',
    ]);
    expect(stdout).toContain('Did you mean "count"?');
  });

  it('gives its issues as JSON', async () => {
    const folder = folderOf({ ...files, 'reports/bad.md': bad });
    const { code, stdout } = await folder.sluice(['report', 'check', 'bad', 'days', '-f', 'json', '--quiet']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        file: 'reports/bad.md',
        ok: false,
        issues: [
          { code: 'unknown-figure', span: { line: 7 } },
          { code: 'unknown-figure', span: { line: 7 } },
          { code: 'unknown-funnel', span: { line: 19 } },
        ],
      },
      { file: 'reports/days.md', ok: true, issues: [] },
    ]);
  });

  it('takes some value of its type for a parameter without a default', async () => {
    const folder = folderOf({ ...files, 'reports/days.md': good.replace(', default: last 3 days', '') });
    expect((await folder.sluice(['report', 'check'])).code).toBe(0);
    expect((await folder.sluice(['report', 'run', 'days'])).stderr).toContain('The parameter "days" is missing.');
  });

  it('counts warnings as errors where it is strict', async () => {
    const folder = folderOf({ ...files, 'reports/days.md': `${good}\n\`\`\`qurey\nfrom: x\n\`\`\`\n` });
    expect((await folder.sluice(['report', 'check'])).code).toBe(0);
    expect((await folder.sluice(['report', 'check', '--strict'])).code).toBe(2);
  });

  it('comes with a JSON Schema of what it reads', async () => {
    const { stdout } = await folderOf().sluice(['schema', 'report']);
    const { anyOf } = JSON.parse(stdout) as { anyOf: { title: string; properties: object }[] };
    expect(anyOf.map(({ title }) => title)).toEqual([
      'Front matter of a report',
      'query',
      'compare',
      'funnel',
      'usage',
      'annotations',
      'check',
    ]);
  });
});

it('marks of a file beside the report are found, and a wrong one is told', async () => {
  const folder = folderOf({ ...files, 'reports/days.md': `${good}\n\`\`\`annotations\nfrom: marks.yaml\n\`\`\`\n` });
  expect((await folder.sluice(['report', 'check'])).stdout).toContain(
    'There is no file "marks.yaml" in the folder of the report.',
  );
  folder.write('reports/marks.yaml', '- {date: soon, title: Launch}\n');
  expect((await folder.sluice(['report', 'check'])).stdout).toContain(
    '"marks.yaml" cannot be used, line 1: "soon" is neither a day nor a time.',
  );
  folder.write('reports/marks.yaml', '- {date: 2024-03-06, title: Launch}\n');
  expect((await folder.sluice(['report', 'run', 'days'])).code).toBe(0);
});

it('a folder to write to is made, but none above it', async () => {
  const folder = folderOf(files);
  mkdirSync(path.join(folder.root, 'there'));
  expect((await folder.sluice(['report', 'run', 'days', '-o', 'there/new/'])).code).toBe(0);
  expect((await folder.sluice(['report', 'run', 'days', '-o', 'not/there/'])).code).toBe(2);
});

describe('sluice report check, of a file with mistakes of every kind', () => {
  it('tells those of the text, the queries and the figures in one go', async () => {
    const folder = folderOf({
      'e.ndjson': fewEvents,
      'reports/bad.md':
        '# {{ a.count.totl }}, {{ zz.count }}\n\n```query\nname: a\nquery: {measures: [TrackedEvents.count]}\n```\n\n```query\nlimt: 4\nquery: {measures: [TrackedEvents.count]}\n```\n\n```query\nquery: {measures: [TrackedEvents.cuont]}\n```\n\n```query\nquery: [\n```\n',
    });
    const { code, stdout } = await folder.sluice(['report', 'check', 'reports/bad.md', '--events', 'e.ndjson']);
    expect(code).toBe(2);
    expect(
      stdout
        .split('\n')
        .filter((line) => / {2}error {2}/.test(line))
        .map((line) => line.replace(/^reports\/bad\.md:/, '').split('  error  ')),
    ).toEqual([
      ['1:3', '"a" has no "count.totl".'],
      ['1:23', 'There is no cell or parameter "zz".'],
      ['9:1', 'Unknown key "limt".'],
      ['14:20', 'There is no measure "TrackedEvents.cuont".'],
      [expect.stringMatching(/^18:/), 'A bracket is not closed: ] is missing here.'],
    ]);
  });

  it('denies no parameter that stands beside a broken one', async () => {
    const front = '---\nparams:\n  month: {type: month, default: last month}\n  week: {type: weak}\n---\n';
    const folder = folderOf({
      'e.ndjson': fewEvents,
      'reports/bad.md': `${front}\n# {{ month }}\n\n\`\`\`query\nquery: {measures: [TrackedEvents.count]}\nrange: "{{ month }}"\n\`\`\`\n`,
    });
    const { code, stdout } = await folder.sluice(['report', 'check', 'reports/bad.md', '--events', 'e.ndjson']);
    expect([code, stdout.match(/ {2}error {2}/g)?.length]).toEqual([2, 1]);
  });
});
