import { describe, expect, it } from 'vitest';
import { folderOf } from './run-in-folder.ts';

const row = (columns: Readonly<Record<string, unknown>>) =>
  `${JSON.stringify({ utcTime: '2024-03-01T10:00:00Z', userId: 'a', plan: 'pro', ...columns })}\n`;

async function ask(line: string, columns: Readonly<Record<string, unknown>>) {
  const folder = folderOf({ 'a.ndjson': row(columns) });
  return folder.sluice(['query', line, '--events', 'a.ndjson', '-f', 'csv']);
}

describe('a column whose name begins with a word of a clause', () => {
  it('is found by its own name without quotes', async () => {
    for (const line of ['sum of Order value', 'count by Order value', 'sum(Order value) by plan order by plan'])
      expect([line, (await ask(line, { 'Order value': 7 })).code]).toEqual([line, 0]);
    const { stdout } = await ask('average top speed by plan top 1', { 'top speed': 7 });
    expect(stdout.split('\n')[1]).toBe('pro,7');
  });

  it('is offered as it is written, in one message', async () => {
    for (const [line, column, hint] of [
      ['average order value', 'order_value', 'avg(props.order_value)'],
      ['average order value', 'Order value', 'avg("Order value")'],
      ['average order value', 'amount', 'avg(props.amount)'],
      ['sum of order value', 'Order value', 'sum("Order value")'],
      ['count by order value', 'Order value', '"Order value"'],
    ] as const) {
      const { stderr } = await ask(line, { [column]: 7 });
      expect([line, stderr]).toEqual([line, expect.stringContaining(hint)]);
      expect([line, stderr]).toEqual([line, expect.stringContaining('The question has errors.')]);
    }
  });

  it('does not hide clauses', async () => {
    const { stdout } = await ask('count by plan order by plan limit 1', { 'order by': 1 });
    expect(stdout.split('\n')[1]).toBe('pro,1');
  });
});
