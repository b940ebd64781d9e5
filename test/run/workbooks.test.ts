import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type CellValue, type WriteSheet, writeXlsx } from 'hucre';
import { describe, expect, it } from 'vitest';
import { folderOf } from '../use/run-in-folder.ts';
import { runs } from '../runs.ts';
import { openScriptedServer } from './http/scripted-server.ts';

const fixture = (name: string) => readFileSync(new URL(`../data/${name}`, import.meta.url));
const at = (text: string) => new Date(`${text}Z`);

async function book(
  sheets: Readonly<Record<string, readonly (readonly CellValue[])[]>>,
  hidden: readonly string[] = [],
) {
  return writeXlsx({
    sheets: Object.entries(sheets).map(
      ([name, rows]): WriteSheet => ({ name, rows: rows as CellValue[][], hidden: hidden.includes(name) }),
    ),
  });
}

const orders = [
  ['Order', 'Created at', 'Customer', 'Total (€)', 'Paid'],
  ['A1', at('2026-10-24T10:20:30'), 'ann', 12.5, true],
  ['A2', at('2026-10-24T23:59:59.999'), 'bob', 0.1 + 0.2, false],
  ['A3', at('2026-10-25T00:00:00'), 'ann', null, null],
];

const ask = async (
  folder: ReturnType<typeof folderOf>,
  question: string,
  file: string,
  ...flags: readonly string[]
) => {
  const { code, stdout, stderr } = await folder.sluice(['query', question, '--events', file, '-f', 'csv', ...flags]);
  return { code, rows: stdout.trim().split('\n').slice(1), stderr };
};

