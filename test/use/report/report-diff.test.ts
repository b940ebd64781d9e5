import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReportDifference } from '../../../src/use/report/run/diff-report.ts';
import { type Folder, folderOf } from '../run-in-folder.ts';

type Event = readonly [day: string, path: string];

const write = (events: readonly Event[]) =>
  events
    .map(
      ([day, docPath], index) =>
        `${JSON.stringify({
          'TrackedEvents.utcTime': `2024-03-${day}T10:00:00.000`,
          'TrackedEvents.userAnonymousId': `user ${index}`,
          'TrackedEvents.eventType': 'pageview',
          'TrackedEvents.docPath': docPath,
        })}\n`,
    )
    .join('');

const report = `---
title: Pages
---

\`\`\`query
name: pages
query: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.docPath, TrackedEvents.eventType], timeDimensions: [{dimension: TrackedEvents.utcTime, dateRange: ['2024-03-01', '2024-03-07']}]}
\`\`\`

\`\`\`query
title: All
query: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, dateRange: ['2024-03-01', '2024-03-07']}]}
\`\`\`
`;
const config = 'events: events.ndjson\n';

function counts(events: readonly Event[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [, page] of events) found.set(page, (found.get(page) ?? 0) + 1);
  return found;
}

const keptOf = (folder: Folder, name = 'r') => {
  const place = path.join(folder.root, `.sluice/reports/${name}.figures`);
  return readdirSync(place).map((file) => path.join(place, file));
};

