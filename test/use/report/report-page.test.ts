import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOf } from '../run-in-folder.ts';

/** Daily page views from 1 February, each by a different user. */
const views = (counts: readonly number[]) =>
  counts
    .flatMap((count, day) =>
      Array.from({ length: count }, (_unused, number) => ({
        utcTime: new Date(Date.parse('2024-02-01T10:00:00Z') + day * 86_400_000 + number * 1000).toISOString(),
        eventType: 'pageview',
        projectId: '1',
        userAnonymousId: `u${number}`,
      })),
    )
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');

const compared =
  '```compare\nname: v\nquery: {measures: [TrackedEvents.count, TrackedEvents.uniqueUsersCount]}\nrange: [2024-02-08, 2024-02-14]\n```\n\n```query\nquery: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day}]}\nrange: [2024-02-08, 2024-02-14]\nchart: line\n```\n';
const counts = [...Array.from({ length: 7 }, () => 10), 8, 9, 7, 8, 9, 7, 5, 5];
const open = (report: string, config = '', days = counts) =>
  folderOf({
    'events.ndjson': views(days),
    'sluice.yaml': `events: events.ndjson\n${config}`,
    'reports/r.md': report,
  });
const run = async (folder: ReturnType<typeof open>, format: string) =>
  (await folder.sluice(['report', 'run', 'r', '-f', format, '--quiet', '--as-of', '2024-03-05T12:00Z'])).stdout;

describe('a page', () => {
  it('has changes with arrows and colours, and the course of a figure that another cell counts by day', async () => {
    const html = await run(open(`---\ntitle: R\n---\n\n${compared}`), 'html');
    expect(html).toContain('<dd class="aside down">▼ -24.29% from 70 (');
    expect(html).toContain('<dd class="aside down">▼ -10% from 10 (');
    // Only page views are counted by day, so users have no line.
    const [line = '', another] = [...html.matchAll(/<polyline points="([^"]+)"/g)].map(([, points]) => points);
    expect(another).toBeUndefined();
    const heights = line.split(' ').map((point) => Number(point.split(',')[1]));
    const past = counts.slice(7, 14);
    past.forEach((count, day) =>
      past.forEach((other, at) => {
        if (count > other) expect(heights[day]!).toBeLessThan(heights[at]!);
      }),
    );
  });

  it('has the earlier figure without a change if a range is incomplete, and the names that a query chooses', async () => {
    const report =
      '---\ntitle: R\n---\n\n```compare\nname: c\nquery: count\nrange: [2024-02-01, 2024-02-10]\n```\n\n```query\nname: s\nquery: count * 2 as doubled, count * 3 as trebled\n```\n';
    const folder = open(report);
    const html = await run(folder, 'html');
    expect(html).toContain('<dd class="aside">before: 0 (');
    expect(html).toContain('<dt>Doubled</dt>');
    expect(await run(folder, 'eml')).toMatch(/Events: 94 \(before: 0, /);
  });

  it('folds days behind their chart, and gathers sources at its end', async () => {
    const html = await run(open(`---\ntitle: R\n---\n\n${compared}`), 'html');
    expect(html).toMatch(/<\/figure>\n(?:<p.*\n)*<details class="asked">\n<summary>The figures: 7 rows/);
    const body = html.slice(html.indexOf('<main>'), html.indexOf('</main>'));
    expect(body).not.toContain('(embedded)');
    for (const [, id] of body.matchAll(/href="#(source-\d+)"/g)) expect(html).toContain(`<li id="${id}">`);
  });

  it('has the headline before the contents', async () => {
    const chapters = ['A', 'B', 'C', 'D'].map((name) => `## ${name}\n\nText.\n`).join('\n');
    const html = await run(open(`---\ntitle: R\n---\n\n${compared}\n${chapters}`), 'html');
    expect(html.indexOf('class="stats"')).toBeGreaterThan(0);
    expect(html.indexOf('class="stats"')).toBeLessThan(html.indexOf('<nav'));
    expect(html.indexOf('<nav')).toBeLessThan(html.indexOf('>A</h2>'));
  });

  it('begins usage with the total, its change, a bar against the quota, and the forecast', async () => {
    const usage = `---\ntitle: U\n---\n\n\`\`\`usage\nmonth: 2024-02\nmonths: 3\n\`\`\`\n`;
    const config = 'usage: {groups: [{name: a, projects: [1], quota: 100}]}\n';
    // Usage until 6 March; an incomplete month has no share of a quota.
    const days = [...counts, ...Array.from({ length: 20 }, () => 1)];
    const html = await run(open(usage, config, days), 'html');
    const sum = days.slice(0, 29).reduce((all, count) => all + count, 0);
    expect(await run(open(usage, config), 'html')).not.toContain('<svg class="gauge');
    expect(html).toContain(`<dt>Events, February 2024</dt><dd class="value">${sum}</dd>`);
    expect(html).toContain(`<dd class="value">${sum}%</dd><dd><svg class="gauge over"`);
    expect(html.indexOf('class="stats"')).toBeLessThan(html.indexOf('<figure'));
    expect(await run(open(usage, config, days), 'md')).toContain(`**${sum}%**`);
  });
});

describe('the subject of an email', () => {
  const emailOf = async (subject: string, title = 'R') => {
    const folder = open(
      `---\ntitle: ${title}\nsubject: ${subject}\nschedule: daily at 06:00\ndeliver: [{email: a@example.org, into: outbox}]\n---\n\n${compared}`,
    );
    await folder.sluice(['report', 'run', '--due', '--as-of', '2024-03-05T12:00Z']);
    const [name = ''] = readdirSync(path.join(folder.root, 'outbox'));
    return readFileSync(path.join(folder.root, 'outbox', name), 'utf8');
  };

  it('has figures', async () => {
    expect(await emailOf('"{{ v.count | change }} page views: {{ v.count }}"')).toMatch(
      /^Subject: -24\.29% page views: 53 \(2024-03-05\)\r$/m,
    );
  });

  it('is checked as prose is', async () => {
    for (const [subject, code] of [
      ['"{{ x.count }}"', 'There is no cell or parameter "x"'],
      ['"{{ v.cuont }}"', '"v" has no "cuont"'],
      ['"{{ v.count | big }}"', 'There is no filter "big"'],
    ] as const) {
      const folder = open(`---\ntitle: R\nsubject: ${subject}\n---\n\n${compared}`);
      const { code: exit, stdout } = await folder.sluice(['report', 'check', 'r']);
      expect([exit, stdout], subject).toEqual([2, expect.stringContaining(code)]);
      expect(stdout).toContain('r.md:3:');
    }
  });
});
