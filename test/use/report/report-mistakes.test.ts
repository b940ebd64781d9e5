import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Issue } from '../../../src/ask/outcome.ts';
import { fewEvents, folderOf } from '../run-in-folder.ts';

const cell = (yaml: string, kind = 'query') => `\`\`\`${kind}\n${yaml}\n\`\`\`\n`;
const days =
  'query: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day, dateRange: last 7 days}]}';

it.each<[string, string, string[]]>([
  [
    'an unknown key',
    cell('titel: x\nquery: {measures: [TrackedEvents.conut], dimensions: [TrackedEvents.docPth]}'),
    ['2:1 unknown-key', '3:20 unknown-member', '3:55 unknown-member'],
  ],
  [
    'keys that are mistyped themselves',
    cell('qeury: {mesures: [TrackedEvents.conut], limt: 3}\nrnge: last moon'),
    [
      '2:1 unknown-key',
      '2:1 one-question',
      '2:9 unknown-key',
      '2:19 unknown-member',
      '2:41 unknown-key',
      '3:1 unknown-key',
      '3:7 unreadable-range',
    ],
  ],
  [
    'keys of a filter',
    cell('query: {measures: [TrackedEvents.conut], filters: [{membr: TrackedEvents.docPath, operator: set}]}'),
    ['2:20 unknown-member', '2:52 missing-key', '2:53 unknown-key'],
  ],
  [
    'values of the wrong kind',
    cell('limit: lots\nshow: tabel\nrange: 5\nwith: last moon\nquery: {measures: [TrackedEvents.conut]}', 'compare'),
    ['2:8 wrong-type', '3:7 unknown-value', '4:8 wrong-type', '6:20 unknown-member'],
  ],
  [
    'a parameter that there is not',
    cell('title: "{{ x }}"\nfunnel: by', 'funnel'),
    ['2:8 unknown-param', '3:9 unknown-funnel'],
  ],
  [
    'a mistyped funnel',
    cell('funel: by\nrange: last week', 'funnel'),
    ['2:1 missing-key', '2:1 unknown-key', '2:8 unknown-funnel'],
  ],
  ['an unknown key of usage', cell('grops: [amce]', 'usage'), ['2:1 unknown-key', '2:9 unknown-group']],
  [
    'a mistyped key of marks',
    cell('marks: [{date: soon, titel: x}]\nform: marks.yaml', 'annotations'),
    ['2:9 missing-key', '2:16 invalid-date', '2:22 unknown-key', '3:1 unknown-key', '3:7 file-unreadable'],
  ],
  [
    'an unknown key of a cell that is quoted',
    `{{ d.cuont.total }}\n\n${cell(`name: d\ntitel: x\n${days}`)}`,
    ['1:1 unknown-figure', '5:1 unknown-key'],
  ],
  [
    'an unknown key of a check',
    `${cell(`name: d\n${days}`)}${cell('titel: x\nexpect: [{figure: d.cout.total, atLeast: 1}]', 'check')}`,
    ['6:1 unknown-key', '7:19 unknown-figure'],
  ],
])('tells with %s what else is wrong with the cell, and nothing that is not', async (_, text, issues) => {
  const { stdout } = await folderOf({
    'events.ndjson': fewEvents,
    'reports/bad.md': `---\ntitle: x\n---\n${text}`,
  }).sluice(['report', 'check', 'bad', '-f', 'json', '--events', 'events.ndjson']);
  const [{ issues: found }] = JSON.parse(stdout) as [{ issues: Issue[] }];
  // Lines of the text below the front matter.
  expect(found.map(({ code, span }) => `${(span?.line ?? 0) - 3}:${span?.column} ${code}`)).toEqual(issues);
});

it('says how to name a measure that no figure can name', async () => {
  const named = 'Measures with brackets need a name in their query: `sum(amount) as revenue`.';
  const write = (figure: string, query: string) =>
    `---\ntitle: x\n---\n{{ d.${figure} }}\n\n${cell(`name: d\nquery: ${query}`)}`;
  const hintsOf = async (figure: string, query: string) => {
    const files = { 'events.ndjson': fewEvents, 'reports/bad.md': write(figure, query) };
    const { stdout } = await folderOf(files).sluice('report check bad -f json --events events.ndjson'.split(' '));
    const [{ issues }] = JSON.parse(stdout) as [{ issues: Issue[] }];
    return issues.map(({ hint }) => hint);
  };
  expect(await hintsOf('total', 'distinct(docPath), distinct(docHost)')).toEqual([named]);
  expect(await hintsOf('total', 'count, distinct(docPath)')).toEqual([`Specify which: d.count.total. ${named}`]);
  expect(await hintsOf('distinct(docPath)', 'count, distinct(docPath)')).toEqual([
    `Write the name of a cell and of its figure, such as page_views.total. ${named}`,
  ]);
  expect(await hintsOf('pages', 'count, distinct(docPath) as pages')).toEqual([]);
});

