import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openFolder } from '../../use/run-in-folder.ts';

const folder = openFolder();
afterAll(() => folder.remove());
const lines = (name: string) => readFileSync(path.join(folder.root, name), 'utf8').trimEnd().split('\n');

describe('sluice sample', () => {
  it('covers ninety days, or as many as there are events', async () => {
    expect((await folder.sluice(['sample', '-n', '30', '-o', 'few.ndjson'])).stderr).toContain(
      'Wrote 30 events of 30 days until 2026-10-20 to few.ndjson.',
    );
    expect((await folder.sluice(['sample', '-n', '1', '-o', 'one.ndjson'])).stderr).toContain(
      'Wrote 1 event of 1 day until',
    );
    expect((await folder.sluice(['sample', '-n', '2_000', '-o', 'more.ndjson'])).stderr).toContain(
      'Wrote 2,000 events of 90 days until',
    );
    expect(['few', 'one', 'more'].map((name) => lines(`${name}.ndjson`).length)).toEqual([30, 1, 2000]);
  });

  it('calls things as it is told to, and questions of any such file have the same answer', async () => {
    const answers = new Set<string>();
    for (const [vocabulary, name] of [
      ['documentation', 'a.ndjson'],
      ['newer', 'b.csv'],
      ['snowplow', 'c.json.gz'],
      ['snowplow', 'd.parquet'],
      ['newer', 'e.arrow'],
    ] as const) {
      expect(
        (await folder.sluice(['sample', '-n', '500', '--days', '20', '--vocabulary', vocabulary, '-o', name])).code,
      ).toBe(0);
      answers.add(
        (await folder.sluice(['query', 'count, uniqueUsersCount by eventType, docPath', '-f', 'csv', '--events', name]))
          .stdout,
      );
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toContain('pageview,/pricing');
  });

  it('writes the same events as Arrow', async () => {
    const { tableFromIPC } = await import('@uwdata/flechette');
    for (const vocabulary of ['documentation', 'snowplow']) {
      for (const name of ['e.arrow', 'e.ndjson'])
        expect((await folder.sluice(['sample', '-n', '1000', '--vocabulary', vocabulary, '-o', name])).code).toBe(0);
      const table = tableFromIPC(readFileSync(path.join(folder.root, 'e.arrow')));
      const rows = table
        .toArray()
        .map(
          (row) =>
            Object.fromEntries(Object.entries(row as object).filter(([, value]) => value !== null)) as Record<
              string,
              unknown
            >,
        );
      const written = lines('e.ndjson').map((line) =>
        Object.entries(JSON.parse(line) as Record<string, unknown>).map(
          ([name, value]) =>
            [name, /tstamp$|utcTime$/.test(name) ? Date.parse(String(value).replace(/Z?$/, 'Z')) : value] as const,
        ),
      );
      expect(
        rows.map((row) =>
          Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
        ),
      ).toEqual(written);
    }
  });

  it.each([
    [['-n', '0'], /1 to 1000000000 events, not 0/],
    [['-n', '5', '--days', '6'], /5 events cannot cover 6 days/],
    [['--days', '0'], /at least 1 whole day/],
    [['--to', '9999-12-31'], /9999-12-30 or earlier/],
    [['--to', '2026-13-01'], /2026-13-01/],
    [['--to', 'today'], /2026-10-20/],
    [['--seed', '1.5'], /whole number/],
    [['--seed', '-1'], /whole number/],
    [['--vocabulary', 'old'], /documentation, newer or snowplow/],
    [['-o', 'wrong.txt'], /\.ndjson/],
  ])('refuses %j and writes nothing', async (args, message) => {
    const { code, stdout, stderr } = await folder.sluice([
      'sample',
      ...(args.includes('-o') ? [] : ['-o', 'wrong.ndjson']),
      ...args,
    ]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(existsSync(path.join(folder.root, 'wrong.ndjson'))).toBe(false);
  });

  it('leaves no folder behind that it made for nothing', async () => {
    await folder.sluice(['sample', '-n', '0']);
    expect(existsSync(path.join(folder.root, '.sluice'))).toBe(false);
  });
});