describe('a workbook', () => {
  it('is read like its sheet as CSV', async () => {
    const folder = folderOf({ 'orders.xlsx': await book({ Orders: orders }) });
    expect(await ask(folder, 'count, uniqueUsersCount, sum("Total (€)") by day', 'orders.xlsx')).toMatchObject({
      code: 0,
      // Spreadsheets show fifteen digits: 0.1 + 0.2 is 0.3.
      rows: ['2026-10-24T00:00:00.000,2,2,12.8', '2026-10-25T00:00:00.000,1,1,0'],
    });
    expect((await ask(folder, 'count by Paid order by Paid', 'orders.xlsx')).rows).toEqual(['false,1', 'true,1', ',1']);
  });

  it('has the names of its columns below those of their groups, and numbers with decimal commas', async () => {
    const day = (index: number) => at(`2026-10-2${index}T10:00:00`);
    const folder = folderOf({
      'deals.xlsx': await book({
        Deals: [
          ['Deals of the year'],
          ['Deal', null, 'Customer; who', null, 'Worth'],
          ['Date', 'Number', 'Name', 'Town, "where"', 'Amount'],
          ...[0, 1, 2].map((index) => [day(index), `V-${index}`, 'ann', 'x;y', `${index + 1}5.000,50`]),
        ],
      }),
    });
    expect(await ask(folder, 'count, sum(Amount) by Name', 'deals.xlsx')).toMatchObject({
      code: 0,
      rows: ['ann,3,75001.5'],
    });
    expect((await ask(folder, 'count by "Town, \\"where\\""', 'deals.xlsx')).rows).toEqual(['x;y,3']);
    expect(await folder.sluice(['init', 'deals.xlsx', '--yes'])).toMatchObject({ code: 0 });
    expect((await ask(folder, 'sum(Amount)', 'deals.xlsx')).rows).toEqual(['75001.5']);
  });

  it('with different tables is refused, and a path names one of its sheets', async () => {
    const users = [
      ['id', 'Signed up', 'Name'],
      ['7', at('2026-01-01T00:00:00'), 'Zoë'],
    ];
    const folder = folderOf({ 'company.xlsx': await book({ Orders: orders, Users: users }) });
    const { code, stderr } = await ask(folder, 'count', 'company.xlsx');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /several sheets whose rows have times, in different columns:\n {2}Orders: Order, Created at, [^]*\n {2}Users: id, [^]*Name one, such as \S*company\.xlsx\/Orders\./,
    );
    for (const sheet of ['Orders', 'orders', 'Orders.csv'])
      expect(await ask(folder, 'count, sum("Total (€)")', `company.xlsx/${sheet}`)).toMatchObject({
        code: 0,
        rows: ['3,12.8'],
      });
    expect((await ask(folder, 'count', 'company.xlsx/Order')).stderr).toContain('has no sheet "Order".');
    expect(await folder.sluice(['init', 'company.xlsx/Orders', '--yes'])).toMatchObject({ code: 0 });
    folder.write('model.yaml', 'cubes: [{name: users, sql_table: users, measures: [{name: count, type: count}]}]\n');
    folder.write('sluice.yaml', 'model: model.yaml\ntables: {users: company.xlsx/Users}\n');
    expect((await folder.sluice(['query', 'users.count', '-f', 'csv'])).stdout).toContain('\n1\n');
  });

  it('of several months is read whole, except what has no time, which is said', async () => {
    const [, ...rows] = orders;
    const header = ['docPath', 'utcTime', 'userId', 'total', 'paid'];
    const folder = folderOf({
      'year.xlsx': await book({
        Oct: [header, ...rows],
        Nov: [header, ['A4', at('2026-11-02T08:00:00'), 'cy', 1, true]],
        Prices: [
          ['Item', 'Price'],
          ['tea', 3],
        ],
        Empty: [],
      }),
    });
    const { rows: counted, stderr } = await ask(folder, 'count by month', 'year.xlsx');
    expect(counted).toEqual(['2026-10-01T00:00:00.000,3', '2026-11-01T00:00:00.000,1']);
    expect(stderr).toContain('The sheet "Prices" of "year.xlsx" is not read: it has no column with a time.');
    // In a folder, and into a store.
    expect((await ask(folder, 'count', '.')).rows).toEqual(['4']);
    const loaded = await folder.sluice(['ingest', 'year.xlsx', '--store', 'store']);
    expect([loaded.code, loaded.stderr]).toEqual([0, expect.stringContaining('The sheet "Prices" of "year.xlsx"')]);
    expect((await folder.sluice(['query', 'count', '--store', 'store', '-f', 'csv'])).stdout).toContain('\n4\n');
  });

  it('does not keep its process from reading a web address', async () => {
    await using server = await openScriptedServer(() => ({ text: '{"utcTime":"2026-10-24T10:00:00Z"}\n' }));
    const folder = folderOf({
      'a.xlsx': await book({
        Orders: orders,
        Notes: [
          ['Hello', 'World'],
          ['a', 'b'],
        ],
      }),
    });
    expect((await ask(folder, 'count', 'a.xlsx')).stderr).toContain('The sheet "Notes"');
    expect((await ask(folder, 'count', `${server.url}/events.ndjson`)).rows).toEqual(['1']);
    expect((await folder.sluice(['ingest', `${server.url}/events.ndjson`, '--store', 'store'])).code).toBe(0);
  });

  it('keeps hidden sheets to itself', async () => {
    const folder = folderOf({ 'a.xlsx': await book({ Orders: orders, Draft: orders }, ['Draft']) });
    const { rows, stderr } = await ask(folder, 'count', 'a.xlsx');
    expect([rows, stderr]).toEqual([['3'], expect.not.stringContaining('Draft')]);
  });

  it('is text in UTF-8, whatever the encoding of other files', async () => {
    const folder = folderOf({ 'a.xlsx': await book({ Orders: [orders[0]!, ['A1', orders[1]![1]!, 'Zoë', 1, true]] }) });
    expect((await ask(folder, 'count by Customer', 'a.xlsx', '--encoding', 'windows-1252')).rows).toEqual(['Zoë,1']);
  });

  it('has its column names below a title', async () => {
    const folder = folderOf({ 'a.xlsx': await book({ Orders: [['Orders of the shop'], [], ...orders] }) });
    expect((await ask(folder, 'count by Customer', 'a.xlsx')).rows).toEqual(['ann,2', 'bob,1']);
  });

  it.each([1, 5, 19, 20, 21, 22, 300])('of one column with %i rows is read whole', async (count) => {
    const rows = Array.from({ length: count }, (_, minute) => [new Date(Date.UTC(2026, 9, 24, 0, minute, 1))]);
    const folder = folderOf({ 'a.xlsx': await book({ Times: [['Created at'], ...rows] }) });
    expect((await ask(folder, 'count', 'a.xlsx', '--map', 'utcTime=Created at')).rows).toEqual([String(count)]);
  });

  it('shows dates without a time of day', async () => {
    const days = [
      ['Created at', 'Sent', 'Due'],
      [at('2026-10-24T10:00:00'), at('2026-10-24T00:00:00'), at('2026-10-24T00:00:00')],
      [at('2026-10-25T11:00:00'), at('2026-10-25T00:00:00'), at('2026-10-25T12:00:00')],
    ];
    const folder = folderOf({ 'a.xlsx': await book({ Days: days }) });
    const shown = async (member: string) => (await ask(folder, `count by ${member} order by ${member}`, 'a.xlsx')).rows;
    expect(await shown('Sent')).toEqual(['2026-10-24,1', '2026-10-25,1']);
    // With a time in one row, all rows have one.
    expect(await shown('Due')).toEqual(['2026-10-24 00:00:00,1', '2026-10-25 12:00:00,1']);
  });

  it('can be a table of a model', async () => {
    const folder = folderOf({
      'prices.xlsx': await book({
        Prices: [
          ['item', 'price'],
          ['tea', 3],
          ['cake', 4.5],
        ],
      }),
      'sluice.yaml': 'tables: {prices: prices.xlsx}\nmodel: model.yaml\n',
      'model.yaml': `cubes:
  - name: Prices
    sql_table: prices
    dimensions: [{name: item, sql: item, type: string}]
    measures: [{name: total, sql: price, type: sum}]
`,
    });
    const { stdout, stderr } = await folder.sluice(['query', 'Prices.total by Prices.item', '-f', 'csv']);
    expect([stdout.split('\n').slice(1, 3), stderr]).toEqual([['cake,4.5', 'tea,3'], '']);
  });

  it.each(['shop-orders.xlsx', 'shop-orders.ods'])('of LibreOffice is read: %s', async (name) => {
    const folder = folderOf({ [name]: fixture(name) });
    const total = 'sum("Total (€)"), max(Rate) by Datum';
    expect((await ask(folder, total, name)).rows).toEqual(['2026-10-25,25.3,', '2026-10-24,12.5,0.25']);
    expect((await ask(folder, 'count by hour', name)).rows.filter((row) => !row.endsWith(',0'))).toEqual([
      '2026-10-24T10:00:00.000Z,1',
      '2026-10-25T23:00:00.000Z,1',
    ]);
  });

  it('that is damaged is refused', async () => {
    const whole = await book({ Orders: orders });
    const folder = folderOf({ 'a.xlsx': whole.subarray(0, whole.length - 100), 'b.ods': whole });
    for (const name of ['a.xlsx', 'b.ods']) {
      const { code, stderr } = await ask(folder, 'count', name);
      expect([code, stderr]).toEqual([
        5,
        expect.stringMatching(new RegExp(`${name} cannot be read as a workbook: .*\n.*save its sheet as CSV`)),
      ]);
    }
  });

  it('gives the answers of its CSV, whatever its cells contain', { timeout: 120_000 }, async () => {
    const cell = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('a', 'b,"c"', 'line\nbreak', ' blank ', '=1+1', 'ü–日', '00123', '2026-10-24'),
      },
      fc.integer({ min: -1e6, max: 1e6 }),
      fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
      fc.boolean(),
      fc.constant(null),
    );
    const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 5_000 }), cell, cell, cell), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(rows, async (drawn) => {
        const names = ['time', 'one', 'two', 'three'];
        const timed = drawn.map(([minutes, ...cells]) => [
          new Date(Date.UTC(2026, 9, 24) + minutes * 60_000 + 1_000),
          ...cells,
        ]);
        const quoted = (value: CellValue) => (value === null ? '' : `"${String(value).replaceAll('"', '""')}"`);
        const csv = timed.map(([time, ...cells]) =>
          [
            (time as Date).toISOString().slice(0, 19).replace('T', ' '),
            ...cells.map((value) => quoted(value as CellValue)),
          ].join(','),
        );
        const folder = folderOf({
          'a.xlsx': await book({ S: [names, ...(timed as CellValue[][])] }),
          'a.csv': `${[names.join(','), ...csv].join('\n')}\n`,
        });
        for (const question of ['count by hour', 'count by one, two', 'count by three', 'sum(one), max(two)']) {
          const [fromBook, fromCsv] = [await ask(folder, question, 'a.xlsx'), await ask(folder, question, 'a.csv')];
          expect([question, fromBook.code, fromBook.rows]).toEqual([question, fromCsv.code, fromCsv.rows]);
        }
      }),
      { numRuns: runs(15) },
    );
  });
});
