import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { randomFrom } from '../../src/run/sample/random.ts';
import { open } from '../../src/use/index.ts';
import type { Measured } from './main.ts';
import { median, timed } from './timing.ts';

/** Asked one after the other, and the same in DuckDB's SQL over the types that it detects. `from`: the file. */
const questions = [
  {
    name: 'first question',
    line: 'sum(price) by plan, campaign where campaign is set order by plan, campaign',
    sql: (from: string) =>
      `SELECT plan, campaign, sum(CAST(price AS DECIMAL(38, 2))) FROM ${from} WHERE campaign IS NOT NULL GROUP BY ALL ORDER BY ALL`,
  },
  {
    name: 'next question',
    line: 'count by campaign where plan = pro and campaign is set order by campaign',
    sql: (from: string) =>
      `SELECT campaign, count(*) FROM ${from} WHERE plan = 'pro' AND campaign IS NOT NULL GROUP BY ALL ORDER BY ALL`,
  },
] as const;

const readers = { ndjson: 'read_json', csv: 'read_csv', parquet: 'read_parquet' } as const;

/**
 * Questions on properties of files in a new process's state: nothing is known about the file, and nothing kept. DuckDB
 * trusts its sample of the file; sluice reads all values to decide what they are, and checks that each line is an
 * event.
 */
export async function* measureProperties(events = 200_000, rounds = 5): AsyncGenerator<Measured> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const { fraction } = randomFrom(7);
    const whole = (below: number) => Math.floor(fraction() * below);
    const lines = Array.from({ length: events }, (_, index) =>
      JSON.stringify({
        utcTime: new Date(Date.UTC(2026, 2, 1) + index * 9000).toISOString(),
        eventType: ['pageview', 'signup', 'order'][index % 3],
        userAnonymousId: `u${whole(5000)}`,
        docPath: `/products/${whole(200)}`,
        plan: ['free', 'pro', 'team'][whole(3)],
        campaign: whole(4) === 0 ? null : `spring-${whole(20)}`,
        price: whole(10_000) / 100,
        country: ['DE', 'US', 'JP', 'BR'][whole(4)],
        description: 'the quick brown fox jumps over the lazy dog '.repeat(4),
      }),
    );
    const file = (format: string) => path.join(folder, `events.${format}`);
    await writeFile(file('ndjson'), `${lines.join('\n')}\n`);
    const writer = await (await DuckDBInstance.create(':memory:')).connect();
    for (const format of ['csv', 'parquet'])
      await writer.run(`COPY (FROM read_json('${file('ndjson')}')) TO '${file(format)}'`);
    writer.closeSync();
    for (const [format, reader] of Object.entries(readers)) {
      const ours = questions.map((): number[] => []);
      const theirs = questions.map((): number[] => []);
      for (let round = -1; round < rounds; round += 1) {
        const answers: string[][] = [];
        const told = (rows: readonly (readonly unknown[])[]) =>
          rows.map((row) => row.map((cell) => (Number.isNaN(Number(cell)) ? String(cell) : Number(cell))).join());
        const began = performance.now();
        await using sluice = await open({ workspace: folder, events: file(format), env: {}, cache: false });
        const opened = performance.now() - began;
        for (const [index, { line }] of questions.entries()) {
          const time = await timed(async () => {
            answers[index] = told((await sluice.query(line)).rows().map((row) => Object.values(row)));
          });
          if (round >= 0) ours[index]!.push(time + (index === 0 ? opened : 0));
        }
        const start = performance.now();
        const connection = await (await DuckDBInstance.create(':memory:')).connect();
        const started = performance.now() - start;
        for (const [index, { name, sql }] of questions.entries()) {
          const time = await timed(async () => {
            const rows = (await connection.runAndReadAll(sql(`${reader}('${file(format)}')`))).getRowsJson();
            if (told(rows).join(';') !== answers[index]!.join(';')) throw new Error(`${name}: the answers differ`);
          });
          if (round >= 0) theirs[index]!.push(time + (index === 0 ? started : 0));
        }
        connection.closeSync();
      }
      for (const [index, { name }] of questions.entries()) {
        const ratios = ours[index]!.map((time, round) => time / theirs[index]![round]!);
        yield {
          what: `${name} on properties of ${format === 'parquet' ? 'Parquet' : format.toUpperCase()}, compared with DuckDB over the file`,
          ratio: median(ours[index]!) / median(theirs[index]!),
          spread: [Math.min(...ratios), Math.max(...ratios)],
          target: index === 0 ? 4 : 2,
          better: 'lower',
          limit:
            index === 0
              ? 'sluice reads the file three times: to check each line, to decide what the values are, and to answer. DuckDB relies on a sample. The next command reads it once.'
              : 'DuckDB reads no times here; sluice reads the time of each event.',
          detail: `${median(ours[index]!).toFixed(0)} ms against ${median(theirs[index]!).toFixed(0)} ms, ${events} events`,
        };
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for await (const { what, ratio, detail } of measureProperties()) console.log(ratio.toFixed(2), what, detail);
