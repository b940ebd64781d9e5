import { expect, it } from 'vitest';
import { folderOf } from './run-in-folder.ts';

it('finds the earliest and latest instant of a text with several offsets, and of a date in the zone asked for', async () => {
  const folder = folderOf({
    'orders.csv':
      'id,at,due\n1,2024-03-30 10:00:00,2024-04-01\n2,2024-03-30T11:00:00+02:00,2024-04-02\n3,2024-03-30T06:30:00-05:00,2024-04-03\n',
    'model.yaml': `cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - {name: id, sql: id, type: string, primary_key: true}
      - {name: at, sql: at, type: time}
      - {name: due, sql: due, type: time}
    measures: [{name: count, type: count}]
`,
    'sluice.yaml': 'model: model.yaml\ntables: {orders: orders.csv}\n',
  });
  const line = 'min(orders.at), max(orders.at), min(orders.due), max(orders.due)';
  const { stdout, stderr } = await folder.sluice(['query', line, '-f', 'csv', '--timezone', 'America/New_York']);
  expect(stdout.split('\n')[1], stderr).toBe(
    '2024-03-30T09:00:00.000Z,2024-03-30T11:30:00.000Z,2024-04-01T04:00:00.000Z,2024-04-03T04:00:00.000Z',
  );
  const byMonth = await folder.sluice(['query', 'max(orders.at) by orders.due month', '-f', 'csv']);
  expect(byMonth.stdout.split('\n')[1]).toBe('2024-04-01T00:00:00.000,2024-03-30T11:30:00.000Z');
});
