import { expect, it } from 'vitest';
import { folderOf } from './run-in-folder.ts';

const header = 'Name,Email,Financial Status,Total,Created at,Lineitem name,Lineitem price,Cancelled at';
const row = (order: number, item: number) =>
  `#${order},a@x.org,${item === 0 ? `paid,${order}` : ','},2024-03-0${(order % 8) + 1} 10:00:00 +0100,Mug ${item},5,`;
const orders = [1, 2, 3, 4].flatMap((order) => [0, 1, 2].slice(0, 1 + (order % 3)).map((item) => row(order, item)));

it('columns that only the first row of an order has are named where they are asked for', async () => {
  const folder = folderOf({ 'orders.csv': `${[header, ...orders].join('\n')}\n` });
  const ask = (line: string) => folder.sluice(['query', line, '--events', 'orders.csv', '-f', 'csv']);
  const said =
    'Only the first row of each Name has Financial Status: groups and filters by it leave out the rows below';
  const { stdout, stderr } = await ask('count where "Financial Status" = paid');
  expect(stdout).toContain('\n4\n');
  expect(stderr).toContain(said);
  expect((await ask('count by "Lineitem name"')).stderr).not.toContain('first row');
  const setUp = await folder.sluice(['init', 'orders.csv', '--yes']);
  expect(setUp.stdout + setUp.stderr).toContain('Only the first row of each Name has Financial Status, Total:');
});

it('an event that lacks what the one above it has is no row of an order', async () => {
  const lines = orders.map((line, index) => (index === 1 ? line.replace(',,,', ',paid,2,') : line));
  const other = folderOf({ 'others.csv': `${[header, ...lines].join('\n')}\n` });
  const { stderr } = await other.sluice(['query', 'count by "Financial Status"', '--events', 'others.csv']);
  expect(stderr).not.toContain('first row');
});
