import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { randomFrom } from '../../src/run/sample/random.ts';
import { open } from '../../src/use/index.ts';
import type { Measured } from './main.ts';
import { median, timed } from './timing.ts';

const items = 'FROM orders, unnest(items) AS list(item)';

/** Questions on the values of a list, and the same in DuckDB's SQL over the file's own types. */
const questions: readonly { readonly name: string; readonly line: string; readonly sql: string }[] = [
  {
    name: 'revenue and orders by item',
    line: 'sum(items.price * items.quantity), count by items.name where items.name is set order by items.name',
    sql: `SELECT item.name, sum(CAST(item.price AS DECIMAL(38, 2)) * item.quantity), count(DISTINCT id) ${items} GROUP BY 1 ORDER BY 1`,
  },
  {
    name: 'users with an item',
    line: 'users where items.name = mug-7',
    sql: `SELECT count(DISTINCT userId) FROM orders WHERE list_contains(list_transform(items, lambda one: one.name), 'mug-7')`,
  },
];

/**
 * Queries on the values of lists in a store, compared with plain DuckDB: once over the same file, as one would ask it
 * without loading, and once over a table in memory with typed lists, which is the limit.
 */
export async function* measureLists(orders = 300_000, rounds = 7): AsyncGenerator<Measured> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const file = path.join(folder, 'orders.ndjson');
    const { fraction } = randomFrom(7);
    const whole = (below: number) => Math.floor(fraction() * below);
    const lines = Array.from({ length: orders }, (_, id) =>
      JSON.stringify({
        utcTime: new Date(Date.UTC(2026, 8, 1) + id * 5000).toISOString(),
        eventType: 'order',
        id,
        userId: `u${whole(20_000)}`,
        items: Array.from({ length: 1 + whole(4) }, () => ({
          name: `mug-${whole(200)}`,
          price: whole(5000) / 100,
          quantity: 1 + whole(3),
        })),
      }),
    );
    await writeFile(file, `${lines.join('\n')}\n`);
    await using sluice = await open({ workspace: folder, store: path.join(folder, 'store'), env: {}, cache: false });
    await sluice.ingest(file);
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const plain = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
    for (const { name, line, sql } of questions) {
      const times = { ours: [] as number[], file: [] as number[], table: [] as number[] };
      const answers = new Set<string>();
      const plainly = (value: unknown) => (Number.isNaN(Number(value)) ? value : Number(value));
      const told = (rows: readonly (readonly unknown[])[]) =>
        answers.add(JSON.stringify(rows.map((row) => row.map(plainly))));
      for (let round = -1; round < rounds; round += 1) {
        const ours = await timed(async () => {
          told((await sluice.query(line)).rows().map((row) => Object.values(row)));
        });
        await connection.run(`CREATE OR REPLACE VIEW orders AS SELECT * FROM read_json('${file}')`);
        const overFile = await timed(async () => told(await plain(sql)));
        await connection.run('DROP VIEW orders');
        await connection.run(`CREATE TABLE orders AS SELECT * FROM read_json('${file}')`);
        const overTable = await timed(async () => told(await plain(sql)));
        await connection.run('DROP TABLE orders');
        if (round < 0) continue;
        times.ours.push(ours);
        times.file.push(overFile);
        times.table.push(overTable);
      }
      if (answers.size !== 1) throw new Error(`${name}: the answers differ`);
      const against = (other: 'file' | 'table') => ({
        ratio: median(times.ours) / median(times[other]),
        spread: [
          Math.min(...times.ours.map((time, round) => time / times[other][round]!)),
          Math.max(...times.ours.map((time, round) => time / times[other][round]!)),
        ] as const,
        better: 'lower' as const,
        detail: `${median(times.ours).toFixed(0)} ms against ${median(times[other]).toFixed(0)} ms, ${orders} orders`,
      });
      yield { what: `${name} from a store, compared with DuckDB over the file`, target: 1, ...against('file') };
      yield {
        what: `${name} from a store, compared with DuckDB over a table with typed lists`,
        target: 3,
        ...against('table'),
      };
    }
    connection.closeSync();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for await (const { what, ratio, detail } of measureLists()) console.log(ratio.toFixed(2), what, detail);
