import { describe, expect, it } from 'vitest';
import { looksLikeSql, questionOfSql } from '../../../src/ask/notation/sql-question.ts';
import { readNotation } from '../../../src/ask/notation/read-notation.ts';
import { folderOf } from '../../use/run-in-folder.ts';

const shop = `utcTime,userAnonymousId,eventType,docPath,plan,amount
2024-03-04T09:00:00Z,ana,view,/,free,
2024-03-04T09:05:00Z,ana,buy,/checkout,free,20
2024-03-05T12:00:00Z,cleo,buy,/checkout,team,35.5
2024-03-05T12:10:00Z,cleo,buy,/checkout,team,3
2024-03-06T12:10:00Z,dan,buy,/checkout,,3
`;

describe('a SELECT statement', () => {
  it.each([
    ['select count(*) from events', 'count'],
    ['SELECT plan, count(*) FROM events GROUP BY plan;', 'count by plan'],
    ['select * from events limit 3', 'raw events limit 3'],
    ['select distinct plan from events', 'count by plan'],
    [
      "select date_trunc('day', t) as d, count(distinct userId) from e where a = 'x y' AND b > 3 group by 1 order by 1",
      "distinct(userId) by day where a = 'x y' and b > 3 order by day",
    ],
    [
      'SELECT plan,\n  SUM(amount) total -- all\nFROM shop AS s\nGROUP BY plan\nORDER BY total DESC LIMIT 10',
      'sum(amount) by plan order by sum(amount) desc limit 10',
    ],
    ["select count(1) from e where plan <> 'AND'", "count where (plan is set and plan != 'AND')"],
  ])('%s is %s', (sql, line) => {
    expect(looksLikeSql(sql)).toBe(true);
    expect(questionOfSql(sql)).toBe(line);
  });

  it.each([
    'select a.x from a join b on a.i = b.i',
    'select plan, count(*) from e group by plan having count(*) > 3',
    "select count(*) from e where page like '/docs%'",
    "select count(*) from e where page not in ('/')",
    'select count(*) from (select * from e)',
    'with x as (select 1) select * from x',
  ])('is not translated if it means something else in a line: %s', (sql) => {
    expect(looksLikeSql(sql)).toBe(true);
    expect(questionOfSql(sql)).toBeUndefined();
    expect(readNotation(sql)).toMatchObject({
      ok: false,
      issues: [{ code: 'notation-sql', hint: expect.stringContaining('Write the figures') as string }],
    });
  });

  it('is refused with the line that asks the same, which has its figures', async () => {
    const folder = folderOf({ 'shop.csv': shop });
    const ask = async (line: string) => folder.sluice(['query', line, '--events', 'shop.csv', '-f', 'csv']);
    const { code, stderr } = await ask(
      "SELECT plan, count(*) AS n, sum(amount) FROM shop WHERE amount <> 20 AND eventType = 'buy' GROUP BY plan ORDER BY n",
    );
    expect(code).toBe(2);
    const [, line = ''] = /Did you mean "([^"]+)"\?/.exec(stderr) ?? [];
    // What SQL counts over these rows.
    expect((await ask(line)).stdout.trim().split('\n').slice(1)).toEqual([',1,3', 'team,2,38.5']);
  });

  it('names what does not exist', async () => {
    const folder = folderOf({ 'shop.csv': shop });
    const { stderr } = await folder.sluice([
      'query',
      'select tier, count(*) from e group by 1',
      '--events',
      'shop.csv',
    ]);
    expect(stderr).toContain('Write `count by tier`, with names that exist. There is no member "tier".');
  });
});

it('a line of notation is no SQL', () => {
  for (const line of ['count by plan from 2024-03-01 to 2024-03-02', 'count where plan = "select x from y"'])
    expect(looksLikeSql(line)).toBe(false);
});
