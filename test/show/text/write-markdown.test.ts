import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeMarkdown } from '../../../src/show/text/write-markdown.ts';
import { anyResult } from '../arbitrary-result.ts';
import { dayColumn, exampleResult, hostileTexts, numberColumn, textColumn } from '../example-result.ts';

const write = (result: Parameters<typeof writeMarkdown>[0]) => [...writeMarkdown(result)].join('');
const writeCell = (text: string) => write(exampleResult([[textColumn('a'), [text]]])).split('\n')[2];

describe('Markdown', () => {
  it('is a table that is readable as text', async () => {
    const flags = [1, 0, 8];
    const result = exampleResult(
      [
        [
          dayColumn('utcTime', 'Utc Time'),
          ['2024-03-08T00:00:00.000', '2024-03-09T00:00:00.000', '2024-03-10T00:00:00.000'],
        ],
        [textColumn('pageTitle', 'Page Title'), ['Pricing', 'a | b', null]],
        [numberColumn('count', 'Count'), [0, 991_631, 12]],
        [numberColumn('rate', 'Rate', { format: 'percent' }), [null, 6.5612, 100]],
      ],
      {
        marks: { 'TrackedEvents.utcTime.day': flags, 'TrackedEvents.count': flags },
        provenance: { truncated: { limit: 3 }, total: 1200 },
      },
    );
    await expect(write(result)).toMatchFileSnapshot('../golden/markdown.md');
  });

  it('keeps every row on one line with one cell per column', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        const table = write(result)
          .split('\n')
          .slice(0, result.rowCount + 2);
        for (const line of table) expect(line.replace(/\\./gu, '').split('|')).toHaveLength(result.columns.length + 2);
      }),
    );
  });

  it('contains no control characters and no markup from values', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        const text = write(result);
        expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
        expect(text.replace(/\\./gu, '')).not.toMatch(/[<>`*[\]@#]/);
      }),
    );
  });

  it('escapes markup, links, references and formulas', () => {
    expect(writeCell(hostileTexts[4] as string)).toBe(
      '| \\<script\\>alert(1)\\</script\\> \\| \\`code\\` \\*bold\\* \\[link\\](https\\://evil.example) \\@all \\#1 |',
    );
    expect(writeCell('www.evil.example &lt; !12 :smile: _a_ ~~x~~ $y$')).toBe(
      '| www\\.evil.example \\&lt; \\!12 \\:smile: \\_a\\_ \\~\\~x\\~\\~ \\$y\\$ |',
    );
  });

  it('does not escape paths, times and words with underscores', () => {
    expect(writeCell('/docs/a_b?x=1&y=%20')).toBe('| /docs/a_b?x=1&y=%20 |');
    expect(writeCell('at 10:30, AT&T!')).toBe('| at 10:30, AT&T! |');
  });

  it('writes the header if there are no rows', () => {
    expect(
      write(
        exampleResult([
          [textColumn('a', 'A'), []],
          [numberColumn('n', 'N'), []],
        ]),
      ),
    ).toBe('| A | N |\n| --- | ---: |\n');
  });
});
