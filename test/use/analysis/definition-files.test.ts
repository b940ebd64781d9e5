import { describe, expect, it } from 'vitest';
import { folderOf } from '../run-in-folder.ts';

/** Two users view pages; a third has no `n`, and `Plan type` is set once. */
const events = [{ user: 'a', n: 1, 'Plan type': 'pro' }, { user: 'b', n: 7 }, { user: 'c' }].map(
  ({ user, ...own }) => ({
    utcTime: '2024-03-04T10:00:00Z',
    eventType: 'pageview',
    docPath: '/',
    userAnonymousId: user,
    ...own,
  }),
);
const workspace = {
  'events.ndjson': `${events.map((event) => JSON.stringify(event)).join('\n')}\n`,
  'sluice.yaml': 'events: events.ndjson\n',
};

async function membersOf(cohort: string, files: Readonly<Record<string, string>>): Promise<number> {
  const folder = folderOf({ ...workspace, ...files });
  const { code, stdout, stderr } = await folder.sluice(['query', `${cohort}.users`, '-f', 'json']);
  expect([code, stderr]).toEqual([0, '']);
  const [row] = JSON.parse(stdout) as readonly Readonly<Record<string, number>>[];
  return Object.values(row ?? {})[0] ?? -1;
}

describe('files of definitions', () => {
  it.each([
    ['{did: {event: pageview, where: ["n > 5"]}}', 1],
    ['{did: {event: pageview, where: ["n != 7"]}}', 2],
    ['{did: {event: pageview, where: ["not (n > 5)"]}}', 2],
    ['{did: {event: pageview, where: ["not (n <= 1 or not n is set)"]}}', 1],
    ['{did: {event: pageview, where: [{member: n, operator: gt, values: [5]}]}}', 1],
    ['{has: {member: n, operator: set}}', 2],
    ['{has: {or: [{member: n, operator: notSet}, {member: n, operator: equals, values: ["1"]}]}}', 2],
    ['{has: {member: "Plan type", operator: equals, values: [pro]}}', 1],
    ['{has: {member: \'"Plan type"\', operator: equals, values: [pro]}}', 1],
    ['{did: {event: pageview, where: [\'"Plan type" = pro\']}}', 1],
  ])('take columns by their own names: %s', async (rule, users) => {
    expect(await membersOf('some', { 'queries/some.yaml': `cohort: ${rule}\n` })).toBe(users);
  });

  it.each([
    ['some.yaml', '{"cohort": {"did": {"event": "pageview", "where": ["n > 5"]}}}'],
    ['some.yaml', '# Large\n---\n{cohort: {did: {event: pageview, where: ["n > 5"]}}}\n'],
    ['some.yaml', '{\n"title": "Some",\n"cohort":\n{"did": {"event": "pageview", "where": ["n > 5"]}}}'],
    ['some.yml', '  cohort:\n    has: {member: n, operator: gt, values: [5]}\n'],
    ['some.json', '{"cohort": {"has": {"member": "n", "operator": "gt", "values": [5]}}}'],
  ])('may have any style: %s %s', async (file, text) => {
    expect(await membersOf('some', { [`queries/${file}`]: text })).toBe(1);
  });

  it('are told from saved queries by their outermost keys', async () => {
    const define =
      '{\n"title": "Of each",\n"define": {\n"retention": {"period": "day"}},\n"query": {"measures": ["retention.size"], "timeDimensions": [{"dimension": "retention.cohort", "dateRange": "2024-03-04"}]}}';
    const folder = folderOf({ ...workspace, 'queries/each.json': define, 'queries/cut.json': '{"cohort": {"did"' });
    const checked = await folder.sluice(['cohort', 'check']);
    expect([checked.code, checked.stdout]).toEqual([2, expect.stringContaining('queries/cut.json:1:')]);
    expect(checked.stderr).toContain('1 cohort file: 1 error');
    expect((await folder.sluice(['query', 'each', '-f', 'csv'])).stdout).toBe('retention.size\n3\n');
  });

  it('take quoted names, as lines do', async () => {
    const folder = folderOf({
      ...workspace,
      'queries/back.yaml':
        'retention: {period: day, periods: 2, value: \'sum("n")\', breakdown: {dimension: \'"Plan type"\'}}\n',
      'queries/way.yaml': 'paths: {step: \'"Plan type"\'}\n',
    });
    const csv = async (...argv: readonly string[]) =>
      (await folder.sluice([...argv, '-r', '2024-03-04', '-f', 'csv'])).stdout;
    expect(await csv('retention', 'back')).toBe(
      'back.breakdown,back.period,back.size,back.users,back.rate,back.value\n,0,2,2,100,7\npro,0,1,1,100,1\n',
    );
    expect(await csv('paths', 'way')).toContain('1_pro,(drop-off),1,1');
    expect(await csv('retention', '--by', 'day', '--breakdown', '"Plan type"', '--value', 'sum(n * "n")')).toBe(
      'retention.breakdown,retention.period,retention.size,retention.users,retention.rate,retention.value\n' +
        ',0,2,2,100,49\npro,0,1,1,100,1\n',
    );
  });

  it.each(['first touch docPath', 'last touch "Plan type"'])('say that they cannot use %s', async (name) => {
    const folder = folderOf(workspace);
    const line = await folder.sluice(['query', `funnel / then /b by ${name}`]);
    const flag = await folder.sluice(['funnel', '--step', '/', '--step', '/b', '--breakdown', name]);
    for (const { code, stderr } of [line, flag])
      expect([code, stderr]).toEqual([2, expect.stringContaining(`"${name}" cannot be used. A definition can filter`)]);
  });

  it('with errors cause one short line, and an error only where they are asked', async () => {
    const folder = folderOf({
      ...workspace,
      'queries/bad.yaml': 'cohort: {dod: {event: pageview}}\n',
      'queries/of_bad.yaml': 'cohort: {all: [{cohort: bad}, {did: {event: pageview}}]}\n',
      'queries/good.yaml': 'cohort: {did: {event: pageview}}\n',
      'queries/back.yaml': 'retention: {perod: week}\n',
    });
    const told = 'The retention queries/back.yaml has errors. Run: sluice retention check\n';
    const cohorts = '2 cohort files have errors. Run: sluice cohort check\n';
    const fine = await folder.sluice(['query', 'count', '-f', 'json']);
    expect([fine.code, fine.stderr]).toEqual([0, told + cohorts]);
    for (const line of [
      'count by cohort.bad',
      'count by cohort.of_bad',
      'bad.users',
      'count where cohort = bad',
      'back.size',
    ]) {
      const { code, stderr } = await folder.sluice(['query', line]);
      expect(code, line).toBe(2);
      expect(stderr.slice(told.length + cohorts.length), line).toMatch(
        /Its file has errors\. queries\/\w+\.yaml:1:\d+: .* Run: sluice \w+ check/,
      );
    }
    const run = await folder.sluice(['retention', 'back']);
    expect([run.code, run.stderr]).toEqual([
      2,
      expect.stringContaining('hint: Its file has errors. queries/back.yaml:1:13: '),
    ]);
  });

  it('with a name like that of a dimension are warned of, and refused once the events show that it is none', async () => {
    const folder = folderOf({ ...workspace, 'queries/some.yaml': 'cohort: {did: {where: ["docPth = /"]}}\n' });
    const checked = await folder.sluice(['cohort', 'check']);
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringMatching(/warning .*docPth[^]*Did you mean .*docPath/),
    ]);
    const { code, stderr } = await folder.sluice(['query', 'some.users']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/The cohort "some" cannot be used[^]*docPath/)]);
  });
});

it('a column that the mapping names is no misspelled dimension', async () => {
  const folder = folderOf({
    'e.csv': 'ts,who,event_type,doc_host,dochost2\n2024-03-01 09:00:00,ann,buy,x.org,y\n',
    'sluice.yaml':
      'columns: {utcTime: ts, userId: who, eventType: event_type}\nsources: [{files: e.csv, columns: {docHost: {column: doc_host}}}]\n',
    'queries/types.yaml': 'cohort: {has: {member: event_type, operator: equals, values: [buy]}}\n',
    'queries/hosts.yaml': 'cohort: {did: {event: buy, where: ["doc_host = x.org"]}}\n',
    'queries/others.yaml': 'cohort: {did: {event: buy, where: ["docHots = x.org"]}}\n',
  });
  const { code, stdout, stderr } = await folder.sluice(['cohort', 'check']);
  expect([code, stderr]).toEqual([0, '3 cohort files: 0 errors, 1 warning.\n']);
  expect(stdout).toContain('"docHots" is no dimension');
});
