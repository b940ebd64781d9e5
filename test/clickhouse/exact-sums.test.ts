import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactSum } from '../../src/plan/sql/clickhouse/exact-sum.ts';
import { clickHouse } from '../../src/plan/sql/clickhouse/dialect.ts';
import { name } from '../../src/plan/sql/expression.ts';
import { printStatement } from '../../src/plan/sql/print-statement.ts';
import { manyFloats, sumExactly } from '../exact-floats.ts';
import { runs } from '../runs.ts';
import { noClickHouse, onClickHouse, openClickHouseServer } from './open-clickhouse.ts';

describe.skipIf(noClickHouse)(onClickHouse('a sum of floats on ClickHouse'), () => {
  it('is the exact sum, rounded once, of all magnitudes', { timeout: 300_000 }, async () => {
    await using server = await openClickHouseServer();
    const sum = printStatement(exactSum(name('x')), clickHouse).text;
    const ask = async (groups: readonly (readonly number[])[]) => {
      const rows = groups.flatMap((values, group) => values.map((each) => `(${group}, '${bytesOf(each)}')`));
      const response = await fetch(server.url, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${server.user}:${server.password}`)}` },
        body: `SELECT hex(reinterpretAsString(assumeNotNull(${sum}))) FROM (SELECT each.1 AS g, CAST(reinterpretAsFloat64(unhex(each.2)) AS Nullable(Float64)) AS x
          FROM (SELECT arrayJoin([${rows.join(', ')}]) AS each)) GROUP BY g ORDER BY g`,
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text
        .trimEnd()
        .split('\n')
        .map((line) => Buffer.from(line.trim().padEnd(16, '0'), 'hex').readDoubleLE());
    };
    await fc.assert(
      fc.asyncProperty(fc.array(manyFloats, { minLength: 10, maxLength: 60 }), async (groups) => {
        expect((await ask(groups)).map((each) => each + 0)).toEqual(groups.map((values) => sumExactly(values) + 0));
      }),
      { numRuns: runs(60) },
    );
    expect(
      await ask([
        [Infinity, 1],
        [NaN, 1],
        [Infinity, -Infinity],
      ]),
    ).toEqual([Infinity, NaN, NaN]);
  });
});

function bytesOf(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes.toString('hex');
}
