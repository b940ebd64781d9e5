import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { type CellValue, readXlsx } from 'hucre';
import { describe, expect, it } from 'vitest';
import type { Column, Value } from '../../src/plan/column.ts';
import { sanitizeLines } from '../../src/show/labels/sanitize.ts';
import { writeXlsx } from '../../src/show/workbook/write-xlsx.ts';
import { fewEvents, folderOf } from '../use/run-in-folder.ts';
import { membersOf } from '../run/read-zip.ts';
import { anyResult } from './arbitrary-result.ts';
import { dayColumn, exampleResult, numberColumn, textColumn } from './example-result.ts';

async function sheetsOf(bytes: Uint8Array) {
  const { sheets } = await readXlsx(bytes, { readStyles: true });
  expect(sheets.map(({ name }) => name)).toEqual(['Answer', 'About']);
  return { answer: sheets[0]!, about: sheets[1]!.rows.map((row) => row.join(' ').trim()) };
}

/** What a cell must hold: the value if Excel can hold it, otherwise its text. */
function expected(value: Value, { type }: Column): CellValue {
  if (value === null || value === '') return null;
  if (type === 'time') return new Date(`${String(value)}Z`);
  if (typeof value === 'number')
    return Number.isInteger(value) && Number(value.toPrecision(15)) !== value ? String(value) : value;
  return typeof value === 'string' ? sanitizeLines(value.replaceAll('\r\n', '\n')) || null : String(value);
}

