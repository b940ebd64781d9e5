import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { open } from '../../src/use/index.ts';
import { folderOf, now } from './run-in-folder.ts';

const model = `cubes:
  - name: Sales
    sql_table: sales
    measures:
      - {name: count, type: count}
      - {name: total, type: sum, sql: "CAST({CUBE}.amount AS DOUBLE)"}
      - {name: most, type: max, sql: "CAST({CUBE}.amount AS DOUBLE)"}
      - {name: least, type: min, sql: "CAST({CUBE}.amount AS DOUBLE)"}
      - {name: ratio, type: number, sql: "{total} / ({count} - {count})"}
    dimensions:
      - {name: amount, sql: "CAST({CUBE}.amount AS DOUBLE)", type: number}
      - {name: written, sql: "CAST({CUBE}.amount AS DOUBLE)", type: string}
`;
const rows = 'amount\n1.5\nNaN\ninf\n-inf\n\nNaN\n1.5\n'
  .replace('amount\n', 'amount,x\n')
  .replaceAll(/^(?!amount)(.*)$/gm, '$1,x')
  .replace(/,x$/, '');

describe('NaN and infinities', () => {
  it('are separate values, one group each, in every format', async () => {
    const folder = folderOf({ 'model.yaml': model, 'sales.csv': rows });
    await using sluice = await open({
      workspace: folder.root,
      env: {},
      now: () => now,
      model: 'model.yaml',
      tables: { sales: 'sales.csv' },
      onNote: () => undefined,
    });
    const result = await sluice.query({
      measures: ['Sales.count'],
      dimensions: ['Sales.amount'],
      order: { 'Sales.amount': 'asc' },
    });
    expect(result.rows().map((row) => [row['Sales.amount'], row['Sales.count']])).toEqual([
      [-Infinity, 1],
      [1.5, 2],
      [Infinity, 1],
      [NaN, 2],
      [null, 1],
    ]);
    expect(result.provenance.notes.join()).toContain('3 values are NaN or infinite');
    const totals = await sluice.query({
      measures: ['Sales.total', 'Sales.ratio'],
      dimensions: ['Sales.written'],
      order: { 'Sales.written': 'asc' },
    });
    expect(totals.rows().map((row) => [row['Sales.written'], row['Sales.total']])).toEqual(
      expect.arrayContaining([
        ['1.5', 3],
        ['Infinity', Infinity],
        ['NaN', NaN],
        [null, null],
      ]),
    );

    const asked = {
      measures: ['Sales.count'],
      dimensions: ['Sales.amount', 'Sales.written'],
      order: { 'Sales.amount': 'asc' },
    } as const;
    const textOf = async (file: string, limit?: number) => {
      const to = path.join(folder.root, file);
      // Few rows are answered as a whole, all of them piece by piece.
      await sluice.write(limit === undefined ? asked : { ...asked, limit }, to);
      return readFileSync(to, 'utf8');
    };
    for (const limit of [undefined, 100]) {
      expect((await textOf('a.csv', limit)).split('\n').slice(1)).toEqual([
        "-Infinity,'-Infinity,1",
        '1.5,1.5,2',
        'Infinity,Infinity,1',
        'NaN,NaN,2',
        ',,1',
        '',
      ]);
      const json = JSON.parse(await textOf('a.json', limit)) as readonly Record<string, unknown>[];
      expect(json.map((row) => row['Sales.amount'])).toEqual(['-Infinity', 1.5, 'Infinity', 'NaN', null]);
    }
    const { body } = await sluice.load({ query: asked });
    expect(
      'data' in body && Array.isArray(body.data)
        ? body.data.map((row) => (row as Record<string, unknown>)['Sales.amount'])
        : JSON.stringify(body),
    ).toEqual(expect.stringContaining('NaN') as unknown);
  });

  it('are no size: no number is less than NaN, and it comes last in any order', async () => {
    const folder = folderOf({ 'model.yaml': model, 'sales.csv': rows });
    await using sluice = await open({
      workspace: folder.root,
      env: {},
      now: () => now,
      model: 'model.yaml',
      tables: { sales: 'sales.csv' },
      onNote: () => undefined,
    });
    const answer = async (question: string) => (await sluice.query(question)).rows().map((row) => Object.values(row));
    expect(await answer('Sales.count where Sales.amount > 0')).toEqual([[3]]);
    expect(await answer('Sales.count where Sales.amount >= 1.5')).toEqual([[3]]);
    expect(await answer('Sales.count where Sales.amount < 9')).toEqual([[3]]);
    expect(await answer('Sales.count where Sales.amount != 1.5')).toEqual([[5]]);
    expect(await answer('Sales.most, Sales.least, max(Sales.amount)')).toEqual([[Infinity, -Infinity, Infinity]]);
    expect(await answer('Sales.most by Sales.written where Sales.written = NaN')).toEqual([['NaN', NaN]]);
    expect(await answer("Sales.count where Sales.written in (Infinity, -Infinity, '1.5')")).toEqual([[4]]);
    const ordered = async (direction: 'asc' | 'desc') =>
      (
        await sluice.query({
          measures: ['Sales.total'],
          dimensions: ['Sales.written'],
          order: { 'Sales.total': direction },
        })
      )
        .rows()
        .map((row) => row['Sales.total']);
    expect(await ordered('asc')).toEqual([-Infinity, 3, Infinity, NaN, null]);
    expect(await ordered('desc')).toEqual([Infinity, 3, -Infinity, NaN, null]);
    const over = await sluice.query({
      measures: ['Sales.total'],
      dimensions: ['Sales.written'],
      filters: [{ member: 'Sales.total', operator: 'gt', values: ['0'] }],
    });
    expect(over.rows().map((row) => row['Sales.written'])).toEqual(['Infinity', '1.5']);
  });
});