describe('a report that names a funnel or a saved query that is not there', () => {
  const funnel =
    'seconds_to_convert: 3600\nsteps:\n  - {name: front, action: pageview, target: /}\n  - {name: docs, action: pageview, target: /docs}\n';
  const asks = (named: string, from: string) =>
    `---\ntitle: Funnels\n---\n\nOf {{ f.front }} people {{ f.docs.conversion | percent }} read on; {{ p.count.total }} pages.\n\n${cell(`name: f\ntitle: Reading\nfunnel: ${named}`, 'funnel')}\n${cell(`name: p\nfrom: ${from}`)}\n${cell('query: {measures: [TrackedEvents.count]}')}`;
  const files = {
    'events.ndjson': fewEvents,
    'sluice.yaml': 'events: events.ndjson\n',
    'funnels/reading.yaml': funnel,
    'queries/pages.yaml': 'query: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.docPath]}\n',
    'reports/r.md': asks('reading', 'pages'),
  };

  it('has failed cells, says where, and answers the others; the older one stays', async () => {
    const folder = folderOf(files);
    const run = () => folder.sluice(['report', 'run', 'r', '-o', 'out/', '-f', 'md']);
    expect((await run()).code).toBe(0);
    const out = (name: string) => readFileSync(path.join(folder.root, 'out', name), 'utf8');
    const before = out('r.md');
    expect(before).toContain('Of 2 people');
    folder.write('reports/r.md', asks('raeding', 'pagse'));
    const { code, stderr } = await run();
    expect(code).toBe(5);
    expect(stderr).toContain(
      'Failed: Reading (reports/r.md:10:9): There is no funnel "raeding". Did you mean "reading"?',
    );
    expect(stderr).toContain('Failed: p (reports/r.md:15:7): There is no saved query "pagse". Did you mean "pages"?');
    expect(readdirSync(path.join(folder.root, 'out'))).toEqual(['r.assets', 'r.failed.md', 'r.md']);
    expect(out('r.md')).toBe(before);
    expect(out('r.failed.md')).toContain('Of (not available) people (not available) read on; (not available) pages.');
    expect(out('r.failed.md')).toContain('**✗ failed: Reading**\n\n```text\nThere is no funnel "raeding".');
    expect(out('r.failed.md')).toContain('- Events: **5**');
  });

  it('is wrong where it is checked, and where something else is wrong, too', async () => {
    const folder = folderOf({ ...files, 'reports/r.md': asks('raeding', 'pagse') });
    const checked = await folder.sluice(['report', 'check']);
    expect([checked.code, checked.stdout.match(/^reports\S+/gm)]).toEqual([
      2,
      ['reports/r.md:10:9', 'reports/r.md:15:7'],
    ]);
    folder.write('reports/r.md', asks('raeding', 'pagse').replace('TrackedEvents.count', 'TrackedEvents.cuont'));
    const ran = await folder.sluice(['report', 'run', 'r']);
    expect([ran.code, ran.stdout, ran.stderr.match(/^reports\S+/gm)]).toEqual([
      2,
      '',
      ['reports/r.md:10:9', 'reports/r.md:15:7', 'reports/r.md:19:20'],
    ]);
  });

  it('has nothing to show for it where there is no other cell', async () => {
    const { code, stdout } = await folderOf({
      ...files,
      'reports/r.md': `---\ntitle: x\n---\n\n${cell('funnel: none', 'funnel')}`,
    }).sluice(['report', 'run', 'r', '-f', 'json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed-cell',
      blocks: [{ kind: 'failure', code: 'unknown-funnel', place: { line: 6, column: 9 } }],
    });
  });
});

