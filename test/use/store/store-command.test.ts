import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fewEvents, openFolder, type Folder } from '../run-in-folder.ts';

let folder: Folder;
beforeEach(async () => {
  folder = openFolder({ 'a.ndjson': fewEvents });
  await folder.sluice(['ingest', 'a.ndjson', '--project', '7']);
});
afterEach(() => folder.remove());

describe('sluice store stats', () => {
  it('describes the content of the store', async () => {
    const { code, stdout } = await folder.sluice(['store', 'stats']);
    expect(code).toBe(0);
    expect(stdout.replace(/on disk .*/, 'on disk')).toBe(`store            .sluice/store
events           5
first            2024-03-06 10:00:00 UTC
last             2024-03-07 09:01:00 UTC
users            2
files loaded     1
last ingest      2024-03-08 12:00:00 UTC
segments         1
on disk
rejected lines   0
forgotten users  0

project  events  users  first                    last
7             5      2  2024-03-06 10:00:00 UTC  2024-03-07 09:01:00 UTC
`);
  });

  it('is available as JSON', async () => {
    expect(JSON.parse((await folder.sluice(['store', 'stats', '-f', 'json'])).stdout)).toMatchObject({
      events: 5,
      users: 2,
      files: 1,
      windows: 0,
      rejected: 0,
      projects: [{ project: '7', events: 5, users: 2 }],
    });
  });

  it('says what to do if there is no store', async () => {
    expect(await folder.sluice(['store', 'stats', '--store', 'nowhere'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('sluice ingest') as string,
    });
  });

  it('reports a damaged store as such', async () => {
    writeFileSync(path.join(folder.root, '.sluice/store/manifest.json'), '{"sluice": "store"');
    expect(await folder.sluice(['store', 'stats'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is damaged: manifest.json is not valid JSON') as string,
    });
  });
});

describe('sluice store prune', () => {
  it('counts first, then removes, by days of the zone', async () => {
    const dry = await folder.sluice(['store', 'prune', '--before', '2024-03-07', '--dry-run']);
    expect(dry.stderr).toBe(
      '3 events before 2024-03-07T00:00:00.000Z would be removed from .sluice/store, and 2 events would remain. Nothing was changed.\n',
    );
    writeFileSync(path.join(folder.root, 'sluice.yaml'), 'timezone: Pacific/Auckland\n');
    const done = await folder.sluice(['store', 'prune', '--before', '2024-03-07']);
    expect(done).toMatchObject({
      code: 0,
      stderr: 'Removed 2 events before 2024-03-06T11:00:00.000Z from .sluice/store; 3 events remain.\n',
    });
    expect((await folder.sluice(['query', 'count', '-f', 'csv'])).stdout).toContain('\n3\n');
  });

  it('keeps events of the removed time out of later ingests, and says so', async () => {
    await folder.sluice(['store', 'prune', '--before', '2024-03-07']);
    folder.write('late.ndjson', '{"utcTime":"2024-03-06T23:59:59Z"}\n{"utcTime":"2024-03-07T00:00:00Z"}\n');
    const { code, stderr } = await folder.sluice(['ingest', 'late.ndjson']);
    expect(code).toBe(0);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'Loaded 1 file: 1 event added. 1 event before 2024-03-07 was left out: `sluice store prune` removed the events of that time. To load them, use a new store.',
    );
    expect((await folder.sluice(['query', 'count', '-f', 'csv'])).stdout).toContain('\n3\n');
  });

  it('is named by questions if it left nothing, and the sample does not answer for the store', async () => {
    await folder.sluice(['sample', '--events', '100']);
    await folder.sluice(['store', 'prune', '--before', '2025-01-01']);
    for (const named of [[], ['--store', '.sluice/store']]) {
      const { code, stdout, stderr } = await folder.sluice(['query', 'count', ...named]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
        'has no events: those before 2025-01-01 were removed with `sluice store prune`.',
      );
    }
  });

  it('does not keep init from setting up a folder whose store is empty', async () => {
    await folder.sluice(['store', 'prune', '--before', '2025-01-01']);
    rmSync(path.join(folder.root, 'a.ndjson'));
    expect(await folder.sluice(['init', '--yes'])).toMatchObject({ code: 0 });
  });

  it('requires a date, and has its own help', async () => {
    expect(await folder.sluice(['store', 'prune'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("required option '--before <date>' not specified") as string,
    });
    expect(await folder.sluice(['store', 'prune', '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--dry-run') as string,
    });
  });

  it('refuses an invalid date with exit code 2', async () => {
    const { code, stderr } = await folder.sluice(['store', 'prune', '--before', 'soon']);
    expect(code).toBe(2);
    expect(stderr).toContain('error  --before: "soon" is not a date.');
  });
});

describe('sluice store forget', () => {
  it('names the folder of downloaded files, which may contain the user', async () => {
    const told = /^Downloaded files in \.sluice\/downloads may contain "ann"\./m;
    folder.write('.sluice/downloads/1d82/events.ndjson', '{}\n');
    expect((await folder.sluice(['store', 'forget', 'ann', '--dry-run'])).stderr).not.toMatch(told);
    expect((await folder.sluice(['store', 'forget', 'ann'])).stderr).toMatch(told);
  });

  it('removes a user, reports that nothing is left, and does not load the user again', async () => {
    expect((await folder.sluice(['store', 'forget', 'ann', '--dry-run'])).stderr).toContain(
      '2 events of "ann" would be removed',
    );
    const { code, stderr } = await folder.sluice(['store', 'forget', 'ann']);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'Removed 2 events of "ann" from .sluice/store: 5 events before, 3 after.\n' +
        'sluice searched every text in the store. The ID no longer occurs.\n',
    );
    folder.write('b.ndjson', `${fewEvents}\n`);
    expect((await folder.sluice(['ingest', 'b.ndjson'])).stderr).toContain(
      '3 events added, 2 events of forgotten users skipped.',
    );
    expect((await folder.sluice(['store', 'stats', '-f', 'json'])).stdout).toContain('"forgottenUsers": 1');
  });

  it('removes the kept figures of reports that name the user, and no others', async () => {
    const report = (query: string) => `---\ntitle: T\n---\n\n\`\`\`query\nquery: ${query}\n\`\`\`\n`;
    folder.write('reports/users.md', report('count by userAnonymousId'));
    folder.write('reports/total.md', report('count'));
    for (const name of ['users', 'total']) await folder.sluice(['report', 'run', name, '-o', 'out.md']);
    const kept = (name: string) => readdirSync(path.join(folder.root, `.sluice/reports/${name}.figures`)).length;
    // Damaged figures may name the user, too.
    folder.write('.sluice/reports/users.figures/0123456789abcdef.json', '{"params": [], "user": "ann');
    await folder.sluice(['store', 'forget', 'ann', '--dry-run']);
    expect([kept('users'), kept('total')]).toEqual([2, 1]);
    await folder.sluice(['store', 'forget', 'ann']);
    expect([kept('users'), kept('total')]).toEqual([0, 1]);
  });

  it('removes several users in one pass, and names those without events', async () => {
    folder.write(
      'c.ndjson',
      `${['eve', 'max', 'kim'].map((user) => `{"utcTime":"2024-03-08T10:00:00Z","userId":"${user}","event_id":"c-${user}"}`).join('\n')}\n`,
    );
    await folder.sluice(['ingest', 'c.ndjson']);
    const ids = ['eve', 'max', 'evil', 'eve'];
    expect((await folder.sluice(['store', 'forget', ...ids, '--dry-run'])).stderr).toContain(
      '2 events of "eve", "max", "evil" would be removed',
    );
    const { code, stderr } = await folder.sluice(['store', 'forget', ...ids]);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'Removed 2 events of "eve", "max", "evil" from .sluice/store: 8 events before, 6 after.\n',
    );
    expect(stderr).toContain('"evil" has no events in .sluice/store.\n');
    expect(stderr).toContain('sluice searched every text in the store. The IDs no longer occur.\n');
    folder.write(
      'd.ndjson',
      `${['eve', 'evil', 'kim'].map((user) => `{"utcTime":"2024-03-08T10:00:00Z","userId":"${user}","event_id":"d-${user}"}`).join('\n')}\n`,
    );
    // Only those that were found are kept out.
    expect((await folder.sluice(['ingest', 'd.ndjson'])).stderr).toContain(
      '2 events added, 1 event of forgotten users skipped.',
    );
    await folder.sluice(['store', 'forget', 'kim', 'evil']);
  });

  it('takes the IDs of a file or stdin, one per line', async () => {
    folder.write(
      'e.ndjson',
      `${['lea', 'tom', 'ida', ' uwe'].map((user) => `{"utcTime":"2024-03-08T10:00:00Z","userId":"${user}","event_id":"e-${user}"}`).join('\n')}\n`,
    );
    await folder.sluice(['ingest', 'e.ndjson']);
    folder.write('ids.txt', '\ufefftom\r\n\r\n uwe\r\ntom');
    expect((await folder.sluice(['store', 'forget', 'lea', '--ids', 'ids.txt'])).stderr).toContain(
      'Removed 3 events of "lea", "tom", " uwe" from',
    );
    expect((await folder.sluice(['store', 'forget', '--ids', '-'], { stdin: 'ida\n' })).stderr).toContain(
      'Removed 1 event of "ida" from',
    );
    for (const [args, message] of [
      [[], 'No user is specified.'],
      [['--ids', 'absent.txt'], 'The file absent.txt does not exist.'],
      [['--ids', '-'], 'stdin is empty.\n  hint: Write one ID per line.'],
    ] as const)
      expect(await folder.sluice(['store', 'forget', ...args])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message) as string,
      });
  });

  it('says so if nothing was stored', async () => {
    expect(await folder.sluice(['store', 'forget', 'nobody', 'no one'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('"nobody", "no one" are not users in .sluice/store') as string,
    });
    expect(await folder.sluice(['store', 'forget', 'nobody'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('"nobody" is not a user in .sluice/store') as string,
    });
  });

  it('refuses an empty user', async () => {
    expect(await folder.sluice(['store', 'forget', ''])).toMatchObject({ code: 2 });
  });
});

