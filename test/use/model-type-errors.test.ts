import { afterAll, expect, it } from 'vitest';
import { open } from '../../src/use/index.ts';
import { openFolder } from './run-in-folder.ts';

const folder = openFolder();
afterAll(() => folder.remove());

folder.write(
  'model.yaml',
  `cubes:
  - name: orders
    sql_table: orders
    measures: [{name: total, type: sum, sql: code}, {name: mean, type: avg, sql: "{CUBE}.code"}, {name: gone, type: sum, sql: gone}, {name: count, type: count}]
    dimensions:
      - {name: day, sql: day, type: time}
      - {name: late, sql: late, type: time}
      - {name: number, sql: code, type: number}
`,
);
folder.write('orders.csv', 'code,day,late\n007,31.12.2024,2024-13-40\n');

it.each([
  ['total', 'A measure adds up a column of text: sum(VARCHAR).'],
  ['mean', 'A measure adds up a column of text: avg(VARCHAR).'],
  ['gone', 'The SQL of the model does not fit its tables: "orders" does not have a column named "gone".'],
  ['count by day month', 'A dimension of type `time` has the text "31.12.2024".'],
  ['count by late month', 'A dimension of type `time` has the text "2024-13-40".'],
  ['count where number > 5', 'The SQL of the model compares text with numbers.'],
])('says what the SQL of %s does with the wrong type', async (question, message) => {
  const sluice = await open({ workspace: folder.root, env: {}, model: 'model.yaml', tables: { orders: 'orders.csv' } });
  await expect(sluice.query(`orders.${question}`)).rejects.toThrow(message);
  await sluice.close();
});

it('says that the columns of a table of empty files are unknown', async () => {
  folder.write('empty.ndjson', '');
  folder.write('none.json', '[]');
  folder.write('header.csv', 'code,day,late\n');
  const sluice = async (orders: string | readonly string[]) =>
    open({ workspace: folder.root, env: {}, model: 'model.yaml', tables: { orders: orders as string } });
  for (const file of ['none.json', 'empty.ndjson']) {
    await using empty = await sluice(file);
    await expect(empty.query('orders.count by day month')).rejects.toThrow(
      'The table "orders" has no rows, and its files do not name its columns.',
    );
    expect((await empty.query('orders.count')).rows()).toEqual([{ 'orders.count': 0 }]);
  }
  await using headed = await sluice('header.csv');
  expect((await headed.query('orders.count by day month')).rows()).toEqual([]);
});
