import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { AbortedError, open } from '../../src/use/index.ts';
import { fewEvents, folderOf, now } from './run-in-folder.ts';

/** What this process has open, and what it stores on disk. */
function held(): { readonly handles: number; readonly files: readonly string[] } {
  const files = readdirSync(tmpdir())
    .filter((name) => name.startsWith(`sluice-${process.pid}-`))
    .flatMap((name) => readdirSync(path.join(tmpdir(), name), { recursive: true, encoding: 'utf8' }));
  return { handles: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0, files };
}

/** Repeatable numbers from 0 to 1. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const model = `cubes:
  - name: N
    sql: SELECT range AS id, md5(range::VARCHAR) AS word FROM range(100000)
    measures: [{name: count, type: count}, {name: words, type: count_distinct, sql: word}]
    dimensions: [{name: id, type: number, sql: id, primary_key: true}, {name: word, type: string, sql: word}]
`;

describe('many queries at once', () => {
  it('are answered or aborted at any moment, and leave neither handles nor files', async () => {
    const folder = folderOf({ 'events.ndjson': fewEvents, 'numbers.yaml': model });
    const chance = chances(20240308);
    const round = async () => {
      await using s = await open({ workspace: folder.root, env: {}, now: () => now, model: 'numbers.yaml' });
      let aborted = 0;
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const stopping = new AbortController();
          const timer = index % 5 === 0 ? undefined : setTimeout(() => stopping.abort(), chance() * 150);
          const { signal } = stopping;
          try {
            if (index % 2 === 0) {
              const [row] = (await s.query('N.count, N.words', { signal })).rows();
              expect(row).toEqual({ 'N.count': 100_000, 'N.words': 100_000 });
            } else {
              let rows = 0;
              for await (const _row of s.stream({ dimensions: ['N.id'], ungrouped: true }, { signal })) rows += 1;
              expect(rows).toBe(100_000);
            }
          } catch (error) {
            expect(error).toBeInstanceOf(AbortedError);
            expect(signal.aborted).toBe(true);
            aborted += 1;
          } finally {
            clearTimeout(timer);
          }
        }),
      );
      expect(aborted).toBeGreaterThan(0);
      expect((await s.query('N.count')).rows()).toEqual([{ 'N.count': 100_000 }]);
    };
    // The first round opens what stays open, such as the threads of the engine.
    await round();
    const before = held();
    await round();
    const after = held();
    expect(after.files).toEqual(before.files);
    expect(after.handles).toBeLessThanOrEqual(before.handles + 2);
  });

  // DuckDB's package ends the process if a worker is terminated while a statement runs; the guide says so.
  it('end with the worker that runs them, even if its session and a stream are open', async () => {
    const folder = folderOf({ 'numbers.yaml': model });
    const library = new URL('../../dist/index.js', import.meta.url).href;
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.library).then(async ({ open }) => {
        const s = await open({ workspace: workerData.root, env: {}, model: 'numbers.yaml' });
        const { rowCount } = await s.query('N.count');
        const rows = s.stream({ dimensions: ['N.id'], ungrouped: true });
        await rows.next();
        setInterval(() => {}, 1000);
        parentPort.postMessage(rowCount);
      });`,
      { eval: true, workerData: { library, root: folder.root } },
    );
    const said = await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    expect(said).toBe(1);
    expect(await worker.terminate()).toBe(1);
  });
});
