import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathsReader } from '../../../src/ask/paths/read-paths.ts';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import { folderOf, openFolder } from '../run-in-folder.ts';

const shipped = new URL('../../../queries/', import.meta.url);
const folder = openFolder({ 'queries/flow.yaml': 'paths:\n  groups: [/docs/*]\n  max_steps: 3\n' });
afterAll(() => folder.remove());
beforeAll(() => writeSample({ seed: 3, events: 5000, days: 40, to: '2024-03-01' }, `${folder.root}/events.parquet`));

const ask = (...words: readonly string[]) => folder.sluice(['query', '--events', 'events.parquet', ...words]);
const read = (text: string) =>
  pathsReader.read([{ file: 'queries/flow.yaml', bytes: new TextEncoder().encode(text) }])[0]!;

describe('paths in the folder of queries', () => {
  it('answer queries, filtered, ordered and limited, and mark partial values', async () => {
    const query = 'flow.sessions by flow.source, flow.target where flow.step = 1 last 3 weeks top 4';
    const { code, stdout } = await ask(query, '--as-of', '2024-03-01T12:00:00Z', '-f', 'csv');
    const rows = stdout.trim().split('\n').slice(1);
    expect([code, rows.length]).toEqual([0, 4]);
    for (const row of rows) expect(row).toMatch(/^1_\S+,(?:2_\S+|\(drop-off\)),\d+$/);
    const today = await ask('flow.total today', '--as-of', '2024-03-01T12:00:00Z');
    expect(today.stdout + today.stderr).toContain('partial');
    const whole = await ask('flow.total yesterday', '--as-of', '2024-03-01T12:00:00Z');
    expect(whole.stdout + whole.stderr).not.toContain('partial');
  });

  it('are run by name, also in a workspace with cohorts', async () => {
    const beside = folderOf({
      'queries/flow.yaml': 'paths:\n  max_steps: 3\n',
      'queries/regulars.yaml': 'cohort:\n  all:\n    - did: {at_least: 3}\n',
    });
    const asked = ['--events', `${folder.root}/events.parquet`, '--as-of', '2024-03-01T12:00:00Z', '-f', 'csv'];
    const named = await beside.sluice(['paths', 'flow', '-r', 'last 3 weeks', ...asked]);
    expect([named.code, named.stderr]).toEqual([0, expect.not.stringContaining('cohorts')]);
    const edges = await beside.sluice(['query', 'flow.sessions by flow.source, flow.target last 3 weeks', ...asked]);
    const [header = '', ...rows] = named.stdout.trim().split('\n');
    expect(header).toContain('flow.source');
    expect(header).not.toContain('cohorts');
    expect(rows).toHaveLength(edges.stdout.trim().split('\n').length - 1);
  });

  it('follow only users of a cohort, in one pass and in the explained statement', async () => {
    const who = '{member: TrackedEvents.cohorts, operator: equals, values: [regulars]}';
    const beside = folderOf({
      'queries/all.yaml': 'paths:\n  max_steps: 3\n  edge_limit: 1000\n',
      'queries/theirs.yaml': `paths:\n  max_steps: 3\n  edge_limit: 1000\n  where: [${who}]\n`,
      'queries/regulars.yaml': 'cohort:\n  did: {at_least: 3}\n',
    });
    const asked = ['--events', `${folder.root}/events.parquet`, '--as-of', '2024-03-01T12:00:00Z', '-f', 'csv'];
    const keys = async (...words: readonly string[]) => {
      const { code, stdout, stderr } = await beside.sluice([...words, ...asked]);
      expect([code, stderr.includes('no table')]).toEqual([0, false]);
      return stdout
        .trim()
        .split('\n')
        .slice(1)
        .map((row) => row.split(',')[0])
        .toSorted();
    };
    const members = new Set(await keys('cohort', 'users', 'regulars'));
    const over = async (name: string) => keys('query', `${name}.total`, '--users');
    const [theirs, everybody] = [await over('theirs'), await over('all')];
    expect(theirs).toEqual(everybody.filter((key) => members.has(key)));
    expect([theirs.length > 0, theirs.length < everybody.length]).toEqual([true, true]);
    await keys('query', 'theirs.sessions by theirs.source, theirs.target', '--explain');
  });

  it('are a tree in the terminal, and are explained', async () => {
    const query = 'flow.sessions, flow.users, flow.average_seconds by flow.source, flow.target';
    const { stdout } = await ask(query, '-f', 'chart', '--width', '90');
    expect(stdout).toMatch(/^1 \/ .*\n├─ 2 \//m);
    expect(stdout).toContain('└─ (drop-off)');
    expect(stdout).toContain('Mean time');
    expect((await ask(query, '--explain')).stdout).toContain('list');
  });

  it('are drawn in reports, also if there are none', async () => {
    const cell = (range: string) =>
      `\`\`\`query\nquery: {measures: [flow.sessions], dimensions: [flow.source, flow.target]}\nrange: ${range}\nchart: sankey\n\`\`\`\n`;
    folder.write('reports/ways.md', `---\ntitle: Ways\n---\n\n${cell('last 3 weeks')}\n${cell("'2019'")}`);
    const asked = ['--events', 'events.parquet', '--as-of', '2024-03-01T12:00:00Z'];
    expect((await folder.sluice(['report', 'check', 'ways', ...asked])).code).toBe(0);
    const { code, stdout } = await folder.sluice(['report', 'run', 'ways', '-f', 'html', '-o', '-', ...asked]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Sankey diagram: flow.*Sankey diagram: flow/s)]);
    expect(stdout).toContain('There is no data to show.');
  });

  it.each([
    ['flow.sessions', '"flow.total" is all sessions'],
    ['flow.users by flow.source', 'Add "flow.target"'],
    ['flow.sessions by day, flow.source', 'only filters'],
    ['flow.total next 6 days', 'begins in the future'],
  ])('refuse %s with a hint', async (query, hint) => {
    const { code, stderr } = await ask(query);
    expect([code, stderr.includes(hint) ? hint : stderr]).toEqual([2, hint]);
  });

  it.each([
    ['  max_steps: 0\n', [2, 14]],
    ['  steps_before: 2\n', [2, 17]],
    ['  keep: last\n', [2, 9]],
    ['  from: /a\n  to: /a/\n', [3, 7]],
    ['  groups: [/a*]\n  from: /a/b\n', [3, 9]],
    ['  exclude: [/a]\n  through: /a\n', [3, 12]],
    ['  through: /a\n  to: /b\n', [2, 12]],
    ['  through: /a\n  steps_before: 5\n', [3, 17]],
    ['  max_step: 3\n', [2, 3]],
    ['  session_gap_minutes: 0\n', [2, 24]],
    ['  step: ""\n', [2, 9]],
  ] as const)('report mistakes of a file at their place: %j', (text, [line, column]) => {
    const { ok, issues } = read(`paths:\n${text}`);
    expect([ok, issues.map(({ span }) => [span?.line, span?.column])]).toEqual([false, [[line, column]]]);
    for (const { hint, message } of issues) expect(hint ?? message).toMatch(/[.?]$/);
  });

  it('follow all events if steps are named by events, unless some are chosen', () => {
    const eventsOf = (written: object) => {
      const read = pathsReader.readGiven(written, 'flow');
      return read.ok ? (read.value.events ?? 'all') : read.issues;
    };
    expect(eventsOf({ step: 'event' })).toBe('all');
    expect(eventsOf({ step: 'event', events: ['signup'] })).toEqual(['signup']);
    expect(eventsOf({ max_steps: 3 })).toEqual(['pageview']);
  });

  it('use the plural in messages', async () => {
    const { code, stderr } = await folder.sluice(['paths', 'flw', '--events', 'events.parquet']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/There are no paths "flw"\.\n.*Did you mean "flow"\?/)]);
  });

  it('suggest the nearest name for a key, and find unknown members', async () => {
    expect(JSON.stringify(read('paths:\n  max_step: 3\n').issues)).toContain('max_steps');
    folder.write('queries/broken.yaml', 'paths:\n  step: TrackedEvents.pageTitel\n');
    const { stdout } = await folder.sluice(['paths', 'check']);
    expect(stdout).toContain('broken.yaml:2:9');
    expect(stdout).toContain('pageTitle');
    folder.write('queries/broken.yaml', 'query: {measures: [TrackedEvents.count]}\n');
  });

  it('have a JSON Schema, and are refused by a server with an alternative', async () => {
    expect(JSON.parse((await folder.sluice(['schema', 'paths'])).stdout)).toHaveProperty('properties.paths');
    folder.write('model.yaml', 'cubes: [{name: orders, sql_table: orders, measures: [{name: count, type: count}]}]\n');
    const { code, stderr } = await folder.sluice(['query', 'flow.total', '--backend', 'cube', '--explain'], {
      env: { SLUICE_CUBE_URL: 'http://127.0.0.1:9/cubejs-api/v1', SLUICE_MODEL: 'model.yaml' },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('sluice export')]);
  });

  it('are shipped as an example', () => {
    const files = readdirSync(shipped).filter((file) => /^paths:/m.test(readFileSync(new URL(file, shipped), 'utf8')));
    expect(files).not.toEqual([]);
    const bytes = files.map((file) => ({ file, bytes: readFileSync(new URL(file, shipped)) }));
    for (const { issues } of pathsReader.read(bytes)) expect(issues).toEqual([]);
  });
});
