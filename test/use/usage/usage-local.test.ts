import { describe, expect, it } from 'vitest';
import { type Folder, folderOf } from '../run-in-folder.ts';

const day = 86_400_000;

/** Ten events a day of project 42 and five of 7, from 1 March up to a last day. */
function events(last: string, more: readonly Record<string, unknown>[] = []): string {
  const all: Record<string, unknown>[] = [];
  for (let at = Date.parse('2024-03-01T10:00:00Z'); at <= Date.parse(`${last}T23:00:00Z`); at += day)
    for (let number = 0; number < 15; number++)
      all.push({ utcTime: new Date(at + number).toISOString(), projectId: number < 10 ? '42' : '7', userId: 'a' });
  return [...all, ...more].map((event) => `${JSON.stringify(event)}\n`).join('');
}

function workspace(last: string, groups: string, more?: readonly Record<string, unknown>[]): Folder {
  return folderOf({
    'sluice.yaml': `timezone: UTC\nevents: e.ndjson\nusage: {groups: ${groups}}\n`,
    'e.ndjson': events(last, more),
  });
}

const usage = async (folder: Folder, asOf: string, ...argv: readonly string[]) => {
  const { code, stdout, stderr } = await folder.sluice(['usage', '--as-of', asOf, ...argv]);
  return { code, text: (stdout + stderr).replaceAll(/\s+/g, ' '), stdout };
};

describe('usage of data that end before the month', () => {
  const acme = '[{name: acme, projects: [42, 7], quota: 5000}]';

  it.each(['2024-06-10', '2024-07-02', '2024-09-30', '2025-06-01'])(
    'is told of at any later time, and not compared: %s',
    async (asOf) => {
      const folder = workspace('2024-05-29', acme);
      const { code, text } = await usage(folder, asOf);
      expect(code).toBe(5);
      expect(text).toMatch(
        asOf < '2025'
          ? /The latest available events are from 2024-05-29: \w+ 2024 may be incomplete\. It counts as part of a month, and is not compared/
          : /No events from 2024-12-01 on are available: May 2025 may be incomplete/,
      );
      expect(text).not.toMatch(/acme (has )?used 0 of/);
      if (asOf < '2025') expect(text).toMatch(/acme used at least [\d,]+ of its 5,000 events/);
      const rows = JSON.parse((await usage(folder, asOf, '-f', 'json')).stdout) as Record<string, unknown>[];
      expect(rows).toMatchObject([
        { 'Usage.state': 'stale', 'Usage.previous': null, 'Usage.changePercent': null },
        { 'Usage.state': 'stale', 'Usage.previous': null, 'Usage.changePercent': null },
      ]);
    },
  );

  it('holds up a report that waits for fresh data, for one month as for two', async () => {
    const folder = workspace('2024-05-29', acme);
    folder.write(
      'reports/bill.md',
      '---\ntitle: Bill\nschedule: monthly on 1 at 06:00\nfresh: {data: covers range, wait: 12h}\ndeliver: [{folder: out, formats: [md]}]\n---\n\n```usage\n```\n',
    );
    for (const asOf of ['2024-06-01T06:30Z', '2024-07-01T06:30Z']) {
      const { stderr } = await folder.sluice(['report', 'run', '--due', '--as-of', asOf]);
      expect(stderr, asOf).toContain('waits for fresh data');
    }
  });

  it('is whole if events follow the month', async () => {
    const { code, text } = await usage(workspace('2024-06-03', acme), '2024-06-10');
    expect(code).toBe(0);
    expect(text).not.toContain('may be incomplete');
  });
});

describe('usage of a store that lost events', () => {
  const open = async (before: string) => {
    const folder = folderOf({
      'sluice.yaml': 'timezone: UTC\nusage: {groups: [{name: acme, projects: [42, 7], quota: 5000}]}\n',
      'e.ndjson': events('2024-06-03'),
    });
    await folder.sluice(['ingest', 'e.ndjson']);
    await folder.sluice(['store', 'prune', '--before', before]);
    return folder;
  };

  it('compares nothing with the months that lack them, and does not count them as 0', async () => {
    const folder = await open('2024-05-10');
    const { code, text } = await usage(folder, '2024-06-10', '--months', '3');
    expect(code).toBe(0);
    // 22 days of May with ten events and five, three days of June.
    expect(text).toMatch(/42 30~ 220 – – 66\.67% 7 15~ 110 – – 33\.33%/);
    expect(text).toContain('acme used at least 330 of its 5,000 events (6.6%)');
    expect(text).toContain('were removed from the store');
    expect(text).not.toContain('no events from before');
    const rows = JSON.parse((await usage(folder, '2024-06-10', '-f', 'json')).stdout) as Record<string, unknown>[];
    for (const row of rows) expect(row).toMatchObject({ 'Usage.previous': null, 'Usage.changePercent': null });
    expect(await usage(folder, '2024-06-10', '--freeze')).toMatchObject({
      code: 5,
      text: expect.stringContaining('The store lacks events of May 2024') as string,
    });
  });

  it('is whole for the months after them', async () => {
    const folder = await open('2024-04-01');
    const { text } = await usage(folder, '2024-06-10', '--months', '2');
    // 31 days, compared with 30.
    expect(text).toMatch(/42 30~ 310 300 3\.33%/);
    expect(text).toContain('acme used 465 of its 5,000 events (9.3%)');
    expect((await usage(folder, '2024-06-10', '--freeze')).code).toBe(0);
  });
});

describe('projects of the configured groups', () => {
  it('are named if no event has their ID, and events without a project are counted', async () => {
    const orphans = [1, 2, 3].map((number) => ({ utcTime: `2024-05-0${number}T10:00:00Z`, userId: 'a' }));
    const folder = workspace('2024-06-03', '[{name: acme, projects: [42, 77]}, {name: other, projects: [7]}]', orphans);
    const { code, text } = await usage(folder, '2024-06-10');
    expect(code).toBe(0);
    expect(text).toContain('No event of these months has the project ID 77.');
    expect(text).toContain('3 events of these months have no project ID: they are in no group.');
    const one = await usage(folder, '2024-06-10', 'other');
    expect(one.text).not.toMatch(/No event of|no project ID/);
  });
});
