import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPageStyle } from '../../../src/show/html/write-html-page.ts';
import { writeHtmlTable } from '../../../src/show/html/html-table.ts';
import { anyResult } from '../arbitrary-result.ts';
import { dayColumn, exampleResult, hostileTexts, numberColumn, textColumn } from '../example-result.ts';
import { readSvg, walk, type SvgNode } from '../picture/read-svg.ts';

const read = (html: string) => readSvg(`<div>${html}</div>`);
const textOf = (node: SvgNode): string =>
  node.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
const all = (node: SvgNode, tag: string) => [...walk(node)].filter((child) => child.tag === tag);

const days = exampleResult(
  [
    [
      dayColumn('utcTime', 'Utc Time'),
      ['2024-03-08T00:00:00.000', '2024-03-09T00:00:00.000', '2024-03-10T00:00:00.000'],
    ],
    [textColumn('path', 'Path'), ['/', '', null]],
    [numberColumn('count', 'Count'), [0, 991_631, 12]],
  ],
  { marks: { 'TrackedEvents.utcTime.day': [1, 0, 8], 'TrackedEvents.count': [1, 0, 8] } },
);

describe('HTML tables', () => {
  it('name their columns and rows, and explain their marks', () => {
    expect(writeHtmlTable(days, { caption: 'Views & days' })).toBe(`<table>
<caption>Views &amp; days</caption>
<thead><tr><th scope="col" class="date">Utc Time</th><th scope="col">Path</th><th scope="col" class="number">Count</th></tr></thead>
<tbody>
<tr><th scope="row" class="date">2024-03-08 <span class="sign">·</span></th><td>/</td><td class="number">0</td></tr>
<tr><th scope="row" class="date">2024-03-09</th><td>""</td><td class="number">991,631</td></tr>
<tr><th scope="row" class="date">2024-03-10 <span class="sign">~</span></th><td>–</td><td class="number">12</td></tr>
</tbody>
</table>
<p class="aside">· filled: there were no rows</p>
<p class="aside">~ partial: cut by the present</p>
`);
  });

  it('align weekdays as words, not as the numbers that they are', () => {
    const weekday = { ...numberColumn('weekday', 'Weekday'), kind: 'dimension', format: 'weekday' } as const;
    const html = writeHtmlTable(
      exampleResult([
        [weekday, [1]],
        [numberColumn('count', 'Count'), [2]],
      ]),
    );
    expect(html).toContain('<th scope="row">Monday</th><td class="number">2</td>');
    expect(html).toContain('<th scope="col">Weekday</th><th scope="col" class="number">Count</th>');
  });

  it('leave room for the decimals that others of a column have, so that all align', () => {
    const result = exampleResult([
      [textColumn('a'), ['w', 'x', 'y', 'z']],
      [numberColumn('b'), [233.25, 410, 204.5, null]],
      [numberColumn('c', 'c', { format: 'percent' }), [50, 33.33, 0.5, 1]],
      [numberColumn('d'), [1, 22, 3, 4]],
      [numberColumn('e'), ['0.1234567890123', '1', '2', '3']],
    ]);
    const texts = (html: string) => [...html.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text]) => text);
    const room = (halves: number) => `<span class="room room-${halves}"></span>`;
    expect(texts(writeHtmlTable(result))).toEqual([
      ...['233.25', `50%${room(5)}`, '1', '0.1234567890123'],
      ...[`410${room(5)}`, '33.33%', '22', '1'],
      ...[`204.5${room(2)}`, `0.5%${room(2)}`, '3', '2'],
      ...[`–${room(5)}`, `1%${room(5)}`, '4', '3'],
    ]);
    expect(writeHtmlTable(result, { aligned: false })).not.toContain('room');
    expect(toPageStyle()).toContain('.room-5 { width: 2.5ch; }');
  });

  it('say how many rows are omitted, and when there are none', () => {
    expect(writeHtmlTable(days, { most: 2 })).toContain('<p class="aside">The first 2 of 3 rows.</p>');
    expect(all(read(writeHtmlTable(days, { most: 2 })), 'tr')).toHaveLength(3);
    expect(writeHtmlTable(exampleResult([[textColumn('a', 'A'), []]]))).toContain('<p class="aside">No rows.</p>');
  });

  it('have a cell for each value, whatever the texts are', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        const node = read(writeHtmlTable(result));
        const rows = all(all(node, 'tbody')[0]!, 'tr');
        expect(rows).toHaveLength(result.rowCount);
        for (const row of rows) expect(row.children).toHaveLength(result.columns.length);
        expect(
          [...walk(node)].filter(
            ({ tag }) => !['div', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'span', 'p'].includes(tag),
          ),
        ).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('show hostile text as text', () => {
    const node = read(writeHtmlTable(exampleResult([[textColumn('a'), [...hostileTexts]]])));
    expect(textOf(node)).toContain('<script>alert(1)</script>');
    expect(textOf(node)).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
  });
});

it('lets long words wrap on a phone, and keeps dates and numbers whole', () => {
  const style = toPageStyle();
  expect(style).toContain('tbody th, tbody td { overflow-wrap: anywhere; }');
  for (const name of ['number', 'date']) expect(style).toMatch(new RegExp(`\\.${name} \\{[^}]*white-space: nowrap`));
});
