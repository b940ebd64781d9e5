import { describe, expect, it } from 'vitest';
import { open, readSavedQuery } from '../../src/use/index.ts';
import { folderOf, now } from './run-in-folder.ts';

const events = ['/a', '/a', '/b']
  .map((docPath, index) => ({
    utcTime: `2024-03-0${index + 4}T10:00:00.000`,
    userAnonymousId: `u${index % 2}`,
    eventType: 'pageview',
    docPath,
    plan: index === 0 ? 'pro' : 'free',
    price: index + 0.5,
  }))
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

const full = `query:
  measures: [TrackedEvents.count]
  dimensions: [TrackedEvents.docPath]
  timeDimensions: [{dimension: TrackedEvents.utcTime, dateRange: [2024-03-04, 2024-03-06]}]
  filters: [{member: TrackedEvents.props.plan, operator: equals, values: [free, pro]}]
  order: {TrackedEvents.count: desc}
  limit: 2
`;

const files = {
  'events.ndjson': events,
  'sluice.yaml': 'events: events.ndjson\n',
  'queries/full.yaml': full,
  'queries/short.yaml': full.replaceAll('TrackedEvents.', ''),
  'queries/bare.yaml': full.replaceAll('TrackedEvents.', '').replace('query:', '').replaceAll('\n  ', '\n'),
  'queries/line.yaml':
    'title: Pages\nquery: count by docPath from 2024-03-04 to 2024-03-06 where plan in (free, pro) top 2\nchart: bar\n',
  'queries/rate.yaml': 'query:\n  measures: [each]\n  formulas: {each: sum(price) / uniqueUsersCount}\n',
  'queries/kinds.yaml': 'query:\n  measures: [sum(price), each]\n  formulas: {each: distinct(plan) / count}\n',
  'queries/whole.yaml': 'query: {measures: [TrackedEvents.sum(price), TrackedEvents.distinct(docPath)]}\n',
  'queries/ordered.yaml':
    'query: {measures: [TrackedEvents.sum(price)], dimensions: [TrackedEvents.props.plan], order: {TrackedEvents.sum(price): desc}, limit: 1}\n',
  'queries/returns.yaml': 'query: retention by week\n',
  'queries/typo.yaml': 'query: count by docPth\n',
  'queries/key.yaml': 'query: count\ntitel: Count\n',
  'queries/beside.yaml': 'title: Count\nmeasures: [count]\n',
  'queries/member.yaml': 'query:\n  measures: [count]\n  dimensions: [docPth]\n',
};

