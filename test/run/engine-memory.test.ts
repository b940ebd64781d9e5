import { freemem } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Engine, openEngine } from '../../src/run/duckdb/engine/engine.ts';

const units: Readonly<Record<string, number>> = { bytes: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/** The limit in force, in bytes. */
async function limitOf(engine: Engine): Promise<number> {
  const [row] = await engine.rows("SELECT current_setting('memory_limit')");
  const [amount = '', unit = ''] = String(row?.[0]).split(' ');
  return Number(amount) * (units[unit] ?? Number.NaN);
}

// Lists are not spilled to disk: this fails with 256 MiB for two threads.
const hungry = 'SELECT sum(len(l)) FROM (SELECT i % 7 AS g, list(i) AS l FROM range(20000000) t(i) GROUP BY g)';

describe('the memory of the engine', () => {
  it('is half of what is free, and no more', async () => {
    const before = freemem();
    await using engine = await openEngine({ threads: 1 });
    const limit = await limitOf(engine);
    const after = freemem();
    expect(limit).toBeLessThanOrEqual(Math.max(512 * 2 ** 20, 0.55 * Math.max(before, after)));
    expect(limit).toBeGreaterThanOrEqual(Math.min(512 * 2 ** 20, 0.3 * Math.min(before, after)));
  });

  it('is little while only what needs little is done, and all of it as soon as something else begins', async () => {
    await using engine = await openEngine({ threads: 2 });
    const all = await limitOf(engine);
    await engine.sparingly(async () => {
      expect(await limitOf(engine)).toBe(256 * 2 ** 20);
    });
    const done = Promise.withResolvers<void>();
    const beside = engine.work(async () => done.promise);
    await engine.sparingly(async () => expect(await limitOf(engine)).toBe(all));
    done.resolve();
    await beside;
    expect(await limitOf(engine)).toBe(all);
  });

  it('is little again as soon as the work beside is done, and needs less for narrow rows', async () => {
    await using engine = await openEngine({ threads: 2 });
    const all = await limitOf(engine);
    const done = Promise.withResolvers<void>();
    const beside = engine.work(async () => done.promise);
    await engine.sparingly(async () => {
      expect(await limitOf(engine)).toBe(all);
      done.resolve();
      await beside;
      expect(await limitOf(engine)).toBe(29 * 4 * 2 ** 20);
      // Light work does not change it.
      await engine.lightly(() => engine.rows('SELECT 1'));
    }, 4);
    expect(await limitOf(engine)).toBe(all);
  });

  it('is enough for a question beside work that takes little', async () => {
    await using engine = await openEngine({ threads: 2 });
    await expect(engine.sparingly(() => engine.rows(hungry))).rejects.toThrow(/^Out of Memory/);
    let isOver = false;
    const light = engine.sparingly(async () => {
      while (!isOver) {
        await engine.rows('SELECT sum(hash(i)) FROM range(1000000) t(i)');
        await pause(1);
      }
    });
    try {
      expect(await engine.rows(hungry)).toEqual([[20_000_000n]]);
    } finally {
      isOver = true;
      await light;
    }
  });

  it('stays what somebody said, whatever is done', async () => {
    await using engine = await openEngine({ threads: 2, memoryLimit: '300MiB' });
    const limit = 300 * 2 ** 20;
    await engine.sparingly(async () => expect(await limitOf(engine)).toBe(limit));
    await engine.amply(async () => expect(await limitOf(engine)).toBe(limit));
    await engine.limitMemory('400MiB');
    await engine.sparingly(async () => expect(await limitOf(engine)).toBe(400 * 2 ** 20));
    await expect(engine.limitMemory('much')).rejects.toMatchObject({ code: 'memory-unfit' });
  });

  it('is most of what is free for what failed for want of it, after the work beside it', async () => {
    await using engine = await openEngine({ threads: 2 });
    const all = await limitOf(engine);
    const order: string[] = [];
    const beside = engine.rows('SELECT sum(hash(i)) FROM range(30000000) t(i)').then(() => order.push('beside'));
    await engine.amply(async () => {
      order.push('again');
      expect(await limitOf(engine)).toBeGreaterThan(1.2 * all);
    });
    await beside;
    expect(order).toEqual(['beside', 'again']);
    expect(await limitOf(engine)).toBe(all);
  });

  it('puts aside on the disk, in its own folder, what does not fit', async () => {
    await using engine = await openEngine({ threads: 2, memoryLimit: '200MiB' });
    const [row] = await engine.rows("SELECT current_setting('temp_directory')");
    expect(String(row?.[0]).startsWith(engine.folder)).toBe(true);
    expect(
      await engine.rows('SELECT count(*) FROM (SELECT hash(i) AS h, count(*) FROM range(5000000) t(i) GROUP BY h)'),
    ).toEqual([[5_000_000n]]);
  });
});
