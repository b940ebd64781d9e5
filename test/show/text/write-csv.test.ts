import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Value } from '../../../src/plan/column.ts';
import { writeCsv } from '../../../src/show/text/write-csv.ts';
import { anyResult } from '../arbitrary-result.ts';
import { exampleResult, numberColumn, textColumn } from '../example-result.ts';
import { readCsv } from '../read-separated.ts';

const write = (values: readonly Value[]) =>
  [...writeCsv(exampleResult([[textColumn('a'), values]]))].join('').split('\n').slice(1, -1).join('\n');

describe('CSV', () => {
  it('reads back to the same values, with null and the empty text distinct', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        const [header, ...records] = readCsv([...writeCsv(result)].join(''));
        expect(header?.map(({ text }) => text)).toEqual(result.columns.map(({ key }) => key));
        expect(records).toHaveLength(result.rowCount);
        for (const [row, record] of records.entries()) {
          const expected = result.columns.map(({ key }) => expectedField(result.values(key)[row] ?? null));
          expect(record.map(({ text, quoted }) => (text === '' && !quoted ? null : text))).toEqual(expected);
        }
      }),
    );
  });

  it('contains no control character except tabs and line breaks', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        expect([...writeCsv(result)].join('')).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/);
      }),
    );
  });

  it('keeps every character of raw cells, so that different texts never look equal', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 9 }), (texts) => {
        const values = [...texts, '=1+1', '-x', 'a\0b', 'ab', '\u001b[2J'];
        const result = exampleResult([[textColumn('a'), values]]);
        const [, ...records] = readCsv([...writeCsv(result, { rawCells: true })].join(''));
        expect(records.map(([field]) => field?.text)).toEqual(values);
      }),
    );
  });

  it('writes the header if there are no rows', () => {
    expect(
      [
        ...writeCsv(
          exampleResult([
            [textColumn('a'), []],
            [numberColumn('n'), []],
          ]),
        ),
      ].join(''),
    ).toBe('TrackedEvents.a,TrackedEvents.n\n');
  });

  it('quotes the empty text and leaves null empty', () => {
    expect(
      [
        ...writeCsv(
          exampleResult([
            [textColumn('a'), ['', null]],
            [numberColumn('n'), [null, 0]],
          ]),
        ),
      ].join(''),
    ).toBe('TrackedEvents.a,TrackedEvents.n\n"",\n,0\n');
  });

  it.each(['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '＝1+1', '\0=1'])(
    'puts an apostrophe before the formula %j',
    (text) => {
      expect(readCsv(`${write([text])}\n`)[0]?.[0]?.text).toMatch(/^'/);
    },
  );

  it.each(['-1', '+1.5', '-1e9', '.5'])('keeps the number %j in a text column unchanged', (text) => {
    expect(write([text])).toBe(text);
  });

  it('keeps every digit of large integers and decimals', () => {
    const result = exampleResult([[numberColumn('n'), [12345678901234567890n, '-98765432109876543210.25', -5]]]);
    expect([...writeCsv(result)].join('')).toBe(
      'TrackedEvents.n\n12345678901234567890\n-98765432109876543210.25\n-5\n',
    );
  });

  it('quotes commas, quotes and line breaks', () => {
    expect(write(['a,b', 'say "hi"', 'two\nlines'])).toBe('"a,b"\n"say ""hi"""\n"two\nlines"');
  });
});

/** The allowed content of a cell, written independently of the code under test. */
function expectedField(value: Value): string | null {
  if (value === null || typeof value !== 'string') return value === null ? null : String(value);
  const kept = [...value]
    .filter((character) => !isControl(character.codePointAt(0) as number))
    .map((character) => (isLone(character) ? '\ufffd' : character))
    .join('');
  const risky =
    kept !== '' &&
    '=+-@\t\r\n＝＋－＠'.includes(kept[0] as string) &&
    !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(kept);
  return risky ? `'${kept}` : kept;
}

function isControl(code: number): boolean {
  return (code < 0x20 && code !== 9 && code !== 10 && code !== 13) || (code >= 0x7f && code <= 0x9f);
}

function isLone(character: string): boolean {
  return character.length === 1 && character >= '\ud800' && character <= '\udfff';
}
