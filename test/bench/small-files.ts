import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mapping } from '../../src/plan/mapping/mapping.ts';
import { ingestFiles } from '../../src/run/duckdb/store/ingest.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import type { Measured } from './main.ts';
import { median } from './timing.ts';

const names = { utcTime: 'created_at', userAnonymousId: 'distinct_id', eventType: 'event_name', docPath: 'page' };

/** Loading many small files into a store, compared with one file of the same events: medians of alternating runs. */
export async function* measureSmallFiles(count = 1000, rounds = 3): AsyncGenerator<Measured> {
  yield* measureNamed(count, rounds, undefined);
  yield* measureNamed(count, rounds, { columns: names });
}

async function* measureNamed(count: number, rounds: number, mapping: Mapping | undefined): AsyncGenerator<Measured> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const whole = path.join(folder, 'whole.ndjson');
    await writeSample({ seed: 1, events: 100 * count, days: 90, to: '2026-10-01' }, whole);
    if (mapping) await renameKeys(whole);
    const lines = (await readFile(whole, 'utf8')).trimEnd().split('\n');
    await mkdir(path.join(folder, 'many'));
    const files: string[] = [];
    for (let number = 0; number * 100 < lines.length; number += 1) {
      const file = path.join(folder, 'many', `${String(number).padStart(5, '0')}.ndjson`);
      await writeFile(file, `${lines.slice(number * 100, number * 100 + 100).join('\n')}\n`);
      files.push(file);
    }
    const times = { many: [] as number[], one: [] as number[] };
    for (let round = -1; round < rounds; round += 1) {
      for (const way of ['many', 'one'] as const) {
        const start = performance.now();
        await ingest(path.join(folder, 'store'), way === 'many' ? files : [whole], lines.length, mapping);
        // The first round warms the disk cache.
        if (round >= 0) times[way].push(performance.now() - start);
        await rm(path.join(folder, 'store'), { recursive: true, force: true });
      }
    }
    const [many, one] = [median(times.many), median(times.one)];
    yield {
      what: `ingest of ${files.length} ${mapping ? 'mapped ' : ''}files of 100 events, compared with one file of the same events`,
      ratio: many / one,
      target: 3,
      better: 'lower',
      detail: `${many.toFixed(0)} ms against ${one.toFixed(0)} ms`,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function renameKeys(file: string): Promise<void> {
  const text = (await readFile(file, 'utf8')).replaceAll(
    new RegExp(`"TrackedEvents\\.(${Object.keys(names).join('|')})":`, 'g'),
    (_, name: keyof typeof names) => `"${names[name]}":`,
  );
  await writeFile(file, text);
}

async function ingest(
  folder: string,
  files: readonly string[],
  events: number,
  mapping: Mapping | undefined,
): Promise<void> {
  const randomText = () => randomBytes(6).toString('hex');
  const { added, rejected } = await ingestFiles({
    ...{ folder, files, now: Date.now, holder: 'the bench', randomText },
    mappingOf: () => mapping,
  });
  if (added !== events || rejected > 0) throw new Error(`${added} of ${events} added, ${rejected} rejected`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for await (const { what, ratio, detail } of measureSmallFiles())
    console.log(`${ratio.toFixed(2)}  ${what} (${detail})`);
