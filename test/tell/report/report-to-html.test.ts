import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepDates } from '../../../src/show/html/html-table.ts';
import { writeReportHtml } from '../../../src/tell/report/report-to-html.ts';
import { openOutline } from '../../../src/tell/report/outline.ts';
import { renderBlocks, toProseHtml } from '../../../src/tell/report/render-blocks.ts';
import { anyText } from '../../show/arbitrary-result.ts';
import { attack, cellOf, days, everything, proseOf, reportOf } from './specimen-reports.ts';
import { withParts } from '../../../src/ask/cloneable.ts';

const headingsOf = (html: string) =>
  [...html.matchAll(/<h([1-6])[^>]*>(.*?)<\/h\1>/gs)].map(([, level, text]) => `${level} ${text}`);
const tagsOf = (html: string) => html.match(/<[a-z][^>]*>/gi) ?? [];

describe('a report as an HTML page', () => {
  it('has one heading of the first level, and skips no level', async () => {
    const html = await writeReportHtml(everything);
    expect(headingsOf(html)).toEqual([
      '1 Everything',
      '2 Too deep',
      '3 In all',
      '2 Day by day',
      '3 Visits a day',
      '2 Pages',
      '3 Pages',
      '3 Undrawable',
      '3 ✗ Failed: Elsewhere',
      '3 In part',
      '2 All well?',
      '3 Checks',
      '2 The end',
      '2 Footnotes',
    ]);
    expect(html).toContain('<li><a href="#to-day-by-day">Day by day</a></li>');
  });

  it('uses its title if its prose has none, and has no contents if it is short', async () => {
    const html = await writeReportHtml(reportOf([proseOf('## One\n')], { title: 'A & B' }));
    expect(headingsOf(html)).toEqual(['1 A &amp; B', '2 One']);
    expect(html).not.toContain('<nav');
  });

  it('lists failures first, with links', async () => {
    const html = await writeReportHtml(everything);
    const alert = /<div class="alert">[^]*?<\/div>/.exec(html)?.[0] ?? '';
    expect(alert).toContain('4 things in this report need attention');
    expect(alert.match(/<li>.*<\/li>/g)).toEqual([
      '<li><a href="#cell-5">Elsewhere: It did not answer.</a></li>',
      '<li><a href="#cell-6">In part: Project 7 could not be counted.</a></li>',
      '<li><a href="#cell-7">Expected: b is at least 1. It is 0.</a></li>',
      '<li><a href="#cell-7">Unknown: c is at least 1. There is none.</a></li>',
    ]);
    for (const [, id] of alert.matchAll(/href="#([^"]+)"/g)) expect(html).toContain(` id="${id}"`);
    expect(html.indexOf(alert)).toBeLessThan(html.indexOf('<main>'));
  });

  it('states for every table and chart the range, zone, source, and what is cut, filled or partial', async () => {
    const html = await writeReportHtml(everything);
    const cell = /<div class="cell" id="cell-2"[^]*?(?=<h2)/.exec(html)?.[0] ?? '';
    const sourcesOf = (markup: string) =>
      [...markup.matchAll(/<a href="#(source-\d+)">\[\d+\]<\/a>/g)].map(
        ([, id]) => new RegExp(`<li id="${id}">(.*)</li>`).exec(html)?.[1],
      );
    expect(sourcesOf(cell)).toEqual([
      '2024-03-07 to 2024-03-10, not over yet · Europe/Berlin · from events.ndjson (embedded)',
    ]);
    expect(cell).toContain('7 events without a user are not counted.');
    expect(cell).toContain('~ partial: cut by the present');
    expect(cell).toContain('· filled: there were no rows');
    expect(cell).toContain('A sentence below.');
    const pages = /<div class="cell" id="cell-3"[^]*?(?=<div class="cell")/.exec(html)?.[0] ?? '';
    expect(pages.match(/Limit of 12 rows reached: there may be more\./g)).toHaveLength(1);
    expect(sourcesOf(pages).join()).toContain('from events-&lt;b&gt;.ndjson');
    expect(html).toContain(
      '<tr><th scope="row">all.count</th><td class="number">2,943</td><td>2024-03-07 to 2024-03-10, not over yet · Europe/Berlin · from events.ndjson (embedded)</td>',
    );
  });

  it('shows the figures of every chart as a table, even if the chart cannot be drawn', async () => {
    const html = await writeReportHtml(everything);
    for (const id of [2, 3, 4]) {
      const cell =
        new RegExp(`<div class="cell" id="cell-${id}"[^]*?(?=<h2|<div class="(?:cell|failure)")`).exec(html)?.[0] ?? '';
      expect(cell.match(/<table>/g)).toHaveLength(1);
      expect(cell).toMatch(/<caption>/);
      expect(cell.includes('<svg')).toBe(id !== 4);
    }
    expect(html).toContain('Not drawn: This result has nothing to draw');
  });

  it('cuts pages that are too large, and says so', async () => {
    const html = await writeReportHtml(reportOf([cellOf([{ kind: 'table', result: manyRows(6000) }])]));
    expect(html).toContain('The first 5,000 of 6,000 rows.');
  });

  it('splits wide tables on paper, which does not scroll, and not on screens', async () => {
    const columns = Array.from({ length: 40 }, (_, index) => ({ ...days.columns[1]!, key: `n${index}` }));
    const wide = withParts(days, {
      columns: [days.columns[0]!, ...columns],
      values: (key) => (key.startsWith('n') ? [1_234_567] : days.values(days.columns[0]!.key)),
      rowCount: 1,
    });
    const report = reportOf([cellOf([{ kind: 'table', result: wide }])]);
    const tables = (html: string) => html.match(/<table>/g)?.length;
    expect(tables(await writeReportHtml(report))).toBe(1);
    const paper = await writeReportHtml(report, { paper: 'A4' });
    expect(tables(paper)).toBeGreaterThan(2);
    expect(paper.match(/<th scope="col" class="number">/g)).toHaveLength(40);
    expect(paper).toMatch(/Columns 1 to \d+ of 41/);
    expect(paper).toMatch(/Columns \d+ to 41 of 41/);
  });

  it('runs nothing, loads nothing and links nowhere because of events and errors', async () => {
    const html = await writeReportHtml(attack);
    expect(html).toContain("default-src 'none'");
    const body = html.slice(html.indexOf('<body>'));
    expect(
      tagsOf(body).filter((tag) =>
        /^<(?:script|link|iframe|object|embed|img|base|form|meta|style)\b|\s(?:on\w+|style|src)=/i.test(tag),
      ),
    ).toEqual([]);
    expect(tagsOf(body).filter((tag) => /href=/.test(tag) && !/href="#/.test(tag))).toEqual([]);
    expect(html).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
  });

  it('has unique IDs, and every referenced one', async () => {
    const html = await writeReportHtml(reportOf([...everything.blocks, ...everything.blocks]));
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const [, id] of html.matchAll(/(?:href="#|url\(#|labelledby="|describedby=")([^")]+)/g))
      expect(ids).toContain(id);
  });

  it('is the same every time', async () => {
    expect(await writeReportHtml(everything)).toBe(await writeReportHtml(everything));
  });
});

