import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ingestFiles } from '../../src/run/duckdb/store/ingest.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import type { Measured } from './main.ts';
import { median } from './timing.ts';

/** Taking many small files into a store, beside one file with the same events: in turns, medians. */
export async function* measureSmallFiles(count = 1000, rounds = 3): AsyncGenerator<Measured> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const whole = path.join(folder, 'whole.ndjson');
    await writeSample({ seed: 1, events: 100 * count, days: 90, to: '2026-10-01' }, whole);
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
        await ingest(path.join(folder, 'store'), way === 'many' ? files : [whole], lines.length);
        // The first round warms the disk's cache.
        if (round >= 0) times[way].push(performance.now() - start);
        await rm(path.join(folder, 'store'), { recursive: true, force: true });
      }
    }
    const [many, one] = [median(times.many), median(times.one)];
    yield {
      what: `ingest of ${files.length} files of 100 events, over one file of as many`,
      ratio: many / one,
      target: 3,
      better: 'lower',
      detail: `${many.toFixed(0)} ms against ${one.toFixed(0)} ms`,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function ingest(folder: string, files: readonly string[], events: number): Promise<void> {
  const randomText = () => randomBytes(6).toString('hex');
  const { added, rejected } = await ingestFiles({ folder, files, now: Date.now, holder: 'the bench', randomText });
  if (added !== events || rejected > 0) throw new Error(`${added} of ${events} added, ${rejected} rejected`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for await (const { what, ratio, detail } of measureSmallFiles())
    console.log(`${ratio.toFixed(2)}  ${what} (${detail})`);