describe('a report check finds what only a scheduled run would meet', () => {
  const count = 'name: d\nquery: {measures: [TrackedEvents.count]}';
  const check = async (head: string, text: string, config = '') => {
    const folder = folderOf({
      'events.ndjson': fewEvents,
      'sluice.yaml': `events: events.ndjson\n${config}`,
      'reports/r.md': `---\ntitle: x\n${head}---\n${text}`,
    });
    const { stdout } = await folder.sluice(['report', 'check', 'r', '-f', 'json']);
    const [{ issues }] = JSON.parse(stdout) as [{ issues: Issue[] }];
    return issues.map(
      ({ code, span, severity }) => `${span?.line ?? 0} ${code}${severity === 'warning' ? ' (warning)' : ''}`,
    );
  };

  it('a parameter without a default', async () => {
    const params = 'params: {week: {type: week}}\n';
    expect(await check(`${params}schedule: daily at 06:00\n`, cell(`${count}\nrange: "{{ week }}"`))).toEqual([
      '3 missing-param',
    ]);
    expect(await check(params, cell(`${count}\nrange: "{{ week }}"`))).toEqual([]);
  });

  it('an email that nobody sends', async () => {
    const email = 'deliver: [{email: a@example.org}]\n';
    expect(await check(email, cell(count))).toEqual(['3 mailer-missing']);
    expect(await check(email, cell(count), 'mailer: sendmail -t\n')).toEqual([]);
    expect(await check('deliver: [{email: a@example.org, into: outbox}]\n', cell(count))).toEqual([]);
    expect(await check('schedule: daily at 06:00\n', cell(count), 'deliver: [{email: a@example.org}]\n')).toEqual([
      expect.stringMatching(/mailer-missing$/),
    ]);
    expect(await check('', cell(count), 'deliver: [{email: a@example.org}]\n')).toEqual([]);
  });

  it('an alert that nobody hears', async () => {
    const alarm = `${cell(count)}${cell('severity: alert\nexpect: [{figure: d.count, atLeast: 1}]', 'check')}`;
    expect(await check('', alarm)).toEqual(['9 nobody-notified (warning)']);
    expect(await check('notify: [{folder: alerts}]\n', alarm)).toEqual([]);
  });

  it('a folder that is an address', async () => {
    for (const head of [
      'deliver: [{folder: "s3://bucket/reports"}]\n',
      'deliver: [{email: a@example.org, into: "sftp://host/x"}]\n',
      'notify: [{folder: "S3://b"}]\n',
    ]) {
      expect(await check(head, cell(count))).toHaveLength(1);
    }
    const folder = folderOf({
      'events.ndjson': fewEvents,
      'sluice.yaml': 'events: events.ndjson\n',
      'reports/r.md': `---\ntitle: x\n---\n${cell(count)}`,
    });
    const run = await folder.sluice(['report', 'run', 'r', '-o', 's3://bucket/r.md']);
    expect([run.code, readdirSync(folder.root).sort()]).toEqual([2, ['events.ndjson', 'reports', 'sluice.yaml']]);
  });
});