describe('prose as HTML', () => {
  it('contains no raw HTML, external images or dangerous links', () => {
    expect(
      toProseHtml(
        '<b onclick="x">a</b> ![words "q"](https://evil.example/p.png) [x](javascript:alert(1)) [y](data:text/html,z) [z](https://example.org)',
      ),
    ).toBe(
      '<p>&lt;b onclick=&quot;x&quot;&gt;a&lt;/b&gt; words &quot;q&quot; x y <a href="https://example.org">z</a></p>',
    );
  });

  it('drops comments, but nothing that only looks like one', () => {
    expect(toProseHtml('a <!-- one --> b\n\n<!-- two\nlines -->\n\nc\n\n`<!-- code -->` \\<!-- d --\\> <!-- e')).toBe(
      '<p>a  b</p>\n\n<p>c</p>\n<p><code>&lt;!-- code --&gt;</code> &lt;!-- d --&gt; &lt;!-- e</p>',
    );
    expect(toProseHtml('<!-- a --> beside')).toContain('beside');
  });

  it('marks column headings, and shows check boxes without a form', () => {
    expect(toProseHtml('| a | b |\n| - | -: |\n| 1 | 2 |')).toContain(
      '<thead>\n<tr>\n<th scope="col">a</th>\n<th scope="col" class="number">b</th>',
    );
    expect(toProseHtml('- [x] a\n- [ ] b')).toContain('<li>☑ a</li>\n<li>☐ b</li>');
  });

  it('contains only text elements, whatever the source', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            anyText,
            fc.constantFrom('<', '>', '![', '](', ')', '<img src=x>', '<script>', '[a]: javascript:x', '\n', '`', '# '),
          ),
          { maxLength: 12 },
        ),
        (parts) => {
          for (const tag of tagsOf(toProseHtml(parts.join('')))) {
            expect(tag).toMatch(
              /^<(?:p|h[1-6]|ul|ol|li|a|em|strong|del|code|pre|blockquote|hr|br|table|thead|tbody|tr|th|td|div|section|sup)\b/,
            );
            expect(tag).not.toMatch(/\s(?:on\w+|style|src)=|javascript:/i);
          }
        },
      ),
    );
  });

  it('resolves links and footnotes defined after a cell, too', () => {
    const pieces = renderBlocks(
      reportOf([proseOf('See [it][1].\n'), cellOf([]), proseOf('```cell-0\n```\n\n[1]: https://example.org\n')]),
    );
    expect(pieces.map(({ kind }) => kind)).toEqual(['html', 'block', 'html']);
    expect(pieces[0]).toMatchObject({ html: '<p>See <a href="https://example.org">it</a>.</p>' });
  });
});

it('keeps dates on one line, in text only', () => {
  expect(keepDates('Usage in 2026-10: 2026-10-01 to 2026-W42, <a href="/2026-10-01">12026-10</a> &#2026; 2026-1')).toBe(
    'Usage in <span class="date">2026-10</span>: <span class="date">2026-10-01</span> to <span class="date">2026-W42</span>, <a href="/2026-10-01">12026-10</a> &#2026; 2026-1',
  );
});

describe('the outline', () => {
  it('never skips a level, gives every heading a unique ID, and drops empty headings', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom('A', 'A!', '', 'Ä 1', '<code>x</code>', '&lt;')),
        ),
        (asked) => {
          const outline = openOutline();
          outline.settle(asked.map(([level, text]) => `<h${level}>${text}</h${level}>`).join('\n'));
          const levels = outline.headings.map(({ level }) => level);
          levels.forEach((level, index) => expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 1) + 1));
          expect(Math.min(2, ...levels)).toBe(2);
          expect(outline.headings).toHaveLength(asked.filter(([, text]) => text !== '').length);
          expect(new Set(outline.headings.map(({ id }) => id)).size).toBe(outline.headings.length);
        },
      ),
    );
  });
});

function manyRows(count: number): typeof days {
  return withParts(days, {
    rowCount: count,
    values: (key) => Array.from({ length: count }, (_, index) => days.values(key)[index % 4] ?? null),
  });
}