describe('an answer as a workbook', () => {
  it('holds every value, and no formula, whatever the texts are', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, async (result) => {
        const bytes = await writeXlsx(result);
        const { answer } = await sheetsOf(bytes);
        const read = Array.from({ length: result.rowCount }, (_, row) =>
          result.columns.map((_column, index) => answer.rows[row + 1]?.[index] ?? null),
        );
        const held = Array.from({ length: result.rowCount }, (_, row) =>
          result.columns.map((column) => expected(result.values(column.key)[row] ?? null, column)),
        );
        expect(read.map((row) => row.map((value) => (value === '' ? null : value)))).toEqual(held);
        const xml = (await membersOf(bytes)).get('xl/worksheets/sheet1.xml')!.toString('utf8');
        expect(xml).not.toMatch(/<f[ >]/);
      }),
      { numRuns: 200 },
    );
  });

  it('says where it comes from and what it lacks', async () => {
    const folder = folderOf({ 'e.ndjson': `${fewEvents}broken\n` });
    const { stderr } = await folder.sluice([
      'query',
      'count by eventType limit 1',
      '--events',
      'e.ndjson',
      '-o',
      'a.xlsx',
    ]);
    expect(stderr).toContain('Limit of 1 row reached');
    const { answer, about } = await sheetsOf(readFileSync(path.join(folder.root, 'a.xlsx')));
    expect(answer.rows[0]).toEqual(['Event type', 'Events']);
    expect(about.join('\n')).toMatch(
      /^Source e\.ndjson\nRange all time, UTC\nAs of 2024-03-08 12:00:00Z\n[^]*Notes Limit of 1 row reached[^]*1 line could not be read/,
    );
  });

  it('has the same bytes for the same answer', async () => {
    const result = exampleResult([[numberColumn('count', 'Events'), [5]]]);
    const properties = async () =>
      (await membersOf(await writeXlsx(result))).get('docProps/core.xml')!.toString('utf8');
    expect(await properties()).toContain(result.provenance.asOf.slice(0, 19));
  });

  it('formats counts, percentages, money and days', async () => {
    const column = (key: string, format?: string) => ({ ...numberColumn(key, key), format });
    const result = exampleResult([
      [dayColumn('day', 'Day'), ['2024-03-01T00:00:00.000']],
      [column('count'), [1234]],
      [column('average'), [12.345]],
      [column('rate', 'percent'), [12.5]],
      [column('total', 'currency'), [3]],
      [column('order', 'id'), [1001]],
      [column('weekday', 'weekday'), [1]],
      [textColumn('name', 'Name'), ['00123']],
    ]);
    const { answer } = await sheetsOf(await writeXlsx(result));
    const formats = result.columns.map((_, index) => answer.cells?.get(`1,${index}`)?.style?.numFmt);
    expect(formats.slice(0, 6)).toEqual(['yyyy-mm-dd', '#,##0', '#,##0.00##', '0.00"%"', '#,##0.00', '0']);
    expect(answer.rows[1]!.slice(6)).toEqual(['Monday', '00123']);
  });

  it('has numbers of more digits than Excel keeps as text and says so, except floats that were measured', async () => {
    const id = { ...numberColumn('id', 'ID'), kind: 'dimension' } as const;
    const float = numberColumn('float', 'Float');
    const values = [5e15, 12_148_148_146_814_750, 1];
    const result = exampleResult(
      [
        [id, values],
        [numberColumn('whole', 'Whole'), [5n * 10n ** 15n, 12_148_148_146_814_751n, 1]],
        [float, values],
      ],
      { types: new Map([[float.key, { kind: 'double' }]]) },
    );
    const { answer, about } = await sheetsOf(await writeXlsx(result));
    expect(answer.rows.slice(1)).toEqual([
      [5e15, '5000000000000000', 5e15],
      ['12148148146814750', '12148148146814751', 12_148_148_146_814_750],
      [1, 1, 1],
    ]);
    expect(about.at(-1)).toContain('3 numbers are text, because Excel keeps fifteen digits: its sums leave them out.');
  });

  it('tells the two hours apart that the clock shows twice, and says so', async () => {
    const hours = ['01:00:00.000+02:00', '02:00:00.000+02:00', '02:00:00.000+01:00', '03:00:00.000+01:00'];
    const result = exampleResult([
      [{ ...dayColumn('hour', 'Hour'), granularity: 'hour' }, hours.map((hour) => `2024-10-27T${hour}`)],
      [numberColumn('count', 'Events'), [1, 2, 3, 4]],
    ]);
    const { answer, about } = await sheetsOf(await writeXlsx(result));
    expect(answer.rows.slice(1).map(([hour]) => hour)).toEqual([
      new Date('2024-10-27T01:00:00Z'),
      '2024-10-27 02:00+02:00',
      '2024-10-27 02:00+01:00',
      new Date('2024-10-27T03:00:00Z'),
    ]);
    expect(about.at(-1)).toContain('2 times are text: the clock showed them twice.');
  });

  it('shows small numbers, which two decimals would make 0', async () => {
    const result = exampleResult([
      [numberColumn('small'), [0.00004, 12]],
      [numberColumn('usual'), [0.004, 0]],
    ]);
    const { answer } = await sheetsOf(await writeXlsx(result));
    const formats = [0, 1].map((index) => answer.cells?.get(`1,${index}`)?.style?.numFmt ?? 'General');
    expect(formats).toEqual(['General', '#,##0.00##']);
  });

  it('marks what was filled and what is partial', async () => {
    const result = exampleResult([[numberColumn('count', 'Events'), [0, 5, 7]]], {
      marks: { 'TrackedEvents.count': [1, 4, 0] },
    });
    const { answer, about } = await sheetsOf(await writeXlsx(result));
    const fonts = [1, 2, 3].map((row) => answer.cells?.get(`${row},0`)?.style?.font);
    expect(fonts).toEqual([
      expect.objectContaining({ color: { rgb: '8A8A8A' } }),
      expect.objectContaining({ italic: true }),
      undefined,
    ]);
    expect(about.join('\n')).toMatch(/Grey: filled[^]*Italic: partial/);
  });

  it('cuts texts that no cell can hold, and says so', async () => {
    const { answer, about } = await sheetsOf(
      await writeXlsx(exampleResult([[textColumn('t', 'Text'), ['x'.repeat(40_000), 'y']]])),
    );
    expect(String(answer.rows[1]![0])).toHaveLength(32_767);
    expect(about.at(-1)).toContain('1 text is cut: a cell holds 32,767 letters.');
  });

  it('is refused if it has more rows than a sheet', async () => {
    const many = exampleResult([[numberColumn('count', 'Events'), new Float64Array(1_048_576)]]);
    await expect(writeXlsx(many)).rejects.toMatchObject({ code: 'too-many-rows', kind: 'limit' });
  });

  it('can be asked again as events', async () => {
    const folder = folderOf({ 'e.ndjson': fewEvents });
    await folder.sluice(['query', 'count by day', '--events', 'e.ndjson', '-o', 'a.xlsx']);
    const before = await folder.sluice(['query', 'count by day', '--events', 'e.ndjson', '-f', 'csv']);
    const again = await folder.sluice([
      'query',
      'sum(Events) by day',
      '--events',
      'a.xlsx',
      '--map',
      'utcTime=Day',
      '-f',
      'csv',
    ]);
    expect(again.stdout.split('\n').slice(1)).toEqual(before.stdout.split('\n').slice(1));
  });
});