/** A small seeded random generator. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

describe('sluice report diff', () => {
  it('finds exactly the figures that changed', async () => {
    const below = random(7);
    const draw = (count: number, from: number): Event[] =>
      // The data reaches the last day of the range.
      Array.from({ length: count }, (_, index) => [
        index === 0 ? '07' : `0${1 + below(7)}`,
        `/page-${from + below(6)}`,
      ]);
    for (let round = 0; round < 4; round += 1) {
      const [earlier, later] = [draw(12, 0), draw(12 + round, 2)];
      const folder = folderOf({ 'sluice.yaml': config, 'events.ndjson': write(earlier), 'reports/r.md': report });
      expect((await folder.sluice(['report', 'run', 'r', '-o', 'r.md'])).code).toBe(0);
      expect((await folder.sluice(['report', 'diff', 'r'])).code).toBe(0);
      folder.write('events.ndjson', write(later));
      const { stdout, code } = await folder.sluice(['report', 'diff', 'r', '-f', 'json']);
      expect(code).toBe(1);
      const [old, now] = [counts(earlier), counts(later)];
      const expected = [...new Set([...old.keys(), ...now.keys()])]
        .filter((page) => old.get(page) !== now.get(page))
        .map((page) => [
          'pages',
          !old.has(page) ? 'added' : !now.has(page) ? 'removed' : 'changed',
          page,
          old.get(page) ?? null,
          now.get(page) ?? null,
          old.has(page) && now.has(page) ? (now.get(page) ?? 0) - (old.get(page) ?? 0) : null,
        ]);
      if (later.length !== earlier.length)
        expected.push(['All', 'changed', '', earlier.length, later.length, later.length - earlier.length]);
      const found = (JSON.parse(stdout) as ReportDifference).changes.map(
        ({ cell, change, row, before, after, difference }) => [
          cell,
          change,
          row[0]?.text ?? '',
          before,
          after,
          difference,
        ],
      );
      expect(found.sort()).toEqual(expected.sort());
    }
  });

  it('says them in lines, and obeys nothing in the data', async () => {
    const before: Event[] = [
      ['01', '/a'],
      ['01', '/\u001b[2Jx'],
    ];
    const folder = folderOf({ 'sluice.yaml': config, 'events.ndjson': write(before), 'reports/r.md': report });
    await folder.sluice(['report', 'run', 'r', '-o', 'out/']);
    const [kept = ''] = keptOf(folder);
    const bytes = readFileSync(kept, 'utf8');
    folder.write(
      'events.ndjson',
      write([
        ['01', '/a'],
        ['02', '/a'],
        ['02', '/\u202egpj.exe'],
        ['02', '/b'],
      ]),
    );
    const { stdout, code } = await folder.sluice(['report', 'diff', 'r']);
    expect(code).toBe(1);
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(stdout).toMatch(/^ {2}~ .*\/a.*: .* 1 → 2 \(\+1\)$/m);
    expect(stdout).toMatch(/^ {2}\+ .*\/b.*: .* 1$/m);
    expect(stdout).toMatch(/^ {2}- .*x.*: .* 1$/m);
    expect(stdout).toMatch(/\nAll\n {2}~ \S.* 2 → 4 \(\+2\)\n\n5 figures changed\.\n$/);
    const json = await folder.sluice(['report', 'diff', 'r', '-f', 'json']);
    // oxlint-disable-next-line no-control-regex
    expect(json.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(readFileSync(kept, 'utf8')).toBe(bytes);
  });

  it('compares with the last run that was delivered', async () => {
    const folder = folderOf({
      'sluice.yaml': config,
      'events.ndjson': write([['07', '/a']]),
      'reports/r.md': report.replace('title: Pages', 'title: Pages\nschedule: daily at 06:00'),
    });
    expect((await folder.sluice(['report', 'run', '--due'])).code).toBe(0);
    folder.write('events.ndjson', '');
    const lost = JSON.parse((await folder.sluice(['report', 'diff', 'r', '-f', 'json'])).stdout) as ReportDifference;
    expect(lost.before.asOf).toContain('2024-03-08T06:00');
    expect(lost.changes.map(({ cell, change, before, after }) => [cell, change, before, after])).toEqual([
      ['pages', 'removed', 1, null],
      ['All', 'changed', 1, 0],
    ]);
  });

  it('compares with the last run of the same parameters, else with the last of all, and keeps so many', async () => {
    const monthly = (count: number) => write(Array.from({ length: count }, () => ['01', '/a']));
    const folder = folderOf({
      'sluice.yaml': config,
      'events.ndjson': monthly(2),
      'reports/r.md':
        '---\nparams: {m: {type: month, default: 2024-03}}\n---\n\n```query\nname: n\nquery: {measures: [TrackedEvents.count]}\nrange: "{{ m }}"\n```\n',
    });
    const runOf = (month: string) => folder.sluice(['report', 'run', 'r', '--param', `m=${month}`, '-o', 'r.md']);
    const diff = async (month: string) => {
      const { stdout } = await folder.sluice(['report', 'diff', 'r', '--param', `m=${month}`, '-f', 'json']);
      const { before, changes } = JSON.parse(stdout) as ReportDifference;
      return [before.params[0]?.text, changes.map((one) => [one.before, one.after])];
    };
    await runOf('2024-03');
    await runOf('2024-02');
    folder.write('events.ndjson', monthly(5));
    expect(await diff('2024-03')).toEqual(['2024-03', [[2, 5]]]);
    expect(await diff('2024-02')).toEqual(['2024-02', []]);
    expect(await diff('2024-01')).toEqual(['2024-02', []]);
    // A new run replaces the oldest kept files.
    for (let index = 10; index < 40; index += 1) {
      const file = `.sluice/reports/r.figures/${'0'.repeat(14)}${index}.json`;
      folder.write(file, '');
      utimesSync(path.join(folder.root, file), index, index);
    }
    await runOf('2024-03');
    expect(keptOf(folder)).toHaveLength(24);
    expect(await diff('2024-03')).toEqual(['2024-03', []]);
    expect(await diff('2024-02')).toEqual(['2024-02', []]);
  });

  it('does not compare a cell that failed, and passes for nothing whole', async () => {
    const folder = folderOf({
      'sluice.yaml': config,
      'events.ndjson': write([['01', '/a']]),
      'reports/r.md': report,
    });
    await folder.sluice(['report', 'run', 'r', '-o', 'r.md']);
    const [file = ''] = keptOf(folder);
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { cells: { failed: boolean }[] };
    for (const cell of kept.cells.slice(1)) cell.failed = true;
    folder.write(path.relative(folder.root, file), JSON.stringify(kept));
    const part = await folder.sluice(['report', 'diff', 'r']);
    expect(part.code).toBe(5);
    expect(part.stdout).toContain('All: failed in one of the runs, not compared.');
  });

  it('says what to do where there is nothing to compare with', async () => {
    const folder = folderOf({
      'sluice.yaml': config,
      'events.ndjson': write([['01', '/a']]),
      'reports/r.md': report,
    });
    await folder.sluice(['report', 'run', 'r']);
    const none = await folder.sluice(['report', 'diff', 'r']);
    expect([none.code, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toContain('There is no earlier run of reports/r.md to compare with.');
    expect(none.stderr).toContain('sluice report run reports/r.md -o FILE');
    folder.write('.sluice/reports/r.figures/0123456789abcdef.json', '{"sluice":');
    const damaged = await folder.sluice(['report', 'diff', 'r']);
    // 1 means that a figure changed.
    expect(damaged.code).toBe(5);
    expect(damaged.stderr).toContain('run the report again');
  });
});
