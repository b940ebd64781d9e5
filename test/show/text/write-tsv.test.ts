import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSafeCell } from '../../../src/ask/safe-cell.ts';
import { writeTsv } from '../../../src/show/text/write-csv.ts';
import { anyResult } from '../arbitrary-result.ts';
import { exampleResult, numberColumn, textColumn } from '../example-result.ts';

describe('TSV', () => {
  it('has one line per row with one field per column, and reads back to the same texts', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        const lines = [...writeTsv(result)].join('').split('\n');
        expect(lines.pop()).toBe('');
        expect(lines).toHaveLength(result.rowCount + 1);
        for (const [row, line] of lines.slice(1).entries()) {
          const expected = result.columns.map(({ key }) => {
            const value = result.values(key)[row] ?? null;
            return typeof value === 'string' ? toSafeCell(value) : value === null ? null : String(value);
          });
          expect(line.split('\t').map(readField)).toEqual(expected);
        }
      }),
    );
  });

  it('escapes tabs, line breaks and backslashes', () => {
    const result = exampleResult([[textColumn('a'), ['a\tb', 'c\r\nd', 'C:\\x', '', null, '""', 'say "hi"']]]);
    expect([...writeTsv(result)].join('')).toBe('TrackedEvents.a\na\\tb\nc\\r\\nd\nC:\\\\x\n""\n\n\\""\nsay "hi"\n');
  });

  it('writes the header if there are no rows', () => {
    expect(
      [
        ...writeTsv(
          exampleResult([
            [textColumn('a'), []],
            [numberColumn('n'), []],
          ]),
        ),
      ].join(''),
    ).toBe('TrackedEvents.a\tTrackedEvents.n\n');
  });
});

function readField(field: string): string | null {
  if (field === '') return null;
  if (field === '""') return '';
  return field.replace(/\\(.)/g, (_, character: string) => ({ t: '\t', n: '\n', r: '\r' })[character] ?? character);
}