describe('answers from a store without its older events', () => {
  const note = 'The events before 2024-03-07 were removed from the store with `sluice store prune`';
  const asked = async (...args: readonly string[]) => {
    const { stdout, stderr } = await folder.sluice(args);
    return { isTold: (stdout + stderr).replaceAll(/\s+/g, ' ').includes(note), stdout };
  };
  beforeEach(async () => {
    await folder.sluice(['store', 'prune', '--before', '2024-03-07']);
    await folder.sluice(['store', 'prune', '--before', '2024-03-05']);
  });

  it.each([
    ['query', 'count'],
    ['query', 'count by eventType'],
    ['query', 'count by day in 2024-03-05..2024-03-08'],
    ['query', 'uniqueUsersCount in 2024-03-06'],
    ['query', 'count in 2024-03-06 where eventType = pageview', '-f', 'json'],
    ['query', 'Sessions.count in 2024-03-01..2024-03-08'],
    ['query', 'count in 2024-03-07 compare previous period'],
    ['query', 'count rolling 2 days by day in 2024-03-07..2024-03-08'],
    ['query', 'count moving average 2 days by day in 2024-03-07..2024-03-08'],
    ['query', 'ReturningUsers.count in 2024-03-07..2024-03-08'],
    ['query', 'retention of pageview returning pageview by day in 2024-03-07..2024-03-08'],
    ['query', 'lifecycle by day in 2024-03-07..2024-03-08'],
    ['query', 'funnel / then /docs in 2024-03-06..2024-03-08'],
    ['export', '--range', '2024-03-06,2024-03-07', '-o', 'out'],
  ])('say so if they need them: %s %s', async (...args) => {
    expect(await asked(...args)).toMatchObject({ isTold: true });
  });

  it.each([
    ['query', 'count in 2024-03-07'],
    ['query', 'count by day in 2024-03-07..2024-03-08'],
    ['query', 'Sessions.count in 2024-03-07..2024-03-08'],
    ['query', 'count cumulative by day in 2024-03-07..2024-03-08'],
    ['query', 'funnel / then /docs in 2024-03-07..2024-03-08'],
    ['export', '--range', '2024-03-07,2024-03-07', '-o', 'out'],
  ])('say nothing if they do not: %s %s', async (...args) => {
    expect(await asked(...args)).toMatchObject({ isTold: false });
  });

  it('fill no days that may have had events', async () => {
    const days = async (range: string) => (await asked('query', `count by day in ${range}`, '-f', 'csv')).stdout;
    expect(await days('2024-03-05..2024-03-08')).toBe(
      'TrackedEvents.utcTime.day,TrackedEvents.count\n2024-03-07T00:00:00.000,2\n',
    );
    expect(await days('2024-03-07..2024-03-08')).toContain('2024-03-08T00:00:00.000,0\n');
  });

  it.each([
    ['count in 2024-03-07 compare previous period', '–', '–'],
    ['count in 2024-03-08 compare previous period', '-2', '-100%'],
    ['count by day in 2024-03-07 compare previous period', '–', '–'],
    ['count by day in 2024-03-08 compare previous period', '-2', '-100%'],
  ])('compare nothing with days that lost events: %s', async (question, ...changes) => {
    const { stdout } = await asked('query', question, '-f', 'markdown');
    const cells = stdout
      .split('\n\n')[0]!
      .replaceAll(/[\s|]+/g, ' ')
      .replaceAll('−', '-');
    expect(
      cells
        .split(' ')
        .filter((cell) => /^(?:–|-.*\d%?)$/.test(cell))
        .slice(-2),
    ).toEqual(changes);
  });

  it('judge no alert on days that lost events', async () => {
    const cellOf = (name: string, range: string, alert: string) =>
      `\`\`\`query\nname: ${name}\nquery: {measures: [TrackedEvents.count]}\nrange: ${range}\nalert: ${alert}\n\`\`\`\n`;
    folder.write(
      'reports/days.md',
      `---\ntitle: Days\n---\n${cellOf('cut', '2024-03-06..2024-03-07', 'count < 3')}${cellOf('whole', '2024-03-07', 'count < 3')}${cellOf('later', '2024-03-07', 'change > 0')}`,
    );
    const { stdout } = await folder.sluice(['report', 'run', 'days', '-f', 'json']);
    const blocks = (JSON.parse(stdout) as { blocks: { watched?: { state: string; finding: string }[] }[] }).blocks;
    expect(blocks.flatMap(({ watched = [] }) => watched.map(({ state, finding }) => `${state}: ${finding}`))).toEqual([
      'unknown: The store lacks events of its range.',
      'raised: It is 2.',
      'unknown: There is no value.',
    ]);
  });

  it('are explained by the statistics of the store', async () => {
    expect((await asked('store', 'stats')).stdout).toContain('removed          events before 2024-03-07 00:00:00 UTC');
    expect(JSON.parse((await asked('store', 'stats', '-f', 'json')).stdout)).toMatchObject({
      prunedBefore: '2024-03-07T00:00:00.000Z',
    });
  });
});

