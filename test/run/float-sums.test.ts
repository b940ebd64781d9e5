import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bind } from '../../src/plan/bind/bind.ts';
import { readModel } from '../../src/plan/model/read/read-model.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { openEmbedded } from '../../src/run/duckdb/answer/open-embedded.ts';
import { type Engine, openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { runs } from '../runs.ts';
import { manyFloats, sumExactly } from '../exact-floats.ts';

const modelText = `cubes:
  - name: Sales
    sql_table: sales
    measures:
      - {name: count, type: count}
      - {name: total, type: sum, sql: amount}
      - {name: mean, type: avg, sql: "{CUBE}.amount"}
      - {name: large, type: sum, sql: amount, filters: [{sql: "{CUBE}.n > 50"}]}
      - {name: share, type: number, sql: "{large} / {total}"}
      - {name: whole, type: sum, sql: n}
      - {name: exact, type: sum, sql: price}
      - {name: trailing, type: sum, sql: amount, rolling_window: {trailing: 2 day}}
    dimensions:
      - {name: shop, sql: shop, type: string}
      - {name: at, sql: at, type: time}
`;

let folder: string;
let maker: Engine;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-floats-'));
  maker = await openEngine({ threads: 1 });
});
afterAll(async () => {
  await maker[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function planOf(query: Parameters<typeof bind>[0]): Promise<Plan> {
  const model = readModel([{ text: modelText, file: 'model.yaml' }]);
  if (!model.ok) throw new Error(model.issues.map(({ message }) => message).join());
  const bound = bind(query, model.value, { now: Date.parse('2024-06-01T00:00Z'), limits: 'none' });
  if (!bound.ok) throw new Error(bound.issues.map(({ message }) => message).join());
  return bound.value[0] as Plan;
}

async function rowsOf(file: string, plan: Plan, threads: number): Promise<readonly (readonly unknown[])[]> {
  await using backend = await openEmbedded({ tables: { sales: [file] }, workingDirectory: folder, threads });
  const rows: unknown[][] = [];
  for await (const { rowCount, columns } of (await backend.run(plan)).batches) {
    for (let row = 0; row < rowCount; row += 1) rows.push(columns.map((values) => values[row]));
  }
  return rows;
}

describe('a sum of floats', () => {
  it('is the same to the last bit for every number of threads and every order of the rows', async () => {
    const row =
      `shop_of(i) AS shop, 1 + i % 100 AS n, (hash(i) % 1000003) / 97.0 * pow(10, (hash(i * 3) % 9)::INT - 4) AS amount,
      ((hash(i) % 100000) / 100)::DECIMAL(18, 2) AS price, TIMESTAMP '2024-03-01' + to_days((i % 7)::INT) AS at`.replace(
        'shop_of(i)',
        "'shop ' || i % 11",
      );
    const files = await Promise.all(
      ['i', 'hash(i)', 'i DESC'].map(async (order, index) => {
        const file = path.join(folder, `sales-${index}.parquet`);
        await maker.rows(
          `COPY (SELECT ${row} FROM range(60000) r(i) ORDER BY ${order}) TO '${file}' (ROW_GROUP_SIZE 3000)`,
        );
        return file;
      }),
    );
    const measures = ['total', 'mean', 'large', 'share', 'whole', 'exact'].map((name) => `Sales.${name}`);
    const at = { dimension: 'Sales.at', granularity: 'day' as const, dateRange: ['2024-03-01', '2024-03-07'] };
    const plans = [
      await planOf({ measures, dimensions: ['Sales.shop'] }),
      await planOf({ measures }),
      await planOf({ measures: ['Sales.total', 'Sales.trailing'], timeDimensions: [at] }),
      await planOf({
        measures: ['Sales.total'],
        dimensions: ['Sales.shop'],
        filters: [{ member: 'Sales.mean', operator: 'gt', values: ['1'] }],
      }),
    ];
    for (const plan of plans) {
      const hashes = new Set<string>();
      for (const file of files) {
        for (const threads of [1, 2, 7]) {
          const rows = JSON.stringify(await rowsOf(file, plan, threads), (_, each: unknown) =>
            typeof each === 'bigint' ? `${each}n` : each,
          );
          hashes.add(createHash('sha256').update(rows).digest('hex'));
        }
      }
      expect(hashes.size).toBe(1);
    }
  });

  it('is the exact sum, rounded once, of all magnitudes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(manyFloats, { minLength: 10, maxLength: 60 }), async (groups) => {
        const rows = groups.flatMap((values, group) => values.map((each) => `(${group}, '${each}'::DOUBLE)`));
        const sums = await maker.rows(
          `SELECT exact_sum(x) FROM (VALUES ${rows.join(', ')}) v(g, x) GROUP BY g ORDER BY g`,
        );
        expect(sums.map(([sum]) => Number(sum) + 0)).toEqual(groups.map((values) => sumExactly(values) + 0));
      }),
      { numRuns: runs(100) },
    );
    for (const [values, expected] of [
      [[0.1, 0.2, 0.3], 0.6],
      [[0.1, 0.2, 1e-7], 0.3000001],
      [Array.from({ length: 10 }, () => 0.1), 1],
      [[1e16, 1, -1e16], 1],
      [[1e20, 1.5, 1e40, -1e40], 1e20],
      [[1e308, 1e308, -1e308], 1e308],
      [[1e308, 1e308], Infinity],
      [[-0.5, 0.25], -0.25],
    ] as const) {
      const [[sum] = []] = await maker.rows(
        `SELECT exact_sum(x) FROM (VALUES ${values.map((value) => `('${value}'::DOUBLE)`).join(', ')}) v(x)`,
      );
      expect(sum).toBe(expected);
    }
  });

  it('of one value is the value, however small or large', async () => {
    const values = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc
        .tuple(fc.double({ noNaN: true, min: 1, max: 10 }), fc.integer({ min: -30, max: 20 }))
        .map(([digits, exponent]) => digits * 10 ** exponent),
      fc.constantFrom(3.3e-7, 2e-8, 1e-9, 5e-324),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(values, { minLength: 20, maxLength: 100 }), async (all) => {
        const list = all.map((value, index) => `(${index}, '${value}'::DOUBLE)`).join(', ');
        const sums = await maker.rows(`SELECT exact_sum(x) FROM (VALUES ${list}) v(g, x) GROUP BY g ORDER BY g`);
        expect(sums.map(([sum]) => Number(sum) + 0)).toEqual(all.map((value) => value + 0));
      }),
      { numRuns: runs(200) },
    );
  });

  it('of small values is exact, too', async () => {
    const small = fc.integer({ min: 1, max: 1e6 }).map((count) => count * 2 ** -60);
    await fc.assert(
      fc.asyncProperty(fc.array(small, { minLength: 2, maxLength: 200 }), async (all) => {
        const list = all.map((value) => `('${value}'::DOUBLE)`).join(', ');
        const [[sum] = []] = await maker.rows(`SELECT exact_sum(x) FROM (VALUES ${list}) v(x)`);
        expect(sum).toBe(all.reduce((total, one) => total + one * 2 ** 60, 0) * 2 ** -60);
      }),
      { numRuns: runs(100) },
    );
  });

  it('keeps what no number is, and nothing of nothing', async () => {
    const sums =
      await maker.rows(`SELECT exact_sum(x) FROM (VALUES (1, 'inf'::DOUBLE), (1, 2), (2, 'nan'), (2, 1), (3, 'inf'), (3, '-inf'), (4, NULL), (5, 3), (5, NULL)) v(g, x)
      GROUP BY g ORDER BY g`);
    expect(sums.map(([sum]) => sum)).toEqual([Infinity, NaN, NaN, null, 3]);
  });

  it('does not touch whole numbers and decimals', async () => {
    const file = path.join(folder, 'large.parquet');
    await maker.rows(
      `COPY (SELECT 'x' AS shop, 9007199254740993::BIGINT AS n, 0.10::DECIMAL(38, 2) AS price, 1.5::DOUBLE AS amount, TIMESTAMP '2024-03-01' AS at FROM range(3)) TO '${file}'`,
    );
    expect(await rowsOf(file, await planOf({ measures: ['Sales.whole', 'Sales.exact', 'Sales.total'] }), 2)).toEqual([
      [27021597764222979n, 0.3, 4.5],
    ]);
  });
});