describe('a figure of rows', () => {
  it('is that of a cell, not of a column', async () => {
    const text = (quoted: string) =>
      `---\ntitle: x\n---\n{{ ${quoted} }}\n\n${cell('name: d\nquery: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.docPath]}')}${cell('name: one\nquery: {measures: [TrackedEvents.count]}')}`;
    const run = async (quoted: string) =>
      folderOf({
        'events.ndjson': fewEvents,
        'sluice.yaml': 'events: events.ndjson\n',
        'reports/r.md': text(quoted),
      }).sluice(['report', 'run', 'r']);
    expect((await run('d.rows')).stdout).toMatch(/^# x\n\n2\n/);
    // There is one row with 5 events, so 5 would be wrong as the number of rows.
    for (const quoted of ['d.count.rows', 'one.count.rows', 'd.count.rows.previous'])
      expect(await run(quoted)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a chart that does not fit', () => {
  it('is found before anything is asked, and one that may fit is let be', async () => {
    const check = async (text: string) => {
      const { stdout } = await folderOf({
        'events.ndjson': fewEvents,
        'reports/r.md': `---\ntitle: x\n---\n${text}`,
      }).sluice(['report', 'check', 'r', '-f', 'json', '--events', 'events.ndjson']);
      return (JSON.parse(stdout) as [{ issues: Issue[] }])[0].issues.map(
        ({ code, span }) => `${span?.line}:${span?.column} ${code}`,
      );
    };
    const paths = 'query: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.docPath]}';
    expect(await check(cell(`chart: line\n${paths}`))).toEqual(['5:8 unfit-chart']);
    expect(await check(cell(`chart: scatter\n${days}`))).toEqual(['5:8 unfit-chart']);
    expect(await check(cell('chart: bar\nquery: {dimensions: [TrackedEvents.docPath]}'))).toEqual([
      '5:8 nothing-to-draw',
    ]);
    expect(await check(cell('chart: funnel', 'usage'))).toEqual(['5:8 unfit-chart']);
    expect(await check(cell(`chart: sankey\n${paths}`))).toEqual(['5:8 unfit-chart']);
    for (const chart of ['bar', 'column', 'stacked', 'histogram', '{mark: bar}'])
      expect(await check(cell(`chart: ${chart}\n${paths}`))).toEqual([]);
    for (const chart of ['line', 'area', 'stat']) expect(await check(cell(`chart: ${chart}\n${days}`))).toEqual([]);
  });
});

describe('reports/annotations.yaml', () => {
  const chart = (more = '') =>
    `---\ntitle: x\n---\n${cell(`chart: line\nrange: from 2024-03-01 to 2024-03-07\n${days.replace(', dateRange: last 7 days', '')}`)}${more}`;
  const run = (files: Record<string, string>) =>
    folderOf({ 'events.ndjson': fewEvents, 'sluice.yaml': 'events: events.ndjson\n', ...files }).sluice([
      'report',
      'run',
      'r',
      '-f',
      'html',
    ]);

  it('stands in the charts of every report, each mark once', async () => {
    const marks = '- {date: 2024-03-06, title: Release 2.0}\n';
    expect((await run({ 'reports/r.md': chart() })).stdout).not.toContain('Release 2.0');
    const once = (await run({ 'reports/r.md': chart(), 'reports/annotations.yaml': marks })).stdout;
    expect(once).toContain('Release 2.0');
    expect(
      (
        await run({
          'reports/r.md': chart(cell('from: annotations.yaml', 'annotations')),
          'reports/annotations.yaml': marks,
        })
      ).stdout,
    ).toBe(once);
  });

  it('is said to be broken where it is', async () => {
    expect(
      await run({ 'reports/r.md': chart(), 'reports/annotations.yaml': '- {date: soon, title: x}\n' }),
    ).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('annotations.yaml') as string });
  });
});

it('says how to write a question that is a bare line in its cell, and a report without front matter', async () => {
  const line = 'count by docPath';
  const folder = folderOf({
    'events.ndjson': fewEvents,
    'reports/bare.md': `---\ntitle: x\n---\n${cell(line)}`,
    'reports/plain.md': cell(`query: ${line}`),
  });
  const run = async (name: string) =>
    (await folder.sluice(['report', 'run', name, '--events', 'events.ndjson'])).stderr;
  expect(await run('bare')).toContain(
    'A query cell has YAML, and the question is under `query`.\n  count by docPath\n  ^^^^^^^^^^^^^^^^\n  hint: Write `query: count by docPath`.',
  );
  expect(await run('plain')).toContain(
    'reports/plain.md has no front matter, so it is no report.\n  hint: Begin it with three lines: `---`, `title: plain`, `---`.\n',
  );
});

it('a column that the data no longer has fails its cell alone, and is wrong where the report is checked', async () => {
  const plans = (plan: string) => fewEvents.replaceAll('{"', `{${plan}"`);
  const folder = folderOf({
    'events.ndjson': plans('"tariff":"pro",'),
    'sluice.yaml': 'events: events.ndjson\n',
    'reports/r.md': `---\ntitle: Plans\n---\n\n${cell('query: count by tariff')}\n${cell('query: count')}`,
  });
  expect((await folder.sluice(['report', 'run', 'r'])).code).toBe(0);
  folder.write('events.ndjson', plans(''));
  const { code, stdout, stderr } = await folder.sluice(['report', 'run', 'r']);
  expect(code).toBe(5);
  expect(stderr).toContain('Failed: a query cell (reports/r.md:6:17): There is no member "tariff".');
  expect(stdout).toContain('- Events: **5**');
  expect((await folder.sluice(['report', 'check', 'r'])).code).toBe(2);
});