describe('answers from a store of files with unreadable lines', () => {
  it('say how many lines are not counted', async () => {
    folder.write('b.ndjson', '{"utcTime":"2024-03-08T10:00:00Z"}\noops\n');
    expect((await folder.sluice(['ingest', 'b.ndjson'])).code).toBe(5);
    const asked = async (line: string) => (await folder.sluice(['query', line])).stdout.replaceAll(/\s+/g, ' ');
    const note = '1 line could not be read when files were loaded into the store, and is not counted.';
    for (const line of ['count', 'Sessions.count by day last 30 days', 'ReturningUsers.count'])
      expect([line, await asked(line)]).toEqual([line, expect.stringContaining(note)]);
    await folder.sluice(['store', 'forget', 'nobody']);
    expect(await asked('count')).toContain(note);
  });
});

describe('answers about sessions from events of which some have neither a session nor a user', () => {
  const at = (time: string, more: object) => JSON.stringify({ utcTime: `2024-03-${time}Z`, ...more });
  const events = [
    at('05T10:00:00', { userAnonymousId: 'a', projectId: '1' }),
    at('06T10:00:00', { sessionId: 's', projectId: '1' }),
    at('06T11:00:00', { userAnonymousId: '', sessionId: '', projectId: '1' }),
    at('06T12:00:00', { projectId: '2' }),
    at('07T13:00:00', { userId: 'b' }),
    at('07T14:00:00', {}),
  ].join('\n');
  const noteOf = async (...args: readonly string[]) =>
    /Of all events, whatever their time, .*? in no session\./.exec(
      (await folder.sluice(['query', ...args])).stdout.replaceAll(/\s+/g, ' '),
    )?.[0];
  const told = (events: string) =>
    `Of all events, whatever their time, ${events} neither a session ID nor a user, and ${/ has$/.test(events) ? 'is' : 'are'} in no session.`;

  it('say how many, over all time, whatever the range and the order of user IDs', async () => {
    folder.write('e.ndjson', events);
    expect((await folder.sluice(['ingest', 'e.ndjson'])).code).toBe(0);
    for (const line of ['Sessions.count', 'Sessions.count by day in 2024-03-06', 'sessions by Sessions.channel'])
      expect([line, await noteOf(line)]).toEqual([line, told('3 have')]);
    expect(await noteOf('Sessions.count', '--project', '1')).toBe(told('1 has'));
    expect(await noteOf('Sessions.count', '--project', '3')).toBeUndefined();
    expect(await noteOf('count')).toBeUndefined();
    expect(await noteOf('Sessions.count', '--known-at', '2024-03-08T13:00')).toBeUndefined();
    folder.write('sluice.yaml', 'user: known\n');
    expect(await noteOf('Sessions.count')).toBe(told('3 have'));
  });

  it('say the same from the files', async () => {
    folder.write('e.ndjson', events);
    for (const line of ['Sessions.count', 'Sessions.count by day in 2024-03-06'])
      expect([line, await noteOf(line, '--events', 'e.ndjson')]).toEqual([line, told('3 have')]);
    expect(await noteOf('Sessions.count', '--project', '1', '--events', 'e.ndjson')).toBe(told('1 has'));
    expect(await noteOf('count', '--events', 'e.ndjson')).toBeUndefined();
  });

  it('say so after events were added, removed and forgotten', async () => {
    folder.write('e.ndjson', events);
    await folder.sluice(['ingest', 'e.ndjson']);
    folder.write('f.ndjson', at('07T15:00:00', { projectId: '2' }));
    await folder.sluice(['ingest', 'f.ndjson']);
    expect(await noteOf('Sessions.count')).toBe(told('4 have'));
    await folder.sluice(['store', 'prune', '--before', '2024-03-07']);
    expect(await noteOf('Sessions.count')).toBe(told('2 have'));
    await folder.sluice(['store', 'forget', 'b']);
    expect(await noteOf('Sessions.count')).toBe(told('2 have'));
  });

  it('say nothing of a store of an earlier version until it counted them at the next ingest', async () => {
    folder.write('e.ndjson', events);
    await folder.sluice(['ingest', 'e.ndjson']);
    const manifest = path.join(folder.root, '.sluice/store/manifest.json');
    const counted = readFileSync(manifest, 'utf8');
    folder.write('.sluice/store/manifest.json', counted.replace(/"sessionless":\[[^\]]*\],/, ''));
    expect(readFileSync(manifest, 'utf8')).not.toBe(counted);
    expect(await noteOf('Sessions.count')).toBeUndefined();
    folder.write('f.ndjson', at('07T15:00:00', { userId: 'b' }));
    await folder.sluice(['ingest', 'f.ndjson']);
    expect(await noteOf('Sessions.count')).toBe(told('3 have'));
  });
});