describe('a query file', () => {
  it('may have a line, or names without their cube, which mean the same', async () => {
    const folder = folderOf(files);
    const answers = await Promise.all(
      ['full', 'short', 'bare', 'line'].map((name) => folder.sluice(['query', name, '-f', 'csv'])),
    );
    expect(answers[0]).toMatchObject({
      code: 0,
      stdout: 'TrackedEvents.docPath,TrackedEvents.count\n/a,2\n/b,1\n',
    });
    for (const answer of answers) expect(answer.stdout).toBe(answers[0]!.stdout);
    const rate = await folder.sluice(['query', 'rate', '-f', 'csv']);
    expect(rate).toMatchObject({ code: 0, stdout: 'TrackedEvents.each\n2.25\n' });
    // Nobody has looked for the property before.
    for (const [name, line] of [
      ['kinds', 'sum(price), distinct(plan) / count as each'],
      ['whole', 'sum(props.price), distinct(docPath)'],
      ['ordered', 'sum(props.price) by props.plan top 1'],
    ] as const) {
      const asked = await folder.sluice(['query', line, '-f', 'csv']);
      expect(await folder.sluice(['query', name, '-f', 'csv'])).toEqual({ ...asked, code: 0 });
    }
  });

  it('with a line keeps its title and chart, also for programs and in reports', async () => {
    const folder = folderOf({ ...files, 'reports/r.md': '# R\n\n```query\nfrom: line\n```\n' });
    await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, onNote: () => undefined });
    expect((await sluice.query('line')).rows()).toHaveLength(2);
    const loaded = await sluice.saved.load('line');
    expect(loaded.toSavedQuery()).toMatchObject({ title: 'Pages', chart: 'bar', query: { limit: 2 } });
    const report = await folder.sluice(['report', 'run', 'reports/r.md', '-f', 'markdown']);
    expect(report, report.stderr).toMatchObject({ code: 0 });
    expect(report.stdout).toContain('Pages');
    expect(report.stdout).toContain('/a');
  });

  it('is named if a program mistypes its name', async () => {
    const folder = folderOf(files);
    await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, onNote: () => undefined });
    await expect(sluice.query('lien')).rejects.toMatchObject({
      message: 'There is no saved query "lien".',
      hint: 'Did you mean "line"?',
    });
    await expect(sluice.query('missing-name')).rejects.toMatchObject({
      message: 'There is no saved query "missing-name".',
      hint: expect.stringContaining('Saved queries: ') as unknown,
    });
    // A formula without spaces is a question.
    expect((await sluice.query('count-count')).rowCount).toBe(1);
  });

  it('may have an analysis in one line', async () => {
    const { code, stdout } = await folderOf(files).sluice(['query', 'returns', '-f', 'csv']);
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toContain('retention.');
  });

  it('reads as the same query in a cell of a report, where a mistake elsewhere hides nothing', async () => {
    const names = ['full', 'short', 'rate', 'kinds', 'whole', 'ordered'] as const;
    const cell = (yaml: string) => `\`\`\`query\n${yaml}\n\`\`\`\n\n`;
    const inline = (name: (typeof names)[number]) => files[`queries/${name}.yaml`].trimEnd();
    const narrow = 'filters: [{member: docPath, operator: equals, values: [/a]}]';
    const folder = folderOf({
      ...files,
      'reports/named.md': names.map((name) => cell(`from: ${name}`)).join(''),
      'reports/own.md': names.map((name) => cell(inline(name))).join(''),
      'reports/narrow.md': cell(`${inline('short')}\n${narrow}`),
      'reports/wrong.md': cell('query: count, users, sum(price)') + cell('query: {measures: [count, conut]}'),
      'reports/misread.md': cell('query: count, users, sum(price)') + cell('query: {measures: [count], limit: x}'),
    });
    const cellsOf = async (name: string) => {
      const { code, stdout, stderr } = await folder.sluice(['report', 'run', `reports/${name}.md`, '-f', 'json']);
      expect(code, stderr).toBe(0);
      const { blocks } = JSON.parse(stdout) as { blocks: readonly { kind: string; parts?: readonly unknown[] }[] };
      return blocks.flatMap(({ parts }) => parts ?? []).map((part) => (part as { result: object }).result);
    };
    const named = await cellsOf('named');
    expect(named).toHaveLength(names.length);
    expect(await cellsOf('own')).toEqual(named);
    expect(JSON.stringify(await cellsOf('narrow'))).not.toContain('/b');
    for (const [name, mistake] of [
      ['wrong', /^reports\/wrong\.md:6:27 {2}error {2}There is no measure "TrackedEvents\.conut"/m],
      ['misread', /^reports\/misread\.md:6:35 {2}error {2}"limit" must be a number/m],
    ] as const) {
      const { code, stdout } = await folder.sluice(['report', 'check', `reports/${name}.md`]);
      expect(code).toBe(2);
      expect(stdout).toMatch(mistake);
      expect(stdout.match(/ {2}error {2}/g), stdout).toHaveLength(1);
    }
  });

  it.each([
    ['typo', /^sluice: The query in queries\/typo.yaml has errors\.\n1:10 {2}error {2}There is no member "docPth"/],
    ['member', /queries\/member\.yaml:3:16 {2}error {2}There is no dimension "TrackedEvents\.docPth"/],
    ['beside', /beside\.yaml:1:1 {2}error {2}Unknown key "title"[^]*hint: Put the query under `query:`/],
    ['key', /queries\/key\.yaml:2:1 {2}error {2}Unknown key "titel"/],
  ])('with a mistake is refused with its place: %s', async (name, message) => {
    const { code, stderr } = await folderOf(files).sluice(['query', name]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('with a line cannot be read without a workspace', async () => {
    expect(await readSavedQuery('query: count by docPath\n')).toMatchObject({
      ok: false,
      issues: [{ code: 'line-without-model', path: ['query'], span: { line: 1 } }],
    });
  });
});
